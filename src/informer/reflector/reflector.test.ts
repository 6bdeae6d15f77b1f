import { describe, expect, test } from "vitest";
import { ModelServer, type Thing } from "../../../test/informer/model-server.js";
import { newExpired } from "../../api/index.js";
import { FakeClock, startRunning } from "../../base/index.js";
import type { ListerWatcher } from "../source/list-watch.js";
import { DeltaFifo } from "../store/delta-fifo.js";
import { Reflector } from "./reflector.js";
import { chance, RecordingStore, rig, verbs } from "../../../test/informer/reflector-rig.js";

describe("list, then watch", () => {
  test("the store is replaced before the last revision moves", async () => {
    const clock = new FakeClock();
    const server = new ModelServer({ supportsWatchList: false });
    server.put("a");
    const seen: string[] = [];
    const store = new RecordingStore();
    const reflector: Reflector<Thing> = new Reflector<Thing>({
      source: server,
      clock,
      store: Object.assign(store, { replace: () => seen.push(reflector.lastSyncResourceVersion) }),
    });
    await using _ = startRunning((signal) => reflector.run(signal));
    await clock.advance(0);
    expect(seen).toEqual([""]);
    expect(reflector.lastSyncResourceVersion).toBe("101");
  });

  test("events are applied and move the last revision; bookmarks move it too and reach the store", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    it.server.put("a");
    it.server.remove("a");
    it.server.revision += 10;
    it.server.bookmark();
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace  @100", "ADDED a", "MODIFIED a", "DELETED a", "bookmark 113"]);
    expect(it.reflector.lastSyncResourceVersion).toBe("113");
    expect(it.reflector.isWatching).toBe(true);
    const at = it.clock.now();
    expect(it.reflector.activity).toEqual({
      lists: 1,
      watches: 1,
      events: 4,
      failures: 0,
      lastEventAt: at,
      lastBookmarkAt: at,
    });
  });

  test("a watch lives for a random time of five to ten minutes", async () => {
    for (const [value, seconds] of [
      [0, 300],
      [0.5, 450],
      [0.999, 599],
    ] as const) {
      await using it = rig({ random: chance(value), minWatchTimeoutMs: 1000 });
      await it.clock.advance(0);
      expect(it.server.calls.at(-1)?.options.timeoutSeconds).toBe(seconds);
    }
    await using longer = rig({ minWatchTimeoutMs: 600_000 });
    await longer.clock.advance(0);
    expect(longer.server.calls.at(-1)?.options.timeoutSeconds).toBe(600);
  });

  test("a paged list is read page by page, later pages without a revision, and its revision is that of the first", async () => {
    const server = new ModelServer({ supportsWatchList: false, pages: true });
    for (const name of ["a", "b", "c"]) server.put(name);
    await using it = rig({ server, pageSize: 2 });
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace a,b,c @103"]);
    expect(server.calls.map(({ options }) => options)).toMatchObject([
      { resourceVersion: "0", limit: 2 },
      { limit: 2, continue: "list-0:2" },
      { resourceVersion: "103" },
    ]);
    expect(server.calls[1]?.options).not.toHaveProperty("resourceVersion");
  });

  test("Expired on a later page: the whole once more, in one piece, at the original revision", async () => {
    const server = new ModelServer({ supportsWatchList: false, pages: true });
    for (const name of ["a", "b", "c"]) server.put(name);
    server.refuse = ({ options }) => ("continue" in options ? newExpired("continue is too old") : undefined);
    await using it = rig({ server, pageSize: 2 });
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace a,b,c @103"]);
    expect(server.calls[2]).toEqual({ verb: "list", options: { resourceVersion: "0" } });
    expect(it.reported).toEqual([]);
  });

  test("a Table is an error", async () => {
    const source: ListerWatcher<Thing> = {
      list: async () => ({ kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: {}, items: [] }),
      watch: () => Promise.reject(new Error("not reached")),
      supportsWatchList: false,
    };
    await using it = rig({ source });
    await it.clock.advance(0);
    expect(it.reported).toMatchObject([{ message: expect.stringContaining("Table") }]);
    expect(it.store.log).toEqual([]);
  });

  test("stopping during a list returns at once, though the list itself goes on", async () => {
    const source: ListerWatcher<Thing> = {
      list: () => new Promise(() => {}),
      watch: () => new Promise(() => {}),
      supportsWatchList: false,
    };
    const it = rig({ source });
    await it.clock.advance(0);
    await it[Symbol.asyncDispose]();
    expect(it.reflector.phase).toBe("stopped");
    expect(it.reported).toEqual([]);
  });
});

