/** Bytes to objects, as late as possible. From list and watch streams; to caches, whose handlers mostly read metadata. */
import { objectKey } from "../meta/key.js";
import type { KubeObject } from "../object.js";
import { StringTable } from "./intern.js";
import { addSection, type Extents, keepSections, sectionLengthAt } from "./lazy-object.js";
import { MetadataReader } from "./metadata.js";
import { hasNoNulls, withoutNulls } from "../meta/nulls.js";
import { type Layout, layoutOf } from "./layout.js";
import { type Cursor, readScalar, readString, standsAt, UnsureError } from "./read.js";
import { skipSpace, skipValue, unsure } from "./skip.js";
import { Slab } from "./slab.js";

export interface LazyDecoderOptions<T> {
  /** Given to objects that come without, as items of a list do. */
  readonly kind?: string;
  readonly apiVersion?: string;
  /**
   * The state of an object that the asker has already, by `namespace/name` or `name`. If it has the revision that is being
   * decoded, it is taken instead of a new object; otherwise what did not change since is not checked again.
   */
  readonly cached?: (key: string) => T | undefined;
  /** Whether nobody will change the objects. Those that are alike then share their labels, annotations and owners, frozen. */
  readonly isReadonly?: () => boolean;
}

/** The JSON in `bytes[start, end)` as an object. The bytes are not kept. */
export type LazyDecoder<T> = (bytes: Buffer, start: number, end: number) => T;

const strings = new StringTable();
const metadataReader = new MetadataReader();
const nothing = Buffer.alloc(0);
const noObject: Record<string, unknown> = Object.freeze({});

/** So many objects must be of another layout before a new one is learnt, which takes as long as decoding a few. */
const patience = 16;

const quote = 0x22;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;

/**
 * The result is what JSON.parse gives for the same bytes, without `metadata.managedFields`, without null members in metadata and
 * in built-in kinds, and with kind and apiVersion in front, where they are missing; malformed JSON throws a SyntaxError. Metadata and scalars are decoded at once;
 * every other part of the object stays text until somebody reads it, and is then what JSON.parse makes of it. All of
 * it is checked to be JSON before the object is given away, save what is left out. Bytes that the scanner is not sure
 * about (a key twice, `__proto__`, extreme nesting) are parsed as a whole.
 */
export function lazyDecoder<T extends KubeObject>(options: LazyDecoderOptions<T> = {}): LazyDecoder<T> {
  const decoding = new Decoding(options);
  return (bytes, start, end) => {
    try {
      const object = decoding.decode(bytes, start, end);
      if (object !== undefined) return object;
    } catch (error) {
      if (!(error instanceof UnsureError)) throw error;
    }
    return parseWhole(bytes.toString("utf8", start, end), options);
  };
}

/** Decodes one object after another. Whatever is not sure throws an UnsureError or gives undefined. */
class Decoding<T extends KubeObject> {
  readonly #cursor: Cursor = { bytes: nothing, at: 0, strings };
  readonly #options: LazyDecoderOptions<T>;
  readonly #slab = new Slab();
  readonly #sections: Extents = { count: 0, starts: [], ends: [] };
  #object: Record<string, unknown> = noObject;
  #metadataStart = 0;
  #metadataEnd = 0;
  #layout: Layout | undefined;
  /** Whether a member of the object itself is null, which only `parseWhole` handles. */
  #hasNull = false;
  /** How many objects since the last that had the layout. */
  #unlike = patience;
  /** An older state of the object: what did not change since was checked before. */
  #older: T | undefined;

  constructor(options: LazyDecoderOptions<T>) {
    this.#options = options;
  }

  decode(bytes: Buffer, start: number, end: number): T | undefined {
    const at = skipSpace(bytes, start);
    this.#cursor.bytes = bytes;
    try {
      return this.#decodeAlike(bytes, at, end) ?? this.#decodeAny(bytes, at, end);
    } finally {
      // neither the chunk nor the last object may live on in here
      this.#cursor.bytes = nothing;
      this.#object = noObject;
      this.#older = undefined;
    }
  }

  /** An object that has the parts that the one before it had. */
  #decodeAlike(bytes: Buffer, start: number, end: number): T | undefined {
    const layout = this.#layout;
    if (layout === undefined || !standsAt(bytes, start, layout.before)) return undefined;
    const { gaps, keys } = layout;
    const cursor = this.#cursor;
    cursor.at = start + layout.before.length;
    if (bytes[cursor.at] !== openBrace) return undefined;
    const metadata = metadataReader.read(cursor, this.#isReadonly());
    const known = this.#cached(metadata);
    if (known !== undefined) return known;
    // property by property, so that it has the shape of those that were decoded otherwise
    const object: Record<string, unknown> = {};
    for (const [key, value] of layout.front) object[key] = value;
    object["metadata"] = metadata;
    this.#object = object;
    this.#sections.count = 0;
    for (let i = 0; i < gaps.length; i++) {
      const gap = gaps[i] as Buffer;
      if (!standsAt(bytes, cursor.at, gap)) return undefined;
      cursor.at += gap.length;
      if (!isOpening(bytes[cursor.at])) return undefined;
      this.#section(keys[i] as string);
    }
    if (bytes[cursor.at] !== closeBrace || cursor.at + 1 !== end) return undefined;
    this.#unlike = 0;
    return this.#finished(bytes);
  }

