/**
 * Memory for bytes that stay long: takes a text or bytes, gives a place in a slab; slabs go back to the system as
 * places are released.
 */

/**
 * V8 maps the memory of a resizable buffer itself, and unmaps it when the buffer is collected. The memory of a fixed
 * buffer comes from the C library, which keeps most freed memory.
 */
const newMemory = (bytes: number): Buffer => Buffer.from(new ResizableBuffer(bytes, { maxByteLength: bytes }));
const ResizableBuffer = ArrayBuffer as new (bytes: number, options: { readonly maxByteLength: number }) => ArrayBuffer;

/** The first slab is small, because many states stay small; each is twice as long as the one before, up to a limit. */
const firstSlabBytes = 8 * 1024;
const slabBytes = 256 * 1024;
/** Bytes longer than this share of the largest slab get a slab of their own. */
const longestShared = slabBytes / 4;

/** Memory that is filled from its start. It is never written twice, so views of it stay valid as long as they exist. */
class Slab {
  readonly memory: Buffer;
  /** The places in use, each at its `index`. */
  readonly places: SlabPlace[] = [];
  used = 0;
  /** The bytes of the places in use. */
  live = 0;

  constructor(bytes: number) {
    this.memory = newMemory(bytes);
  }

  get isSparse(): boolean {
    return this.live * 2 <= this.memory.length;
  }

  /** Gives the position for the place's bytes. There must be room for them. */
  take(place: SlabPlace): number {
    place.index = this.places.push(place) - 1;
    this.live += place.size;
    this.used += place.size;
    return this.used - place.size;
  }

  leave({ index, size }: SlabPlace): void {
    const last = this.places.pop() as SlabPlace;
    if (last.index !== index) {
      this.places[index] = last;
      last.index = index;
    }
    this.live -= size;
  }
}

/** The present position of some bytes. They are readable as long as the place is referenced, even after its release. */
export class SlabPlace {
  readonly #slabs: Slabs;
  readonly size: number;
  /** For the slabs alone. */
  slab: Slab;
  at: number;
  index = 0;
  isReleased = false;

  /** Makes room for `size` bytes. */
  constructor(slabs: Slabs, size: number) {
    this.#slabs = slabs;
    this.size = size;
    this.slab = slabs.slabFor(size);
    this.at = this.slab.take(this);
  }

  /** A new view of the bytes from the first on. */
  view(length: number): Uint8Array {
    return new Uint8Array(this.slab.memory.buffer, this.at, length);
  }

  text(length: number): string {
    return this.slab.memory.toString("utf8", this.at, this.at + length);
  }

  /** The owner no longer needs the bytes. Releasing twice has no further effect. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.slab.leave(this);
    this.#slabs.tidy(this.slab);
  }
}

/**
 * Invariants:
 * 1. A slab that is not being filled is more than half in use: the bytes of a sparse one move to the slab that is being
 *    filled, and it is dropped. So slabs take at most twice the memory of the places in use, and one slab more.
 * 2. Moving costs no more bytes than were released before: releasing n bytes moves n bytes at most, over time.
 */
export class Slabs {
  #filling: Slab | undefined;
  #reserved = 0;

  /** The memory of all slabs that hold places in use, and of the one being filled. */
  get reserved(): number {
    return this.#reserved;
  }

  /** The text as UTF-8, with one byte more behind it. */
  write(text: string, end: number): SlabPlace {
    const length = Buffer.byteLength(text);
    const place = new SlabPlace(this, length + 1);
    place.slab.memory.write(text, place.at, length);
    place.slab.memory[place.at + length] = end;
    return place;
  }

  /** A copy of the bytes, with one byte more behind it. */
  copy(bytes: Uint8Array, end: number): SlabPlace {
    const place = new SlabPlace(this, bytes.length + 1);
    place.slab.memory.set(bytes, place.at);
    place.slab.memory[place.at + bytes.length] = end;
    return place;
  }

  /** A slab with room for these bytes. */
  slabFor(size: number): Slab {
    if (size > longestShared) return this.#newSlab(size);
    if (this.#filling === undefined || this.#filling.used + size > this.#filling.memory.length) {
      const full = this.#filling;
      const longer = Math.max(firstSlabBytes, 2 * (full?.memory.length ?? 0), 4 * size);
      this.#filling = this.#newSlab(Math.min(longer, slabBytes));
      if (full !== undefined) this.tidy(full);
    }
    return this.#filling;
  }

  /** Empties a slab that is sparse, unless it is being filled. */
  tidy(slab: Slab): void {
    if (slab === this.#filling || !slab.isSparse) return;
    this.#reserved -= slab.memory.length;
    for (const place of slab.places) {
      const next = this.slabFor(place.size);
      const at = next.take(place);
      slab.memory.copy(next.memory, at, place.at, place.at + place.size);
      place.slab = next;
      place.at = at;
    }
    // a view keeps the memory alive, but not the places that were moved
    slab.places.length = 0;
  }

  #newSlab(bytes: number): Slab {
    this.#reserved += bytes;
    return new Slab(bytes);
  }
}
