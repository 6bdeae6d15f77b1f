/** Memory outside the engine's heap for the text of many objects, so that collecting garbage neither visits nor moves it. */

const smallestBytes = 8 * 1024;
const largestBytes = 1024 * 1024;

/**
 * Pieces of text, one behind the other, in blocks that grow from small to large. A block is freed when the last object that
 * has its text in it is; nothing in it is ever written twice, since whoever has an object may still read it.
 */
export class Slab {
  /** The block that is being filled; what was filled lives on with the objects that point to it. */
  block: Buffer = Buffer.alloc(0);
  #used = 0;

  /** The place in `block` of so many bytes, to be filled at once. Another call may begin another block. */
  reserve(length: number): number {
    if (this.#used + length > this.block.length) this.#grow(length);
    const at = this.#used;
    this.#used += length;
    return at;
  }

  #grow(length: number): void {
    const size = Math.min(Math.max(this.block.length * 2, smallestBytes, length * 4), largestBytes);
    this.block = Buffer.allocUnsafeSlow(Math.max(size, length));
    this.#used = 0;
  }
}
