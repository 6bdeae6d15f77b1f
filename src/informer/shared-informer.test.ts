import { describe, expect, test } from "vitest";
import { ModelServer, type Thing } from "../../test/informer/model-server.js";
import { newExpired } from "../api/index.js";
import { createLogger, FakeClock, MetricsRegistry } from "../base/index.js";
import { type Deleted, DeletedFinalStateUnknown, type InformerOptions, SharedIndexInformer } from "./index.js";
import type { ResourceEventHandler } from "./processor/handlers.js";

function recorder(): { readonly seen: string[]; readonly handler: ResourceEventHandler<Thing> } {
  const seen: string[] = [];
  const gone = (thing: Deleted<Thing>): string =>
    thing instanceof DeletedFinalStateUnknown
      ? `tombstone ${thing.key} ${thing.object?.spec?.value}`
      : thing.metadata.name;
  return {
    seen,
    handler: {
      onAdd: (thing, initial) => void seen.push(`add ${thing.metadata.name}${initial ? " initially" : ""}`),
      onUpdate: (old, thing) => void seen.push(`update ${thing.metadata.name} ${old.spec?.value}→${thing.spec?.value}`),
      onDelete: (thing) => void seen.push(`delete ${gone(thing)}`),
    },
  };
}

interface Rig {
  readonly clock: FakeClock;
  readonly server: ModelServer;
  readonly informer: SharedIndexInformer<Thing>;
  readonly log: string[];
}

function rig(options: Partial<InformerOptions<Thing>> = {}, server = new ModelServer()): Rig {
  const clock = new FakeClock();
  const log: string[] = [];
  const logger = createLogger({ write: (line) => log.push(line), clock, level: "debug" });
  return {
    clock,
    server,
    log,
    informer: new SharedIndexInformer<Thing>({ source: server, clock, logger, ...options }),
  };
}

for (const supportsWatchList of [true, false])
  test(`changes reach cache and handlers in order, streaming the first list: ${supportsWatchList}`, async () => {
    const { clock, server, informer } = rig({}, new ModelServer({ supportsWatchList }));
    server.put("a", 1);
    const { seen, handler } = recorder();
    const registration = informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    expect([informer.hasSynced, registration.hasSynced]).toEqual([true, true]);
    server.put("b", 1);
    server.put("a", 2);
    server.remove("b");
    await clock.advance(0);
    expect(seen).toEqual(["add a initially", "add b", "update a 1→2", "delete b"]);
    expect(informer.indexer.listKeys()).toEqual(["default/a"]);
    expect(informer.lastStoreSyncResourceVersion).toBe("104");
  });

describe("what changed while nobody was watching", () => {
  async function relisted(change: (server: ModelServer) => void, options: Partial<InformerOptions<Thing>> = {}) {
    const { clock, server, informer } = rig(options);
    for (const name of ["a", "b", "c"]) server.put(name, 1);
    const { seen, handler } = recorder();
    const inside: string[][] = [];
    informer.addEventHandler(handler);
    informer.addEventHandler({
      onAdd: () => inside.push(informer.indexer.listKeys()),
      onUpdate: () => inside.push(informer.indexer.listKeys()),
      onDelete: () => inside.push(informer.indexer.listKeys()),
    });
    await using _ = informer.start();
    await clock.advance(0);
    seen.length = 0;
    inside.length = 0;
    server.cut(newExpired("too old"));
    change(server);
    await clock.advance(2000);
    return { seen, inside, informer };
  }

  test("every object seen as added is later seen as deleted if it goes: first, as tombstones with the last known state, then updates and adds in list order", async () => {
    const { seen, inside } = await relisted((server) => {
      server.remove("b");
      server.put("d", 1);
      server.put("a", 2);
    });
    expect(seen).toEqual(["delete tombstone default/b 1", "update a 1→2", "update c 1→1", "add d"]);
    expect(new Set(inside.map((keys) => keys.join(" ")))).toEqual(new Set(["default/a default/c default/d"]));
  });

  test("delete and create during a disconnect is one update with two uids", async () => {
    const uids: (string | undefined)[] = [];
    const { clock, server, informer } = rig();
    server.put("a", 1);
    informer.addEventHandler({ onUpdate: (old, thing) => uids.push(old.metadata.uid, thing.metadata.uid) });
    await using _ = informer.start();
    await clock.advance(0);
    server.cut(newExpired("x"));
    server.remove("a");
    server.put("a", 2);
    await clock.advance(2000);
    expect(uids).toHaveLength(2);
    expect(uids[0]).not.toBe(uids[1]);
  });

  test("with resync period 0, updates without a change reach every handler", async () => {
    const { seen } = await relisted(() => {});
    expect(seen).toEqual(["update a 1→1", "update b 1→1", "update c 1→1"]);
  });

  test("with a period, they reach only those who are due for a resync", async () => {
    const { clock, server, informer } = rig({ resyncPeriodMs: 60_000 });
    server.put("a", 1);
    const { seen, handler } = recorder();
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    server.cut(newExpired("x"));
    await clock.advance(2000);
    // new handlers count as due until the first tick
    expect(seen).toEqual(["add a initially", "update a 1→1"]);
    await clock.advance(60_000);
    expect(seen).toHaveLength(3);
    await clock.advance(60_000);
    expect(seen).toHaveLength(4);
  });
});

