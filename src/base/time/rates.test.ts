import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../random.js";
import { exponentialBackoff } from "./backoff.js";
import { cooperative } from "./cooperative.js";
import { FakeClock } from "./fake-clock.js";
import { TokenBucket } from "./token-bucket.js";

describe("exponentialBackoff", () => {
  test("grows by the factor up to the cap, and starts over after a reset", () => {
    const backoff = exponentialBackoff({ baseMs: 800, factor: 2, capMs: 30_000 });
    const take = (count: number): number[] => Array.from({ length: count }, () => backoff.next());
    expect(take(8)).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    backoff.reset();
    expect(take(2)).toEqual([800, 1600]);
  });

  test("jitter j makes d uniform in [d, d + j·d), on top of the cap", () => {
    fc.assert(
      fc.property(fc.integer(), fc.double({ min: 0.1, max: 2, noNaN: true }), (seed, jitter) => {
        const backoff = exponentialBackoff({ baseMs: 100, capMs: 400, jitter, random: seededRandom(seed) });
        for (const plain of [100, 200, 400, 400]) {
          const delay = backoff.next();
          expect(delay).toBeGreaterThanOrEqual(plain);
          expect(delay).toBeLessThan(plain * (1 + jitter));
        }
      }),
    );
  });

  test("never exceeds numbers: after thousands of failures it still gives the cap", () => {
    const backoff = exponentialBackoff({ baseMs: 5, capMs: 1_000_000 });
    for (let i = 0; i < 5_000; i++) backoff.next();
    expect(backoff.next()).toBe(1_000_000);
  });
});

describe("TokenBucket", () => {
  test("gives the burst at once and then one token each interval", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ ratePerSecond: 10, burst: 3, clock });
    expect([bucket.tryTake(), bucket.tryTake(), bucket.tryTake(), bucket.tryTake()]).toEqual([true, true, true, false]);
    await clock.advance(99);
    expect(bucket.tryTake()).toBe(false);
    await clock.advance(1);
    expect([bucket.tryTake(), bucket.tryTake()]).toEqual([true, false]);
    await clock.advance(3_600_000);
    expect([bucket.tryTake(4), bucket.tryTake(3), bucket.tryTake()]).toEqual([false, true, false]);
  });

  test("a token is there when the delay for it is over, whatever the rate", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.01, max: 10_000, noNaN: true }),
        fc.integer({ min: 1, max: 9 }),
        async (rate, n) => {
          const clock = new FakeClock();
          const bucket = new TokenBucket({ ratePerSecond: rate, burst: n, clock });
          expect(bucket.tryTake(n)).toBe(true);
          const place = bucket.reserve(n);
          place.cancel();
          await clock.advance(place.delayMs);
          expect(bucket.tryTake(n)).toBe(true);
          expect(bucket.tryTake()).toBe(false);
        },
      ),
    );
  });

  test("each reservation waits one interval longer than the one before", () => {
    const bucket = new TokenBucket({ ratePerSecond: 10, burst: 2, clock: new FakeClock() });
    expect(Array.from({ length: 5 }, () => bucket.reserve().delayMs)).toEqual([0, 0, 100, 200, 300]);
  });

  test("a cancelled reservation gives its place back, once, and only while its time has not come", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ ratePerSecond: 10, burst: 1, clock });
    bucket.reserve();
    const place = bucket.reserve();
    place.cancel();
    place.cancel();
    const late = bucket.reserve();
    expect(late.delayMs).toBe(100);
    await clock.advance(100);
    late.cancel();
    expect(bucket.reserve().delayMs).toBe(100);
  });

  test("in any span of t seconds gives at most burst + rate·t tokens", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }), async (pauses) => {
        const clock = new FakeClock();
        const bucket = new TokenBucket({ ratePerSecond: 20, burst: 5, clock });
        const given: number[] = [];
        for (const pause of pauses) {
          await clock.advance(pause);
          while (bucket.tryTake()) given.push(clock.monotonic());
        }
        for (const [i, from] of given.entries()) {
          for (const [j, to] of given.entries()) {
            if (j >= i) expect(j - i + 1).toBeLessThanOrEqual(5 + (20 * (to - from)) / 1000 + 1e-6);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test("take waits in line; aborting leaves the line", async () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ ratePerSecond: 1, burst: 1, clock });
    const order: string[] = [];
    const stop = new AbortController();
    const never = new AbortController().signal;
    await bucket.take(never);
    const first = bucket.take(stop.signal).catch((error: Error) => order.push(error.message));
    const second = bucket.take(never).then(() => order.push(`second at ${clock.monotonic()}`));
    stop.abort(new Error("left"));
    await clock.advance(2_000);
    await Promise.all([first, second]);
    expect(order).toEqual(["left", "second at 2000"]);
    expect(bucket.reserve().delayMs).toBe(0);
  });

  test("an infinite rate never limits; a rate of 0 gives the burst and never more", () => {
    const clock = new FakeClock();
    const open = new TokenBucket({ ratePerSecond: Number.POSITIVE_INFINITY, burst: 1, clock });
    expect([open.tryTake(100), open.reserve().delayMs]).toEqual([true, 0]);
    const shut = new TokenBucket({ ratePerSecond: 0, burst: 1, clock });
    expect([shut.reserve().delayMs, shut.reserve().delayMs]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
});

describe("cooperative", () => {
  test("is due once the slice is used up, and pausing begins another after a turn of the loop", async () => {
    const clock = new FakeClock();
    const slice = cooperative({ clock, sliceMs: 8 });
    await clock.advance(7);
    expect(slice.due()).toBe(false);
    await clock.advance(1);
    expect(slice.due()).toBe(true);
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    await slice.pause();
    expect([turned, slice.due()]).toEqual([true, false]);
  });
});
