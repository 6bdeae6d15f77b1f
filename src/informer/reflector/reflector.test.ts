import { describe, expect, test } from "vitest";
import { bookmarkAt, ModelServer, type Thing } from "../../../test/informer/model-server.js";
import { newExpired, newForbidden, newInternalError, newTooManyRequests } from "../../api/index.js";
import { FakeClock, type Running, type Random, startRunning } from "../../base/index.js";
import type { ListerWatcher } from "../source/list-watch.js";
import { DeltaFifo } from "../store/delta-fifo.js";
import type { ReflectorStore } from "./apply.js";
import { Reflector, type ReflectorOptions } from "./reflector.js";

/** Always the same chance, so that delays are known: 0 is the shortest delay of each range. */
const chance = (value: number): Random => {
  const random: Random = { next: () => value, int: (limit) => Math.floor(value * limit), fork: () => random };
  return random;
};

class RecordingStore implements ReflectorStore<Thing> {
  readonly log: string[] = [];
  readonly objects = new Map<string, Thing>();
  add(thing: Thing): void {
    this.log.push(`add ${thing.metadata.name}`);
    this.objects.set(thing.metadata.name, thing);
  }
  update(thing: Thing): void {
    this.log.push(`update ${thing.metadata.name}`);
    this.objects.set(thing.metadata.name, thing);
  }
  delete(thing: Thing): void {
    this.log.push(`delete ${thing.metadata.name}`);
    this.objects.delete(thing.metadata.name);
  }
  replace(things: readonly Thing[], resourceVersion: string): void {
    this.log.push(`replace ${things.map(({ metadata }) => metadata.name).join(",")} @${resourceVersion}`);
    this.objects.clear();
    for (const thing of things) this.objects.set(thing.metadata.name, thing);
  }
  resync(): void {
    this.log.push("resync");
  }
  bookmark(resourceVersion: string): void {
    this.log.push(`bookmark ${resourceVersion}`);
  }
}

interface Rig extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly server: ModelServer;
  readonly store: RecordingStore;
  readonly reflector: Reflector<Thing>;
  readonly reported: unknown[];
  readonly skipped: () => number;
}

/** A running reflector on a model server; time moves only with `clock.advance`. */
function rig(options: Partial<ReflectorOptions<Thing>> & { server?: ModelServer } = {}): Rig {
  const clock = new FakeClock();
  const { server = new ModelServer({ supportsWatchList: false }), ...rest } = options;
  const store = new RecordingStore();
  const reported: unknown[] = [];
  let skipped = 0;
  const nothing = { inc: () => {}, observe: () => {}, set: () => {} };
  const reflector = new Reflector<Thing>({
    source: server,
    store,
    clock,
    random: chance(0),
    onError: (error) => reported.push(error),
    metrics: {
      lists: nothing,
      listDuration: nothing,
      itemsPerList: nothing,
      watches: nothing,
      watchDuration: nothing,
      itemsPerWatch: nothing,
      shortWatches: nothing,
      errors: nothing,
      skipped: { inc: () => (skipped += 1) },
    },
    ...rest,
  });
  const running: Running = startRunning((signal) => reflector.run(signal));
  return {
    clock,
    server,
    store,
    reflector,
    reported,
    skipped: () => skipped,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

const verbs = (server: ModelServer): string[] =>
  server.calls.map(({ verb, options }) => `${verb} ${options.resourceVersion ?? '""'}`);

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
    expect(it.store.log).toEqual(["replace  @100", "add a", "update a", "delete a", "bookmark 113"]);
    expect(it.reflector.lastSyncResourceVersion).toBe("113");
    expect(it.reflector.isWatching).toBe(true);
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

describe("failures", () => {
  test("delays are [0.8 s, 1.6 s), doubling to [30 s, 60 s)", async () => {
    for (const [value, factor] of [
      [0, 1],
      [0.5, 1.5],
    ] as const) {
      const clock = new FakeClock();
      const server = new ModelServer({ supportsWatchList: false });
      const tries: number[] = [];
      server.refuse = () => {
        tries.push(clock.monotonic());
        return newInternalError("down");
      };
      const reflector = new Reflector<Thing>({
        source: server,
        store: new RecordingStore(),
        clock,
        random: chance(value),
      });
      await using _ = startRunning((signal) => reflector.run(signal));
      await clock.advance(110_000);
      const delays = tries.map((time, i) => time - (tries[i - 1] ?? time)).slice(1, 7);
      expect(delays).toEqual([800, 1600, 3200, 6400, 12_800, 25_600].map((ms) => ms * factor).slice(0, delays.length));
    }
  });

  test("every two minutes the delays begin anew, even during uninterrupted failure", async () => {
    const it = rig();
    const tries: number[] = [];
    it.server.refuse = () => {
      tries.push(it.clock.monotonic());
      return newInternalError("down");
    };
    await it.clock.advance(400_000);
    const delays = tries.map((time, i) => time - (tries[i - 1] ?? time)).slice(1);
    const resets = delays.flatMap((ms, i) => (i > 0 && ms === 800 ? [tries[i] as number] : []));
    expect(delays).toContain(30_000);
    expect(resets.length).toBeGreaterThanOrEqual(2);
    expect((resets[1] as number) - (resets[0] as number)).toBeGreaterThan(120_000);
    await it[Symbol.asyncDispose]();
  });

  test("the watch error handler is told before the wait; what was wrong stays visible until something works", async () => {
    await using it = rig();
    const forbidden = newForbidden({ group: "", resource: "things" }, "", "not you");
    it.server.refuse = () => forbidden;
    await it.clock.advance(0);
    expect(it.reported).toEqual([forbidden]);
    expect(it.reflector.lastError).toBe(forbidden);
    expect(it.reflector.phase).toBe("waiting");
    it.server.refuse = undefined;
    await it.clock.advance(800);
    expect(it.reflector.lastError).toBeUndefined();
    expect(it.reflector.isWatching).toBe(true);
  });

  test("a wait ends at once when the reflector is stopped", async () => {
    const it = rig();
    it.server.refuse = () => newTooManyRequests("later", 1);
    await it.clock.advance(0);
    await it[Symbol.asyncDispose]();
    expect(it.clock.pendingTimers).toBe(0);
  });

  test("a clean end is free: the next watch continues from the last revision", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    await it.clock.advance(0);
    it.server.cut();
    await it.clock.advance(0);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "watch 101"]);
  });

  test("a connection that breaks is a clean end", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    await it.clock.advance(0);
    it.server.cut(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
    await it.clock.advance(0);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "watch 101"]);
  });

  test("a watch that ends within a second without any event leads to a list, after a wait", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.cut();
    await it.clock.advance(0);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100"]);
    await it.clock.advance(800);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "list 100", "watch 100"]);
  });

  test("410 in the stream: a list at the known revision, then the watch; events of both are there", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    await it.clock.advance(0);
    it.server.cut(newExpired("too old"));
    it.server.put("b");
    await it.clock.advance(800);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "list 101", "watch 102"]);
    expect([...it.store.objects.keys()]).toEqual(["a", "b"]);
    expect(it.reported).toEqual([]);
  });
});

