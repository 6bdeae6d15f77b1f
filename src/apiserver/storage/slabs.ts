/**
 * Memory for bytes that stay long: takes a text or bytes, gives a place in a slab; slabs are packed when they were not
 * read for a while, and go back to the system as places are released.
 */
import { PackableSlab, type Placed } from "./packable-slab.js";

/** The first slab is small, because many states stay small; each is twice as long as the one before, up to a limit. */
const firstSlabBytes = 8 * 1024;
/** To read one place, the whole of a packed slab is unpacked: 20 µs for this length. */
const slabBytes = 32 * 1024;
/** Bytes longer than this share of the largest slab get a slab of their own. */
const longestShared = slabBytes / 4;

/** By default slabs of this length in sum, the ones in use lately, are open. */
const mostOpen = 8 * 1024 * 1024;

/** The present position of some bytes. They are readable as long as the place is referenced, even after its release. */
export class SlabPlace implements Placed {
  readonly #slabs: Slabs;
  readonly size: number;
  /** For the slabs alone. */
  slab: PackableSlab;
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
    const { buffer, byteOffset } = this.#slabs.read(this.slab);
    return new Uint8Array(buffer, byteOffset + this.at, length);
  }

  text(length: number): string {
    return this.#slabs.read(this.slab).toString("utf8", this.at, this.at + length);
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
 *    filled, and it is dropped. So slabs take at most twice the memory of the places in use, and one slab more; and
 *    `#mostOpen` for packed slabs that are open.
 * 2. Moving costs no more bytes than were released before: releasing n bytes moves n bytes at most, over time.
 * 3. `#open` holds the full slabs that are open and can be packed, in the order in which they are asked to go, and
 *    `#openBytes` is the sum of their lengths. After each call it is at most `#mostOpen`.
 */
export class Slabs {
  #filling: PackableSlab | undefined;
  readonly #open = new Set<PackableSlab>();
  readonly #mostOpen: number;
  #openBytes = 0;
  #reserved = 0;

  constructor(openBytes: number = mostOpen) {
    this.#mostOpen = openBytes;
  }

  /** The memory of all slabs that hold places in use, and of the one being filled. */
  get reserved(): number {
    return this.#reserved;
  }

  /** The text as UTF-8, with one byte more behind it. */
  write(text: string, end: number): SlabPlace {
    const length = Buffer.byteLength(text);
    const place = new SlabPlace(this, length + 1);
    const { slab, at } = place;
    slab.memory.write(text, at, length);
    return this.#ended(place, end);
  }

  /** A copy of the bytes, with one byte more behind it. */
  copy(bytes: Uint8Array, end: number): SlabPlace {
    const place = new SlabPlace(this, bytes.length + 1);
    const { slab, at } = place;
    slab.memory.set(bytes, at);
    return this.#ended(place, end);
  }

  #ended(place: SlabPlace, end: number): SlabPlace {
    const { slab, at, size } = place;
    slab.memory[at + size - 1] = end;
    if (slab !== this.#filling) this.#keepOpen(slab);
    return place;
  }

  /** A slab with room for these bytes. */
  slabFor(size: number): PackableSlab {
    if (size > longestShared) return this.#newSlab(size);
    if (this.#filling === undefined || this.#filling.used + size > this.#filling.length) {
      const full = this.#filling;
      const longer = Math.max(firstSlabBytes, 2 * (full?.length ?? 0), 4 * size);
      this.#filling = this.#newSlab(Math.min(longer, slabBytes));
      if (full !== undefined) {
        this.#keepOpen(full);
        this.tidy(full);
      }
    }
    return this.#filling;
  }

  /** The slab's memory. */
  read(slab: PackableSlab): Buffer {
    slab.wasRead = slab.isOpen;
    const { memory } = slab;
    if (slab.wasRead) return memory;
    // a place that was released can still be read: then its slab may be a dropped one
    if (slab.places.length > 0) {
      this.#reserved += slab.length;
      this.#keepOpen(slab);
    }
    return memory;
  }

  /** Empties a slab that is sparse, unless it is being filled. */
  tidy(slab: PackableSlab): void {
    if (slab === this.#filling || !slab.isSparse) return;
    this.#reserved -= slab.taken;
    if (this.#open.delete(slab)) this.#openBytes -= slab.length;
    const { memory } = slab;
    for (const place of slab.places) {
      const next = this.slabFor(place.size);
      const at = next.take(place);
      memory.copy(next.memory, at, place.at, place.at + place.size);
      place.slab = next;
      place.at = at;
    }
    // a view keeps the memory alive, but not the places that were moved
    slab.places.length = 0;
  }

  /**
   * Other slabs are closed in its place. A slab that was read since it was opened or last asked to go stays for another
   * round, so that slabs in use outlast a list of everything.
   */
  #keepOpen(slab: PackableSlab): void {
    this.#open.add(slab);
    this.#openBytes += slab.length;
    for (const oldest of this.#open) {
      if (this.#openBytes <= this.#mostOpen) return;
      this.#open.delete(oldest);
      if (oldest.wasRead) {
        oldest.wasRead = false;
        this.#open.add(oldest);
        continue;
      }
      this.#openBytes -= oldest.length;
      this.#reserved -= oldest.taken;
      oldest.close();
      this.#reserved += oldest.taken;
    }
  }

  #newSlab(bytes: number): PackableSlab {
    this.#reserved += bytes;
    return new PackableSlab(bytes);
  }
}
