/** Takes one CBOR data item (RFC 8949) and gives it as JSON text, in linear time; refuses values that JSON cannot say, in upstream's words. */
import { maxParts } from "../../contracts/codec.js";

/** `isMalformed` is true for bytes that are no CBOR, false for an item that is not accepted. */
export class CborError extends Error {
  readonly isMalformed: boolean;

  constructor(message: string, isMalformed = false) {
    super(message);
    this.isMalformed = isMalformed;
  }
}

/** More levels than an object of any kind has; recursion is safe up to here. */
const maxDepth = 1_000;

const typeNames = [
  "positive integer",
  "negative integer",
  "byte string",
  "UTF-8 text string",
  "array",
  "map",
  "tag",
  "primitives",
] as const;

const bytesType = 2;
const textType = 3;
/** The length of an item that ends with a break. */
const indefinite = -1;
const breakByte = 0xff;

/** The encodings that these tags ask for (RFC 8949, section 3.4.5.2). */
const laterEncodings: ReadonlyMap<number, BufferEncoding> = new Map([
  [21, "base64url"],
  [22, "base64"],
  [23, "hex"],
]);

interface Head {
  readonly major: number;
  /** The low five bits. */
  readonly info: number;
  /** The argument, or `indefinite`. */
  readonly value: number | bigint;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Throws a CborError. */
export function cborToJson(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new CborError("EOF", true);
  const reader = new Reader(bytes);
  checkFormed(new Reader(bytes), bytes.length);
  return reader.item(0);
}

/** Looks at all of it first, as upstream: bytes that are no CBOR are told apart from items that are not accepted. */
function checkFormed(reader: Reader, length: number): void {
  reader.skip(0);
  const left = length - reader.at;
  if (left > 0) throw new CborError(`cbor: ${left} bytes of extraneous data starting at index ${reader.at}`, true);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #parts = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get at(): number {
    return this.#at;
  }

  /** Passes over an item, which must be well-formed (RFC 8949, appendix C). */
  skip(depth: number): void {
    this.#descend(depth);
    const { major, info, value } = this.#head();
    const isOpen = value === indefinite;
    switch (major) {
      case bytesType:
      case textType:
        if (isOpen) this.#skipChunks(major);
        else this.#take(Number(value));
        return;
      case 4:
      case 5: {
        const each = major - 3;
        for (let left = Number(value) * each; isOpen ? !this.#isBreak() : left > 0; left--) {
          this.skip(depth + 1);
          // the value of a key, which no break may stand in for
          if (isOpen && each === 2) this.skip(depth + 1);
        }
        return;
      }
      case 6:
        this.skip(depth + 1);
        return;
      default:
        if (major === 7 && info === 24 && value < 32)
          throw new CborError(`cbor: invalid simple value ${value} for type primitives`, true);
    }
  }

  /** The item as JSON; the bytes are well-formed. */
  item(depth: number): string {
    const { major, info, value } = this.#head();
    switch (major) {
      case 0:
        return integer(BigInt(value), "positive");
      case 1:
        return integer(-1n - BigInt(value), "negative");
      case bytesType:
      case textType:
        return JSON.stringify(this.#text(major, value));
      case 4:
        return this.#list(value, depth);
      case 5:
        return this.#map(value, depth);
      case 6:
        return this.#tagged(Number(value), depth);
      default:
        return this.#primitive(info, Number(value));
    }
  }

  #list(value: number | bigint, depth: number): string {
    const items: string[] = [];
    for (let left = Number(value); value === indefinite ? !this.#isBreak() : left > 0; left--)
      items.push(this.item(depth + 1));
    return `[${items.join(",")}]`;
  }

  #map(value: number | bigint, depth: number): string {
    const members: string[] = [];
    const seen = new Set<string>();
    for (let left = Number(value); value === indefinite ? !this.#isBreak() : left > 0; left--) {
      const name = this.#key();
      if (seen.has(name))
        throw new CborError(`cbor: found duplicate map key ${JSON.stringify(name)} at map element index ${seen.size}`);
      seen.add(name);
      members.push(`${JSON.stringify(name)}:${this.item(depth + 1)}`);
    }
    return `{${members.join(",")}}`;
  }

