/** Reads single strings and scalars out of bytes, with interned strings. Takes bytes; serves the lazy decoder. */
import { hashStep, type StringTable } from "./intern.js";
import { skipString, skipValue, unsure } from "./skip.js";

const quote = 0x22;
const backslash = 0x5c;

/** Thrown where only JSON.parse should judge: the caller then gives it the whole. */
export class UnsureError extends Error {
  override readonly name = "UnsureError";
}

/** Where reading has come to. Plain fields and functions: this is the hottest code of a cache. */
export interface Cursor {
  bytes: Buffer;
  at: number;
  readonly strings: StringTable;
}

/** The string, number or literal at the cursor, which moves behind it: what JSON.parse gives for the same bytes. */
export function readScalar(cursor: Cursor): unknown {
  const { bytes, at: start } = cursor;
  const first = bytes[start] as number;
  if (first === quote) return readString(cursor);
  const end = skipValue(bytes, start);
  if (end === unsure) throw new UnsureError();
  cursor.at = end;
  if (first === 0x74) return true;
  if (first === 0x66) return false;
  if (first === 0x6e) return null;
  return JSON.parse(bytes.toString("latin1", start, end));
}

/** The string whose opening quote is at the cursor; the same one for the same bytes, mostly. */
export function readString(cursor: Cursor): string {
  const { bytes } = cursor;
  const start = cursor.at + 1;
  let at = start;
  let hash = 0;
  let byte = bytes[at] as number;
  while (byte !== quote && byte !== backslash && byte > 0x1f && byte < 0x80) {
    hash = hashStep(hash, byte);
    byte = bytes[++at] as number;
  }
  if (byte !== quote) return readUnusual(cursor, at);
  cursor.at = at + 1;
  return cursor.strings.get(bytes, start, at, hash);
}

/** A string with escapes, or with characters beyond ASCII; up to `seen` it has neither. */
function readUnusual(cursor: Cursor, seen: number): string {
  const { bytes } = cursor;
  const end = skipString(bytes, seen);
  if (end === unsure) throw new UnsureError();
  const text = bytes.toString("utf8", cursor.at, end);
  cursor.at = end;
  return JSON.parse(text) as string;
}

/** Does the text stand at `at`? */
export function standsAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

/** Are the bytes from `start` on exactly these, up to `end`? */
export function isBytes(bytes: Uint8Array, start: number, end: number, expected: Uint8Array): boolean {
  return end - start === expected.length && standsAt(bytes, start, expected);
}
