/** Finds the end of a JSON value, and checks that it is one, without decoding it. */
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from "./punctuation.js";

/** Returned in place of an end if the bytes are not JSON, or are JSON that only JSON.parse should judge. */
export const unsure = -1;

/** The number of levels that fit into the bits of `open`; deeper nesting, which no API object has, is left to JSON.parse. */
const deepest = 29;

/** 1 for each byte that stands for itself in a string; a quote, a backslash and control characters do not. */
const plain: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > 0x1f && byte !== quote && byte !== backslash ? 1 : 0,
);

/**
 * The position behind the value that begins at `from` (white space before it allowed), or `unsure`. One loop for keys
 * and values alike, since most bytes of a list pass here, and in a new process most of them before the engine has
 * compiled it.
 *
 * `open` is a stack of bits, the innermost container last: 1 for an object, 0 for an array, with a 1 in front of them
 * all. `isKey` is true where an object's next key must stand.
 */
export function skipValue(bytes: Uint8Array, from: number): number {
  let open = 1;
  let depth = 0;
  let isKey = false;
  let at = from;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte === quote) {
      at = skipString(bytes, at + 1);
      if (at === unsure) return unsure;
      if (isKey) {
        at = tokenAt(bytes, at);
        if (bytes[at++] !== colon) return unsure;
        isKey = false;
        continue;
      }
    } else if (!(byte > 0x20)) {
      const token = skipSpace(bytes, at);
      if (token === at) return unsure;
      at = token;
      continue;
    } else if (isKey) return unsure;
    else if (byte === openBrace || byte === openBracket) {
      at = tokenAt(bytes, at + 1);
      if (bytes[at] !== byte + 2) {
        if (depth++ === deepest) return unsure;
        isKey = byte === openBrace;
        open = (open << 1) | Number(isKey);
        continue;
      }
      at += 1;
    } else {
      at = skipScalar(bytes, at);
      if (at === unsure) return unsure;
    }
    // behind a value: leave every container that ends here
    for (; depth > 0; depth--, open >>= 1) {
      at = tokenAt(bytes, at);
      const next = bytes[at++];
      isKey = (open & 1) === 1;
      if (next === comma) break;
      if (next !== (isKey ? closeBrace : closeBracket)) return unsure;
    }
    if (depth === 0) return at;
  }
}

/** `from` is behind the opening quote; gives the position behind the closing one. */
function skipString(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    while (plain[bytes[at] as number] === 1) at++;
    if (bytes[at] === quote) return at + 1;
    if (bytes[at] !== backslash) return unsure;
    at = skipEscape(bytes, at + 1);
    if (at === unsure) return unsure;
  }
}

/** `from` is behind the backslash. */
function skipEscape(bytes: Uint8Array, from: number): number {
  const escaped = bytes[from];
  if (escaped === 0x75) {
    for (let at = from + 1; at < from + 5; at++) if (!isHex(bytes[at])) return unsure;
    return from + 5;
  }
  return isSimpleEscape(escaped) ? from + 1 : unsure;
}

/** The position behind white space, which is rare. */
function tokenAt(bytes: Uint8Array, from: number): number {
  return (bytes[from] as number) > 0x20 ? from : skipSpace(bytes, from);
}

function skipScalar(bytes: Uint8Array, at: number): number {
  switch (bytes[at]) {
    case 0x74:
      return bytes[at + 1] === 0x72 && bytes[at + 2] === 0x75 && bytes[at + 3] === 0x65 ? at + 4 : unsure;
    case 0x66:
      return bytes[at + 1] === 0x61 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x73 && bytes[at + 4] === 0x65
        ? at + 5
        : unsure;
    case 0x6e:
      return bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c ? at + 4 : unsure;
    default:
      return skipNumber(bytes, at);
  }
}

/** The grammar of JSON: an optional minus, no leading zeros, a fraction and an exponent with at least one digit each. */
function skipNumber(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === 0x2d ? from + 1 : from;
  if (bytes[at] === 0x30) at += 1;
  else {
    const end = skipDigits(bytes, at);
    if (end === at) return unsure;
    at = end;
  }
  if (bytes[at] === 0x2e) {
    const end = skipDigits(bytes, at + 1);
    if (end === at + 1) return unsure;
    at = end;
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    const sign = bytes[at + 1];
    const start = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    const end = skipDigits(bytes, start);
    if (end === start) return unsure;
    at = end;
  }
  return at;
}

function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at++;
  return at;
}

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

function isSimpleEscape(byte: number | undefined): boolean {
  switch (byte) {
    case quote:
    case backslash:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}
