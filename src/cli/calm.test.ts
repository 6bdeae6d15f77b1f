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

test("in a busy process waits until there is time", async () => {
  const clock = new FakeClock();
  let isBusy = true;
  const limiter = whenCalm({ ratePerSecond: 1_000, burst: 1_000, isBusy: () => isBusy, clock });
  let passed = false;
  const first = limiter.take(signal).then(() => (passed = true));
  await clock.advance(1_000);
  expect(passed).toBe(false);
  isBusy = false;
  await clock.advance(25);
  await first;
  expect(passed).toBe(true);
});

test("in a process that stays busy waits three seconds once, until it was calm", async () => {
  const clock = new FakeClock();
  let isBusy = true;
  let passed = 0;
  const limiter = whenCalm({ ratePerSecond: 1_000, burst: 1_000, isBusy: () => isBusy, clock });
  const take = (): Promise<unknown> => limiter.take(signal).then(() => passed++);
  const first = take();
  await clock.advance(2_975);
  expect(passed).toBe(0);
  await clock.advance(25);
  await first;
  await take();
  expect(passed).toBe(2);
  isBusy = false;
  await take();
  isBusy = true;
  const last = take();
  await clock.advance(1_000);
  expect(passed).toBe(3);
  await clock.advance(2_000);
  await last;
});
