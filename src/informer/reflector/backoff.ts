/** The waits of a reflector after failures, and the lifetime of its watches. */
import { type Backoff, type BackoffOptions, type Clock, exponentialBackoff, type Random } from "../../base/index.js";

/** 0.8 s doubling to 30 s, each spread over [d, 2d), so that a fleet of clients does not come back all at once. */
export const defaultBackoff: Omit<BackoffOptions, "random"> = { baseMs: 800, factor: 2, capMs: 30_000, jitter: 1 };

/** The delays begin anew every two minutes, even if all attempts failed, so that a returning server is found soon. */
const resetAfterMs = 120_000;

export function reflectorBackoff(
  parameters: Omit<BackoffOptions, "random">,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Pick<Backoff, "next"> {
  const backoff = exponentialBackoff({ ...parameters, random });
  let resetMs = clock.monotonic();
  return {
    next() {
      const nowMs = clock.monotonic();
      if (nowMs - resetMs > resetAfterMs) {
        backoff.reset();
        resetMs = nowMs;
      }
      return backoff.next();
    },
  };
}

/** The shortest lifetime that is requested for a watch. */
const leastWatchTimeoutMs = 300_000;

/** Uniform in [min, 2·min], so that the watches of a fleet of clients do not end together. */
export function watchTimeoutSeconds(minimumMs: number, random: Random): number {
  const leastMs = Math.max(minimumMs, leastWatchTimeoutMs);
  return Math.floor((leastMs * (1 + random.next())) / 1000);
}
