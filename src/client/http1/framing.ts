/** Finds the beginning and end of the body of an HTTP/1.1 answer in the bytes of a connection (RFC 9112, section 6). */
import type { HttpHeaders } from "../../base/index.js";
import { ProtocolViolation } from "../transport/headers.js";
import { hasToken } from "./head.js";

/** Removes the framing, piece by piece. Invariant: once `isDone`, nothing more is taken. */
export interface BodyFraming {
  readonly isDone: boolean;
  /** True if only the end of the connection ends the body. */
  readonly endsWithConnection: boolean;
  /**
   * Takes `bytes[from, end)`, or less if the answer ends before. Its bytes of the body are then together at
   * `bytes[from, dataEnd)`; `taken` is the position behind the last byte taken.
   */
  take(bytes: Buffer, from: number, end: number): void;
  readonly dataEnd: number;
  readonly taken: number;
}

export function framingOf(method: string, status: number, headers: HttpHeaders): BodyFraming {
  if (method === "HEAD" || status === 204 || status === 304) return new CountedFraming(0);
  const encoding = headers["transfer-encoding"];
  if (encoding !== undefined) {
    if (hasToken(encoding, "chunked") && typeof encoding === "string" && !encoding.includes(",")) {
      return new ChunkedFraming();
    }
    throw new ProtocolViolation("a transfer encoding that nobody asked for");
  }
  const length = headers["content-length"];
  if (length === undefined) return new CountedFraming(Number.POSITIVE_INFINITY);
  if (typeof length !== "string" || !/^\d{1,15}$/.test(length)) throw new ProtocolViolation("a length that is none");
  return new CountedFraming(Number(length));
}

class CountedFraming implements BodyFraming {
  readonly endsWithConnection: boolean;
  dataEnd = 0;
  taken = 0;
  #left: number;

  constructor(length: number) {
    this.#left = length;
    this.endsWithConnection = length === Number.POSITIVE_INFINITY;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  take(_bytes: Buffer, from: number, end: number): void {
    const length = Math.min(end - from, this.#left);
    this.#left -= length;
    this.dataEnd = from + length;
    this.taken = from + length;
  }
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** A longer chunk is refused: its length could not be represented exactly. */
const mostSizeDigits = 12;
/** The extensions of a chunk are ignored; RFC 9112, section 7.1.1, asks to limit them. */
const maxExtensionBytes = 4 * 1024;
/** More than any server sends in a trailer. */
const maxTrailerBytes = 64 * 1024;

/** The next expected part of the framing. */
type Expecting =
  | "size"
  | "size or extension"
  | "extension"
  | "size's line feed"
  | "data"
  | "data's return"
  | "data's line feed"
  | "trailer"
  | "nothing";

class ChunkedFraming implements BodyFraming {
  readonly endsWithConnection = false;
  dataEnd = 0;
  taken = 0;
  #expecting: Expecting = "size";
  /** The size of the chunk as far as it is read, then the number of its bytes that are left. */
  #left = 0;
  #digits = 0;
  #extension = 0;
  /** The length of the trailer's current line as far as it is read, and that of the whole trailer. */
  #line = 0;
  #trailer = 0;

  get isDone(): boolean {
    return this.#expecting === "nothing";
  }

  take(bytes: Buffer, from: number, end: number): void {
    let at = from;
    let dataEnd = from;
    while (at < end && this.#expecting !== "nothing") {
      if (this.#expecting !== "data") {
        this.#byte(bytes[at++] as number);
        continue;
      }
      const length = Math.min(end - at, this.#left);
      // servers send each event in a chunk of its own: moved together, they are read as one piece
      if (at !== dataEnd) bytes.copyWithin(dataEnd, at, at + length);
      at += length;
      dataEnd += length;
      this.#left -= length;
      if (this.#left === 0) this.#expecting = "data's return";
    }
    this.dataEnd = dataEnd;
    this.taken = at;
  }

  #byte(byte: number): void {
    switch (this.#expecting) {
      case "size":
      case "size or extension":
        return this.#size(byte);
      case "extension":
        if (byte === carriageReturn) this.#expecting = "size's line feed";
        else if (++this.#extension > maxExtensionBytes) {
          throw new ProtocolViolation(`a chunk's extension of more than ${maxExtensionBytes} bytes (RFC 9112, 7.1.1)`);
        }
        return;
      case "size's line feed":
        return this.#expect(byte, lineFeed, this.#left === 0 ? "trailer" : "data");
      case "data's return":
        return this.#expect(byte, carriageReturn, "data's line feed");
      case "data's line feed":
        this.#digits = 0;
        this.#extension = 0;
        return this.#expect(byte, lineFeed, "size");
      case "trailer":
        return this.#inTrailer(byte);
      default:
        return;
    }
  }

  #size(byte: number): void {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      if (++this.#digits > mostSizeDigits) throw new ProtocolViolation("a chunk that is too long");
      this.#left = this.#left * 16 + digit;
      this.#expecting = "size or extension";
    } else if (this.#expecting === "size") throw new ProtocolViolation("a chunk without a size");
    else if (byte === carriageReturn) this.#expecting = "size's line feed";
    else if (byte === 0x3b || byte === 0x20 || byte === 0x09) this.#expecting = "extension";
    else throw new ProtocolViolation("a chunk's size that is no number");
  }

  #expect(byte: number, expected: number, next: Expecting): void {
    if (byte !== expected) throw new ProtocolViolation("a chunk that does not end where it should");
    this.#expecting = next;
  }

  /** The trailer is ignored; it ends with an empty line. */
  #inTrailer(byte: number): void {
    if (++this.#trailer > maxTrailerBytes)
      throw new ProtocolViolation(`a trailer of more than ${maxTrailerBytes} bytes (RFC 9112, 7.1.2)`);
    if (byte === lineFeed) {
      if (this.#line === 0) this.#expecting = "nothing";
      this.#line = 0;
    } else if (byte !== carriageReturn) this.#line++;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
