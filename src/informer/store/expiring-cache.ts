/** A cache with expiry: gives each value back until it is too old, or evicted because there are too many. */
import { checkNumbers, type Clock, systemClock } from "../../base/index.js";

export interface ExpiringCacheOptions {
  /** The lifetime of a value after it was set; Infinity for ever. */
  readonly ttlMs: number;
  /** Limit on entries; beyond it the least recently used one is evicted. No limit by default. */
  readonly maxEntries?: number;
  readonly clock?: Clock;
}

/**
 * Has no timer: an expired entry is removed by `get` of its key, by `entries`, or by `gc`.
 * Invariant: `#entries` is in the order of last use, the oldest first.
 */
export class ExpiringCache<K, V> {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #entries = new Map<K, { readonly value: V; readonly expiresMs: number }>();

  constructor({ ttlMs, maxEntries = Number.POSITIVE_INFINITY, clock = systemClock }: ExpiringCacheOptions) {
    const rules = { ttlMs: { endless: true }, maxEntries: { min: 1, whole: true, endless: true } };
    checkNumbers("an expiring cache", { ttlMs, maxEntries }, rules);
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
    this.#clock = clock;
  }

  /** The number of entries, expired ones included. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (this.#hasExpired(entry)) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Does not count as a use. */
  has(key: K): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && !this.#hasExpired(entry);
  }

  /** Valid from now on, for the cache's time or for one of its own. */
  set(key: K, value: V, { ttlMs = this.#ttlMs }: { readonly ttlMs?: number } = {}): void {
    checkNumbers("an expiring cache", { ttlMs }, { ttlMs: { endless: true } });
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresMs: this.#clock.monotonic() + ttlMs });
    if (this.#entries.size <= this.#maxEntries) return;
    for (const [oldest] of this.#entries) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Drops the expired entries; gives their number. */
  gc(): number {
    let dropped = 0;
    for (const [key, entry] of this.#entries) {
      if (!this.#hasExpired(entry)) continue;
      this.#entries.delete(key);
      dropped++;
    }
    return dropped;
  }

  /** The entries that have not expired, the least recently used first; reading them so does not count as a use. */
  entries(): readonly (readonly [K, V])[] {
    this.gc();
    return Array.from(this.#entries, ([key, { value }]) => [key, value] as const);
  }

  #hasExpired({ expiresMs }: { readonly expiresMs: number }): boolean {
    return this.#clock.monotonic() > expiresMs;
  }
}
