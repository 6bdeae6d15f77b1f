import { expect, test } from "vitest";
import { FakeClock, startRunning, type Turns } from "../../base/index.js";
import { DelayingQueue, itemExponentialFailure } from "../../workqueue/index.js";
import { HotLoopBreaker } from "../history/hot-loop.js";
import { Journal } from "../history/journal.js";
import { Retries } from "../history/retries.js";
import { KeyLoop } from "./key-loop.js";
import { queryKeys } from "./key-query.js";
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
  const { total, rows } = await loop.keys({ state: "delayed", offset: 10, limit: 3 });
  expect([total, rows.map(({ key, dueInMs }) => `${key} ${dueInMs}`)]).toEqual([
    1_000,
    ["default/k-989 9011", "default/k-988 9012", "default/k-987 9013"],
  ]);
  expect((await loop.keys({ state: "delayed", text: "k-55", limit: 100 })).total).toBe(11);
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
  const one = async (state: Parameters<typeof loop.keys>[0]["state"]) => (await loop.keys({ state, limit: 10 })).rows;
  expect(await one("running")).toMatchObject([{ key: "default/running", forMs: 500, again: false }]);
  expect(await one("ready")).toMatchObject([{ key: "default/ready", forMs: 500, reasons: [{ type: "added" }] }]);
  expect(await one("failing")).toMatchObject([{ key: "default/failing", failures: 1, error: "refused", dueInMs: 500 }]);
  expect((await one("delayed")).map(({ key }) => key)).toEqual(["default/failing", "default/later"]);
  expect(await one("dead")).toMatchObject([{ key: "default/dead", error: "never" }]);
  expect(await one("slowed")).toEqual([]);
  const ran = new Promise<number>((tell) => {
    journal.watch(({ key, waitedMs }) => key === "default/ready" && tell(waitedMs));
  });
  hold.resolve();
  expect(await ran).toBe(500);
});

test("a search does not hold the event loop: it pauses in between, finds all keys, and ends with its signal", async () => {
  const queue = new DelayingQueue<string>();
  for (let i = 0; i < 20_000; i++) queue.add(`default/k-${i}`);
  const options = { limiter: itemExponentialFailure({ baseMs: 1, maxMs: 1 }), maxFailures: 9 };
  const places = {
    queue,
    retries: new Retries(options),
    breaker: new HotLoopBreaker({ writer: "test" }),
    resting: new Set<string>(),
    now: 0,
  };
  let pauses = 0;
  const turns: Turns = {
    due: () => true,
    async pause() {
      pauses++;
      // the search goes on with the keys that it began with
      queue.add(`default/late-${pauses}`);
    },
  };
  const { total } = await queryKeys(places, { state: "ready", text: "k-", limit: 10 }, { turns, signal: undefined });
  expect([total, pauses]).toEqual([20_000, 39]);
  const deep = { state: "ready", offset: 15_000, limit: 10 } as const;
  const { rows } = await queryKeys(places, deep, { turns, signal: undefined });
  expect([rows[0]?.key, rows.length, pauses]).toEqual(["default/k-15000", 10, 39 + 29]);
  const stop = new AbortController();
  stop.abort(new Error("enough"));
  for (const query of [deep, { ...deep, text: "k-" }])
    await expect(queryKeys(places, query, { turns, signal: stop.signal })).rejects.toThrow("enough");
  queue.shutDown();
});