describe("hasSynced", () => {
  test("means processed, not listed: it is false while the list is only queued", async () => {
    const { clock, server, informer } = rig();
    server.put("a");
    const states: boolean[] = [];
    informer.addEventHandler({ onAdd: () => void states.push(informer.hasSynced) });
    expect(informer.hasSynced).toBe(false);
    await using _ = informer.start();
    await clock.advance(0);
    expect(informer.hasSynced).toBe(true);
    expect(states).toEqual([true]);
  });

  test("of a registration waits until each initial add has been handled", async () => {
    const { clock, server, informer } = rig();
    server.put("a");
    server.put("b");
    const release: (() => void)[] = [];
    const slow = informer.addEventHandler({ onAdd: () => new Promise<void>((resolve) => release.push(resolve)) });
    const quick = informer.addEventHandler({});
    await using _ = informer.start();
    await clock.advance(0);
    expect([informer.hasSynced, quick.hasSynced, slow.hasSynced]).toEqual([true, true, false]);
    let waited = false;
    const waiting = slow.waitForSync({ signal: new AbortController().signal }).then(() => {
      waited = true;
    });
    release.shift()?.();
    await clock.advance(0);
    expect([slow.hasSynced, waited]).toEqual([false, false]);
    release.shift()?.();
    await clock.advance(0);
    await waiting;
    expect(slow.hasSynced).toBe(true);
  });

  test("is never true if the informer is stopped before", async () => {
    const { clock, server, informer } = rig();
    server.refuse = () => new Error("down");
    const running = informer.start();
    const waiting = informer.waitForSync({ signal: AbortSignal.abort(new Error("enough")) });
    await expect(waiting).rejects.toThrow("enough");
    await clock.advance(0);
    await running[Symbol.asyncDispose]();
    expect([informer.hasSynced, informer.isStopped]).toEqual([false, true]);
  });

  test("a handler that throws on an initial add becomes synced all the same", async () => {
    const { clock, server, informer } = rig();
    server.put("a");
    const registration = informer.addEventHandler({
      onAdd() {
        throw new Error("no");
      },
    });
    await using _ = informer.start();
    await clock.advance(0);
    expect(registration.hasSynced).toBe(true);
  });
});

