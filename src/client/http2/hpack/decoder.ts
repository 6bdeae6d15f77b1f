/** Decodes header blocks (HPACK, RFC 7541). One for each connection. */
import { ProtocolViolation } from "../../transport/headers.js";
import { defaultTableBytes, fieldBytes, type HeaderField, HeaderTable } from "./table.js";
import { huffmanDecode } from "./huffman.js";

/**
 * Every block must be decoded, in the order of arrival, even those of streams that have ended, because each changes the
 * table.
 */
export class HeaderDecoder {
  readonly #table: HeaderTable = new HeaderTable(defaultTableBytes);
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  /** Calls `field` for each field. Throws a ProtocolViolation, after which the connection is unusable. */
  decode(block: Buffer, field: (field: HeaderField) => void): void {
    this.#block = block;
    this.#at = 0;
    // section 4.2: a block may begin with one or two changes of the table's size
    for (let resizes = 0; ((block[this.#at] ?? 0) & 0xe0) === 0x20; resizes++) {
      if (resizes === 2) throw new ProtocolViolation("a header table that changes its size too often (RFC 7541, 4.2)");
      this.#resize(this.#integer(5));
    }
    while (this.#at < block.length) {
      const first = block[this.#at] as number;
      if ((first & 0x80) !== 0) field(this.#field(this.#integer(7)));
      else if ((first & 0xc0) === 0x40) field(this.#literal(6, true));
      else if ((first & 0xe0) !== 0x20) field(this.#literal(4, false));
      else throw new ProtocolViolation("a header table that changes its size among headers (RFC 7541, 4.2)");
    }
  }

  #field(index: number): HeaderField {
    const field = index === 0 ? undefined : this.#table.at(index);
    if (field === undefined)
      throw new ProtocolViolation(`a header has index ${index}, which is not in the table (RFC 7541, 2.3.3)`);
    return field;
  }

  #literal(prefixBits: number, keep: boolean): HeaderField {
    const index = this.#integer(prefixBits);
    const name = index === 0 ? this.#text() : this.#field(index).name;
    const field = { name, value: this.#text() };
    if (keep) this.#table.add(field, fieldBytes(name.length, field.value.length));
    return field;
  }

  #resize(limit: number): void {
    if (limit > defaultTableBytes) throw new ProtocolViolation(`a header table of ${limit} bytes (RFC 7541, 6.3)`);
    this.#table.resize(limit);
  }

  /** Section 5.1: a small number is in the rest of the first byte, a larger one continues in groups of seven bits. */
  #integer(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
      const next = this.#byte();
      value += (next & 0x7f) * factor;
      if (next < 0x80) return value;
    }
    throw new ProtocolViolation("a header has a number that is too large (RFC 7541, 5.1)");
  }

  /** Bytes are read as Latin 1, one character each, so the length of a string is the size that the table counts. */
  #text(): string {
    const isHuffman = ((this.#block[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const from = this.#at;
    const end = from + length;
    if (end > this.#block.length) throw new ProtocolViolation("a header goes beyond its block (RFC 7541, 5.2)");
    this.#at = end;
    return isHuffman ? huffmanDecode(this.#block, from, end) : this.#block.toString("latin1", from, end);
  }

  #byte(): number {
    if (this.#at >= this.#block.length)
      throw new ProtocolViolation("a header block ends in the middle of a header (RFC 9113, 4.3)");
    return this.#block[this.#at++] as number;
  }
}