  #decodeAny(bytes: Buffer, start: number, end: number): T | undefined {
    const cursor = this.#cursor;
    const object: Record<string, unknown> = {};
    this.#object = object;
    this.#sections.count = 0;
    this.#metadataStart = -1;
    this.#hasNull = false;
    cursor.at = start;
    if (bytes[start] !== openBrace) return undefined;
    for (let byte = openBrace; byte !== closeBrace; byte = bytes[cursor.at] as number) {
      if (byte !== openBrace && byte !== comma) return undefined;
      cursor.at = skipSpace(bytes, cursor.at + 1);
      if (bytes[cursor.at] !== quote) return undefined;
      const key = readString(cursor);
      cursor.at = skipSpace(bytes, cursor.at);
      if (byte === openBrace && key !== "kind" && key !== "apiVersion") this.#complete();
      if (bytes[cursor.at] !== colon || key === "__proto__" || key in object) return undefined;
      cursor.at = skipSpace(bytes, cursor.at + 1);
      const known = this.#property(key);
      if (known !== undefined) return known;
      cursor.at = skipSpace(bytes, cursor.at);
    }
    // what stands behind `end` is somebody else's: an object that runs into it is none
    const behind = cursor.at + 1;
    if (behind > end || skipSpace(bytes, behind) < end || this.#isIncomplete() || this.#hasNull) return undefined;
    if (++this.#unlike > patience) this.#learn(start);
    return this.#finished(bytes);
  }

  #learn(start: number): void {
    const { bytes } = this.#cursor;
    const metadata = { start: this.#metadataStart, end: this.#metadataEnd };
    this.#layout = layoutOf({ object: this.#object, bytes, start, metadata, sections: this.#sections });
    this.#unlike = 0;
  }

  #finished(bytes: Buffer): T {
    const object = this.#object;
    if (this.#sections.count > 0) keepSections(object, this.#sections, bytes, this.#slab);
    return object as unknown as T;
  }

  #isReadonly(): boolean {
    return this.#options.isReadonly?.() === true;
  }

  /** Gives the cached object if the metadata shows that it is the one. */
  #property(key: string): T | undefined {
    const cursor = this.#cursor;
    const object = this.#object;
    const opening = cursor.bytes[cursor.at];
    if (!isOpening(opening)) {
      object[key] = readScalar(cursor);
      this.#hasNull ||= object[key] === null;
    } else if (key === "metadata" && opening === openBrace) {
      this.#metadataStart = cursor.at;
      const metadata = metadataReader.read(cursor, this.#isReadonly());
      this.#metadataEnd = cursor.at;
      object[key] = metadata;
      return this.#cached(metadata);
    } else {
      // sections are read with a look at these two
      if (key === "kind" || key === "apiVersion") throw new UnsureError();
      this.#section(key);
    }
    return undefined;
  }

  /** The text from here to the end of the value. */
  #section(key: string): void {
    const { bytes, at: start } = this.#cursor;
    const sections = this.#sections;
    const index = sections.count;
    // a complete value that stands here letter by letter is the value that stands here
    const known = this.#older === undefined ? 0 : sectionLengthAt(this.#older, index, bytes, start);
    const end = known > 0 && isEnd(bytes[start + known]) ? start + known : skipValue(bytes, start);
    if (end === unsure) throw new UnsureError();
    sections.starts[index] = start;
    sections.ends[index] = end;
    sections.count = index + 1;
    addSection(this.#object, key, index);
    this.#cursor.at = end;
  }

  #cached(metadata: Readonly<Record<string, unknown>>): T | undefined {
    const { cached } = this.#options;
    const { namespace, name, resourceVersion } = metadata;
    if (cached === undefined || typeof name !== "string" || typeof resourceVersion !== "string") return undefined;
    const found = cached(typeof namespace === "string" ? objectKey({ namespace, name }) : name);
    if (found?.metadata.resourceVersion === resourceVersion && found.metadata.uid === metadata["uid"]) return found;
    this.#older = found;
    return undefined;
  }

  /** Kind and apiVersion stand in front, as they do in an object that came alone. */
  #complete(): void {
    const { kind, apiVersion } = this.#options;
    const object = this.#object;
    if (kind !== undefined) object["kind"] = kind;
    if (apiVersion !== undefined) object["apiVersion"] = apiVersion;
  }

  #isIncomplete(): boolean {
    const { kind, apiVersion } = this.#options;
    const object = this.#object;
    return (kind !== undefined && !("kind" in object)) || (apiVersion !== undefined && !("apiVersion" in object));
  }
}

function isOpening(byte: number | undefined): boolean {
  return byte === openBrace || byte === openBracket;
}

function isEnd(byte: number | undefined): boolean {
  return byte === comma || byte === closeBrace;
}

function parseWhole<T>(text: string, { kind, apiVersion }: LazyDecoderOptions<T>): T {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value as T;
  const object = value as { metadata?: { managedFields?: unknown } | null };
  if (typeof object.metadata === "object" && object.metadata !== null && !Array.isArray(object.metadata)) {
    delete object.metadata.managedFields;
    object.metadata = withoutNulls(object.metadata, text);
  }
  const missing = {
    ...(kind === undefined || Object.hasOwn(value, "kind") ? {} : { kind }),
    ...(apiVersion === undefined || Object.hasOwn(value, "apiVersion") ? {} : { apiVersion }),
  };
  const whole = Object.keys(missing).length === 0 ? value : withInFront(missing, value);
  return (hasNoNulls(whole) ? withoutNulls(whole, text) : whole) as T;
}

/** As `{ ...front, ...object }`, also for a property named `__proto__`. */
function withInFront(front: object, object: object): object {
  const result = {};
  for (const part of [front, object])
    for (const [key, value] of Object.entries(part))
      Object.defineProperty(result, key, { value, writable: true, enumerable: true, configurable: true });
  return result;
}
