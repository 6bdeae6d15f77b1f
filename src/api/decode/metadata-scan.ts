/** Takes metadata of any kind apart: what makes its pattern, and what is its own. Serves metadata.ts. */
import { withoutNulls } from "../meta/nulls.js";
import { cutMark, endOfManagedFields, type Metadata, type OwnValues, ownKeys } from "./metadata-pattern.js";
import { type Cursor, isBytes, UnsureError } from "./read.js";
import { skipSpace, skipValue, unsure } from "./skip.js";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const closeBrace = 0x7d;

const ownKeyBytes: readonly Buffer[] = ownKeys.map((key) => Buffer.from(key));
const managedFields: Buffer = Buffer.from("managedFields");

/** Metadata with larger texts in it is not like any other. */
const scratchBytes = 8 * 1024;

/**
 * Invariants, after `scan`:
 * 1. `scratch[0, used)` is the text without managedFields and without the own values, if `isPlain`.
 * 2. `places` and `marks` say where in it something was left out, in order, and what.
 * 3. `own` has where that stood.
 */
export class MetadataScan {
  readonly own: OwnValues;
  isPlain = true;
  readonly places: number[] = [];
  readonly marks: number[] = [];
  readonly #scratch: Buffer = Buffer.allocUnsafeSlow(scratchBytes);
  #used = 0;

  constructor(own: OwnValues) {
    this.own = own;
  }

  /** Valid until the next scan. */
  get text(): Buffer {
    return this.#scratch.subarray(0, this.#used);
  }

  /** From the opening brace at the cursor, which moves behind the closing one. */
  scan(cursor: Cursor): void {
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
        if (bytes[start] !== quote || !isPlain(bytes, start + 1, end - 1)) this.isPlain = false;
        this.#copy(bytes, copied, start + 1);
        this.#leaveOut(own, start + 1, end - 1);
        copied = end - 1;
      } else if (isLeftOut) {
        // in front: servers do not do that
        if (isFirst) throw new UnsureError();
        this.#copy(bytes, copied, last);
        this.#leaveOut(cutMark, last, end);
        copied = end;
      }
      isFirst = false;
      last = end;
      at = skipSpace(bytes, end);
    }
    cursor.at = at + 1;
    this.#copy(bytes, copied, cursor.at);
  }

  /** The scanned metadata, from `start` to `end`, by JSON.parse, without null members: metadata is built in for every kind. */
  parsed(bytes: Buffer, start: number, end: number): Metadata {
    const { starts, ends } = this.own;
    const text = this.marks.includes(cutMark)
      ? bytes.toString("utf8", start, starts[cutMark]) + bytes.toString("utf8", ends[cutMark], end)
      : bytes.toString("utf8", start, end);
    return withoutNulls(JSON.parse(text) as Metadata, text);
  }

  #reset(): void {
    this.places.length = 0;
    this.marks.length = 0;
    this.#used = 0;
    this.isPlain = true;
  }

  #leaveOut(mark: number, start: number, end: number): void {
    // a key that comes twice
    if (this.marks.includes(mark)) throw new UnsureError();
    this.places.push(this.#used);
    this.marks.push(mark);
    this.own.starts[mark] = start;
    this.own.ends[mark] = end;
  }

  #copy(bytes: Buffer, start: number, end: number): void {
    if (this.#used + end - start > scratchBytes) this.isPlain = false;
    else this.#used += bytes.copy(this.#scratch, this.#used, start, end);
  }
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
