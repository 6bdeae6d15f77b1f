import { expect, test } from "vitest";
import { FakeClock, MetricsRegistry, silentLogger, startRunning } from "../../base/index.js";
import type { ControllerContext } from "./context.js";
import { KeyLoop } from "./key-loop.js";
import { LateReports } from "./late-reports.js";

function setup(isBusy?: () => boolean) {
  const clock = new FakeClock();
  const due: string[] = [];
  const reports = new LateReports({ clock, ...(isBusy && { isBusy }), onDue: (key) => due.push(key) });
  return { clock, due, reports };
}

test("where nobody says that there is work, or there is none, no report waits", () => {
  expect(setup().reports.putOff("a")).toBe(false);
  const { reports, clock } = setup(() => false);
  expect(reports.putOff("a")).toBe(false);
  expect([reports.isWaiting("a"), clock.pendingTimers]).toEqual([false, 0]);
});

test("a key waits until the process has time, or for the longest wait; then it is due", async () => {
  let isBusy = true;
  const { clock, due, reports } = setup(() => isBusy);
  expect([reports.putOff("a"), reports.isWaiting("a")]).toEqual([true, true]);
  await clock.advance(1_000);
  reports.putOff("b");
  // asking again does not make it wait longer
  reports.putOff("a");
  await clock.advance(990);
  expect(due).toEqual([]);
  await clock.advance(10);
  expect(due).toEqual(["a"]);
  isBusy = false;
  await clock.advance(10);
  expect(due).toEqual(["a", "b"]);
  expect([reports.isWaiting("b"), clock.pendingTimers]).toEqual([false, 0]);
});

test("a key that is due is not put off again before it was synced", async () => {
  const { clock, reports } = setup(() => true);
  reports.putOff("a");
  await clock.advance(2_000);
  expect(reports.putOff("a")).toBe(false);
  reports.synced("a");
  expect(reports.putOff("a")).toBe(true);
  reports[Symbol.dispose]();
  expect(clock.pendingTimers).toBe(0);
});

test("a key whose report can be written after all waits no more", async () => {
  let isBusy = true;
  const { clock, due, reports } = setup(() => isBusy);
  reports.putOff("a");
  isBusy = false;
  expect([reports.putOff("a"), reports.isWaiting("a")]).toEqual([false, false]);
  await clock.advance(10);
  expect([due, clock.pendingTimers]).toEqual([[], 0]);
});

test("a loop syncs a key again whose report was put off, and leaves no timer behind when it ends", async () => {
  const clock = new FakeClock();
  let isBusy = true;
  const written: string[] = [];
  const loop: KeyLoop = new KeyLoop({
    context: {
      clock,
      metrics: new MetricsRegistry(),
      log: silentLogger,
      isBusy: () => isBusy,
    } as unknown as ControllerContext,
    name: "replicaset",
    workers: 1,
    sync: async (key) => {
      if (!loop.putOffReport(key)) written.push(key);
    },
  });
  const running = startRunning((signal) => loop.run(signal));
  for (const key of ["a", "b", "a"]) loop.add(key);
  await clock.pass(100);
  expect([written, loop.isReportWaiting("a")]).toEqual([[], true]);
  isBusy = false;
  await clock.pass(50);
  expect(written).toEqual(["a", "b"]);
  isBusy = true;
  loop.add("a");
  await clock.pass(1);
  expect(loop.isReportWaiting("a")).toBe(true);
  await running[Symbol.asyncDispose]();
  expect(clock.pendingTimers).toBe(0);
});
