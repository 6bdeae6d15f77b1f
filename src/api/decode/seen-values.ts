/**
 * Takes the bytes of small JSON values; gives one value for equal bytes: keys, namespaces, labels and owners repeat in
 * thousands of objects.
 */
import { deepFreeze } from "../compare/freeze.js";
import { withoutNullMembers } from "../meta/nulls.js";

/** When this many different values were seen, all are forgotten, so that memory is bounded. */
const most = 4096;

interface Seen {
  readonly text: string;
  /** The parsed value, without null members. An object is frozen. */
  readonly value: unknown;
}

export class SeenValues {
  /** By the hash of the text. Of two texts with one hash, the later replaces the earlier. */
  readonly #seen = new Map<number, Seen>();
  readonly #longest: number;

  /** Texts with more bytes than `longest` seldom repeat, and are not looked up. */
  constructor(longest = 512) {
    this.#longest = longest;
  }

  /** The JSON value in `bytes[start, end)`, which must be valid. An object may be shared, and is then frozen. */
  get(bytes: Buffer, start: number, end: number): unknown {
    if (end - start > this.#longest) return parsed(bytes.toString("utf8", start, end));
    let hash = 0;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
    const known = this.#seen.get(hash);
    if (known !== undefined && equals(known.text, bytes, start, end)) return known.value;
    const text = bytes.toString("utf8", start, end);
    const value = deepFreeze(parsed(text));
    if (this.#seen.size >= most) this.#seen.clear();
    this.#seen.set(hash, { text, value });
    return value;
  }
}

/** The value of the JSON text, without null members. */
export function parsed(text: string): unknown {
  return withoutNullMembers(JSON.parse(text) as unknown, text);
}

/** Finds only ASCII again: any other character has more than one byte. */
function equals(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}
