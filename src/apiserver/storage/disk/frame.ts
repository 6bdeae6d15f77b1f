/** Checksummed frames in a file: whole frames are read back, torn ones are detected. */
import { crc32 } from "node:zlib";
import type { DataFile } from "./folder.js";

/** The form of a frame's head, and the checks that the frame is whole and in its place. */
export interface FrameForm {
  readonly headBytes: number;
  /** The payload's length, if a frame's head may stand at this place of the file. */
  lengthOf(head: Buffer, at: number): number | undefined;
  isWhole(head: Buffer, payload: Buffer): boolean;
}

const headBytes = 12;

/**
 * Length, checksum of the payload, checksum of both and of the place: 4 bytes each, little-endian. The place is the
 * file's id and the frame's offset, so that neither a frame of another file that used the same blocks before nor one
 * inside an object's bytes passes for a frame.
 */
export function framesOf(id: Uint8Array): FrameForm {
  return {
    headBytes,
    lengthOf: (head, at) =>
      head.readUInt32LE(8) === headChecksum(head, id, at) && head.readUInt32LE(0) > 0
        ? head.readUInt32LE(0)
        : undefined,
    isWhole: (head, payload) => head.readUInt32LE(4) === crc32(payload),
  };
}

function headChecksum(head: Buffer, id: Uint8Array, at: number): number {
  const place = Buffer.allocUnsafe(8);
  place.writeDoubleLE(at);
  return crc32(head.subarray(0, 8), crc32(place, crc32(id)));
}

/** The space for the head in front of a payload that is still to be written. */
export const headRoom: number = headBytes;

/** Fills in the head of a frame for this place. */
export function sealFrame(frame: Buffer, id: Uint8Array, at: number): void {
  const payload = frame.subarray(headBytes);
  frame.writeUInt32LE(payload.length, 0);
  frame.writeUInt32LE(crc32(payload), 4);
  frame.writeUInt32LE(headChecksum(frame, id, at), 8);
}

/** No frame of the first form was this long; that form does not secure the length by itself. */
const longestOfForm1 = 1 << 30;

/** Version 0.1: length, checksum of length and payload. */
export const framesOfForm1: FrameForm = {
  headBytes: 8,
  lengthOf(head) {
    const length = head.readUInt32LE(0);
    return length > 0 && length <= longestOfForm1 ? length : undefined;
  },
  isWhole: (head, payload) => head.readUInt32LE(4) === crc32(payload, crc32(head.subarray(0, 4))),
};

export interface FramesOptions {
  readonly form: FrameForm;
  /** The position of the first frame. */
  readonly at: number;
  /** The greatest position at which the last frame may end. */
  readonly end: number;
  /** The bytes that are read at once. */
  readonly chunkBytes?: number;
}

const defaultChunkBytes = 1024 * 1024;

/** Reads frames one after the other, however long the file is; holds one chunk of it, or one frame if that is longer. */
export class Frames {
  readonly #file: DataFile;
  readonly #form: FrameForm;
  readonly #end: number;
  readonly #chunkBytes: number;
  /** The bytes of the file from `#from` on. */
  #chunk: Buffer = Buffer.alloc(0);
  #from = 0;
  #at: number;

  constructor(file: DataFile, { form, at, end, chunkBytes = defaultChunkBytes }: FramesOptions) {
    this.#file = file;
    this.#form = form;
    this.#at = at;
    this.#end = end;
    this.#chunkBytes = chunkBytes;
  }

  /** The position of the next frame, if there is one. */
  get at(): number {
    return this.#at;
  }

  /** The next payload, valid until the next call; undefined if there is no whole frame here. */
  async next(): Promise<Buffer | undefined> {
    const payload = await this.#frameAt(this.#at);
    if (payload !== undefined) this.#at += this.#form.headBytes + payload.length;
    return payload;
  }

  /** True if a whole frame begins anywhere behind the place where there is none: then it is damage, not a torn end. */
  async hasMore(): Promise<boolean> {
    const { headBytes: room } = this.#form;
    for (let at = this.#at + 1; at + room <= this.#end; ) {
      const bytes = await this.#bytes(at, Math.min(this.#chunkBytes, this.#end - at));
      const places = bytes.length - room + 1;
      if (places < 1) return false;
      for (const found of this.#candidates(bytes, at, places)) {
        if ((await this.#frameAt(found)) !== undefined) return true;
      }
      at += places;
    }
    return false;
  }

  /** The positions in these bytes at which a head may stand. */
  #candidates(bytes: Buffer, at: number, places: number): readonly number[] {
    const found: number[] = [];
    for (let i = 0; i < places; i++) {
      const length = bytes.readUInt32LE(i);
      // most bytes are no length that fits, which is cheaper to see than a checksum
      if (length === 0 || at + i + this.#form.headBytes + length > this.#end) continue;
      if (this.#form.lengthOf(bytes.subarray(i, i + this.#form.headBytes), at + i) !== undefined) found.push(at + i);
    }
    return found;
  }

  async #frameAt(at: number): Promise<Buffer | undefined> {
    const { headBytes: room } = this.#form;
    if (at + room > this.#end) return undefined;
    const head = await this.#bytes(at, room);
    const length = head.length < room ? undefined : this.#form.lengthOf(head, at);
    if (length === undefined || at + room + length > this.#end) return undefined;
    const frame = await this.#bytes(at, room + length);
    const payload = frame.subarray(room);
    return payload.length === length && this.#form.isWhole(frame.subarray(0, room), payload) ? payload : undefined;
  }

  /** Gives fewer bytes only if the file has become shorter. */
  async #bytes(at: number, length: number): Promise<Buffer> {
    if (at < this.#from || at + length > this.#from + this.#chunk.length) {
      const wanted = Math.max(length, Math.min(this.#chunkBytes, this.#end - at));
      const chunk = Buffer.allocUnsafeSlow(wanted);
      this.#chunk = chunk.subarray(0, await this.#file.read(chunk, at));
      this.#from = at;
    }
    return this.#chunk.subarray(at - this.#from, at - this.#from + length);
  }
}
