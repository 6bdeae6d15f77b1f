/** Takes the JSON of one object as bytes; gives an object whose sections (`spec`, `status`, …) are parsed on their first read. */
import { objectKey } from "../meta/key.js";
import { hasNoNulls, withoutNullMembers } from "../meta/nulls.js";
import type { KubeObject } from "../object.js";
import { type Extents, keepSections, SectionProperties } from "./lazy-object.js";
import { readMetadata } from "./metadata.js";
import { type Cursor, readKey, toNextKey, UnsureError } from "./read.js";
import { SeenValues } from "./seen-values.js";
import { SharedMembers } from "./shared-members.js";
import { skipSpace, skipValue, unsure } from "./skip.js";
import { Slab } from "./slab.js";
import { openBrace, openBracket } from "./punctuation.js";

export interface LazyDecoderOptions<T> {
  /** Set on objects that lack them, as items of a list do. */
  readonly kind?: string;
  readonly apiVersion?: string;
  /**
   * The caller's state of an object, by `namespace/name` or `name`. If it has the revision that is being decoded, it is
   * the result and the rest of the bytes is not looked at.
   */
  readonly cached?: (key: string) => T | undefined;
  /**
   * Whether nobody will change the objects. Equal labels, annotations, owners and members of pods' specs are then one
   * frozen object for all.
   */
  readonly isReadonly?: boolean;
}

/** Decodes the JSON in `bytes[start, end)` to an object. Does not keep the bytes. */
export type LazyDecoder<T> = (bytes: Buffer, start: number, end: number) => T;

const nothing = Buffer.alloc(0);

/**
 * A constructor of plain objects. The engine derives an object's shape from the ones that its constructor made before,
 * and keeps an object as a dictionary (450 bytes, and slow) if one of them has another getter under the same name. The
 * getters of sections are the decoder's own, so its objects need a constructor of their own.
 */
function plainObjects(): new () => Record<string, unknown> {
  const Plain = function (): void {};
  Plain.prototype = Object.prototype;
  return Plain as unknown as new () => Record<string, unknown>;
}

/**
 * The result is what JSON.parse gives for the same bytes, without `metadata.managedFields`, without null members in
 * metadata and in built-in kinds, and with kind and apiVersion in front, where they are missing; malformed JSON throws
 * a SyntaxError. docs/decisions/0014-late-decoding.md says how it works and what each step is worth.
 */
export function lazyDecoder<T extends KubeObject>(options: LazyDecoderOptions<T> = {}): LazyDecoder<T> {
  const decoding = new Decoding(options);
  return (bytes, start, end) => {
    try {
      return decoding.decode(bytes, start, end);
    } catch (error) {
      if (!(error instanceof UnsureError)) throw error;
      return parseWhole(bytes.toString("utf8", start, end), options);
    }
  };
}

/**
 * Decodes one object after another. Throws an UnsureError for bytes that are not JSON, and for JSON that is left to
 * JSON.parse: a key that comes twice, `__proto__`, extreme nesting, null in the place of a section.
 */
class Decoding<T extends KubeObject> {
  readonly #options: LazyDecoderOptions<T>;
  readonly #cursor: Cursor = { bytes: nothing, at: 0 };
  readonly #seen = new SeenValues();
  readonly #slab = new Slab();
  readonly #Plain = plainObjects();
  readonly #sections: Extents = { count: 0, starts: [], ends: [] };
  readonly #properties: SectionProperties;

  constructor(options: LazyDecoderOptions<T>) {
    this.#options = options;
    this.#properties = new SectionProperties(options.isReadonly === true ? new SharedMembers() : undefined);
  }

