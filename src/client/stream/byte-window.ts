/** The unconsumed bytes of a stream, as one contiguous run whatever the chunks were. */
import { asBuffer } from "../request/exchange.js";

/**
 * A chunk that starts on a boundary is read in place; only its rest is copied, into a buffer that grows by doubling, so
 * that a frame of n bytes costs O(n) however it is cut.
 * Invariants:
 * 1. `start ≤ end ≤ buffer.length`; the bytes in between are exactly the ones that were appended and not yet consumed.
 * 2. `buffer` is either the last chunk itself or `#own`; after `keepRest`, if anything is left, `#own`.
 */
export class ByteWindow {
  buffer: Buffer = empty;
  start = 0;
  end = 0;
  /** Ours to write into; kept from one overflow to the next. */
  #own: Buffer = empty;

  get length(): number {
    return this.end - this.start;
  }

  append(chunk: Uint8Array): void {
    if (this.start === this.end) {
      this.buffer = asBuffer(chunk);
      this.start = 0;
      this.end = chunk.length;
      return;
    }
    const left = this.end - this.start;
    const needed = left + chunk.length;
    if (this.buffer !== this.#own || this.end + chunk.length > this.#own.length) this.#moveToOwn(left, needed);
    this.#own.set(chunk, this.end);
    this.end += chunk.length;
  }

  /** Removes consumed bytes from the window. Positions before `position` are no longer valid. */
  consumeTo(position: number): void {
    this.start = position;
    // one huge frame must not keep its memory for the rest of a long watch
    if (this.start === this.end && this.#own.length > keptBytes) this.#own = empty;
  }

  /** Copies the rest of a chunk, which then belongs to its sender again. Positions move with `start`. */
  keepRest(): void {
    if (this.start !== this.end && this.buffer !== this.#own) this.#moveToOwn(this.length, this.length);
  }

  #moveToOwn(left: number, needed: number): void {
    const target = this.#own.length >= needed ? this.#own : Buffer.allocUnsafeSlow(Math.max(needed * 2, smallestBytes));
    this.buffer.copy(target, 0, this.start, this.end);
    this.#own = target;
    this.buffer = target;
    this.start = 0;
    this.end = left;
  }
}

const empty: Buffer = Buffer.alloc(0);
const smallestBytes = 16 * 1024;
const keptBytes = 1024 * 1024;
