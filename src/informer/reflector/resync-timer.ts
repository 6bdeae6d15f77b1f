/** The time of resyncs: once a period, however many watches, lists and failures the period holds. */
import type { Clock, Timer } from "../../base/index.js";

export interface ResyncTimerOptions {
  readonly clock: Clock;
  /** 0 for never. */
  readonly periodMs: number;
  /** Throws if it fails. */
  resync(): void;
}

/**
 * Invariants:
 * 1. `#dueMs` is set by the first watch and outlives every watch: a watch lives for minutes, a period may last for
 *    hours.
 * 2. A resync runs only while a watch is open; one that falls due in between runs as soon as the next watch is open.
 * 3. After each resync, successful or not, the next is due one period later.
 */
export class ResyncTimer {
  readonly #options: ResyncTimerOptions;
  #dueMs: number | undefined;

  constructor(options: ResyncTimerOptions) {
    this.#options = options;
  }

  /**
   * A watch is open until the result is disposed. `onFailure` is called if a resync fails; no further resync runs in
   * this watch then.
   */
  during(onFailure: (error: unknown) => void): Disposable {
    const { clock, periodMs, resync } = this.#options;
    if (periodMs === 0) return { [Symbol.dispose]: () => {} };
    let timer: Timer;
    const arm = (): void => {
      const nowMs = clock.monotonic();
      this.#dueMs ??= nowMs + periodMs;
      timer = clock.timer(Math.max(0, this.#dueMs - nowMs), () => {
        this.#dueMs = undefined;
        try {
          resync();
        } catch (error) {
          this.#dueMs = clock.monotonic() + periodMs;
          return onFailure(error);
        }
        arm();
      });
    };
    arm();
    return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }
}

/** Calls back in each period until it is disposed. */
export function every(clock: Clock, ms: number, callback: () => void): Disposable {
  const due = (): void => {
    timer = clock.timer(ms, due);
    callback();
  };
  let timer = clock.timer(ms, due);
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
