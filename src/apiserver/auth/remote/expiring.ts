/** A cache whose entries end after a time of their own, with a limit on their number. */
import { type Clock, Recent } from "../../../base/index.js";

export class Expiring<V> {
  readonly #clock: Clock;
  readonly #entries: Recent<string, { readonly value: V; readonly until: number }>;

  constructor(clock: Clock, entries: number) {
    this.#clock = clock;
    this.#entries = new Recent({ weight: entries });
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || this.#clock.monotonic() >= entry.until ? undefined : entry.value;
  }

  /** An entry without life is not kept. */
  set(key: string, value: V, lifeMs: number): void {
    if (lifeMs > 0) this.#entries.set(key, { value, until: this.#clock.monotonic() + lifeMs });
  }
}
