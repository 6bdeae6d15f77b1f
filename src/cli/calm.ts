/** Lets work of little hurry pass while the process has nothing better to do: a limiter for the client that writes events. */
import { type Clock, systemClock, TokenBucket } from "../base/index.js";
import type { RateLimiter } from "../client/index.js";

/** Not so often as those look who put off statuses: they go first. */
const lookAgainMs = 25;
/** A process that is busy for longer will not soon be calm. */
const longestSpellMs = 3_000;

export interface CalmOptions {
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly isBusy: () => boolean;
  readonly clock?: Clock;
}

/**
 * Passes at a limited rate, and nothing in the first seconds in which the process is busy: a thousand pods that start
 * at once are told of afterwards, and do not start later for it. Where there is always work, what has little hurry is a
 * part of it.
 */
export function whenCalm({ ratePerSecond, burst, isBusy, clock = systemClock }: CalmOptions): RateLimiter {
  const bucket = new TokenBucket({ ratePerSecond, burst, clock });
  let busySince: number | undefined;
  const mustWait = (): boolean => {
    if (!isBusy()) {
      busySince = undefined;
      return false;
    }
    busySince ??= clock.monotonic();
    return clock.monotonic() - busySince < longestSpellMs;
  };
  return {
    async take(signal) {
      await bucket.take(signal);
      while (mustWait()) await clock.sleep(lookAgainMs, signal);
    },
  };
}
