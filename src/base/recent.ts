/** Caches for whoever can make a value again but would rather not: of what was used lately, and of what is known of an object. */

export interface RecentOptions {
  /** Between one and two times this much is kept. */
  readonly weight: number;
}

/**
 * Two generations: what is used goes into the young one; when that is full it becomes the old one, and what nobody used meanwhile
 * is dropped with the old one as a whole. No list to keep in order, no timer.
 * Invariant: no key is in both; `#weight` is that of the young one.
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
 * A pure function of an object and one thing more, which keeps its latest answer for each object as long as that lives.
 * Only for objects that are never modified; worth it where the very same object comes again.
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
