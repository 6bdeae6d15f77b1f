/** The time limit that all requests share, with one timer for all of them. */
import type { Clock, Timer } from "../../../base/index.js";

/**
 * All deadlines are equally far away, so they fall due in the order in which they were set.
 * Invariant: while a deadline is pending the timer is armed, for the first of them or earlier.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #pending = new Map<object, { readonly at: number; readonly late: () => void }>();
  #timer: Timer | undefined;
  #resting = false;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Settles as the work does, unless its time is over first; then rejects with `late()`. The work itself goes on. */
  within<T>(work: Promise<T>, late: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const key = {};
      this.#pending.set(key, { at: this.#clock.monotonic() + this.#limitMs, late: () => reject(late()) });
      this.#timer ??= this.#arm();
      const done = (): void => {
        this.#pending.delete(key);
        if (this.#pending.size === 0) this.#restSoon();
      };
      work.then(
        (value) => {
          done();
          resolve(value);
        },
        (error: unknown) => {
          done();
          reject(error as Error);
        },
      );
    });
  }

  /** Releases the timer unless a deadline is pending. */
  rest(): void {
    if (this.#pending.size > 0) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Not at once: requests that come one after the other in one turn share the timer. */
  #restSoon(): void {
    if (this.#resting) return;
    this.#resting = true;
    setImmediate(() => {
      this.#resting = false;
      this.rest();
    });
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
