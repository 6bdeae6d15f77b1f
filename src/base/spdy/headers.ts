/** The header blocks of SPDY/3 (draft-mbelshe-httpbis-spdy-00, section 2.6.10): names and values, compressed by zlib. */
import { constants, inflateRawSync } from "node:zlib";

export type SpdyHeaders = ReadonlyMap<string, string>;

/** Limits on the uncompressed bytes of a block and on its headers: peers send three short ones. */
const maxHeaderBytes = 16 * 1024;
const maxHeaders = 100;
const windowBytes = 32 * 1024;

const words =
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow " +
  "authorization cache-control connection content-base content-encoding content-language content-length " +
  "content-location content-md5 content-range content-type date etag expect expires from host if-match " +
  "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma " +
  "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade " +
  "user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie " +
  "keep-alive origin";

const tail =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505" +
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden" +
  "404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable" +
  "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT" +
  "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript," +
  "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

const lengthOf = (bytes: number): Buffer => {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(bytes);
  return prefix;
};

const prefixed = (text: string): Buffer => Buffer.concat([lengthOf(Buffer.byteLength(text)), Buffer.from(text)]);

/** The text that both sides' compressors begin with. */
const dictionary = Buffer.concat([
  ...words.split(" ").map((word) => prefixed(word.replace("_", " "))),
  Buffer.from(tail, "latin1"),
]);

/**
 * Reads the blocks of one connection in their order.
 *
 * Every peer flushes its compressor to a whole byte after each block, because the other side could not read the block
 * otherwise. So a block can be read by itself, with the last 32 KiB before it as the dictionary, at once and within a
 * limit.
 */
export class HeaderReader {
  /** The end of all that has been read; undefined before the first block. */
  #before: Buffer | undefined;

  /** Throws if the block is malformed or too long. */
  read(block: Uint8Array): SpdyHeaders {
    let compressed = block;
    if (this.#before === undefined) {
      // RFC 1950: two bytes of header, and four more that name the dictionary if there is one
      const hasDictionary = ((block[1] ?? 0) & 0x20) !== 0;
      if (((block[0] ?? 0) & 15) !== 8) throw new Error("a header block is not compressed by zlib");
      compressed = block.subarray(hasDictionary ? 6 : 2);
      this.#before = hasDictionary ? dictionary : Buffer.alloc(0);
    }
    const text = inflateRawSync(compressed, {
      ...(this.#before.length > 0 ? { dictionary: this.#before } : {}),
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: maxHeaderBytes,
    });
    this.#before = Buffer.concat([this.#before, text]).subarray(-windowBytes);
    return headersIn(text);
  }
}

function headersIn(text: Buffer): SpdyHeaders {
  let at = 0;
  const number = (): number => {
    if (at + 4 > text.length) throw new Error("a header block ends early");
    at += 4;
    return text.readUInt32BE(at - 4);
  };
  const string = (): string => {
    const length = number();
    if (at + length > text.length) throw new Error("a header block ends early");
    at += length;
    return text.toString("utf8", at - length, at);
  };
  const headers = new Map<string, string>();
  const count = number();
  if (count > maxHeaders) throw new Error(`a header block has ${count} headers`);
  for (let left = count; left > 0; left--) headers.set(string().toLowerCase(), string());
  return headers;
}

/** A stored block of RFC 1951 has at most 65,535 bytes, which no headers of ours reach. */
const maxStored = 0xffff;

/** An empty block, at which Go's reader gives out the bytes before it. */
const flushed = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** Writes the blocks of one connection, in their order, without compressing them: the few headers are short. */
export class HeaderWriter {
  #isFirst = true;

  write(headers: SpdyHeaders): Buffer {
    const text = Buffer.concat([
      lengthOf(headers.size),
      ...[...headers].flatMap(([name, value]) => [prefixed(name.toLowerCase()), prefixed(value)]),
    ]);
    if (text.length > maxStored) throw new RangeError("the headers are too long");
    const stored = Buffer.alloc(5);
    stored.writeUInt16LE(text.length, 1);
    stored.writeUInt16LE(text.length ^ 0xffff, 3);
    const begin = this.#isFirst ? Buffer.from([0x78, 0x01]) : Buffer.alloc(0);
    this.#isFirst = false;
    return Buffer.concat([begin, stored, text, flushed]);
  }
}
