/** Metadata out of bytes, by its likeness to other metadata. Serves the lazy decoder. */
import { type Cursor, isBytes, UnsureError } from "./read.js";
import { skipSpace, skipValue, unsure } from "./skip.js";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const closeBrace = 0x7d;

type Metadata = Record<string, unknown>;

/**
 * What the metadata of many objects has in common, be they pods of one owner or states of one object: everything but name, uid,
 * revision and time of creation. Texts that are alike without these have the same keys in the same order, so that the
 * second is a copy of the first with its own four values. No object is shared, but strings and shape are.
 */
interface Pattern {
  readonly metadata: Metadata;
  /** The properties of it that are objects or arrays, and are copied. */
  readonly nested: readonly string[];
}

const ownKeys = ["name", "uid", "resourceVersion", "creationTimestamp"] as const;
const ownKeyBytes: readonly Buffer[] = ownKeys.map((key) => Buffer.from(key));
const timeIndex = 3;
const managedFields: Buffer = Buffer.from("managedFields");

/** Servers list the objects of one owner together, so that few patterns are in use at a time. */
const generationSize = 512;

/** Metadata with larger texts in it is not like any other. */
const scratchBytes = 8 * 1024;

/**
 * Invariants, after `#scan`:
 * 1. `#scratch[0, #used)` is the text without managedFields and without the own values, if `#isPlain`.
 * 2. `#starts[i], #ends[i]` enclose the i-th own value, without quotes; `#starts[i]` is 0 if there is none.
 * 3. `#cutStart, #cutEnd` enclose the managedFields with the comma before; both are 0 if there are none.
 */
export class MetadataReader {
  #patterns = new Map<string, Pattern | "none">();
  #olderPatterns = new Map<string, Pattern | "none">();
  readonly #scratch: Buffer = Buffer.allocUnsafeSlow(scratchBytes);
  #used = 0;
  #isPlain = true;
  readonly #starts = new Int32Array(ownKeys.length);
  readonly #ends = new Int32Array(ownKeys.length);
  #cutStart = 0;
  #cutEnd = 0;
  /** Objects are often made together. */
  #time = "";

  /** The metadata whose opening brace is at the cursor, without managedFields; the cursor moves behind it. */
  read(cursor: Cursor): Metadata {
    const start = cursor.at;
    this.#scan(cursor);
    if (!this.#isPlain) return this.#parsed(cursor.bytes, start, cursor.at);
    const text = this.#scratch.toString("latin1", 0, this.#used);
    const pattern = this.#patterns.get(text) ?? this.#olderPatterns.get(text);
    if (pattern !== undefined && pattern !== "none") return this.#filled(cursor.bytes, pattern);
    const metadata = this.#parsed(cursor.bytes, start, cursor.at);
    if (pattern === undefined) this.#remember(text, metadata);
    return metadata;
  }

  #scan(cursor: Cursor): void {
    const { bytes } = cursor;
    this.#reset();
    /** Everything before is in `#scratch`, or is left out. */
    let copied = cursor.at;
    let isFirst = true;
    /** Behind the last value, or behind the opening brace. */
    let last = cursor.at + 1;
    let at = skipSpace(bytes, last);
    while (bytes[at] !== closeBrace) {
      if (!isFirst && bytes[at] !== comma) throw new UnsureError();
      const keyStart = isFirst ? at : skipSpace(bytes, at + 1);
      const keyEnd = plainKeyEnd(bytes, keyStart);
      const start = valueStart(bytes, keyEnd + 1);
      const isLeftOut = isBytes(bytes, keyStart + 1, keyEnd, managedFields);
      const end = isLeftOut ? endOfManagedFields(bytes, start) : skipValue(bytes, start);
      if (end === unsure) throw new UnsureError();
      const own = ownIndex(bytes, keyStart + 1, keyEnd);
      if (own >= 0) {
        this.#own(bytes, own, start, end);
        this.#copy(bytes, copied, start + 1);
        copied = end - 1;
      } else if (isLeftOut) {
        // in front, or twice: servers do neither
        if (isFirst || this.#cutEnd !== 0) throw new UnsureError();
        this.#copy(bytes, copied, last);
        this.#cutStart = last;
        this.#cutEnd = end;
        copied = end;
      }
      isFirst = false;
      last = end;
      at = skipSpace(bytes, end);
    }
    cursor.at = at + 1;
    this.#copy(bytes, copied, cursor.at);
  }

  #reset(): void {
    this.#starts.fill(0);
    this.#used = 0;
    this.#isPlain = true;
    this.#cutStart = 0;
    this.#cutEnd = 0;
  }

