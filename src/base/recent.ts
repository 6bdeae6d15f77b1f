/** A cache of what was used lately, bounded by weight. For whoever can make a value again but would rather not. */

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