describe("resync", () => {
  test("period 0: no timer ever", async () => {
    await using it = rig();
    await it.clock.advance(300_000);
    expect(it.store.log).not.toContain("resync");
  });

  test("asks shouldResync at each period while a watch is open, and never talks to the server", async () => {
    let due = true;
    await using it = rig({ resyncPeriodMs: 10_000, shouldResync: () => due });
    await it.clock.advance(10_000);
    due = false;
    await it.clock.advance(10_000);
    due = true;
    await it.clock.advance(10_000);
    expect(it.store.log).toEqual(["replace  @100", "resync", "resync"]);
    expect(it.server.calls).toHaveLength(2);
  });

  /** Advances by five minutes at a time, and lets the server do something after each. */
  async function passing(it: ReturnType<typeof rig>, steps: number, event: () => void): Promise<number> {
    for (let i = 0; i < steps; i++) {
      await it.clock.advance(300_000);
      event();
    }
    await it.clock.advance(0);
    return it.store.log.filter((line) => line === "resync").length;
  }

  for (const [what, event] of [
    ["watches that the server ends each five minutes", (it) => it.server.cut()],
    [
      "watches that break each five minutes",
      (it) => it.server.cut(Object.assign(new Error("reset"), { code: "ECONNRESET" })),
    ],
    ["lists anew each five minutes", (it) => it.server.cut(newExpired("too old"))],
    ["errors each five minutes", (it) => it.server.cut(new Error("the stream made no sense"))],
  ] as readonly (readonly [string, (it: ReturnType<typeof rig>) => void])[])
    test(`a period of half an hour is kept across ${what}`, async () => {
      await using it = rig({ resyncPeriodMs: 1_800_000 });
      expect(await passing(it, 24, () => event(it))).toBe(4);
    });

  test("what falls due while there is no watch is done once, when there is one again", async () => {
    await using it = rig({ resyncPeriodMs: 1_800_000 });
    await it.clock.advance(0);
    it.server.refuse = () => new Error("no server");
    it.server.cut(new Error("gone"));
    expect(await passing(it, 24, () => {})).toBe(0);
    it.server.refuse = undefined;
    await it.clock.advance(60_000);
    expect(it.store.log.filter((line) => line === "resync")).toEqual(["resync"]);
    expect(await passing(it, 5, () => {})).toBe(1);
    expect(await passing(it, 1, () => {})).toBe(2);
  });

  test("a resync that fails ends the watch and leads to a list", async () => {
    await using it = rig({ resyncPeriodMs: 10_000 });
    it.store.resync = () => {
      throw new Error("cannot resync");
    };
    await it.clock.advance(10_000);
    await it.clock.advance(800);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "list 100", "watch 100"]);
    expect(it.reported).toEqual([]);
  });
});

test("the reader waits while the queue is two batches behind", async () => {
  const clock = new FakeClock();
  const server = new ModelServer({ supportsWatchList: false });
  const store = new DeltaFifo<Thing>();
  const reflector = new Reflector<Thing>({ source: server, store, clock });
  await using _ = startRunning((signal) => reflector.run(signal));
  await clock.advance(0);
  for (let i = 0; i < 2500; i++) server.put(`t${i}`);
  await clock.advance(0);
  expect(store.length).toBeLessThanOrEqual(2001);
  while (store.take() !== undefined) store.finished();
  await clock.advance(0);
  expect(store.length).toBeGreaterThan(0);
});

test("whatever the watch's end, it is stopped on the server's side too", async () => {
  const it = rig();
  await it.clock.advance(0);
  it.server.put("a");
  await it.clock.advance(0);
  await it[Symbol.asyncDispose]();
  await it.clock.advance(0);
  expect(it.server.open).toHaveLength(0);
});
