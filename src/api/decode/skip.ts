/** Finds the end of a JSON value, and checks that it is one, without decoding it. */
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from "./punctuation.js";

/** Returned in place of an end if the bytes are not JSON, or are JSON that only JSON.parse should judge. */
export const unsure = -1;

/** The number of levels that fit into the bits of `open`; deeper nesting, which no API object has, is left to JSON.parse. */
const deepest = 29;

/**
 * The position behind the value that begins at `from` (white space before it allowed), or `unsure`. Servers write no
 * white space, so this costs one or two comparisons a byte; anything unusual takes slower paths.
 *
 * `open` is a stack of bits, the innermost container last: 1 for an object, 0 for an array, with a 1 in front of them
 * all.
 */
export function skipValue(bytes: Uint8Array, from: number): number {
  let open = 1;
  let depth = 0;
  let at = from;
  for (;;) {
    // at the beginning of a value
    const byte = bytes[at] as number;
    if (byte === quote) at = skipString(bytes, at + 1);
    else if (byte === openBrace || byte === openBracket) {
      const inner = tokenAt(bytes, at + 1);
      if (bytes[inner] === byte + 2) at = inner + 1;
      else if (depth === deepest) return unsure;
      else {
        depth += 1;
        open = byte === openBrace ? (open << 1) | 1 : open << 1;
        at = byte === openBrace ? skipKey(bytes, inner) : inner;
        if (at === unsure) return unsure;
        continue;
      }
    } else if (byte > 0x20) at = skipScalar(bytes, at);
    else {
      const token = skipSpace(bytes, at);
      if (token === at) return unsure;
      at = token;
      continue;
    }
    if (at === unsure) return unsure;
    // behind a value: leave every container that ends here
    for (;;) {
      if (depth === 0) return at;
      at = tokenAt(bytes, at);
      const next = bytes[at];
      const isObject = (open & 1) === 1;
      if (next === comma) {
        at = isObject ? skipKey(bytes, tokenAt(bytes, at + 1)) : at + 1;
        if (at === unsure) return unsure;
        break;
      }
      if (next !== (isObject ? closeBrace : closeBracket)) return unsure;
      open >>= 1;
      depth -= 1;
      at += 1;
    }
  }
}

/** From a key's opening quote to behind its colon. */
function skipKey(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== quote) return unsure;
  const end = skipString(bytes, from + 1);
  if (end === unsure) return unsure;
  const at = tokenAt(bytes, end);
  return bytes[at] === colon ? at + 1 : unsure;
}

/** `from` is behind the opening quote; gives the position behind the closing one. */
function skipString(bytes: Uint8Array, from: number): number {
  let at = plainEnd(bytes, from);
  while (bytes[at] !== quote) {
    if (bytes[at] !== backslash) return unsure;
    const end = skipEscape(bytes, at + 1);
    if (end === unsure) return unsure;
    at = plainEnd(bytes, end);
  }
  return at + 1;
}

/** The end of the characters that need no decoding. Most bytes of a list pass here: two comparisons each. */
function plainEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  let byte = bytes[at] as number;
  while ((byte > quote && byte !== backslash) || byte === 0x20 || byte === 0x21) byte = bytes[++at] as number;
  return at;
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
