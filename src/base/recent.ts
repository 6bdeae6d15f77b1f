/** Caches of values that can be computed again: by recent use, and by object. */

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

/**
 * Memoises a pure function of an object and one further value: keeps the latest result for each object as long as the
 * object lives. Only for objects that are never modified, and useful where the very same object comes again.
 */
export function remembered<A extends object, B, R>(make: (object: A, more: B) => R): (object: A, more: B) => R {
  const known = new WeakMap<A, { readonly more: B; readonly result: R }>();
  return (object, more) => {
    let latest = known.get(object);
    if (latest === undefined || latest.more !== more)
      known.set(object, (latest = { more, result: make(object, more) }));
    return latest.result;
  };
}