  #key(): string {
    const { major, value } = this.#head();
    if (major === bytesType || major === textType) return this.#text(major, value);
    throw new CborError(`cbor: cannot unmarshal ${typeNames[major]} into Go value of type string`);
  }

  #tagged(tag: number, depth: number): string {
    if (tag === 2 || tag === 3)
      throw new CborError("cbor: data item of cbor type tag is not accepted by protocol: bignum", true);
    const encoding = laterEncodings.get(tag);
    const start = this.#at;
    const { major, value } = this.#head();
    if (encoding !== undefined && major === bytesType) return JSON.stringify(this.#content(value).toString(encoding));
    if (tag === 1) return this.#epoch(start, depth);
    this.#at = start;
    return this.item(depth + 1);
  }

  /** Seconds since 1970 as a time in RFC 3339. */
  #epoch(start: number, depth: number): string {
    this.#at = start;
    const seconds = Number(JSON.parse(this.item(depth + 1)));
    const time = new Date(seconds * 1000);
    if (Number.isNaN(time.getTime())) throw new CborError("cbor: invalid time of tag 1");
    return JSON.stringify(time.toISOString().replace(/\.0+Z$|(?<=[1-9])0+Z$/, "Z"));
  }

  #primitive(info: number, value: number): string {
    switch (info) {
      case 20:
        return "false";
      case 21:
        return "true";
      case 22:
        return "null";
      case 25:
        return float(halfFloat(value));
      case 26:
        return float(this.#bytes.readFloatBE(this.#at - 4));
      case 27:
        return float(this.#bytes.readDoubleBE(this.#at - 8));
      default:
        throw new CborError(
          `cbor: data item of cbor type primitives is not accepted by protocol: simple value ${value} is not recognized`,
        );
    }
  }

  #text(major: number, value: number | bigint): string {
    const content = this.#content(value);
    try {
      return utf8.decode(content);
    } catch {
      // bytes need not be text; faulty ones become replacement characters, as in upstream's JSON
      if (major === bytesType) return content.toString("utf8");
      throw new CborError("cbor: invalid UTF-8 string");
    }
  }

  #content(value: number | bigint): Buffer {
    if (value !== indefinite) return this.#take(Number(value));
    const chunks: Buffer[] = [];
    while (!this.#isBreak()) chunks.push(this.#take(Number(this.#head().value)));
    return Buffer.concat(chunks);
  }

  #skipChunks(major: number): void {
    const name = typeNames[major];
    while (!this.#isBreak()) {
      const chunk = this.#head();
      if (chunk.major !== major)
        throw new CborError(`cbor: wrong element type ${typeNames[chunk.major]} for indefinite-length ${name}`, true);
      if (chunk.value === indefinite)
        throw new CborError(`cbor: indefinite-length ${name} chunk is not definite-length`, true);
      this.#take(Number(chunk.value));
    }
  }

  #descend(depth: number): void {
    if (depth > maxDepth) throw new CborError(`cbor: exceeded max nested level ${maxDepth}`, true);
    this.#parts += 1;
    if (this.#parts > 2 * maxParts)
      throw new CborError(`cbor: exceeded max number of data items ${2 * maxParts}`, true);
  }

  #isBreak(): boolean {
    if (this.#at >= this.#bytes.length) throw new CborError("unexpected EOF", true);
    if (this.#bytes[this.#at] !== breakByte) return false;
    this.#at += 1;
    return true;
  }

  #take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new CborError("unexpected EOF", true);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #head(): Head {
    const first = this.#take(1)[0] as number;
    const major = first >> 5;
    const info = first & 0x1f;
    if (info < 24) return { major, info, value: info };
    switch (info) {
      case 24:
        return { major, info, value: this.#take(1)[0] as number };
      case 25:
        return { major, info, value: this.#take(2).readUInt16BE() };
      case 26:
        return { major, info, value: this.#take(4).readUInt32BE() };
      case 27:
        return { major, info, value: this.#take(8).readBigUInt64BE() };
      case 31:
        if (first === breakByte) throw new CborError('cbor: unexpected "break" code', true);
        if (major >= bytesType && major <= 5) return { major, info, value: indefinite };
    }
    throw new CborError(`cbor: invalid additional information ${info} for type ${typeNames[major]}`, true);
  }
}

function integer(value: bigint, sign: "positive" | "negative"): string {
  if (BigInt.asIntN(64, value) === value) return String(value);
  throw new CborError(
    `cbor: cannot unmarshal ${sign} integer into Go value of type int64 (${value} overflows Go's int64)`,
  );
}

/** A number with a point or an exponent, so that it stays one that is no integer. */
function float(value: number): string {
  if (Number.isFinite(value)) return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
  const what = Number.isNaN(value) ? "floating-point NaN" : "floating-point infinity";
  throw new CborError(`cbor: data item of cbor type primitives is not accepted by protocol: ${what}`);
}

/** The value of a number of 16 bits (IEEE 754, binary16). */
function halfFloat(bits: number): number {
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
