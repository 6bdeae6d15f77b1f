/** Growing waits between attempts. */
import { checkNumbers } from "../options/numbers.js";
import { type Random, systemRandom } from "../random.js";

export interface BackoffOptions {
  /** The first delay, before jitter. */
  readonly baseMs: number;
  /** Each delay is this many times the one before; 2 by default. */
  readonly factor?: number;
  /** The delay stops growing here; jitter comes on top. No limit by default. */
  readonly capMs?: number;
  /** A delay d becomes uniform in [d, d + jitter·d); 0 (exact) by default. */
  readonly jitter?: number;
  readonly random?: Random;
}

export interface Backoff {
  /** The wait before the next attempt. */
  next(): number;
  /** Makes the next delay the first one again: call it after a success. */
  reset(): void;
}

export function exponentialBackoff(options: BackoffOptions): Backoff {
  const { baseMs, factor = 2, capMs = Number.POSITIVE_INFINITY, jitter = 0, random = systemRandom } = options;
  checkNumbers("a backoff", options, { baseMs: {}, factor: { min: 1 }, capMs: { endless: true }, jitter: {} });
  let delayMs = Math.min(baseMs, capMs);
  return {
    next() {
      const thisMs = delayMs;
      delayMs = Math.min(delayMs * factor, capMs);
      return jitter > 0 ? thisMs + thisMs * jitter * random.next() : thisMs;
    },
    reset() {
      delayMs = Math.min(baseMs, capMs);
    },
  };
}
