import { expect, test } from "vitest";
import type { RunLine } from "../../../src/dashboard/wire.js";
import { heardFrom, wayOf, writersOf } from "./way.js";

const run = (number: number, startedAt: number, more: Partial<RunLine> = {}): RunLine => ({
  controller: "c",
  key: "default/web",
  run: number,
  startedAt,
  waitedMs: 2,
  durationMs: 1,
  result: "done",
  because: "",
  wokenBy: [],
  wrote: [],
  writes: 0,
  ...more,
});

const numbersOf = (runs: readonly RunLine[]): readonly number[] => wayOf(runs).map((one) => one.run);
const series = (first: number, count: number, at: number): RunLine[] =>
  Array.from({ length: count }, (_, i) => run(first + i, at + i * 10));

test("the newest story is told from its beginning, in the order of the starts, though runs are remembered as they end", () => {
  const [old, story] = [series(1, 20, 0), series(21, 18, 60_000)];
  expect(numbersOf([...old, ...story.toReversed()])).toEqual(story.map((one) => one.run));
});

test("a short story has some reconciles before it, and a long one is told by its newest", () => {
  const old = series(1, 20, 0);
  expect(numbersOf([...old, run(21, 60_000)])).toEqual([8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]);
  expect(numbersOf(series(1, 100, 0))).toEqual(series(71, 30, 0).map((one) => one.run));
  expect(numbersOf([])).toEqual([]);
});

test("the time from the write to the queue is known if a remembered reconcile wrote the change", () => {
  const change = "Pod default/web@7";
  const writer = run(1, 1_000, { wrote: [{ change, at: 1_004 }] });
  const writers = writersOf([writer]);
  expect(heardFrom(run(2, 1_010, { wokenBy: [change] }), writers)).toEqual({ writer: "c #1", ms: 4 });
  expect(heardFrom(run(3, 1_010, { wokenBy: ["Pod default/web@8"] }), writers)).toBe("elsewhere");
  expect(heardFrom(run(4, 1_010), writers)).toBeUndefined();
});
