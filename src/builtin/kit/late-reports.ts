/** Reports that wait until the process has time for them. From a controller's syncs; back to its queue. */
import type { Clock, Timer } from "../../base/index.js";

/** Often: what has still less hurry, as events have, comes after. */
const lookEveryMs = 10;
/** Who reads a status of a busy cluster waits no longer for it. */
const longestWaitMs = 2_000;

export interface LateReportsOptions {
  readonly clock: Clock;
  /** Whether the process has more to do than it can; never, if nobody said. */
  readonly isBusy?: () => boolean;
  /** Told of each key whose report is to be written now. */
  onDue(key: string): void;
}

/**
 * 1. A key waits from the sync that puts its report off until the process has time, or for the longest wait; then it is due.
 * 2. While a key waits the timer is armed.
 * 3. A key that is due is not put off again before it was synced.
 */
export class LateReports implements Disposable {
  readonly #options: LateReportsOptions;
  /** Until when at most, by key; the first is due first. */
  readonly #waiting = new Map<string, number>();
  readonly #due = new Set<string>();
  #timer: Timer | undefined;

  constructor(options: LateReportsOptions) {
    this.#options = options;
  }

  /** Whether the report on this key is to wait. Who is told so ends its sync. */
  putOff(key: string): boolean {
    const { clock, isBusy } = this.#options;
    if (isBusy === undefined || this.#due.has(key) || !isBusy()) {
      this.#waiting.delete(key);
      return false;
    }
    if (!this.#waiting.has(key)) this.#waiting.set(key, clock.monotonic() + longestWaitMs);
    this.#arm();
    return true;
  }

  isWaiting(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Whatever there was to report has been. */
  synced(key: string): void {
    this.#due.delete(key);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#waiting.clear();
    this.#due.clear();
  }

  #arm(): void {
    this.#timer ??= this.#options.clock.timer(lookEveryMs, () => this.#look());
  }

  #look(): void {
    const { clock, isBusy, onDue } = this.#options;
    this.#timer = undefined;
    const busy = isBusy?.() === true;
    const now = clock.monotonic();
    for (const [key, until] of this.#waiting) {
      if (busy && now < until) break;
      this.#waiting.delete(key);
      this.#due.add(key);
      onDue(key);
    }
    if (this.#waiting.size > 0) this.#arm();
  }
}
