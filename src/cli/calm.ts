/** Lets work of little hurry pass while the process has nothing better to do: a limiter for the client that writes events. */
import { type Clock, systemClock, TokenBucket } from "../base/index.js";
import type { RateLimiter } from "../client/index.js";

/** Not so often as those look who put off statuses: they go first. */
const lookAgainMs = 25;
const longestWaitMs = 250;

export interface CalmOptions {
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly isBusy: () => boolean;
  readonly clock?: Clock;
}

/**
 * Passes at a limited rate, and while the process is busy each only after a quarter of a second: a thousand pods that start at
 * once are told of afterwards, and do not start later for it.
 */
export function whenCalm({ ratePerSecond, burst, isBusy, clock = systemClock }: CalmOptions): RateLimiter {
  const bucket = new TokenBucket({ ratePerSecond, burst, clock });
  return {
    async take(signal) {
      await bucket.take(signal);
      const since = clock.monotonic();
      while (isBusy() && clock.monotonic() - since < longestWaitMs) await clock.sleep(lookAgainMs, signal);
    },
  };
}
