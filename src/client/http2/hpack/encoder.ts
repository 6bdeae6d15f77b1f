/** Encodes header blocks (HPACK, RFC 7541). One for each connection; repeated fields are sent once. */
import type { HttpHeaders, HttpRequest } from "../../../base/index.js";
import { checkHeaders } from "../../transport/headers.js";
import { defaultTableBytes, fieldBytes, HeaderTable, staticFields } from "./table.js";

const staticNames: ReadonlyMap<string, number> = new Map(
  staticFields.map(({ name }, index) => [name, index + 1] as const).reverse(),
);
const staticPairs: ReadonlyMap<string, number> = new Map(
  staticFields.map(({ name, value }, index) => [pairOf(name, value), index + 1] as const),
);

function pairOf(name: string, value: string): string {
  return `${name}\n${value}`;
}

/** Fields that differ from request to request would only evict the others from the table. */
const passing = new Set([":path", "content-length"]);

/**
 * Invariants:
 * 1. `#known` has the number of each field in the table, and no others.
 * 2. `#rest`, if present, is the encoding of the headers `#restOf`, valid while the table has had `#restAt` insertions.
 */
export class HeaderEncoder {
  readonly #authority: string;
  readonly #known: Map<string, number> = new Map();
  readonly #table: HeaderTable = new HeaderTable(defaultTableBytes, ({ name, value }) =>
    this.#known.delete(pairOf(name, value)),
  );
  #out: Buffer = Buffer.allocUnsafeSlow(1024);
  #at = 0;
  /** True if the next block must announce a new table size. */
  #resized = false;
  #restOf: HttpHeaders | undefined;
  #restAt = 0;
  #rest: Buffer | undefined;

  constructor(authority: string) {
    this.#authority = authority;
  }

  /** Applies the peer's limit. A limit above the default is not used. */
  limitTable(bytes: number): void {
    const limit = Math.min(bytes, defaultTableBytes);
    if (limit === this.#table.limit) return;
    this.#table.resize(limit);
    this.#resized = true;
    this.#restOf = undefined;
  }

  /**
   * The block of one request; valid until the next is encoded. Throws a TypeError if a header cannot be sent, and then
   * has written nothing.
   */
  encode({ method, path, headers, body }: HttpRequest): Buffer {
    if (headers !== this.#restOf) checkHeaders(headers);
    this.#at = 0;
    if (this.#resized) this.#integer(0x20, 5, this.#table.limit);
    this.#resized = false;
    this.#field(":method", method);
    this.#field(":scheme", "https");
    this.#field(":authority", this.#authority);
    this.#field(":path", path);
    this.#others(headers);
    if (body !== undefined) this.#field("content-length", `${body.length}`);
    return this.#out.subarray(0, this.#at);
  }

  /** Requests of one verb share their headers object: encoded once, it is mostly only copied. */
  #others(headers: HttpHeaders): void {
    if (headers === this.#restOf && this.#restAt === this.#table.inserted && this.#rest !== undefined) {
      this.#reserve(this.#rest.length);
      this.#at += this.#rest.copy(this.#out, this.#at);
      return;
    }
    const from = this.#at;
    const before = this.#table.inserted;
    for (const name in headers) {
      const value = headers[name] as string | readonly string[];
      const key = name.toLowerCase();
      if (typeof value === "string") this.#field(key, value);
      else for (const each of value) this.#field(key, each);
    }
    this.#restOf = headers;
    this.#restAt = this.#table.inserted;
    this.#rest = before === this.#restAt ? Buffer.from(this.#out.subarray(from, this.#at)) : undefined;
  }

  #field(name: string, value: string): void {
    const pair = pairOf(name, value);
    const fixed = staticPairs.get(pair);
    if (fixed !== undefined) return this.#integer(0x80, 7, fixed);
    const number = this.#known.get(pair);
    if (number !== undefined) return this.#integer(0x80, 7, this.#table.indexOf(number));
    const bytes = fieldBytes(Buffer.byteLength(name), Buffer.byteLength(value));
    const keep = !passing.has(name) && bytes <= this.#table.limit;
    const nameIndex = staticNames.get(name) ?? 0;
    if (keep) this.#integer(0x40, 6, nameIndex);
    else this.#integer(0x00, 4, nameIndex);
    if (nameIndex === 0) this.#text(name);
    this.#text(value);
    if (keep) this.#known.set(pair, this.#table.add({ name, value }, bytes));
  }

  #integer(pattern: number, prefixBits: number, value: number): void {
    this.#reserve(8);
    const most = (1 << prefixBits) - 1;
    if (value < most) {
      this.#out[this.#at++] = pattern | value;
      return;
    }
    this.#out[this.#at++] = pattern | most;
    let rest = value - most;
    for (; rest >= 0x80; rest >>>= 7) this.#out[this.#at++] = (rest & 0x7f) | 0x80;
    this.#out[this.#at++] = rest;
  }

  #text(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#integer(0x00, 7, bytes);
    this.#reserve(bytes);
    this.#at += this.#out.write(text, this.#at, bytes);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#out.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#out.length, this.#at + bytes));
    this.#out.copy(larger, 0, 0, this.#at);
    this.#out = larger;
  }
}
