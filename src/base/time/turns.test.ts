import { expect, test } from "vitest";
import { systemClock } from "./clock.js";
import { FakeClock } from "./fake-clock.js";
import { busyClock } from "../../../test/busy-clock.js";
import { createTurns, sliceAmong, type Turns, turnsOf } from "./turns.js";

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

test("loops that have little to do share a slice, so that many of them do not wait for one turn each", async () => {
  let now = 0;
  const turns = createTurns({ monotonic: () => now });
  let turn = 0;
  const mark = (): void => void (++turn < 20 && setImmediate(mark));
  setImmediate(mark);
  const served = await Promise.all(
    ["short", "long", "late"].map(async (name) => {
      await turns.pause();
      if (name === "long") now += 5;
      return { name, turn };
    }),
  );
  expect(served[0]?.turn).toBe(served[1]?.turn);
  expect(served[2]?.turn).toBeGreaterThan(served[1]?.turn ?? 0);
});

test("the busier the process is with other work, the longer is a slice, up to a limit", async () => {
  let now = 0;
  const turns = createTurns({ monotonic: () => now });
  const sliceAfter = async (turnMs: number): Promise<number> => {
    const paused = turns.pause();
    now += turnMs;
    await paused;
    let sliceMs = 0;
    while (!turns.due(now + sliceMs)) sliceMs++;
    return sliceMs;
  };
  expect(await sliceAfter(1)).toBe(1);
  expect(await sliceAfter(20)).toBe(5);
  expect(await sliceAfter(500)).toBe(8);
});

test("on a clock that tests own, work is never interrupted: the same program does the same steps", async () => {
  const turns = turnsOf(new FakeClock());
  expect(turns.due(1e9)).toBe(false);
  await turns.pause();
  expect(turnsOf(systemClock)).toBe(turnsOf(systemClock));
});

test("a request pauses by its own work, not by that of others in the same turn, and then waits behind them", async () => {
  const clock = busyClock();
  const turns = createTurns(clock);
  const log: string[] = [];
  const request = async (name: string): Promise<void> => {
    const slice = sliceAmong(turns, { clock, sliceMs: 8 });
    for (let phase = 1; phase <= 2; phase++) {
      for (let step = 0; step < 10 && !slice.due(); step++);
      log.push(`${name}${phase}`);
      if (slice.due()) await slice.pause();
    }
  };
  await Promise.all([request("a"), request("b"), request("c")]);
  expect(log).toEqual(["a1", "b1", "c1", "a2", "b2", "c2"]);
});