  decode(bytes: Buffer, start: number, end: number): T {
    const cursor = this.#cursor;
    cursor.bytes = bytes;
    cursor.at = skipSpace(bytes, start);
    try {
      const object = new this.#Plain();
      this.#sections.count = 0;
      for (let isFirst = true; toNextKey(cursor, isFirst); isFirst = false) {
        const key = readKey(cursor, this.#seen);
        if (isFirst && key !== "kind" && key !== "apiVersion") this.#complete(object);
        if (key in object) throw new UnsureError();
        const known = this.#member(object, key);
        if (known !== undefined) return known;
      }
      // bytes behind `end` belong to the next object: one that runs into them is none
      if (cursor.at > end || skipSpace(bytes, cursor.at) < end || !this.#isComplete(object)) throw new UnsureError();
      if (this.#sections.count > 0) keepSections(object, this.#sections, bytes, this.#slab);
      return object as unknown as T;
    } finally {
      // the chunk must not live on in here
      cursor.bytes = nothing;
    }
  }

  /** Reads the value at the cursor into the object. Gives the cached object if the metadata shows that it is the same state. */
  #member(object: Record<string, unknown>, key: string): T | undefined {
    const cursor = this.#cursor;
    const opening = cursor.bytes[cursor.at];
    if (key === "metadata" && opening === openBrace) {
      const metadata = readMetadata(cursor, this.#seen, this.#options.isReadonly === true);
      object[key] = metadata;
      return this.#cached(metadata);
    }
    const { bytes, at: start } = cursor;
    const end = skipValue(bytes, start);
    if (end === unsure) throw new UnsureError();
    cursor.at = end;
    if (opening === openBrace || opening === openBracket) {
      this.#section(object, key, { start, end });
      return undefined;
    }
    const scalar = this.#seen.get(bytes, start, end);
    // whether null members are left out depends on the kind, which may come later
    if (scalar === null && !("kind" in object && "apiVersion" in object)) throw new UnsureError();
    if (scalar !== null || !hasNoNulls(object)) object[key] = scalar;
    return undefined;
  }

  #section(object: Record<string, unknown>, key: string, { start, end }: { start: number; end: number }): void {
    // sections are decoded depending on these two
    if (key === "kind" || key === "apiVersion") throw new UnsureError();
    const sections = this.#sections;
    sections.starts[sections.count] = start;
    sections.ends[sections.count] = end;
    this.#properties.add(object, key, sections.count);
    sections.count += 1;
  }

  #cached({ namespace, name, uid, resourceVersion }: Readonly<Record<string, unknown>>): T | undefined {
    const { cached } = this.#options;
    if (cached === undefined || typeof name !== "string" || typeof resourceVersion !== "string") return undefined;
    const found = cached(typeof namespace === "string" ? objectKey({ namespace, name }) : name);
    return found?.metadata.resourceVersion === resourceVersion && found.metadata.uid === uid ? found : undefined;
  }

  /** Puts kind and apiVersion in front, where they stand in an object that comes alone. */
  #complete(object: Record<string, unknown>): void {
    const { kind, apiVersion } = this.#options;
    if (kind !== undefined) object["kind"] = kind;
    if (apiVersion !== undefined) object["apiVersion"] = apiVersion;
  }

  #isComplete(object: Readonly<Record<string, unknown>>): boolean {
    const { kind, apiVersion } = this.#options;
    return (kind === undefined || "kind" in object) && (apiVersion === undefined || "apiVersion" in object);
  }
}

function parseWhole<T>(text: string, { kind, apiVersion }: LazyDecoderOptions<T>): T {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value as T;
  const object = value as { metadata?: { managedFields?: unknown } | null };
  if (typeof object.metadata === "object" && object.metadata !== null && !Array.isArray(object.metadata)) {
    delete object.metadata.managedFields;
    object.metadata = withoutNullMembers(object.metadata, text);
  }
  const missing = {
    ...(kind === undefined || Object.hasOwn(value, "kind") ? {} : { kind }),
    ...(apiVersion === undefined || Object.hasOwn(value, "apiVersion") ? {} : { apiVersion }),
  };
  const whole = Object.keys(missing).length === 0 ? value : withInFront(missing, value);
  return (hasNoNulls(whole) ? withoutNullMembers(whole, text) : whole) as T;
}

/** Like `{ ...front, ...object }`, but right for a property named `__proto__` too. */
function withInFront(front: object, object: object): object {
  const result = {};
  for (const part of [front, object])
    for (const [key, value] of Object.entries(part))
      Object.defineProperty(result, key, { value, writable: true, enumerable: true, configurable: true });
  return result;
}