describe("a handler", () => {
  test("that throws is reported with its name, and gets the next event", async () => {
    const { clock, server, informer, log } = rig();
    const seen: string[] = [];
    informer.addEventHandler(
      {
        onAdd(thing) {
          seen.push(thing.metadata.name);
          throw new Error("broken handler");
        },
      },
      { name: "fragile" },
    );
    await using _ = informer.start();
    await clock.advance(0);
    server.put("a");
    server.put("b");
    await clock.advance(0);
    expect(seen).toEqual(["a", "b"]);
    expect(log.filter((line) => line.includes("fragile"))).toHaveLength(2);
  });

  test("that is async sees changes one at a time, possibly merged; others are not held up", async () => {
    const { clock, server, informer } = rig();
    const release: (() => void)[] = [];
    const slow: string[] = [];
    informer.addEventHandler({
      async onAdd(thing) {
        slow.push(`begin ${thing.metadata.name}`);
        await new Promise<void>((resolve) => release.push(resolve));
        slow.push(`end ${thing.metadata.name}`);
      },
    });
    const { seen, handler } = recorder();
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    server.put("a");
    server.put("b");
    await clock.advance(0);
    expect(seen).toEqual(["add a", "add b"]);
    expect(slow).toEqual(["begin a"]);
    release.shift()?.();
    await clock.advance(0);
    expect(slow).toEqual(["begin a", "end a", "begin b"]);
    release.shift()?.();
  });

  test("a slow handler delays nobody but itself: its backlog is measured, and it is told of", async () => {
    const { clock, server, informer } = rig();
    const alarms: number[] = [];
    const held: (() => void)[] = [];
    const slow = informer.addEventHandler(
      { onAdd: () => new Promise<void>((resolve) => held.push(resolve)) },
      { onBacklog: (pending) => alarms.push(pending) },
    );
    const { seen, handler } = recorder();
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    for (let i = 0; i < 5000; i++) server.put(`t${i}`);
    for (let turn = 0; turn < 20; turn++) await clock.advance(0);
    held[0]?.();
    expect(seen).toHaveLength(5000);
    expect(informer.indexer.size).toBe(5000);
    expect(slow.pending).toBe(4999);
    expect(alarms.length).toBeGreaterThanOrEqual(2);
    expect(alarms[0]).toBeGreaterThan(1024);
    slow[Symbol.dispose]();
  });

  test("that joins late gets every object as an initial add, then each change, with neither gap nor repetition", async () => {
    const { clock, server, informer } = rig();
    for (const name of ["a", "b"]) server.put(name, 1);
    await using _ = informer.start();
    await clock.advance(0);
    const { seen, handler } = recorder();
    server.put("c", 1);
    const registration = informer.addEventHandler(handler);
    expect(registration.hasSynced).toBe(false);
    server.put("a", 2);
    server.remove("b");
    await clock.advance(0);
    expect(seen).toEqual(["add a initially", "add b initially", "add c", "update a 1→2", "delete b"]);
    expect(registration.hasSynced).toBe(true);
  });

  test("that is removed gets nothing more: what waited is dropped, the call under way completes", async () => {
    const { clock, server, informer } = rig();
    const held: (() => void)[] = [];
    const seen: string[] = [];
    const registration = informer.addEventHandler({
      async onAdd(thing) {
        seen.push(`begin ${thing.metadata.name}`);
        await new Promise<void>((resolve) => held.push(resolve));
        seen.push(`end ${thing.metadata.name}`);
      },
    });
    await using _ = informer.start();
    await clock.advance(0);
    server.put("a");
    server.put("b");
    await clock.advance(0);
    let removed = false;
    const removing = informer.removeEventHandler(registration).then(() => {
      removed = true;
    });
    await clock.advance(0);
    expect(removed).toBe(false);
    held[0]?.();
    await removing;
    server.put("c");
    await clock.advance(0);
    expect(seen).toEqual(["begin a", "end a"]);
    expect(informer.handlers).toEqual([]);
  });

  test("may be registered twice, each time on its own; foreign and removed registrations do nothing", async () => {
    const { clock, server, informer } = rig();
    const other = rig().informer;
    const { seen, handler } = recorder();
    const first = informer.addEventHandler(handler);
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    await other.removeEventHandler(first);
    server.put("a");
    await clock.advance(0);
    expect(seen).toEqual(["add a", "add a"]);
    await informer.removeEventHandler(first);
    await informer.removeEventHandler(first);
    server.put("b");
    await clock.advance(0);
    expect(seen).toEqual(["add a", "add a", "add b"]);
  });

  test("is taken away by disposing its registration", async () => {
    const { clock, server, informer } = rig();
    const { seen, handler } = recorder();
    await using _ = informer.start();
    {
      using _registered = informer.addEventHandler(handler);
      await clock.advance(0);
      server.put("a");
      await clock.advance(0);
    }
    server.put("b");
    await clock.advance(0);
    expect(seen).toEqual(["add a"]);
  });

  test("of deletions is told also of objects that the cache never had", async () => {
    const { clock, server, informer } = rig();
    const { seen, handler } = recorder();
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    const object = { apiVersion: "v1", kind: "Thing", metadata: { name: "x", resourceVersion: "150" } };
    server.open[0]?.send({ type: "DELETED", object });
    await clock.advance(0);
    expect(seen).toEqual(["delete x"]);
  });
});

