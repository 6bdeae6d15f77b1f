/** Lets work of little hurry pass while the process has nothing better to do: a limiter for the client that writes events. */
import { type Clock, systemClock, TokenBucket } from "../base/index.js";
import type { RateLimiter } from "../client/index.js";

/** A turn of the event loop that takes longer has work in it. */
const busyTurnMs = 2;
const lookAgainMs = 10;
const longestWaitMs = 50;

/**
 * Passes at a limited rate, and of that only when a turn of the event loop is short: a thousand pods that start at once are told of
 * afterwards, and do not start later for it. Nobody waits much longer than a twentieth of a second for a calm moment: on a
 * machine that is busy with other things every turn is long.
 */
export function whenCalm(
  options: { readonly ratePerSecond: number; readonly burst: number },
  clock: Clock = systemClock,
): RateLimiter {
  const bucket = new TokenBucket({ ...options, clock });
  return {
    async take(signal) {
      await bucket.take(signal);
      const since = clock.monotonic();
      for (;;) {
        const began = clock.monotonic();
        await new Promise((resolve) => setImmediate(resolve));
        const now = clock.monotonic();
        if (now - began < busyTurnMs || now - since >= longestWaitMs) return;
        await clock.sleep(lookAgainMs, signal);
      }
    },
  };
}
