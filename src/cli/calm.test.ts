import { expect, test } from "vitest";
import { FakeClock } from "../base/index.js";
import { whenCalm } from "./calm.js";

const { signal } = new AbortController();

test("passes at once in a calm process, up to the rate", async () => {
  const clock = new FakeClock();
  const limiter = whenCalm({ ratePerSecond: 1, burst: 2, isBusy: () => false, clock });
  await limiter.take(signal);
  await limiter.take(signal);
  let passed = false;
  const third = limiter.take(signal).then(() => (passed = true));
  await clock.advance(900);
  expect(passed).toBe(false);
  await clock.advance(200);
  await third;
  expect(passed).toBe(true);
});

test("in a busy process waits until there is time, but not for ever", async () => {
  const clock = new FakeClock();
  let isBusy = true;
  const limiter = whenCalm({ ratePerSecond: 1_000, burst: 1_000, isBusy: () => isBusy, clock });
  let passed = 0;
  const first = limiter.take(signal).then(() => passed++);
  await clock.advance(100);
  expect(passed).toBe(0);
  isBusy = false;
  await clock.advance(25);
  await first;
  isBusy = true;
  const second = limiter.take(signal).then(() => passed++);
  await clock.advance(225);
  expect(passed).toBe(1);
  await clock.advance(25);
  await second;
  expect(passed).toBe(2);
});
