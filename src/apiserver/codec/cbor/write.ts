/** Writes JSON values as CBOR (RFC 8949), as upstream does: texts as byte strings, numbers in their shortest form. */

/** The bytes that begin each document: the tag of self-described CBOR (RFC 8949, section 3.4.6). */
const selfDescribed = Buffer.from([0xd9, 0xd9, 0xf7]);

const [positive, negative, byteString, array, map] = [0, 1, 2, 4, 5];

/** A document of one value; absent members are left out. */
export function writeCbor(value: unknown): Buffer {
  const writer = new CborWriter();
  writer.document(value);
  return writer.finish();
}

/** Invariant: the first `#length` bytes of `#bytes` are written. */
export class CborWriter {
  #bytes: Buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  document(value: unknown): void {
    this.raw(selfDescribed);
    this.value(value);
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  value(value: unknown): void {
    if (typeof value === "string") this.text(value);
    else if (typeof value === "bigint" || Number.isSafeInteger(value)) this.#integer(value as number | bigint);
    else if (typeof value === "number") this.#float(value);
    else if (typeof value === "boolean") this.#byte(value ? 0xf5 : 0xf4);
    else if (Array.isArray(value)) this.#list(value);
    else if (typeof value === "object" && value !== null) this.#map(value);
    else this.#byte(0xf6);
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.head(byteString, length);
    this.#reserve(length);
    this.#bytes.write(text, this.#length);
    this.#length += length;
  }

  /** The head of a map with this number of members. */
  openMap(members: number): void {
    this.head(map, members);
  }

  head(major: number, value: number): void {
    this.#reserve(9);
    const first = major << 5;
    const bytes = this.#bytes;
    const at = this.#length;
    if (value < 24) {
      bytes[at] = first | value;
      this.#length += 1;
    } else if (value < 0x100) {
      bytes[at] = first | 24;
      bytes[at + 1] = value;
      this.#length += 2;
    } else if (value < 0x1_0000) {
      bytes[at] = first | 25;
      this.#length = bytes.writeUInt16BE(value, at + 1);
    } else if (value < 0x1_0000_0000) {
      bytes[at] = first | 26;
      this.#length = bytes.writeUInt32BE(value, at + 1);
    } else {
      bytes[at] = first | 27;
      this.#length = bytes.writeBigUInt64BE(BigInt(value), at + 1);
    }
  }

  #list(items: readonly unknown[]): void {
    this.head(array, items.length);
    for (const item of items) this.value(item);
  }

  #map(object: object): void {
    const members = Object.entries(object).filter(([, member]) => member !== undefined);
    this.openMap(members.length);
    for (const [name, member] of members) {
      this.text(name);
      this.value(member);
    }
  }

  #integer(value: number | bigint): void {
    const isNegative = value < 0;
    const size = isNegative ? -1n - BigInt(value) : BigInt(value);
    const major = isNegative ? negative : positive;
    if (size <= Number.MAX_SAFE_INTEGER) return this.head(major, Number(size));
    this.#reserve(9);
    this.#bytes[this.#length] = (major << 5) | 27;
    this.#length = this.#bytes.writeBigUInt64BE(BigInt.asUintN(64, size), this.#length + 1);
  }

  #float(value: number): void {
    this.#reserve(9);
    const isSingle = Math.fround(value) === value;
    this.#bytes[this.#length] = isSingle ? 0xfa : 0xfb;
    const at = this.#length + 1;
    this.#length = isSingle ? this.#bytes.writeFloatBE(value, at) : this.#bytes.writeDoubleBE(value, at);
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
