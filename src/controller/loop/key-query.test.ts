import { expect, test } from "vitest";
import { FakeClock, startRunning } from "../../base/index.js";
import { itemExponentialFailure } from "../../workqueue/index.js";
import { Journal } from "../history/journal.js";
import { KeyLoop } from "./key-loop.js";
import type { KeyLoopOptions } from "./options.js";
import { TerminalError } from "../reconcile.js";

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function rig(options: Partial<KeyLoopOptions> = {}) {
  const clock = new FakeClock();
  const journal = new Journal();
  const limiter = itemExponentialFailure({ baseMs: 1_000, maxMs: 60_000 });
  const sync = async (): Promise<void> => {};
  const loop = new KeyLoop({
    name: "pods",
    kind: "Pod",
    workers: 2,
    host: { clock, journal },
    limiter,
    sync,
    ...options,
  });
  return { clock, journal, loop };
}

test("delayed keys come by their time, however many there are before the page", async () => {
  const { loop } = rig();
  for (let i = 0; i < 1_000; i++) loop.add(`default/k-${i}`, {}, 10_000 - i);
  const { total, rows } = loop.keys({ state: "delayed", offset: 10, limit: 3 });
  expect([total, rows.map(({ key, dueInMs }) => `${key} ${dueInMs}`)]).toEqual([
    1_000,
    ["default/k-989 9011", "default/k-988 9012", "default/k-987 9013"],
  ]);
  expect(loop.keys({ state: "delayed", text: "k-55", limit: 100 }).total).toBe(11);
  await loop.close();
});

test("the figures and the states of keys agree", async () => {
  const hold = withResolvers();
  const { clock, journal, loop } = rig({
    workers: 1,
    async sync({ key }) {
      if (key === "default/dead") throw new TerminalError("never");
      if (key === "default/failing") throw new Error("refused");
      await hold.promise;
    },
  });
  await using _closed = loop;
  await using _running = startRunning((signal) => loop.run({ signal }));
  for (const name of ["dead", "failing", "running", "ready"])
    loop.add(`default/${name}`, { reason: { type: "added", kind: "Pod", key: name } });
  loop.add("default/later", {}, 5_000);
  await clock.advance(500);
  expect(loop.figures()).toMatchObject({ ready: 1, delayed: 2, active: 1, failing: 1, dead: 1, slowed: 0, runs: 3 });
  const one = (state: Parameters<typeof loop.keys>[0]["state"]) => loop.keys({ state, limit: 10 }).rows;
  expect(one("running")).toMatchObject([{ key: "default/running", forMs: 500, again: false }]);
  expect(one("ready")).toMatchObject([{ key: "default/ready", forMs: 500, reasons: [{ type: "added" }] }]);
  expect(one("failing")).toMatchObject([{ key: "default/failing", failures: 1, error: "refused", dueInMs: 500 }]);
  expect(one("delayed").map(({ key }) => key)).toEqual(["default/failing", "default/later"]);
  expect(one("dead")).toMatchObject([{ key: "default/dead", error: "never" }]);
  expect(one("slowed")).toEqual([]);
  const ran = new Promise<number>((tell) => {
    journal.watch(({ key, waitedMs }) => key === "default/ready" && tell(waitedMs));
  });
  hold.resolve();
  expect(await ran).toBe(500);
});
