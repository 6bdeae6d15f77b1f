/** How the parts of an object stand in its text: mostly as in the one before. Serves the lazy decoder. */
import type { Extents } from "./lazy-object.js";

/** First what all objects of the kind have in common, then metadata, then sections; nothing else. */
export interface Layout {
  /** The text before the metadata, and what it says. */
  readonly before: Buffer;
  readonly front: readonly (readonly [key: string, value: unknown])[];
  /** The text before each section, and what its key is. */
  readonly gaps: readonly Buffer[];
  readonly keys: readonly string[];
}

export interface Decoded {
  readonly object: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  /** Where the object begins. */
  readonly start: number;
  /** `start` is -1 if it has none. */
  readonly metadata: { readonly start: number; readonly end: number };
  readonly sections: Extents;
}

/** Undefined if the object has something that the next one may have otherwise. */
export function layoutOf({ object, bytes, start, metadata, sections }: Decoded): Layout | undefined {
  const names = Object.keys(object);
  const place = names.indexOf("metadata");
  const keys = names.slice(place + 1);
  const front = names.slice(0, place);
  if (
    metadata.start === -1 ||
    keys.length !== sections.count ||
    front.some((key) => key !== "kind" && key !== "apiVersion")
  )
    return undefined;
  const gaps = keys.map((_, i) =>
    Buffer.from(bytes.subarray(i === 0 ? metadata.end : sections.ends[i - 1], sections.starts[i])),
  );
  if (gaps.some((gap, i) => gap.toString() !== `,${JSON.stringify(keys[i])}:`)) return undefined;
  return {
    before: Buffer.from(bytes.subarray(start, metadata.start)),
    front: front.map((key) => [key, object[key]] as const),
    gaps,
    keys,
  };
}
