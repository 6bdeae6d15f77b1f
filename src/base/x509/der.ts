/** Encodes the part of DER that certificates need: each function gives one encoded value. */

function tagged(tag: number, content: Uint8Array): Buffer {
  const length = content.length;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) size.unshift(rest % 256);
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length, ...size]), content]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => tagged(0x30, Buffer.concat(items));
export const set = (...items: readonly Uint8Array[]): Buffer => tagged(0x31, Buffer.concat(items));
export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));
export const octets = (content: Uint8Array): Buffer => tagged(0x04, content);
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));

/** A non-negative integer from big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  return tagged(0x02, (digits[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

export const bits = (content: Uint8Array, unused = 0): Buffer =>
  tagged(0x03, Buffer.concat([Buffer.from([unused]), content]));

/** An object identifier, e.g. `1.2.840.10045.4.3.2`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const digits = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return tagged(0x06, Buffer.from(bytes));
}

/** A time to the second: UTCTime, or GeneralizedTime from 2050 on (RFC 5280, section 4.1.2.5). */
export function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "");
  return text >= "2050" ? tagged(0x18, Buffer.from(text)) : tagged(0x17, Buffer.from(text.slice(2)));
}

/** The context tag `[n]`, around a whole value (explicit) or in place of its tag (implicit). */
export const explicit = (n: number, content: Uint8Array): Buffer => tagged(0xa0 | n, content);
export const implicit = (n: number, content: Uint8Array): Buffer => tagged(0x80 | n, content);
