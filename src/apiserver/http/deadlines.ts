/** The time limit that all requests share: one timer for all of them. Used by the handler. */
import type { Clock, Timer } from "../../base/index.js";

/**
 * All deadlines are equally far away, so they fall due in the order in which they were set.
 * Invariant: the timer is armed for the first pending deadline, or none is pending.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #pending = new Map<object, { readonly at: number; readonly late: () => void }>();
  #timer: Timer | undefined;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Settles as the work does, unless its time is over first; then rejects with `late()`. The work itself goes on. */
  async within<T>(work: Promise<T>, late: () => Error): Promise<T> {
    const key = {};
    const timeout = new Promise<never>((_, reject) => {
      this.#pending.set(key, { at: this.#clock.monotonic() + this.#limitMs, late: () => reject(late()) });
    });
    this.#timer ??= this.#arm();
    try {
      return await Promise.race([work, timeout]);
    } finally {
      this.#pending.delete(key);
      if (this.#pending.size === 0) {
        this.#timer?.[Symbol.dispose]();
        this.#timer = undefined;
      }
    }
  }

  #arm(): Timer | undefined {
    const [first] = this.#pending.values();
    if (first === undefined) return undefined;
    return this.#clock.timer(Math.max(first.at - this.#clock.monotonic(), 0), () => {
      const now = this.#clock.monotonic();
      for (const [key, { at, late }] of this.#pending) {
        if (at > now) break;
        this.#pending.delete(key);
        late();
      }
      this.#timer = this.#arm();
    });
  }
}
