/** Collects header blocks, which may come in several frames, and decodes them. */
import { defined } from "../../base/defined.js";
import type { HttpHeaders } from "../../base/index.js";
import { addHeader, isHeaderName, maxHeaderBytes, ProtocolViolation } from "../transport/headers.js";
import { type FrameHead, frameFlags, unpadded } from "./frames.js";
import { HeaderDecoder } from "./hpack/decoder.js";
import { fieldBytes } from "./hpack/table.js";
import { emptyMap } from "../../base/members.js";

export interface HeadersArrived {
  readonly stream: number;
  /** The status of an answer's first block; trailers have none. */
  readonly status: number | undefined;
  readonly headers: HttpHeaders;
  /** True if nothing follows on this stream. */
  readonly ends: boolean;
  /** The fault of the block (RFC 9113, sections 8.2 and 8.3), which the connection survives; absent if there is none. */
  readonly malformed?: string;
}

/** A server that fills a block with frames of the smallest permitted size needs fewer than this. */
const mostContinuations = 64;

/**
 * Between the frames of one block no other frame may come (RFC 9113, section 6.10); `open` is true while a block is
 * incomplete.
 */
export class HeaderBlocks {
  readonly #decoder: HeaderDecoder = new HeaderDecoder();
  #begun: { readonly head: FrameHead; readonly parts: Buffer[]; bytes: number } | undefined;
  #continuations = 0;

  get open(): boolean {
    return this.#begun !== undefined;
  }

  /** Takes a HEADERS frame; gives the content of its block if the block is complete. */
  headers(head: FrameHead, payload: Buffer): HeadersArrived | undefined {
    const part = unpadded(head, payload);
    if ((head.flags & frameFlags.endHeaders) !== 0) return this.#read(head, part);
    this.#begun = { head, parts: [part], bytes: part.length };
    this.#continuations = 0;
    return undefined;
  }

  /** Takes a CONTINUATION frame; gives the content of the block if it is complete. */
  continuation({ flags, stream }: FrameHead, payload: Buffer): HeadersArrived | undefined {
    const begun = this.#begun;
    if (begun?.head.stream !== stream) throw new ProtocolViolation("a CONTINUATION of nothing (RFC 9113, 6.10)");
    begun.parts.push(payload);
    begun.bytes += payload.length;
    // section 10.5.1: an endless block, empty frames included, must not fill the memory
    if (++this.#continuations > mostContinuations) {
      throw new ProtocolViolation(`headers in more than ${mostContinuations} CONTINUATION frames (RFC 9113, 10.5.1)`);
    }
    if (begun.bytes > maxHeaderBytes) throw tooLong();
    if ((flags & frameFlags.endHeaders) === 0) return undefined;
    this.#begun = undefined;
    return this.#read(begun.head, Buffer.concat(begun.parts));
  }

  #read({ stream, flags }: FrameHead, block: Buffer): HeadersArrived {
    const headers = emptyMap<string | string[]>();
    let status: number | undefined;
    let bytes = 0;
    let malformed: string | undefined;
    this.#decoder.decode(block, ({ name, value }) => {
      bytes += fieldBytes(name.length, value.length);
      // the table expands few bytes into many fields, so the expanded size is limited too
      if (bytes > maxHeaderBytes) throw tooLong();
      if (isHeaderName(name) && name === name.toLowerCase()) return addHeader(headers, name, value);
      if (name === ":status" && /^[1-9]\d\d$/.test(value) && status === undefined) status = Number(value);
      else malformed ??= `a header ${JSON.stringify(name.slice(0, 80))} that may not be there (RFC 9113, 8.2)`;
    });
    const ends = (flags & frameFlags.endStream) !== 0;
    return { stream, status, headers, ends, ...defined({ malformed }) };
  }
}

function tooLong(): ProtocolViolation {
  return new ProtocolViolation(`headers of more than ${maxHeaderBytes} bytes (RFC 9113, 6.5.2)`);
}
