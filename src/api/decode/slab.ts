/** Memory outside the engine's heap for the text of many objects, so that collecting garbage neither visits nor moves it. */

const smallestBytes = 8 * 1024;
const largestBytes = 1024 * 1024;

/**
 * Pieces of text, one behind the other, in blocks that grow from small to large. A block is freed when the last object that
 * has its text in it is; nothing in it is ever written twice, since whoever has an object may still read it.
 */
export class Slab {
  readonly #allocate: (bytes: number) => Buffer;
  /** The block that is being filled; what was filled lives on with the objects that point to it. */
  block: Buffer = Buffer.alloc(0);
  #used = 0;

  constructor(allocate: (bytes: number) => Buffer = Buffer.allocUnsafeSlow) {
    this.#allocate = allocate;
  }

  /** The place in `block` of so many bytes, to be filled at once. Another call may begin another block. */
  reserve(length: number): number {
    if (this.#used + length > this.block.length) this.#grow(length);
    const at = this.#used;
    this.#used += length;
    return at;
  }

  #grow(length: number): void {
    const size = Math.min(Math.max(this.block.length * 2, smallestBytes, length * 4), largestBytes);
    this.block = this.#allocate(Math.max(size, length));
    this.#used = 0;
  }
}

/**
 * A block that V8 does not count as memory of the heap's objects. What it counts makes it mark the heap, every 64 MB, in steps of
 * 5 to 10 ms; but only counting makes it collect the dead. So this is for what arrives once, in bulk, and stays.
 */
export function uncountedBlock(bytes: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(bytes));
}