describe("objects that are not what was asked for", () => {
  const expectedKind = { apiVersion: "example.com/v1", kind: "Thing" };
  const event = (object: unknown, type = "ADDED") => ({ type, object }) as never;

  test("are skipped and reported, and their revision is not believed", async () => {
    await using it = rig({ expectedKind });
    await it.clock.advance(0);
    const [watch] = it.server.open;
    watch?.send(
      event({ apiVersion: "v1", kind: "Pod", metadata: { name: "pod", resourceVersion: "900" } }),
      event({ apiVersion: "meta.k8s.io/v1", kind: "Table", metadata: { resourceVersion: "901" } }),
      event({ apiVersion: "example.com/v1", kind: "Thing" }),
    );
    await it.clock.advance(0);
    expect(it.skipped()).toBe(3);
    expect(it.reflector.lastSyncResourceVersion).toBe("100");
    it.server.put("a");
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace  @100", "add a"]);
  });

  test("an object that the store refuses is reported, but its revision counts as seen", async () => {
    await using it = rig();
    it.store.add = () => {
      throw new Error("cannot");
    };
    await it.clock.advance(0);
    it.server.put("a");
    await it.clock.advance(0);
    expect(it.skipped()).toBe(1);
    expect(it.reflector.lastSyncResourceVersion).toBe("101");
  });

  test("an unknown event type is reported, and its revision counts as seen", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.open[0]?.send(event({ metadata: { name: "a", resourceVersion: "150" } }, "NOVELTY"));
    await it.clock.advance(0);
    expect(it.skipped()).toBe(1);
    expect(it.reflector.lastSyncResourceVersion).toBe("150");
  });
});