describe("event kinds come from the cache", () => {
  test("an ADDED of a cached object is an update, a MODIFIED of an unknown one an add", async () => {
    const { clock, server, informer } = rig();
    server.put("a", 1);
    const { seen, handler } = recorder();
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    const thing = (name: string, value: number, revision: string): Thing => ({
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name, namespace: "default", resourceVersion: revision },
      spec: { value },
    });
    server.open[0]?.send(
      { type: "ADDED", object: thing("a", 2, "150") },
      { type: "MODIFIED", object: thing("b", 1, "151") },
    );
    await clock.advance(0);
    expect(seen).toEqual(["add a initially", "update a 1→2", "add b"]);
  });

  test("per object, handlers see changes in revision order: late and repeated events are dropped", async () => {
    const registry = new MetricsRegistry();
    const { clock, server, informer } = rig({ metrics: registry, name: "things" });
    const first = server.put("a", 1);
    const { seen, handler } = recorder();
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    server.put("a", 2);
    await clock.advance(0);
    server.open[0]?.send({ type: "MODIFIED", object: first });
    await clock.advance(0);
    server.remove("a");
    await clock.advance(0);
    server.open[0]?.send({ type: "ADDED", object: first }, { type: "DELETED", object: first });
    await clock.advance(0);
    expect(seen).toEqual(["add a initially", "update a 1→2", "delete a"]);
    expect(registry.expose()).toContain('informer_stale_events_total{name="things"} 3');
  });
});

