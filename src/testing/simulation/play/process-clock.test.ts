import { expect, test } from "vitest";
import { FakeClock } from "../../../base/index.js";
import { ProcessClock } from "./process-clock.js";

test("a paused process's timers fire when the pause ends, and others' are not touched", async () => {
  const world = new FakeClock();
  const [paused, other] = [new ProcessClock(world), new ProcessClock(world)];
  const fired: string[] = [];
  paused.timer(100, () => fired.push(`paused at ${world.monotonic()}`));
  other.timer(100, () => fired.push(`other at ${world.monotonic()}`));
  paused.pause(1_000);
  await world.advance(2_000);
  expect(fired).toEqual(["other at 100", "paused at 1000"]);
});

test("a timer that is disposed of during a pause does not fire", async () => {
  const world = new FakeClock();
  const clock = new ProcessClock(world);
  let fired = false;
  const timer = clock.timer(100, () => void (fired = true));
  clock.pause(1_000);
  await world.advance(500);
  timer[Symbol.dispose]();
  await world.advance(1_000);
  expect(fired).toBe(false);
  expect(world.pendingTimers).toBe(0);
});

test("a jump changes wall time alone", () => {
  const world = new FakeClock();
  const clock = new ProcessClock(world);
  clock.jump(-5_000);
  expect(clock.now()).toBe(world.now() - 5_000);
  expect(clock.monotonic()).toBe(world.monotonic());
});

test("a clock that drifts is wrong by the rate, and its timers with it", async () => {
  const world = new FakeClock();
  const clock = new ProcessClock(world);
  await world.advance(1_000);
  clock.drift(1.1);
  const fired: number[] = [];
  clock.timer(1_100, () => fired.push(world.monotonic()));
  await world.advance(1_000);
  expect(fired).toEqual([2_000]);
  expect(Math.round(clock.monotonic())).toBe(2_100);
  expect(clock.now()).toBe(world.now() + 100);
});