  #own(bytes: Buffer, index: number, start: number, end: number): void {
    if (this.#starts[index] !== 0) throw new UnsureError();
    this.#starts[index] = start + 1;
    this.#ends[index] = end - 1;
    if (bytes[start] !== quote || !isPlain(bytes, start + 1, end - 1)) this.#isPlain = false;
  }

  #copy(bytes: Buffer, start: number, end: number): void {
    if (this.#used + end - start > scratchBytes) this.#isPlain = false;
    else this.#used += bytes.copy(this.#scratch, this.#used, start, end);
  }

  #parsed(bytes: Buffer, start: number, end: number): Metadata {
    const text =
      this.#cutEnd === 0
        ? bytes.toString("utf8", start, end)
        : bytes.toString("utf8", start, this.#cutStart) + bytes.toString("utf8", this.#cutEnd, end);
    return JSON.parse(text) as Metadata;
  }

  #filled(bytes: Buffer, { metadata: common, nested }: Pattern): Metadata {
    const metadata = { ...common };
    for (let i = 0; i < ownKeys.length; i++) {
      const start = this.#starts[i] as number;
      if (start === 0) continue;
      const text = bytes.toString("latin1", start, this.#ends[i] as number);
      metadata[ownKeys[i] as string] = i === timeIndex ? this.#sameTime(text) : text;
    }
    for (const key of nested) metadata[key] = copyOf(common[key] as object);
    return metadata;
  }

  #sameTime(text: string): string {
    if (text !== this.#time) this.#time = text;
    return this.#time;
  }

  #remember(text: string, metadata: Metadata): void {
    if (this.#patterns.size >= generationSize) {
      this.#olderPatterns = this.#patterns;
      this.#patterns = new Map();
    }
    this.#patterns.set(text, isShallow(metadata) ? patternOf(metadata) : "none");
  }
}

/** A copy: what is given away may be changed by a transform. */
function patternOf(metadata: Metadata): Pattern {
  const nested = Object.keys(metadata).filter((key) => isNested(metadata[key]));
  const copy = { ...metadata };
  for (const key of nested) copy[key] = copyOf(metadata[key] as object);
  return { metadata: copy, nested };
}

/**
 * The first bracket that closes. Managed fields have no arrays within, so that it is theirs; if it is not, because it stands in a
 * string or ends an inner array, then what follows has a quote or a bracket too many up to the object's end, which the
 * caller finds. They are a third of an object's text, and nobody will see them: nothing more is checked.
 */
function endOfManagedFields(bytes: Buffer, start: number): number {
  if (bytes[start] !== openBracket) return skipValue(bytes, start);
  const last = bytes.indexOf(closeBracket, start);
  return last === -1 ? unsure : last + 1;
}

/** Labels, annotations, finalizers and owners, but nothing deeper. */
function isShallow(metadata: Metadata): boolean {
  return Object.values(metadata).every(
    (value) =>
      !isNested(value) ||
      (Array.isArray(value) ? (value as unknown[]).every((item) => !isNested(item) || isFlat(item)) : isFlat(value)),
  );
}

function isFlat(value: object): boolean {
  return !Array.isArray(value) && !Object.values(value).some(isNested);
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function copyOf(value: object): object {
  if (!Array.isArray(value)) return { ...value };
  return (value as unknown[]).map((item) => (isNested(item) ? { ...item } : item));
}

/** The closing quote of the key whose opening quote is at `at`. */
function plainKeyEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== quote) throw new UnsureError();
  let end = at + 1;
  while (bytes[end] !== quote) {
    // written with escapes, it may be any key
    if (bytes[end] === backslash || !((bytes[end] as number) > 0x1f)) throw new UnsureError();
    end++;
  }
  return end;
}

function valueStart(bytes: Uint8Array, from: number): number {
  const at = skipSpace(bytes, from);
  if (bytes[at] !== colon) throw new UnsureError();
  return skipSpace(bytes, at + 1);
}

/** Which own value has this key; -1 if none. */
function ownIndex(bytes: Uint8Array, start: number, end: number): number {
  for (let i = 0; i < ownKeyBytes.length; i++) if (isBytes(bytes, start, end, ownKeyBytes[i] as Buffer)) return i;
  return -1;
}

function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === backslash || byte > 0x7e) return false;
  }
  return true;
}
