import { expect, test } from "vitest";
import { FakeClock, systemClock } from "../../base/index.js";
import { busyClock } from "../../../test/busy-clock.js";
import { createTurns, type Turns, turnsOf } from "./turns.js";

async function work(name: string, turns: Turns, log: string[]): Promise<void> {
  for (let i = 0; i < 12; i++) {
    log.push(name);
    if (turns.due()) await turns.pause();
  }
}

test("however many loops there are, one works at a time, for one slice in each turn of the event loop", async () => {
  const turns = createTurns(busyClock());
  const log: string[] = [];
  let done = false;
  const marking = (async () => {
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve));
      log.push("|");
    }
  })();
  await Promise.all(["a", "b", "c"].map((name) => work(name, turns, log)));
  done = true;
  await marking;
  const slices = log
    .join("")
    .split("|")
    .filter((slice) => slice !== "");
  expect(Math.max(...slices.map((slice) => slice.length))).toBeLessThanOrEqual(8);
  expect(slices.length).toBeGreaterThan(6);
  for (const name of ["a", "b", "c"]) expect(log.filter((entry) => entry === name)).toHaveLength(12);
});

test("those who wait are served in the order in which they came", async () => {
  const turns = createTurns(busyClock());
  const served: number[] = [];
  await Promise.all([1, 2, 3, 4].map((n) => turns.pause().then(() => served.push(n))));
  expect(served).toEqual([1, 2, 3, 4]);
});

test("on a clock that tests own, work is never interrupted: the same program does the same steps", async () => {
  const turns = turnsOf(new FakeClock());
  expect(turns.due(1e9)).toBe(false);
  await turns.pause();
  expect(turnsOf(systemClock)).toBe(turnsOf(systemClock));
});
