/** The frames of SPDY/3.1 (draft-mbelshe-httpbis-spdy-00, section 2.2): bytes as they arrive become frames, and back. */

export const frameType = {
  open: 1,
  reply: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  window: 9,
} as const;

/** The sender has nothing more to say on the stream. */
export const finFlag = 1;

export type SpdyFrame =
  | { readonly type: "control"; readonly kind: number; readonly flags: number; readonly payload: Buffer }
  /** A data frame may come in several pieces, because its length is not limited; `fin` is then true for the last. */
  | { readonly type: "data"; readonly id: number; readonly bytes: Buffer; readonly fin: boolean };

/** Limit on the bytes of a control frame, which are kept until it is whole. */
const maxControlBytes = 64 * 1024;
const headBytes = 8;
const version = 3;

const none: Buffer = Buffer.alloc(0);

/** Invariant: `#kept` is shorter than the head of a frame, or than a control frame that is not whole. */
export class SpdyFrameReader {
  #kept = none;
  /** The data frame whose payload has not come to its end. */
  #data: { readonly id: number; readonly fin: boolean; left: number } | undefined;

  /** Throws if a control frame is too long or of another version. */
  *read(chunk: Buffer): Iterable<SpdyFrame> {
    let bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    this.#kept = none;
    for (;;) {
      if (this.#data !== undefined) {
        const { id, fin, left } = this.#data;
        const piece = bytes.subarray(0, left);
        bytes = bytes.subarray(piece.length);
        this.#data.left -= piece.length;
        const isWhole = piece.length === left;
        if (isWhole) this.#data = undefined;
        if (piece.length > 0 || isWhole) yield { type: "data", id, bytes: piece, fin: fin && isWhole };
        if (!isWhole) return;
      }
      if (bytes.length < headBytes) break;
      const first = bytes.readUInt32BE(0);
      const flags = bytes[4] as number;
      const length = bytes.readUInt32BE(4) & 0xff_ffff;
      if (first < 0x8000_0000) {
        this.#data = { id: first, fin: (flags & finFlag) !== 0, left: length };
        bytes = bytes.subarray(headBytes);
        continue;
      }
      if (((first >>> 16) & 0x7fff) !== version) throw new Error("a frame is not of SPDY/3");
      if (length > maxControlBytes) throw new Error(`a control frame has ${length} bytes`);
      if (bytes.length < headBytes + length) break;
      const payload = bytes.subarray(headBytes, headBytes + length);
      bytes = bytes.subarray(headBytes + length);
      yield { type: "control", kind: first & 0xffff, flags, payload };
    }
    this.#kept = Buffer.from(bytes);
  }
}

export function controlFrame(kind: number, payload: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(kind, 2);
  head.writeUInt32BE(payload.length, 4);
  head[4] = flags;
  return Buffer.concat([head, payload]);
}

/** The head of a data frame, which is followed by its bytes. */
export function dataHead(id: number, length: number, fin: boolean): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(id, 0);
  head.writeUInt32BE(length, 4);
  head[4] = fin ? finFlag : 0;
  return head;
}

/** A payload of 32-bit numbers. */
export function numbers(...values: readonly number[]): Buffer {
  const payload = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) payload.writeUInt32BE(value, 4 * index);
  return payload;
}
