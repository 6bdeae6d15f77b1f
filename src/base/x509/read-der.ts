/** Reads DER: takes bytes, gives a value with its parts. Throws an Error on bytes that are not well formed. */

export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** The whole value, with its tag and length. */
  readonly raw: Buffer;
}

/** The values of a constructed one (a sequence, a set), in order. */
export function derParts({ content }: DerValue): readonly DerValue[] {
  const parts: DerValue[] = [];
  for (let at = 0; at < content.length; ) {
    const part = readAt(content, at);
    parts.push(part);
    at += part.raw.length;
  }
  return parts;
}

/** The one value that the bytes hold. */
export function readDer(bytes: Buffer): DerValue {
  const value = readAt(bytes, 0);
  if (value.raw.length !== bytes.length) throw new Error("asn1: syntax error: trailing data");
  return value;
}

function readAt(bytes: Buffer, at: number): DerValue {
  const tag = byteAt(bytes, at);
  if ((tag & 0x1f) === 0x1f) throw new Error("asn1: structure error: a tag of several bytes");
  const first = byteAt(bytes, at + 1);
  const digits = first < 0x80 ? 0 : first & 0x7f;
  // a length of more than four bytes would be longer than any request
  if (first === 0x80 || digits > 4) throw new Error("asn1: structure error: length too large");
  let length = digits === 0 ? first : 0;
  for (let index = 0; index < digits; index++) length = length * 256 + byteAt(bytes, at + 2 + index);
  const start = at + 2 + digits;
  if (start + length > bytes.length) throw new Error("asn1: syntax error: data truncated");
  return { tag, content: bytes.subarray(start, start + length), raw: bytes.subarray(at, start + length) };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new Error("asn1: syntax error: data truncated");
  return byte;
}

/** The dotted form of an object identifier. */
export function oidOf({ content }: DerValue): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
    }
  }
  const [joined = 0, ...rest] = numbers;
  const first = Math.min(2, Math.floor(joined / 40));
  return [first, joined - 40 * first, ...rest].join(".");
}
