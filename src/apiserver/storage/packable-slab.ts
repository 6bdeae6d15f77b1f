/** A block of memory for bytes that stay long: takes bytes until it is full, rests packed, and unpacks itself to be read. */
import { deflateRawSync, inflateRawSync } from "node:zlib";

/**
 * V8 maps the memory of a resizable buffer itself, and unmaps it when the buffer is collected. The memory of a fixed
 * buffer comes from the C library, which keeps most freed memory.
 */
const newMemory = (bytes: number): Buffer => Buffer.from(new ResizableBuffer(bytes, { maxByteLength: bytes }));
const ResizableBuffer = ArrayBuffer as new (bytes: number, options: { readonly maxByteLength: number }) => ArrayBuffer;

/** The bytes from the middle of a longer slab that tell whether packing it is worth the milliseconds that it takes. */
const sampleBytes = 16 * 1024;

/** The bytes packed, in a buffer of their own; undefined if that does not save the half. */
function packed(bytes: Uint8Array): Uint8Array | undefined {
  const result = deflateRawSync(bytes, { level: 1 });
  // a copy, since the result is a part of a longer buffer
  return result.length * 2 > bytes.length ? undefined : new Uint8Array(result);
}

/** The position of some bytes in a slab. */
export interface Placed {
  readonly size: number;
  slab: PackableSlab;
  at: number;
  /** The place's index in `places` of its slab. */
  index: number;
}

/**
 * Memory that is filled from its start. It is never written twice, so views of it stay valid as long as they exist.
 * Invariant: the bytes are in `#memory`, in `#packed`, or in both; the latter is made once, of a full slab.
 */
export class PackableSlab {
  readonly length: number;
  /** The places in use, each at its `index`. */
  readonly places: Placed[] = [];
  used = 0;
  /** The bytes of the places in use. */
  live = 0;
  /** For the slabs alone: whether a place was read since the slab was opened, or was last asked to go. */
  wasRead = false;
  #memory: Buffer | undefined;
  #packed: Uint8Array | undefined;

  constructor(bytes: number) {
    this.length = bytes;
    this.#memory = newMemory(bytes);
  }

  /** The memory that the slab takes now. */
  get taken(): number {
    return (this.#memory?.length ?? 0) + (this.#packed?.length ?? 0);
  }

  /** True if the places in use are at most half of the memory that the slab needs at least. */
  get isSparse(): boolean {
    return this.live * 2 <= (this.#packed?.length ?? this.length);
  }

  get isOpen(): boolean {
    return this.#memory !== undefined;
  }

  /** The bytes of all places. A closed slab is unpacked, and open afterwards. */
  get memory(): Buffer {
    // with one byte more than needed, the result comes in one go
    this.#memory ??= inflateRawSync(this.#packed as Uint8Array, { chunkSize: Math.max(this.length + 1, 64) });
    return this.#memory;
  }

  /** The slab is full, and rests packed, unless packing does not save the half. */
  close(): void {
    if (this.#packed === undefined && this.#looksPackable) this.#packed = packed(this.memory);
    if (this.#packed !== undefined) this.#memory = undefined;
  }

  get #looksPackable(): boolean {
    if (this.length <= 2 * sampleBytes) return true;
    const middle = Math.floor((this.length - sampleBytes) / 2);
    return packed(this.memory.subarray(middle, middle + sampleBytes)) !== undefined;
  }

  /** Gives the position for the place's bytes. There must be room for them. */
  take(place: Placed): number {
    place.index = this.places.push(place) - 1;
    this.live += place.size;
    this.used += place.size;
    return this.used - place.size;
  }

  leave({ index, size }: Placed): void {
    const last = this.places.pop() as Placed;
    if (last.index !== index) {
      this.places[index] = last;
      last.index = index;
    }
    this.live -= size;
  }
}
