import { expect, test } from "vitest";
import { FakeClock } from "../base/index.js";
import { whenCalm } from "./calm.js";

/** A clock on which each reading of a busy process is late. */
class BusyClock extends FakeClock {
  turnMs = 0;
  #late = 0;
  override monotonic(): number {
    this.#late += this.turnMs;
    return super.monotonic() + this.#late;
  }
}

test("passes at once in a calm process, up to the rate", async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const limiter = whenCalm({ ratePerSecond: 1, burst: 2 }, clock);
  await limiter.take(signal);
  await limiter.take(signal);
  let passed = false;
  const third = limiter.take(signal).then(() => (passed = true));
  await clock.advance(900);
  expect(passed).toBe(false);
  for (let ms = 0; ms < 200; ms++) await clock.advance(1);
  await third;
  expect(passed).toBe(true);
});

test("in a busy process waits for a short turn, but not for ever", async () => {
  const clock = new BusyClock();
  clock.turnMs = 3;
  const limiter = whenCalm({ ratePerSecond: 1_000, burst: 1_000 }, clock);
  let passed = 0;
  const first = limiter.take(new AbortController().signal).then(() => passed++);
  await clock.advance(25);
  expect(passed).toBe(0);
  clock.turnMs = 0;
  await clock.advance(25);
  await first;
  clock.turnMs = 3;
  const second = limiter.take(new AbortController().signal).then(() => passed++);
  await clock.advance(500);
  await second;
  expect(passed).toBe(2);
});
