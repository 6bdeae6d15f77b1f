/**
 * The keys of one collection in bytewise order, each with its chain of versions, so that a range can be read at any
 * revision. A fork shares all of it until one side changes.
 */
import type { StoredVersion } from "./stored-version.js";

/** A version in a key's chain, newest first. `stored` is undefined for a deletion. */
interface Version {
  readonly revision: number;
  readonly stored: StoredVersion | undefined;
  previous: Version | undefined;
}

interface Cell {
  readonly key: string;
  head: Version;
}

/** Cells by key. A key whose cell is undefined is not there, whatever an older layer says. */
type Layer = Map<string, Cell | undefined>;

const chunkSize = 256;

/**
 * Cells sorted by key, in chunks so that an insertion moves few of them.
 * Invariants:
 * 1. No chunk is empty.
 * 2. Keys ascend within a chunk and from chunk to chunk.
 * 3. The layers (`#own`, then `#shared` from the newest to the oldest) and the chunks hold the same cells.
 * 4. A cell of `#own` and a chunk of `#ownChunks` (undefined: of all chunks) are this order's alone and may be changed;
 *    everything else is shared with forks, and a change makes a copy of it first.
 */
export class KeyOrder {
  #chunks: Cell[][] = [];
  #own: Layer = new Map();
  #shared: readonly Layer[] = [];
  #ownChunks: Set<Cell[]> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The newest version; undefined if the key is not there, or its newest version is a deletion. */
  get(key: string): StoredVersion | undefined {
    return this.#cell(key)?.head.stored;
  }

  /** Adds a newest version; an undefined one is a deletion. */
  put(key: string, revision: number, stored: StoredVersion | undefined): void {
    const own = this.#own.get(key);
    if (own !== undefined) {
      own.head = { revision, stored, previous: own.head };
      return;
    }
    const shared = this.#cell(key);
    const cell = { key, head: { revision, stored, previous: shared?.head } };
    this.#own.set(key, cell);
    if (shared === undefined) this.#insert(cell);
    else this.#exchange(cell);
  }

  /** Removes the newest version. It must not be older than the last fork. */
  undo(key: string): void {
    const cell = this.#own.get(key);
    if (cell?.head.previous === undefined) this.#remove(key);
    else cell.head = cell.head.previous;
  }

  /**
   * Forgets the versions before the one that was current at the revision, and the key if that is a deletion and the
   * newest. Versions up to `sharedThrough` are in the chains of forks as well, and stay linked.
   */
  trim(key: string, revision: number, sharedThrough: number): void {
    const cell = this.#cell(key);
    const oldest = cell && versionAt(cell.head, revision);
    if (oldest === undefined) return;
    if (oldest.revision > sharedThrough) oldest.previous = undefined;
    if (oldest === cell?.head && oldest.stored === undefined) this.#remove(key);
  }

  /** An order with the same keys and versions; changes of either are not seen in the other. */
  fork(): KeyOrder {
    if (this.#own.size > 0) this.#shared = withLayer(this.#own, this.#shared);
    this.#own = new Map();
    this.#ownChunks = new Set();
    const fork = new KeyOrder();
    fork.#chunks = [...this.#chunks];
    fork.#shared = this.#shared;
    fork.#ownChunks = new Set();
    fork.#size = this.#size;
    return fork;
  }

  /** The number of keys before this one. */
  rank(key: string): number {
    const index = this.#chunkAt(key);
    let before = 0;
    for (let i = 0; i < index; i++) before += (this.#chunks[i] as Cell[]).length;
    return index < this.#chunks.length ? before + positionIn(this.#chunks[index] as Cell[], key) : before;
  }

  /**
   * Calls `visit` for the keys from `from` (inclusive) on with their version at the revision, as long as keys start
   * with `prefix` and it gives true.
   */
  scan(
    { from, prefix, revision }: { readonly from: string; readonly prefix: string; readonly revision: number },
    visit: (stored: StoredVersion | undefined, key: string) => boolean,
  ): void {
    const start = from > prefix ? from : prefix;
    let index = this.#chunkAt(start);
    let position = index < this.#chunks.length ? positionIn(this.#chunks[index] as Cell[], start) : 0;
    for (; index < this.#chunks.length; index++, position = 0) {
      const chunk = this.#chunks[index] as Cell[];
      for (; position < chunk.length; position++) {
        const { key, head } = chunk[position] as Cell;
        if (prefix !== "" && !key.startsWith(prefix)) return;
        const version = head.revision <= revision ? head : versionAt(head, revision);
        if (!visit(version?.stored, key)) return;
      }
    }
  }

  #cell(key: string): Cell | undefined {
    const own = this.#own.get(key);
    if (own !== undefined || this.#shared.length === 0 || this.#own.has(key)) return own;
    return this.#shared.find((layer) => layer.has(key))?.get(key);
  }

  #insert(cell: Cell): void {
    this.#size += 1;
    if (this.#chunks.length === 0) {
      this.#chunks.push(this.#owned([cell]));
      return;
    }
    const index = Math.min(this.#chunkAt(cell.key), this.#chunks.length - 1);
    const chunk = this.#ownChunk(index);
    chunk.splice(positionIn(chunk, cell.key), 0, cell);
    if (chunk.length > chunkSize) this.#chunks.splice(index + 1, 0, this.#owned(chunk.splice(chunkSize / 2)));
  }

  /** Takes the place of the shared cell of the same key. */
  #exchange(cell: Cell): void {
    const chunk = this.#ownChunk(this.#chunkAt(cell.key));
    chunk[positionIn(chunk, cell.key)] = cell;
  }

  #remove(key: string): void {
    this.#size -= 1;
    if (this.#shared.some((layer) => layer.has(key))) this.#own.set(key, undefined);
    else this.#own.delete(key);
    const index = this.#chunkAt(key);
    const chunk = this.#ownChunk(index);
    chunk.splice(positionIn(chunk, key), 1);
    if (chunk.length > 0) return;
    this.#chunks.splice(index, 1);
    this.#ownChunks?.delete(chunk);
  }

  #ownChunk(index: number): Cell[] {
    const chunk = this.#chunks[index] as Cell[];
    if (this.#ownChunks?.has(chunk) !== false) return chunk;
    return (this.#chunks[index] = this.#owned([...chunk]));
  }

  #owned(chunk: Cell[]): Cell[] {
    this.#ownChunks?.add(chunk);
    return chunk;
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

function versionAt(head: Version, revision: number): Version | undefined {
  let version: Version | undefined = head;
  while (version !== undefined && version.revision > revision) version = version.previous;
  return version;
}

/**
 * The layers with a new one on top. Each is more than twice as large as the one above it, so that there are few: smaller
 * ones become one with it.
 */
function withLayer(newest: Layer, layers: readonly Layer[]): readonly Layer[] {
  let top = newest;
  let rest = layers;
  for (let next = rest[0]; next !== undefined && next.size <= 2 * top.size; next = rest[0]) {
    top = new Map([...next, ...top]);
    rest = rest.slice(1);
  }
  if (rest.length === 0 && top !== newest) for (const [key, cell] of top) if (cell === undefined) top.delete(key);
  return [top, ...rest];
}