describe("resync", () => {
  const counting = (): {
    readonly times: number[];
    readonly handler: (clock: FakeClock) => ResourceEventHandler<Thing>;
  } => {
    const times: number[] = [];
    return { times, handler: (clock) => ({ onUpdate: () => void times.push(clock.monotonic()) }) };
  };

  test("the check period is the smallest that was asked for before the start; each handler has its own", async () => {
    const { clock, server, informer } = rig({ resyncPeriodMs: 30_000 });
    server.put("a");
    const [eager, lazy] = [counting(), counting()];
    informer.addEventHandler(eager.handler(clock), { resyncPeriodMs: 10_000 });
    informer.addEventHandler(lazy.handler(clock), { resyncPeriodMs: 25_000 });
    await using _ = informer.start();
    await clock.advance(61_000);
    expect(eager.times).toEqual([10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
    // rounded up to a multiple of the check period
    expect(lazy.times).toEqual([30_000, 60_000]);
  });

  test("a handler that comes after the start is slowed down to the check period", async () => {
    const { clock, server, informer } = rig({ resyncPeriodMs: 20_000 });
    server.put("a");
    await using _ = informer.start();
    await clock.advance(0);
    const late = counting();
    informer.addEventHandler(late.handler(clock), { resyncPeriodMs: 5_000 });
    await clock.advance(41_000);
    expect(late.times).toEqual([20_000, 40_000]);
  });

  test("no handler is resynced more often than once a second", async () => {
    const { clock, server, informer } = rig({ resyncPeriodMs: 20_000 });
    server.put("a");
    const eager = counting();
    informer.addEventHandler(eager.handler(clock), { resyncPeriodMs: 10 });
    await using _ = informer.start();
    await clock.advance(3_000);
    expect(eager.times).toEqual([1000, 2000, 3000]);
  });

  test("an informer with period 0 never resyncs, also for those who ask", async () => {
    const { clock, server, informer, log } = rig({ resyncPeriodMs: 0 });
    server.put("a");
    const asking = counting();
    informer.addEventHandler(asking.handler(clock), { resyncPeriodMs: 1_000 });
    await using _ = informer.start();
    await clock.advance(60_000);
    expect(asking.times).toEqual([]);
    expect(log.some((line) => line.includes("does not resync"))).toBe(true);
  });

  test("comes from the cache as it is when processed, with twice the same object, and not from the server", async () => {
    const { clock, server, informer } = rig({ resyncPeriodMs: 10_000 });
    server.put("a", 1);
    const same: boolean[] = [];
    informer.addEventHandler({ onUpdate: (old, thing) => void same.push(old === thing) });
    await using _ = informer.start();
    await clock.advance(10_000);
    expect(same).toEqual([true]);
    expect(server.calls).toHaveLength(1);
  });
});

describe("life", () => {
  test("starts once, and cannot be started again after the stop", async () => {
    const { informer } = rig();
    const running = informer.start();
    expect(() => informer.start()).toThrow("was started already");
    await running[Symbol.asyncDispose]();
    expect(() => informer.start()).toThrow("was started already");
    expect(informer.isStopped).toBe(true);
  });

  test("after the stop no handler and no indexer can be added, but handlers can be removed", async () => {
    const { informer } = rig();
    const registration = informer.addEventHandler({});
    await informer.start()[Symbol.asyncDispose]();
    expect(() => informer.addEventHandler({})).toThrow("was stopped");
    expect(() => informer.addIndexers({ x: () => [] })).toThrow("was stopped");
    await informer.removeEventHandler(registration);
  });

  test("transform and watch error handler can be set before the start, the last call counts; afterwards they fail", async () => {
    const { clock, server, informer } = rig();
    server.put("a", 1);
    informer.setTransform((thing) => ({ ...thing, spec: { value: 7 } }));
    informer.setTransform((thing) => ({ ...thing, spec: { value: 9 } }));
    const errors: unknown[] = [];
    informer.setWatchErrorHandler((error) => errors.push(error));
    await using _ = informer.start();
    await clock.advance(0);
    expect(informer.indexer.get("default/a")?.spec?.value).toBe(9);
    expect(() => informer.setTransform(undefined)).toThrow("too late");
    expect(() => informer.setWatchErrorHandler(() => {})).toThrow("too late");
  });

  test("stopping waits for the handlers' last calls, and drops what waits", async () => {
    const { clock, server, informer } = rig();
    const seen: string[] = [];
    const held: (() => void)[] = [];
    informer.addEventHandler({
      async onAdd(thing) {
        await new Promise<void>((resolve) => held.push(resolve));
        seen.push(thing.metadata.name);
      },
    });
    const running = informer.start();
    await clock.advance(0);
    server.put("a");
    server.put("b");
    await clock.advance(0);
    let stopped = false;
    const stopping = running[Symbol.asyncDispose]().then(() => {
      stopped = true;
    });
    await clock.advance(0);
    expect(stopped).toBe(false);
    held[0]?.();
    await stopping;
    expect(seen).toEqual(["a"]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("indexers can be added before and after the start", async () => {
    const { clock, server, informer } = rig({ indexers: { first: () => ["x"] } });
    server.put("a", 3);
    informer.addIndexers({ second: () => ["y"] });
    await using _ = informer.start();
    await clock.advance(0);
    informer.addIndexers({ byValue: (thing) => [String(thing.spec?.value)] });
    for (const [name, value] of [
      ["first", "x"],
      ["second", "y"],
      ["byValue", "3"],
    ] as const)
      expect(informer.indexer.indexKeys(name, value)).toEqual(["default/a"]);
  });

  test("a frozen cache refuses changes", async () => {
    const { clock, server, informer } = rig({ freeze: true });
    server.put("a", 1);
    await using _ = informer.start();
    await clock.advance(0);
    const thing = informer.indexer.get("default/a") as { spec: { value: number } };
    expect(() => {
      thing.spec.value = 2;
    }).toThrow(TypeError);
  });
});

test("bookmarks move the store's revision, in order, through the queue", async () => {
  const { clock, server, informer } = rig();
  await using _ = informer.start();
  await clock.advance(0);
  server.revision += 20;
  server.bookmark();
  await clock.advance(0);
  expect(informer.lastStoreSyncResourceVersion).toBe("120");
  expect(informer.lastSyncResourceVersion).toBe("120");
});

test("metrics carry the informer's name, and the handler's", async () => {
  const registry = new MetricsRegistry();
  const { clock, server, informer } = rig({ metrics: registry, name: "things" });
  server.put("a");
  informer.addEventHandler({ onAdd: () => {} }, { name: "mine" });
  await using _ = informer.start();
  await clock.advance(0);
  const text = registry.expose();
  for (const line of [
    'reflector_lists_total{name="things"} 1',
    'reflector_watches_total{name="things"} 1',
    'reflector_items_per_list_sum{name="things"} 1',
    'informer_store_objects{name="things"} 1',
    'informer_store_resource_version{name="things"} 101',
    'informer_queued_items{name="things"} 0',
    `informer_store_bytes{name="things"} ${informer.estimatedBytes}`,
    'informer_handler_pending{name="things",handler="mine"} 0',
    'informer_handler_duration_seconds_count{name="things",handler="mine"} 1',
  ])
    expect(text).toContain(line);
});
