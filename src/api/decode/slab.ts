/** Memory outside the engine's heap for the text of many objects, so that collecting garbage neither visits nor moves it. */

/** One object keeps at most this much memory from being freed, however few of its neighbours are left. */
const blockBytes = 32 * 1024;

/**
 * Pieces of text, one behind the other, in blocks. A block is freed when the last object that has its text in it is; nothing in
 * it is written twice, since whoever has an object may still read it.
 */
export class Slab {
  /** The block that is being filled; blocks that are full live on with the objects that point to them. */
  block: Buffer = Buffer.alloc(0);
  #used = 0;

  /** The place in `block` of a piece of this length, to be filled at once: the next call may begin another block. */
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
