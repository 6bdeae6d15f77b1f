import { describe, expect, test } from "vitest";
import { ModelServer, type Thing } from "../../test/informer/model-server.js";
import { newExpired, newForbidden } from "../api/index.js";
import { MetricsRegistry } from "../base/index.js";
import type { InformerOptions } from "./index.js";
import { recorder, rig } from "../../test/informer/informer-rig.js";

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

test("metrics count what went wrong: short watches, errors, skipped objects; a revision is its last 15 digits", async () => {
  const registry = new MetricsRegistry();
  const server = new ModelServer({ supportsWatchList: false });
  const { clock, informer } = rig({ metrics: registry, name: "things" }, server);
  await using _ = informer.start();
  await clock.advance(0);
  server.cut();
  await clock.advance(2000);
  server.open[0]?.send({ type: "ADDED", object: { metadata: {} } as Thing });
  server.open[0]?.send({ type: "BOOKMARK", object: { metadata: { resourceVersion: "123456789012345678" } } });
  await clock.advance(0);
  server.refuse = () => newForbidden({ group: "", resource: "things" }, "", "no");
  server.cut();
  await clock.advance(0);
  const text = registry.expose();
  for (const line of [
    'reflector_short_watches_total{name="things"} 1',
    'reflector_errors_total{name="things"} 2',
    'reflector_skipped_objects_total{name="things"} 1',
    'reflector_lists_total{name="things"} 2',
    'reflector_watch_duration_seconds_count{name="things"} 2',
    'informer_store_resource_version{name="things"} 456789012345678',
  ])
    expect(text).toContain(line);
});

for (const supportsWatchList of [true, false])
  test(`objects that are not kept are not cached; a new list shows which are kept now, streamed: ${supportsWatchList}`, async () => {
    let kept = ["a"];
    const keeps = ({ metadata }: Thing): boolean => kept.includes(metadata.name);
    const { clock, server, informer } = rig({ keeps }, new ModelServer({ supportsWatchList }));
    for (const name of ["a", "b", "c"]) server.put(name, 1);
    const { seen, handler } = recorder();
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    server.put("b", 2);
    server.remove("c");
    await clock.advance(0);
    expect([informer.indexer.listKeys(), seen]).toEqual([["default/a"], ["add a initially"]]);
    expect(informer.lastSyncResourceVersion).toBe("105");
    kept = ["b"];
    const listed = informer.relist({ signal: new AbortController().signal });
    await clock.advance(0);
    await listed;
    expect([informer.indexer.listKeys(), seen.slice(1)]).toEqual([
      ["default/b"],
      ["delete tombstone default/a 1", "add b"],
    ]);
    server.put("a", 3);
    server.put("b", 3);
    await clock.advance(0);
    expect([informer.indexer.listKeys(), seen.slice(3)]).toEqual([["default/b"], ["update b 2→3"]]);
    kept = ["a"];
    const again = informer.relist({ signal: new AbortController().signal });
    await clock.advance(0);
    await again;
    expect(informer.indexer.listKeys()).toEqual(["default/a"]);
  });

test("a new list that cannot be had is awaited until it can, or until the caller gives up", async () => {
  const { clock, server, informer } = rig();
  server.put("a", 1);
  const early = informer.relist({ signal: new AbortController().signal });
  await expect(early).rejects.toThrow("was not started");
  await using _ = informer.start();
  await clock.advance(0);
  server.refuse = () => newForbidden({ group: "", resource: "things" }, "", "no");
  const leaving = new AbortController();
  const left = informer.relist({ signal: leaving.signal });
  let isListed = false;
  const listed = informer.relist({ signal: new AbortController().signal }).then(() => void (isListed = true));
  await clock.advance(5_000);
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  expect(isListed).toBe(false);
  server.refuse = undefined;
  await clock.advance(60_000);
  await listed;
  expect(isListed).toBe(true);
});
