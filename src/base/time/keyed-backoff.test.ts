import { expect, test } from "vitest";
import { seededRandom } from "../random.js";
import { FakeClock } from "./fake-clock.js";
import { KeyedBackoff } from "./keyed-backoff.js";

test("each id's delay doubles up to the maximum, and is that of the id alone", () => {
  const backoff = new KeyedBackoff<string>({ baseMs: 1_000, maxMs: 5_000, clock: new FakeClock() });
  expect(backoff.get("a")).toBe(0);
  expect([1, 2, 3, 4, 5].map(() => backoff.next("a"))).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
  expect([backoff.get("a"), backoff.next("b"), backoff.size]).toEqual([5_000, 1_000, 2]);
  backoff.reset("a");
  expect([backoff.get("a"), backoff.next("a")]).toEqual([0, 1_000]);
});

test("an id is in backoff since an event until its delay has passed", async () => {
  const clock = new FakeClock();
  const backoff = new KeyedBackoff<string>({ baseMs: 1_000, maxMs: 5_000, clock });
  const eventMs = clock.now();
  expect(backoff.isInBackOffSince("a", eventMs)).toBe(false);
  backoff.next("a");
  await clock.advance(999);
  expect([backoff.leftMs("a", clock.now()), backoff.leftMs("b", clock.now())]).toEqual([1, 0]);
  expect([backoff.isInBackOffSince("a", eventMs), backoff.isInBackOffSinceUpdate("a", clock.now())]).toEqual([
    true,
    true,
  ]);
  await clock.advance(1);
  expect([backoff.isInBackOffSince("a", eventMs), backoff.isInBackOffSinceUpdate("a", clock.now())]).toEqual([
    false,
    false,
  ]);
});

test("after twice the maximum without a failure an id begins anew, and is collected", async () => {
  const clock = new FakeClock();
  const backoff = new KeyedBackoff<string>({ baseMs: 1_000, maxMs: 5_000, clock });
  for (const id of ["a", "a", "b"]) backoff.next(id);
  await clock.advance(10_000);
  expect([backoff.gc(), backoff.next("b")]).toEqual([0, 2_000]);
  await clock.advance(1);
  expect(backoff.isInBackOffSince("a", clock.now())).toBe(false);
  expect([backoff.next("a", clock.now()), backoff.size]).toEqual([1_000, 2]);
  await clock.advance(10_001);
  expect([backoff.gc(), backoff.size]).toEqual([2, 0]);
});

test("jitter spreads the delays, and the maximum holds", () => {
  const backoff = new KeyedBackoff<string>({
    baseMs: 1_000,
    maxMs: 3_000,
    jitter: 1,
    clock: new FakeClock(),
    random: seededRandom(3),
  });
  const delays = Array.from({ length: 20 }, (_, i) => backoff.next(`${i}`));
  expect(new Set(delays).size).toBeGreaterThan(10);
  expect(delays.every((delay) => delay >= 1_000 && delay < 2_000)).toBe(true);
  for (let i = 0; i < 5; i++) expect(backoff.next("0")).toBeLessThanOrEqual(3_000);
});