test('synthetic ADDED are not in order: from "" or "0" the last revision waits for the first other event', async () => {
  const server = new ModelServer({ supportsWatchList: false });
  const list = server.list.bind(server);
  server.list = async (options, signal) => ({ ...(await list(options, signal)), metadata: {} });
  await using it = rig({ server });
  await it.clock.advance(0);
  expect(server.calls.at(-1)?.options.resourceVersion).toBe("");
  server.put("b");
  await it.clock.advance(0);
  expect(it.reflector.lastSyncResourceVersion).toBe("");
  server.put("b");
  await it.clock.advance(0);
  expect(it.reflector.lastSyncResourceVersion).toBe("102");
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

describe("the streamed list", () => {
  const streaming = (): ModelServer => new ModelServer({ supportsWatchList: true });

  test("fills the store at the bookmark's revision, and the same stream is followed", async () => {
    const server = streaming();
    server.put("a");
    server.put("b");
    await using it = rig({ server });
    await it.clock.advance(0);
    server.put("c");
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace a,b @102", "add c"]);
    expect(verbs(server)).toEqual(['watch ""']);
  });

  test("changes before the bookmark are honoured; a bookmark with another value completes nothing", async () => {
    const server = streaming();
    const a = server.put("a");
    const b = server.put("b");
    const watch = server.watch.bind(server);
    server.watch = async (options, signal) => {
      const opened = await watch({ ...options, sendInitialEvents: false, resourceVersion: "102" }, signal);
      opened.send({ type: "ADDED", object: a }, { type: "ADDED", object: b }, bookmarkAt(102, "false"));
      opened.send({ type: "DELETED", object: a }, bookmarkAt(103));
      return opened;
    };
    await using it = rig({ server });
    await it.clock.advance(0);
    expect(it.store.log).toEqual([]);
    server.open[0]?.send(bookmarkAt(104, "true"));
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace b @104"]);
    expect(it.reflector.lastSyncResourceVersion).toBe("104");
  });

  test("a stream that is cut before the bookmark is tried anew with a clean buffer", async () => {
    const server = streaming();
    server.put("a");
    server.put("b");
    let cuts = 0;
    const watch = server.watch.bind(server);
    server.watch = async (options, signal) => {
      if (cuts++ > 0) return watch(options, signal);
      const opened = await watch({ ...options, sendInitialEvents: false, resourceVersion: "102" }, signal);
      opened.send({ type: "ADDED", object: server.put("gone") });
      opened.end();
      server.remove("gone");
      return opened;
    };
    await using it = rig({ server });
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace a,b @104"]);
  });

  test("a server that does not know it leads to a list, and is asked again the next time", async () => {
    const server = streaming();
    server.refuse = ({ options }) =>
      "sendInitialEvents" in options ? newForbidden({ group: "", resource: "things" }, "", "no streams") : undefined;
    await using it = rig({ server });
    await it.clock.advance(0);
    expect(verbs(server)).toEqual(['watch ""', "list 0", "watch 100"]);
    server.put("a");
    await it.clock.advance(0);
    server.cut(newExpired("x"));
    await it.clock.advance(800);
    expect(verbs(server).slice(3)).toEqual(["watch 101", "list 101", "watch 101"]);
    expect(it.reported).toEqual([]);
  });

  test("the transformer is applied while the objects stream in", async () => {
    const server = streaming();
    server.put("a", 1);
    const clock = new FakeClock();
    let calls = 0;
    const store = new DeltaFifo<Thing>({
      transform(thing) {
        calls += 1;
        return { ...thing, spec: { value: (thing.spec?.value ?? 0) + 1 } };
      },
    });
    const reflector = new Reflector<Thing>({ source: server, store, clock });
    await using _ = startRunning((signal) => reflector.run(signal));
    await clock.advance(0);
    expect(store.take()?.deltas).toMatchObject([{ type: "Replaced", objects: [{ spec: { value: 2 } }] }]);
    expect(calls).toBe(1);
  });

  test("in the consistency check mode, the streamed objects are compared with a list at the same revision", async () => {
    const differences: string[] = [];
    const server = streaming();
    server.put("a");
    const list = server.list.bind(server);
    server.list = async (options, signal) => {
      const page = await list(options, signal);
      return { ...page, items: [...page.items, server.put("unseen")] };
    };
    await using it = rig({ server, onInconsistency: (difference) => differences.push(difference) });
    await it.clock.advance(0);
    expect(differences).toEqual(["default/unseen is listed, but was not streamed"]);
    expect(server.calls[1]).toEqual({
      verb: "list",
      options: { resourceVersion: "101", resourceVersionMatch: "Exact" },
    });
    expect(it.reflector.isWatching).toBe(true);
  });
});

describe("the watchdog", () => {
  test("after a bookmark was seen, a silent watch is dialled again, from the last revision and without a list", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    it.server.bookmark();
    await it.clock.advance(149_000);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100"]);
    await it.clock.advance(2_000);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "watch 101"]);
    expect(it.server.open).toHaveLength(1);
  });

  test("each event or bookmark gives it another two and a half minutes", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.bookmark();
    for (let minute = 0; minute < 4; minute++) {
      await it.clock.advance(60_000);
      it.server.bookmark();
    }
    await it.clock.advance(0);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100"]);
  });

  test("a server that sends no bookmarks may be silent for as long as the watch was to last", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    await it.clock.advance(329_000);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100"]);
    await it.clock.advance(2_000);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "watch 101"]);
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
