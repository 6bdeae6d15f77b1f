/** Values that are made once for each key; a cache of values that can be computed again, which keeps the ones used last. */

export interface RecentOptions {
  /** The cache keeps between one and two times this weight. */
  readonly weight: number;
}

/**
 * Two generations: a used entry goes into the young one; when that is full it becomes the old one, and the entries of
 * the old one that were not used meanwhile are dropped together. No list to keep in order, no timer.
 * Invariant: no key is in both generations; `#weight` is that of the young one.
 */
export class Recent<K, V> {
  readonly #limit: number;
  #young = new Map<K, { readonly value: V; readonly weight: number }>();
  #old = new Map<K, { readonly value: V; readonly weight: number }>();
  #weight = 0;

  constructor({ weight }: RecentOptions) {
    this.#limit = weight;
  }

  get(key: K): V | undefined {
    const entry = this.#young.get(key);
    if (entry !== undefined) return entry.value;
    const older = this.#old.get(key);
    if (older === undefined) return undefined;
    this.#old.delete(key);
    this.set(key, older.value, older.weight);
    return older.value;
  }

  /** Gives the value, and forgets it. */
  take(key: K): V | undefined {
    const entry = this.#young.get(key) ?? this.#old.get(key);
    this.delete(key);
    return entry?.value;
  }

  delete(key: K): void {
    this.#weight -= this.#young.get(key)?.weight ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** Entries may be deleted meanwhile. */
  *entries(): IterableIterator<[K, V]> {
    for (const generation of [this.#young, this.#old]) for (const [key, { value }] of generation) yield [key, value];
  }

  set(key: K, value: V, weight = 1): void {
    this.#old.delete(key);
    this.#weight += weight - (this.#young.get(key)?.weight ?? 0);
    this.#young.set(key, { value, weight });
    if (this.#weight <= this.#limit) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#weight = 0;
  }
}

/** A map, a weak map or a cache. */
interface Known<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a key, made and kept when it is first asked for. */
export function getOrMake<K, V>(known: Known<K, V>, key: K, make: () => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
