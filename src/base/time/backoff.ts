/** Growing waits between attempts. Takes chance from its caller; gives reflectors, workers and dialers their next delay. */
import { checkNumbers } from "../options/numbers.js";
import { type Random, systemRandom } from "../random.js";

export interface BackoffOptions {
  /** The first delay, before jitter. */
  readonly baseMs: number;
  /** Each delay is this many times the one before; 2 unless told. */
  readonly factor?: number;
  /** The delay stops growing here; jitter comes on top. No limit unless told. */
  readonly capMs?: number;
  /** A delay d becomes uniform in [d, d + jitter·d); 0 (exact) unless told. */
  readonly jitter?: number;
  readonly random?: Random;
}

export interface Backoff {
  /** How long to wait before the next attempt. */
  next(): number;
  /** The next delay is the first one again: call it after a success. */
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
