/** Walks through the members of a JSON object in bytes. Takes a cursor at the opening brace; gives keys, one by one. */
import type { SeenValues } from "./seen-values.js";
import { skipSpace } from "./skip.js";
import { backslash, closeBrace, colon, comma, openBrace, quote } from "./punctuation.js";

/** Thrown for bytes that only JSON.parse should judge: the caller then gives it the whole object. */
export class UnsureError extends Error {
  override readonly name = "UnsureError";
}

/** The position of reading. */
export interface Cursor {
  bytes: Buffer;
  at: number;
}

/** Moves to the next key. False, with the cursor behind the closing brace, if the object has no more members. */
export function toNextKey(cursor: Cursor, isFirst: boolean): boolean {
  const { bytes } = cursor;
  let at = skipSpace(bytes, cursor.at);
  let byte = bytes[at];
  if (isFirst ? byte === openBrace : byte === comma) {
    at = skipSpace(bytes, at + 1);
    byte = isFirst ? bytes[at] : undefined;
  } else if (isFirst || byte !== closeBrace) throw new UnsureError();
  cursor.at = byte === closeBrace ? at + 1 : at;
  return byte !== closeBrace;
}

/** The key at the cursor, which moves to its value. */
export function readKey(cursor: Cursor, seen: SeenValues): string {
  const { bytes, at: start } = cursor;
  const end = plainStringEnd(bytes, start);
  const at = skipSpace(bytes, end);
  if (bytes[at] !== colon) throw new UnsureError();
  cursor.at = skipSpace(bytes, at + 1);
  return seen.get(bytes, start, end) as string;
}

/**
 * The position behind the string at `start`. Throws for a string with escapes or with characters beyond ASCII, which
 * are unusual in a key or a name.
 */
export function plainStringEnd(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== quote) throw new UnsureError();
  let at = start + 1;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte === quote) return at + 1;
    if (!(byte > 0x1f && byte < 0x7f) || byte === backslash) throw new UnsureError();
    at++;
  }
}
