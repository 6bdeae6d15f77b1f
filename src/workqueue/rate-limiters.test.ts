import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock, seededRandom } from "../base/index.js";
import {
  bucket,
  defaultControllerLimiter,
  itemExponentialFailure,
  itemFastSlow,
  maxOf,
  type RateLimiter,
  withMaxWait,
} from "./rate-limiters.js";
import { RateLimitingQueue } from "./rate-limiting.js";

const delays = (limiter: RateLimiter, count: number, key = "a"): number[] =>
  Array.from({ length: count }, () => limiter.when(key));

describe("exponential by item", () => {
  test("the delay doubles with each failure of a key up to the maximum, and forget starts again", () => {
    const limiter = itemExponentialFailure({ baseMs: 1, maxMs: 1000 });
    expect(delays(limiter, 12)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000]);
    expect([limiter.numRequeues("a"), limiter.when("b"), limiter.numRequeues("b")]).toEqual([12, 1, 1]);
    limiter.forget("a");
    expect([limiter.numRequeues("a"), limiter.when("a")]).toEqual([0, 1]);
  });

  test("any order of failures and forgetting counts as a list of failures does", () => {
    const step = fc.record({ key: fc.constantFrom("a", "b", "c", undefined), forget: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const limiter = itemExponentialFailure({ baseMs: 1, maxMs: Number.MAX_VALUE });
        let failed: unknown[] = [];
        for (const { key, forget } of steps) {
          const before = failed.filter((other) => other === key).length;
          if (forget) {
            limiter.forget(key);
            failed = failed.filter((other) => other !== key);
          } else {
            expect(limiter.when(key)).toBe(2 ** before);
            failed.push(key);
          }
          for (const each of ["a", "b", "c", undefined])
            expect(limiter.numRequeues(each)).toBe(failed.filter((other) => other === each).length);
        }
      }),
    );
  });

  test("thousands of failures do not overflow", () => {
    expect(delays(itemExponentialFailure({ baseMs: 5, maxMs: 1_000_000 }), 5000).at(-1)).toBe(1_000_000);
    expect(delays(itemExponentialFailure({ baseMs: 0, maxMs: 1_000_000 }), 5000).at(-1)).toBe(0);
  });

  test("jitter spreads a delay d over [d, 2d) and keeps the maximum", () => {
    const limiter = itemExponentialFailure({ baseMs: 100, maxMs: 1_000_000, jitter: 1, random: seededRandom(1) });
    const first = Array.from({ length: 200 }, (_, i) => limiter.when(i));
    expect(Math.min(...first)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...first)).toBeLessThan(200);
    expect(new Set(first).size).toBeGreaterThan(100);
    expect(delays(limiter, 40, "x").at(-1)).toBe(1_000_000);
  });
});

test("fast and slow: the first failures of a key wait short, the others long", () => {
  expect(delays(itemFastSlow({ fastMs: 5, slowMs: 1000, fastAttempts: 3 }), 5)).toEqual([5, 5, 5, 1000, 1000]);
});

describe("bucket", () => {
  test("after the burst each key waits longer than the one before; requeues are not counted", async () => {
    const clock = new FakeClock();
    const limiter = bucket({ ratePerSecond: 10, burst: 2, clock });
    expect(delays(limiter, 5)).toEqual([0, 0, 100, 200, 300]);
    expect(limiter.numRequeues("a")).toBe(0);
    await clock.advance(300);
    expect(limiter.when("a")).toBe(100);
  });

  test("a reservation that is not used is given back", () => {
    const limiter = bucket({ ratePerSecond: 10, burst: 1, clock: new FakeClock() });
    expect(delays(limiter, 2)).toEqual([0, 100]);
    limiter.unused?.("a");
    expect(limiter.when("b")).toBe(100);
  });
});

describe("combined", () => {
  test("maxOf gives the longest delay, and every limiter counts each time", () => {
    const limiter = maxOf(
      itemFastSlow({ fastMs: 5, slowMs: 3000, fastAttempts: 3 }),
      itemExponentialFailure({ baseMs: 1, maxMs: 1000 }),
    );
    expect(delays(limiter, 5)).toEqual([5, 5, 5, 3000, 3000]);
    expect(limiter.numRequeues("a")).toBe(5);
    limiter.forget("a");
    expect(limiter.when("a")).toBe(5);
  });

  test("withMaxWait caps the delay", () => {
    expect(delays(withMaxWait(itemExponentialFailure({ baseMs: 100, maxMs: 10_000 }), { maxMs: 250 }), 4)).toEqual([
      100, 200, 250, 250,
    ]);
  });

  test("the field's default: 5 ms … 1000 s for a key, 10 a second after 100 for all", () => {
    const limiter = defaultControllerLimiter({ clock: new FakeClock() });
    expect(delays(limiter, 3)).toEqual([5, 10, 20]);
    expect(delays(limiter, 60).at(-1)).toBe(1_000_000);
    for (let i = 63; i < 100; i++) limiter.when(i);
    expect(limiter.when("another")).toBe(100);
  });
});

describe("rate-limiting queue", () => {
  test("addRateLimited adds after the limiter's delay; forget resets it; done is still needed", async () => {
    const clock = new FakeClock();
    const queue = new RateLimitingQueue<string>(itemExponentialFailure({ baseMs: 1, maxMs: 1000 }), { clock });
    for (const [failures, delay] of [
      [1, 1],
      [2, 2],
      [3, 4],
    ] as const) {
      queue.addRateLimited("a");
      expect([queue.numRequeues("a"), queue.snapshot().delayed[0]?.dueInMs]).toEqual([failures, delay]);
      await clock.advance(delay);
      const work = queue.tryGet();
      queue.add("a");
      expect(queue.length).toBe(0);
      work?.done();
      queue.tryGet()?.done();
    }
    queue.forget("a");
    expect(queue.numRequeues("a")).toBe(0);
  });

  test("a reservation is given back when an earlier delay of the key is already there, and when the queue is shut down", () => {
    const clock = new FakeClock();
    const limiter = bucket({ ratePerSecond: 10, burst: 1, clock });
    const queue = new RateLimitingQueue<string>(limiter, { clock });
    limiter.when("burst");
    queue.addAfter("a", 1);
    queue.addRateLimited("a");
    expect(limiter.when("b")).toBe(100);
    queue.shutDown();
    queue.addRateLimited("a");
    expect(limiter.when("b")).toBe(200);
  });

  test("a snapshot tells what backs off and how often it failed", () => {
    const queue = new RateLimitingQueue<string>(itemExponentialFailure({ baseMs: 5, maxMs: 1000 }), {
      clock: new FakeClock(),
    });
    queue.addRateLimited("a", { reason: { type: "retry", message: "boom" } });
    expect(queue.snapshot().delayed).toEqual([
      {
        key: "a",
        dueInMs: 5,
        priority: 0,
        requeues: 1,
        reasons: [{ type: "retry", message: "boom" }],
        omittedReasons: 0,
      },
    ]);
    queue.shutDown();
  });
});
