/** Time as an argument: the only way for all layers to read or wait for time. */
import { abortReason, onAbort } from "../abort.js";
import { trackLeak } from "../leaks.js";

/** A pending callback. Disposing it before it fires cancels it; afterwards disposing does nothing. */
export interface Timer extends Disposable {}

/**
 * The only source of time in the library. `now` is wall time and may jump; `monotonic` never goes back, and only its
 * differences have a meaning. Waits may be longer than 2^31 ms, and must be numbers. A callback runs at most once,
 * never synchronously.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start; for measuring and for deadlines. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `callback` once after `ms`. */
  timer(ms: number, callback: () => void): Timer;
  /**
   * Does work that does not wait for this clock but for a file, a socket or another process. A FakeClock stands still
   * until the work is done, however long that takes; any other clock only runs it.
   */
  during<T>(work: () => Promise<T>): Promise<T>;
}

/** The longest wait of setTimeout; a longer one overflows to 1 ms there, so it is taken in steps. */
const longestTimeoutMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
  during: (work) => work(),
  timer(ms, callback) {
    checkWait(ms);
    const dueAt = performance.now() + ms;
    const open = trackLeak("timer", () => `${ms} ms`);
    let handle: NodeJS.Timeout;
    const arm = (waitMs: number): void => {
      handle = setTimeout(
        () => {
          const leftMs = dueAt - performance.now();
          // setTimeout may fire a fraction of a millisecond early; only a whole millisecond counts as "not yet"
          if (leftMs >= 1) {
            arm(leftMs);
          } else {
            open[Symbol.dispose]();
            callback();
          }
        },
        Math.min(Math.max(waitMs, 0), longestTimeoutMs),
      );
    };
    arm(ms);
    return {
      [Symbol.dispose]() {
        clearTimeout(handle);
        open[Symbol.dispose]();
      },
    };
  },
};

/**
 * Throws if a wait is not a number: such a wait would be over at once, and a loop that waits would spin. A negative
 * wait is over at once.
 */
export function checkWait(ms: number): void {
  if (typeof ms !== "number" || Number.isNaN(ms)) throw new RangeError(`nobody can wait ${String(ms)} ms`);
}

/** `Clock.sleep` in terms of `Clock.timer`, shared by all clocks. */
export function sleepOn(clock: Pick<Clock, "timer">, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(abortReason(signal));
  return new Promise((resolve, reject) => {
    const timer = clock.timer(ms, () => {
      aborting[Symbol.dispose]();
      resolve();
    });
    const aborting = onAbort(signal, (reason) => {
      timer[Symbol.dispose]();
      reject(reason);
    });
  });
}
