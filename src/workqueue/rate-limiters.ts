/** Rate limiters: small policies, which can be combined, that say how long a failed key must wait. */
import {
  checkNumber,
  checkNumbers,
  type Clock,
  type Random,
  type Reservation,
  systemClock,
  systemRandom,
  TokenBucket,
  type TokenBucketOptions,
} from "../base/index.js";

/** Delays by key. A key that is never forgotten is remembered for ever. */
export interface RateLimiter {
  /** Counts a failure of the key, and gives the milliseconds to wait. */
  when(key: unknown): number;
  /** Resets the key's failures, because it succeeded or was given up. */
  forget(key: unknown): void;
  /** The number of failures since the key was last forgotten. */
  numRequeues(key: unknown): number;
  /** Tells that the wait that `when` gave just now is not used, so that its reservation can go to another key. */
  unused?(key: unknown): void;
}

export interface ExponentialOptions {
  /** The wait after the first failure. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** A delay d becomes uniform in [d, d + jitter·d), before the maximum is applied. 0 by default. */
  readonly jitter?: number;
  readonly random?: Random;
}

/** `baseMs` × 2^failures, at most `maxMs`. */
export function itemExponentialFailure(options: ExponentialOptions): RateLimiter {
  const { baseMs, maxMs, jitter = 0, random = systemRandom } = options;
  checkNumbers(
    "an exponential limiter",
    { baseMs, maxMs, jitter },
    { baseMs: {}, maxMs: { endless: true }, jitter: {} },
  );
  return counting((failures) => {
    // 2 ** 1024 is Infinity, which the maximum caps; 0 × Infinity would be NaN
    const delayMs = baseMs === 0 ? 0 : baseMs * 2 ** failures;
    return Math.min(jitter === 0 ? delayMs : delayMs + delayMs * jitter * random.next(), maxMs);
  });
}

export interface FastSlowOptions {
  readonly fastMs: number;
  readonly slowMs: number;
  readonly fastAttempts: number;
}

/** `fastMs` for the first `fastAttempts` failures of a key, then `slowMs`. */
export function itemFastSlow({ fastMs, slowMs, fastAttempts }: FastSlowOptions): RateLimiter {
  const rules = { fastMs: {}, slowMs: {}, fastAttempts: { endless: true } };
  checkNumbers("a fast and slow limiter", { fastMs, slowMs, fastAttempts }, rules);
  return counting((failures) => (failures < fastAttempts ? fastMs : slowMs));
}

/** Limits all keys together to `ratePerSecond`, after a burst; beyond it each next key waits longer. */
export function bucket(options: TokenBucketOptions): RateLimiter {
  const tokens = new TokenBucket(options);
  let latest: Reservation | undefined;
  return {
    when() {
      latest = tokens.reserve();
      return latest.delayMs;
    },
    forget: () => {},
    numRequeues: () => 0,
    unused() {
      latest?.cancel();
      latest = undefined;
    },
  };
}

/** The longest of the delays. Every limiter is asked each time, so that all of them count. */
export function maxOf(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (key) => limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(key)), 0),
    forget(key) {
      for (const limiter of limiters) limiter.forget(key);
    },
    numRequeues: (key) => limiters.reduce((most, limiter) => Math.max(most, limiter.numRequeues(key)), 0),
    unused(key) {
      for (const limiter of limiters) limiter.unused?.(key);
    },
  };
}

/** The limiter's delays, but at most `maxMs`. */
export function withMaxWait(limiter: RateLimiter, { maxMs }: { readonly maxMs: number }): RateLimiter {
  checkNumber("the longest wait", maxMs, { endless: true });
  return { ...limiter, when: (key) => Math.min(limiter.when(key), maxMs) };
}

/** The default of client-go: exponential from 5 ms to 1000 s for each key, and 10 a second after a burst of 100 for all keys. */
export function defaultControllerLimiter(
  options: Partial<ExponentialOptions> & { readonly clock?: Clock } = {},
): RateLimiter {
  const { clock = systemClock, ...delays } = options;
  return maxOf(
    itemExponentialFailure({ baseMs: 5, maxMs: 1_000_000, ...delays }),
    bucket({ ratePerSecond: 10, burst: 100, clock }),
  );
}

/**
 * Counts failures by key. The key that was forgotten last stays in the map with 0, so that a key that fails and
 * succeeds in turn is not inserted and deleted each time.
 */
function counting(delayMs: (failures: number) => number): RateLimiter {
  const failures = new Map<unknown, number>();
  let forgotten: unknown;
  return {
    when(key) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      return delayMs(count);
    },
    forget(key) {
      if (!failures.has(key)) return;
      if (key !== forgotten && failures.get(forgotten) === 0) failures.delete(forgotten);
      forgotten = key;
      failures.set(key, 0);
    },
    numRequeues: (key) => failures.get(key) ?? 0,
  };
}
