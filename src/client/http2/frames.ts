/** The frames of HTTP/2 (RFC 9113, section 4) as bytes: writes ours, and cuts the received bytes into the server's. */
import { ProtocolViolation } from "../transport/headers.js";

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlags = { ack: 1, endStream: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

/** Codes of RFC 9113, section 7. */
export const errorCodes = { none: 0, protocol: 1, internal: 2, refusedStream: 7, cancel: 8 } as const;

export const settingIds = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

export const headBytes = 9;
export const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** The limits of both sides until the other announces its own. */
export const defaultFrameBytes = 16_384;
export const defaultWindowBytes = 65_535;
export const maxWindowBytes: number = 2 ** 31 - 1;

export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
}

/** Writes the nine bytes that begin a frame and gives the place after them. */
export function writeHead(into: Buffer, at: number, length: number, { type, flags, stream }: FrameHead): number {
  into[at] = length >>> 16;
  into[at + 1] = length >>> 8;
  into[at + 2] = length;
  into[at + 3] = type;
  into[at + 4] = flags;
  into.writeUInt32BE(stream, at + 5);
  return at + headBytes;
}

export function frame(head: FrameHead, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + payload.length);
  bytes.set(payload, writeHead(bytes, 0, payload.length, head));
  return bytes;
}

/** A frame whose payload is one number of 32 bits: WINDOW_UPDATE and RST_STREAM. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + 4);
  bytes.writeUInt32BE(value, writeHead(bytes, 0, 4, { type, flags: 0, stream }));
  return bytes;
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(settings.length * 6);
  settings.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  });
  return frame({ type: frameTypes.settings, flags: 0, stream: 0 }, payload);
}

export interface FrameSink {
  /** Called with a whole frame, of any type but unpadded DATA. The payload may be kept. */
  frame(head: FrameHead, payload: Buffer): void;
  /** Called with each piece of the payload of a DATA frame as it arrives; `last` is true for the frame's last piece. */
  data(head: FrameHead, piece: Buffer, last: boolean): void;
}

/**
 * Takes bytes in any pieces and gives frames to a sink. Payloads are not copied, unless they come in pieces.
 * Invariants:
 * 1. Between frames, `#filled` bytes of the next head are there, and `#left` is 0.
 * 2. Within a frame, `#left` bytes of its payload are still to come, and `#parts` holds the bytes that must wait for
 *    them.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #maxBytes: number;
  readonly #partialHead: Buffer = Buffer.alloc(headBytes);
  #filled = 0;
  #head: FrameHead | undefined;
  #left = 0;
  #parts: Buffer[] = [];

  constructor(sink: FrameSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  /** Throws a ProtocolViolation, or the error of the sink; then nothing more may be pushed. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#head === undefined) at = this.#readHead(chunk, at);
      else {
        const end = Math.min(chunk.length, at + this.#left);
        const piece = at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end);
        this.#left -= end - at;
        at = end;
        this.#readPayload(this.#head, piece);
      }
    }
  }

  #readHead(chunk: Buffer, at: number): number {
    if (this.#filled === 0 && chunk.length - at >= headBytes) {
      this.#begin(chunk, at);
      return at + headBytes;
    }
    const end = Math.min(chunk.length, at + headBytes - this.#filled);
    chunk.copy(this.#partialHead, this.#filled, at, end);
    this.#filled += end - at;
    if (this.#filled === headBytes) {
      this.#filled = 0;
      this.#begin(this.#partialHead, 0);
    }
    return end;
  }

  #begin(bytes: Buffer, at: number): void {
    const length = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    if (length > this.#maxBytes) throw new ProtocolViolation(`a frame of ${length} bytes (RFC 9113, 4.2)`);
    const head = {
      type: bytes[at + 3] as number,
      flags: bytes[at + 4] as number,
      stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
    };
    this.#left = length;
    this.#head = head;
    if (length === 0) this.#readPayload(head, empty);
  }

  #readPayload(head: FrameHead, piece: Buffer): void {
    const last = this.#left === 0;
    if (last) this.#head = undefined;
    if (head.type === frameTypes.data && (head.flags & frameFlags.padded) === 0) {
      this.#sink.data(head, piece, last);
    } else if (!last) this.#parts.push(piece);
    else if (this.#parts.length === 0) this.#sink.frame(head, piece);
    else {
      const payload = Buffer.concat([...this.#parts, piece]);
      this.#parts = [];
      this.#sink.frame(head, payload);
    }
  }
}

const empty: Buffer = Buffer.alloc(0);

/** The payload of a HEADERS, DATA or PUSH_PROMISE frame without padding and priority. */
export function unpadded({ type, flags }: FrameHead, payload: Buffer): Buffer {
  let from = 0;
  let end = payload.length;
  if ((flags & frameFlags.padded) !== 0) {
    end -= payload[0] ?? 0;
    from = 1;
  }
  if (type === frameTypes.headers && (flags & frameFlags.priority) !== 0) from += 5;
  if (from > end) throw new ProtocolViolation("a frame with more padding than payload (RFC 9113, 6.1)");
  return payload.subarray(from, end);
}
