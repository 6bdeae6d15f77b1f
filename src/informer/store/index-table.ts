/** One index of a store: from an index value to the entries that carry it. */

/** An item as the store holds it. Its identity lasts as long as the key is in the store; `object` is replaced on update. */
export interface StoreEntry<T> {
  readonly key: string;
  object: T;
}

/** The values under which an object is indexed: many, one, or none. */
export type IndexFunction<T> = (object: T) => readonly string[];

/**
 * Invariants:
 * 1. A value is present exactly if at least one entry is indexed under it.
 * 2. An entry is indexed under exactly the values that `valuesOf` gave for its object.
 *
 * A value with one entry holds the entry itself: most values of an owner or node index have one, and a Set costs 200
 * bytes.
 */
export class IndexTable<T> {
  readonly valuesOf: IndexFunction<T>;
  readonly #entries = new Map<string, StoreEntry<T> | Set<StoreEntry<T>>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.valuesOf = valuesOf;
  }

  /** Indexes the entry under `after` instead of `before`. The cost is proportional to the values that differ. */
  refile(entry: StoreEntry<T>, before: readonly string[], after: readonly string[]): void {
    if (before.length === 1 && after.length === 1 && before[0] === after[0]) return;
    for (const value of before) if (!after.includes(value)) this.#remove(value, entry);
    for (const value of after) if (!before.includes(value)) this.#add(value, entry);
  }

  entriesOf(value: string): Iterable<StoreEntry<T>> {
    const found = this.#entries.get(value);
    if (found === undefined) return none;
    return found instanceof Set ? found : [found];
  }

  values(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** The number of values. */
  get size(): number {
    return this.#entries.size;
  }

  /** An estimate of the memory that the table takes beside the entries themselves. */
  get estimatedBytes(): number {
    let bytes = 0;
    for (const [value, found] of this.#entries) {
      bytes += slotBytes + value.length;
      if (found instanceof Set) bytes += setBytes + setSlotBytes * found.size;
    }
    return bytes;
  }

  #add(value: string, entry: StoreEntry<T>): void {
    const found = this.#entries.get(value);
    if (found === undefined) this.#entries.set(value, entry);
    else if (found instanceof Set) found.add(entry);
    else if (found !== entry) this.#entries.set(value, new Set([found, entry]));
  }

  #remove(value: string, entry: StoreEntry<T>): void {
    const found = this.#entries.get(value);
    if (found === entry) this.#entries.delete(value);
    else if (found instanceof Set) {
      found.delete(entry);
      if (found.size === 0) this.#entries.delete(value);
    }
  }
}

const slotBytes = 40;
const setBytes = 200;
const setSlotBytes = 20;

/** The index values of a missing object. */
export const none: readonly never[] = [];
