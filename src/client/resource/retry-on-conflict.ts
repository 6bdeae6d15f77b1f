/** Repeats a read-change-write whose write met a newer version. */
import { checkNumbers, type Clock, type Random, systemClock, systemRandom } from "../../base/index.js";
import { isConflict } from "../../api/errors/status-guards.js";

export interface ConflictRetryOptions {
  readonly signal?: AbortSignal;
  /** The total number of attempts. */
  readonly attempts?: number;
  /** The wait between attempts, to which up to a tenth is added at random. */
  readonly delayMs?: number;
  readonly factor?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

/**
 * Calls `change` at once and again while it rejects with a conflict, at most five times by default; then rejects with
 * the last conflict. Other errors are passed on at once. `change` must read the object anew each time, or it will never
 * succeed.
 */
export async function retryOnConflict<T>(change: () => Promise<T>, options: ConflictRetryOptions = {}): Promise<T> {
  // one by one: the options may be getters of a class, such as a controller's run, which a spread would leave out
  const { attempts = 5, delayMs = 10, factor = 1, clock = systemClock, random = systemRandom } = options;
  const rules = { attempts: { min: 1, whole: true, endless: true }, delayMs: {}, factor: {} };
  checkNumbers("retrying on conflict", options, rules);
  const signal = options.signal ?? new AbortController().signal;
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
    }
    await clock.sleep(delayMs * factor ** (attempt - 1) * (1 + 0.1 * random.next()), signal);
  }
}
