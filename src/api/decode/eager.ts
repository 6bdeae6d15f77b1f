/** Parses a small JSON value out of bytes, with interned strings. Takes bytes; serves the lazy decoder for metadata. */
import { hashStep, type StringTable } from "./intern.js";
import { skipSpace, skipString, skipValue, unsure } from "./skip.js";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Deeper nesting than any metadata has is left to JSON.parse. */
const deepest = 50;

/** Thrown where only JSON.parse should judge: the caller then gives it the whole. */
export class UnsureError extends Error {
  override readonly name = "UnsureError";
}

/** Where reading has come to. Plain fields and functions: this is the hottest code of a cache. */
export interface Cursor {
  bytes: Buffer;
  at: number;
  depth: number;
  readonly strings: StringTable;
}

/** Names of values that differ from object to object, so that looking for an equal one is in vain. */
function isUnique(key: string): boolean {
  return key === "name" || key === "uid" || key === "resourceVersion";
}

/** The value at the cursor, which moves behind it. The result is what JSON.parse gives for the same bytes. */
export function readValue(cursor: Cursor, key: string): unknown {
  const { bytes } = cursor;
  const at = skipSpace(bytes, cursor.at);
  cursor.at = at;
  switch (bytes[at]) {
    case quote:
      return isUnique(key) ? readUnique(cursor) : readString(cursor);
    case openBrace:
      return readObject(cursor, undefined);
    case openBracket:
      return readArray(cursor, key);
    default:
      return readScalar(cursor);
  }
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

function readUnique(cursor: Cursor): string {
  const { bytes } = cursor;
  const start = cursor.at + 1;
  let at = start;
  let byte = bytes[at] as number;
  while (byte !== quote && byte !== backslash && byte > 0x1f && byte < 0x80) byte = bytes[++at] as number;
  if (byte !== quote) return readUnusual(cursor, at);
  cursor.at = at + 1;
  return bytes.toString("latin1", start, at);
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

/** The object whose opening brace is at the cursor, without the property `skipped`. */
export function readObject(cursor: Cursor, skipped: string | undefined): Record<string, unknown> {
  const { bytes } = cursor;
  const object: Record<string, unknown> = {};
  let byte = enter(cursor);
  if (byte === closeBrace) return leave(cursor, object);
  for (;;) {
    if (byte !== quote) throw new UnsureError();
    const key = readString(cursor);
    if (bytes[cursor.at] !== colon) cursor.at = skipSpace(bytes, cursor.at);
    if (bytes[cursor.at] !== colon || key === "__proto__") throw new UnsureError();
    cursor.at += 1;
    if (key === skipped) skip(cursor);
    else object[key] = readValue(cursor, key);
    byte = tokenBehind(cursor);
    if (byte === closeBrace) return leave(cursor, object);
    if (byte !== comma) throw new UnsureError();
    cursor.at = skipSpace(bytes, cursor.at + 1);
    byte = bytes[cursor.at] as number;
  }
}

function readArray(cursor: Cursor, key: string): unknown[] {
  const array: unknown[] = [];
  let byte = enter(cursor);
  if (byte === closeBracket) return leave(cursor, array);
  for (;;) {
    array.push(readValue(cursor, key));
    byte = tokenBehind(cursor);
    if (byte === closeBracket) return leave(cursor, array);
    if (byte !== comma) throw new UnsureError();
    cursor.at += 1;
  }
}

/** Behind an opening brace or bracket, at the first byte that counts; gives that byte. */
function enter(cursor: Cursor): number {
  cursor.depth += 1;
  if (cursor.depth > deepest) throw new UnsureError();
  cursor.at = skipSpace(cursor.bytes, cursor.at + 1);
  return cursor.bytes[cursor.at] as number;
}

function leave<T>(cursor: Cursor, value: T): T {
  cursor.depth -= 1;
  cursor.at += 1;
  return value;
}

/** Behind a value, at the first byte that counts; gives that byte. */
function tokenBehind(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at] as number;
  if (byte > 0x20) return byte;
  cursor.at = skipSpace(cursor.bytes, cursor.at);
  return cursor.bytes[cursor.at] as number;
}

function skip(cursor: Cursor): void {
  const end = skipValue(cursor.bytes, cursor.at);
  if (end === unsure) throw new UnsureError();
  cursor.at = end;
}

function readScalar(cursor: Cursor): unknown {
  const { bytes, at: start } = cursor;
  skip(cursor);
  const first = bytes[start] as number;
  if (first === 0x74) return true;
  if (first === 0x66) return false;
  if (first === 0x6e) return null;
  if (cursor.at === start + 1) return first - 0x30;
  return JSON.parse(bytes.toString("latin1", start, cursor.at));
}
