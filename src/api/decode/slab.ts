/** Memory outside the engine's heap for the text of many objects, so that the garbage collector neither visits nor moves it. */

/** The most memory that one object keeps from being freed, however few of its neighbours are left. */
const blockBytes = 32 * 1024;

/**
 * Pieces of text, one behind the other, in blocks. A block is freed with the last object that has its text in it. No
 * byte is ever written twice, since the owner of an object may still read it.
 */
export class Slab {
  /** The block that is being filled; full blocks live on with the objects that point to them. */
  block: Buffer = Buffer.alloc(0);
  #used = 0;

  /** The position in `block` for a piece of this length, to be filled at once: the next call may begin another block. */
  reserve(length: number): number {
    if (this.#used + length > this.block.length) {
      this.block = Buffer.allocUnsafeSlow(Math.max(blockBytes, length));
      this.#used = 0;
    }
    const at = this.#used;
    this.#used += length;
    return at;
  }
}
