/** The protobuf wire format: varints, lengths, fixed words. */
import { maxParts } from "../contracts/codec.js";

export const varint = 0;
export const fixed64 = 1;
export const delimited = 2;
const fixed32 = 5;

/** Thrown for bytes that are not a protobuf message of the expected kind. */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** Reads fields from a slice of bytes. Every read checks its bounds. */
export class WireReader {
  readonly #bytes: Buffer;
  #position: number;
  readonly #end: number;
  /** The number of messages that may still be read, counted by all readers of one body. */
  readonly #messages: { left: number };

  constructor(
    bytes: Uint8Array,
    start = 0,
    end: number = bytes.length,
    messages: { left: number } = { left: maxParts },
  ) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#position = start;
    this.#end = end;
    this.#messages = messages;
  }

  get done(): boolean {
    return this.#position >= this.#end;
  }

  /**
   * A varint of 32 bits: tags, lengths, int32, booleans. A negative int32 comes as ten bytes, of which the upper ones
   * are dropped.
   */
  uint32(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new WireError("varint is longer than ten bytes");
  }

  int32(): number {
    return this.uint32() | 0;
  }

  /** A bigint beyond 2^53, as from exact JSON. */
  int64(): number | bigint {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= (bits & 0xf) << 28;
        high = bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= (bits & 1) << 31;
      if (byte < 0x80) return wholeNumber(high, low);
    }
    throw new WireError("varint is longer than ten bytes");
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  string(): string {
    const length = this.uint32();
    const start = this.#take(length);
    return this.#bytes.toString("utf8", start, start + length);
  }

  /** A copy of the next length-delimited bytes. */
  bytes(): Buffer {
    const length = this.uint32();
    const start = this.#take(length);
    return Buffer.from(this.#bytes.subarray(start, start + length));
  }

  /** A reader of the next length-delimited bytes. */
  message(): WireReader {
    const length = this.uint32();
    const start = this.#take(length);
    if (--this.#messages.left < 0) throw new WireError(`more than ${maxParts} messages`);
    return new WireReader(this.#bytes, start, start + length, this.#messages);
  }

  skip(wireType: number): void {
    if (wireType === varint) this.int64();
    else if (wireType === fixed64) this.#take(8);
    else if (wireType === delimited) this.#take(this.uint32());
    else if (wireType === fixed32) this.#take(4);
    else throw new WireError(`proto: illegal wireType ${wireType}`);
  }

  #byte(): number {
    if (this.#position >= this.#end) throw new WireError("unexpected EOF");
    return this.#bytes[this.#position++] as number;
  }

  /** Skips `length` bytes and gives the position where they start. */
  #take(length: number): number {
    const start = this.#position;
    if (length > this.#end - start) throw new WireError("unexpected EOF");
    this.#position = start + length;
    return start;
  }
}

/** The integer of two words of 32 bits. */
function wholeNumber(high: number, low: number): number | bigint {
  const near = (high | 0) * 4294967296 + (low >>> 0);
  return Number.isSafeInteger(near) ? near : BigInt.asIntN(64, (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0));
}

/**
 * Writes from the end to the front, so that a message's length is known when its head is written. Callers therefore
 * write the last field first, and a field's value before its tag.
 */
export class WireWriter {
  #bytes: Buffer;
  #position: number;
  readonly #limit: number;

  /** Throws a WireError once more than `limit` bytes are written. */
  constructor(capacity = 1024, limit: number = Infinity) {
    this.#bytes = Buffer.allocUnsafe(capacity);
    this.#position = capacity;
    this.#limit = limit;
  }

  /** The number of bytes written; the difference of two readings is the length of the bytes between them. */
  get length(): number {
    return this.#bytes.length - this.#position;
  }

  finish(): Buffer {
    return this.#bytes.subarray(this.#position);
  }

  tag(number: number, wireType: number): void {
    this.uint32((number << 3) | wireType);
  }

  uint32(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#bytes[--this.#position] = value;
      return;
    }
    let size = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
    this.#reserve(size);
    this.#position -= size;
    let at = this.#position;
    for (; value > 0x7f; value >>>= 7) this.#bytes[at++] = (value & 0x7f) | 0x80;
    this.#bytes[at] = value;
  }

  /** Also writes int32: a negative one takes ten bytes like an int64. */
  int64(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value <= 0xffffffff) return this.uint32(value);
    const clamped = value >= 2 ** 63 ? 2n ** 63n - 1n : BigInt(typeof value === "bigint" ? value : Math.trunc(value));
    let rest = BigInt.asUintN(64, clamped);
    const bytes: number[] = [];
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.raw(Uint8Array.from(bytes));
  }

  double(value: number): void {
    this.#reserve(8);
    this.#position -= 8;
    this.#bytes.writeDoubleLE(value, this.#position);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#position -= bytes.length;
    this.#bytes.set(bytes, this.#position);
  }

  /** The text and its length. */
  string(text: string): void {
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#position -= size;
    this.#bytes.write(text, this.#position, size, "utf8");
    this.uint32(size);
  }

  /** The bytes and their length. */
  bytes(bytes: Uint8Array): void {
    this.raw(bytes);
    this.uint32(bytes.length);
  }

  #reserve(size: number): void {
    if (this.#position >= size) return;
    const used = this.length;
    if (used + size > this.#limit) throw new WireError(`more than ${this.#limit} bytes`);
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, used + size));
    this.#bytes.copy(grown, grown.length - used, this.#position);
    this.#bytes = grown;
    this.#position = grown.length - used;
  }
}
