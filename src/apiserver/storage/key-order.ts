/** The keys of one collection in bytewise order, each with its chain of versions, so that a range can be read at any revision. */
import type { StoredVersion } from "./stored-version.js";

/** A version in a key's chain, newest first. `stored` is undefined for a deletion. */
export interface Version {
  readonly revision: number;
  readonly stored: StoredVersion | undefined;
  previous: Version | undefined;
}

export interface Cell {
  readonly key: string;
  head: Version;
}

const chunkSize = 256;

/**
 * Cells sorted by key, in chunks so that an insertion moves few of them.
 * Invariants:
 * 1. No chunk is empty.
 * 2. Keys ascend within a chunk and from chunk to chunk.
 * 3. `#cells` and the chunks hold the same cells.
 */
export class KeyOrder {
  readonly #chunks: Cell[][] = [];
  readonly #cells = new Map<string, Cell>();

  get size(): number {
    return this.#cells.size;
  }

  get(key: string): Cell | undefined {
    return this.#cells.get(key);
  }

  /** Adds a key that is not there yet. */
  add(cell: Cell): void {
    this.#cells.set(cell.key, cell);
    const last = this.#chunks.at(-1);
    if (last === undefined) {
      this.#chunks.push([cell]);
      return;
    }
    const index = Math.min(this.#chunkAt(cell.key), this.#chunks.length - 1);
    const chunk = this.#chunks[index] as Cell[];
    chunk.splice(positionIn(chunk, cell.key), 0, cell);
    if (chunk.length > chunkSize) this.#chunks.splice(index + 1, 0, chunk.splice(chunkSize / 2));
  }

  remove(key: string): void {
    if (!this.#cells.delete(key)) return;
    const index = this.#chunkAt(key);
    const chunk = this.#chunks[index] as Cell[];
    chunk.splice(positionIn(chunk, key), 1);
    if (chunk.length === 0) this.#chunks.splice(index, 1);
  }

  /** The number of keys before this one. */
  rank(key: string): number {
    const index = this.#chunkAt(key);
    let before = 0;
    for (let i = 0; i < index; i++) before += (this.#chunks[i] as Cell[]).length;
    return index < this.#chunks.length ? before + positionIn(this.#chunks[index] as Cell[], key) : before;
  }

  /** Calls `visit` for cells from `from` (inclusive) on, as long as keys start with `prefix` and it gives true. */
  scan(from: string, prefix: string, visit: (cell: Cell) => boolean): void {
    const start = from > prefix ? from : prefix;
    let index = this.#chunkAt(start);
    let position = index < this.#chunks.length ? positionIn(this.#chunks[index] as Cell[], start) : 0;
    for (; index < this.#chunks.length; index++, position = 0) {
      const chunk = this.#chunks[index] as Cell[];
      for (; position < chunk.length; position++) {
        const cell = chunk[position] as Cell;
        if (prefix !== "" && !cell.key.startsWith(prefix)) return;
        if (!visit(cell)) return;
      }
    }
  }

  /** The index of the first chunk whose last key is not before `key`; the number of chunks if there is none. */
  #chunkAt(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (((this.#chunks[middle] as Cell[]).at(-1) as Cell).key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The index of the first cell whose key is not before `key`. */
function positionIn(chunk: readonly Cell[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunk[middle] as Cell).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
