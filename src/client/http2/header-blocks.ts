/** Gathers header blocks, which may come in several frames, and reads them. From session.ts; gives it the heads of answers. */
import type { HttpHeaders } from "../../base/index.js";
import { addHeader, ProtocolViolation } from "../transport/headers.js";
import { type FrameHead, frameFlags, unpadded } from "./frames.js";
import { HeaderDecoder } from "./hpack-decoder.js";
import { emptyMap } from "../../base/members.js";

export interface HeadersArrived {
  readonly stream: number;
  /** Of an answer's first block; trailers have none. */
  readonly status: number | undefined;
  readonly headers: HttpHeaders;
  /** Nothing follows on this stream. */
  readonly ends: boolean;
}

/** More than any server sends; a block without an end may not fill the memory. */
const maxBlockBytes = 1024 * 1024;

/** Between the frames of one block no other frame may come: `open` says that one is begun. */
export class HeaderBlocks {
  readonly #decoder: HeaderDecoder = new HeaderDecoder();
  #begun: { readonly head: FrameHead; readonly parts: Buffer[]; bytes: number } | undefined;

  get open(): boolean {
    return this.#begun !== undefined;
  }

  /** A HEADERS frame; gives what its block says, if that is all of it. */
  headers(head: FrameHead, payload: Buffer): HeadersArrived | undefined {
    const part = unpadded(head, payload);
    if ((head.flags & frameFlags.endHeaders) !== 0) return this.#read(head, part);
    this.#begun = { head, parts: [part], bytes: part.length };
    return undefined;
  }

  /** A CONTINUATION frame. */
  continuation({ flags, stream }: FrameHead, payload: Buffer): HeadersArrived | undefined {
    const begun = this.#begun;
    if (begun?.head.stream !== stream) throw new ProtocolViolation("a CONTINUATION of nothing");
    begun.parts.push(payload);
    begun.bytes += payload.length;
    if (begun.bytes > maxBlockBytes) throw new ProtocolViolation("headers without end");
    if ((flags & frameFlags.endHeaders) === 0) return undefined;
    this.#begun = undefined;
    return this.#read(begun.head, Buffer.concat(begun.parts));
  }

  #read({ stream, flags }: FrameHead, block: Buffer): HeadersArrived {
    const headers = emptyMap<string | string[]>();
    let status: number | undefined;
    this.#decoder.decode(block, ({ name, value }) => {
      if (name === ":status") {
        status = Number(value);
        return;
      }
      addHeader(headers, name, value);
    });
    return { stream, status, headers, ends: (flags & frameFlags.endStream) !== 0 };
  }
}
