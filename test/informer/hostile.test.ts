/**
 * Servers that break the rules: the guarantees of informers hold all the same, or again as soon as the servers keep the
 * rules.
 */
import { describe, expect, test } from "vitest";
import { newExpired, type Status } from "../../src/api/index.js";
import { onAbort } from "../../src/base/index.js";
import type { ListPage, SourceWatchOptions } from "../../src/informer/index.js";
import { rig as informerRig } from "./informer-rig.js";
import { rig, verbs } from "./reflector-rig.js";
import { bookmarkAt, ModelServer, ModelWatch, type Thing, type ThingEvent } from "./model-server.js";

const thing = (name: string, resourceVersion: string, namespace = "default"): Thing => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name, namespace, resourceVersion },
});

/** A server that accepts each watch and says nothing of its own accord: tests say it. */
class Puppet extends ModelServer {
  override async watch(options: SourceWatchOptions, signal: AbortSignal): Promise<ModelWatch> {
    this.calls.push({ verb: "watch", options });
    const watch = new ModelWatch(options);
    onAbort(signal, (reason) => watch.end(reason));
    this.watches.push(watch);
    return watch;
  }
}

/** Values that are no watch event, or have no object. */
const garbage: readonly [string, unknown][] = [
  ["an event without an object", { type: "ADDED" }],
  ["an object that is null", { type: "MODIFIED", object: null }],
  ["an object that is a text", { type: "ADDED", object: "thing" }],
  ["an object without metadata", { type: "ADDED", object: { kind: "Thing", apiVersion: "example.com/v1" } }],
  ["an object whose metadata is null", { type: "DELETED", object: { metadata: null } }],
  ["an object without a name", { type: "ADDED", object: { metadata: { resourceVersion: "7" } } }],
  ["a deletion of nothing", { type: "DELETED", object: undefined }],
  ["a bookmark without an object", { type: "BOOKMARK" }],
  ["a bookmark without metadata", { type: "BOOKMARK", object: { kind: "Thing" } }],
  ["a bookmark without a revision", { type: "BOOKMARK", object: { metadata: {} } }],
  ["an unknown type", { type: "RENAMED", object: thing("x", "7") }],
];

describe("one bad event is skipped, and neither ends the stream nor keeps the others out", () => {
  for (const [what, event] of garbage) {
    test(`${what}, in a watch`, async () => {
      await using it = rig();
      await it.clock.advance(0);
      it.server.watches[0]?.send(event as ThingEvent, { type: "ADDED", object: thing("a", "201") });
      await it.clock.advance(0);
      expect([...it.store.objects.keys()].filter((name) => name !== undefined)).toEqual(["a"]);
      expect(it.reflector.lastSyncResourceVersion).toBe("201");
      expect(it.server.calls).toHaveLength(2);
    });

    test(`${what}, among the initial objects of a stream`, async () => {
      await using it = rig({ server: new Puppet() });
      await it.clock.advance(0);
      it.server.watches[0]?.send(
        { type: "ADDED", object: thing("a", "1") },
        event as ThingEvent,
        { type: "ADDED", object: thing("b", "2") },
        bookmarkAt(300, "true"),
      );
      await it.clock.advance(0);
      expect(it.store.log).toEqual(["replace a,b @300"]);
      expect(verbs(it.server)).toEqual(['watch ""']);
    });
  }

  test("an object that is null in a list, and a list without items", async () => {
    const server = new ModelServer({ supportsWatchList: false });
    const items = [thing("a", "1"), null, thing("b", "2")] as Thing[];
    const pages = [
      { metadata: { resourceVersion: "9" }, items },
      { metadata: { resourceVersion: "10" }, items: null },
    ];
    server.list = async () => pages.shift() as ListPage<Thing>;
    await using it = rig({ server });
    await it.clock.advance(0);
    server.cut(newExpired("old"));
    await it.clock.advance(800);
    expect(it.store.log).toEqual(["replace a,b @9", "replace  @10"]);
    expect(it.skipped()).toBe(1);
  });

  test("events for objects of another namespace than was asked for are cached like any other: the server decides", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.watches[0]?.send({ type: "ADDED", object: thing("a", "201", "elsewhere") });
    await it.clock.advance(0);
    expect(it.store.objects.get("a")?.metadata.namespace).toBe("elsewhere");
  });
});

describe("an ERROR event", () => {
  const status = (code: number, reason: string): Status =>
    ({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, reason, message: reason }) as Status;

  for (const [code, reason, next] of [
    [410, "Expired", "list"],
    [410, "Gone", "list"],
    [429, "TooManyRequests", "watch"],
    [500, "InternalError", "list"],
    [500, "StoreReadError", "list"],
    [504, "Timeout", "list"],
    [503, "ServiceUnavailable", "list"],
    [403, "Forbidden", "list"],
    [401, "Unauthorized", "list"],
    [404, "NotFound", "list"],
    [400, "", "list"],
  ] as const)
    test(`of ${code} ${reason} leads to a ${next} at the known revision after a wait, and no change is lost`, async () => {
      await using it = rig();
      await it.clock.advance(2000);
      it.server.watches[0]?.send({ type: "ERROR", object: status(code, reason) });
      await it.clock.advance(0);
      it.server.put("a");
      expect(it.server.calls).toHaveLength(2);
      await it.clock.advance(800);
      expect(verbs(it.server)[2]).toBe(`${next} 100`);
      expect([...it.store.objects.keys()]).toEqual(["a"]);
      expect(it.server.watches[0]?.ended).toBe(true);
    });

  test("without a Status is a failure like any other", async () => {
    await using it = rig();
    await it.clock.advance(2000);
    it.server.watches[0]?.send({ type: "ERROR" } as unknown as ThingEvent);
    await it.clock.advance(800);
    expect(verbs(it.server).slice(2)).toEqual(["list 100", "watch 100"]);
    expect(it.reflector.isWatching).toBe(true);
  });

  test("that says that a corrupt object was deleted unsafely: the list that follows replaces the store, without it", async () => {
    await using it = rig();
    it.server.put("kept");
    await it.clock.advance(0);
    it.server.put("corrupt");
    await it.clock.advance(0);
    expect([...it.store.objects.keys()]).toEqual(["kept", "corrupt"]);
    // the deletion itself is never sent as an event
    it.server.objects.delete("default/corrupt");
    it.server.revision += 1;
    it.server.watches[0]?.send({ type: "ERROR", object: status(500, "StoreReadError") });
    await it.clock.advance(800);
    expect(it.store.log.at(-1)).toBe("replace kept @103");
    expect(it.reflector.lastSyncResourceVersion).toBe("103");
  });
});

describe("revisions that are none", () => {
  for (const revision of ["", "abc", "-1", "1e9", "00", "0"])
    test(`${JSON.stringify(revision)} in a bookmark or an object does not move the revision from which the next watch goes on`, async () => {
      await using it = rig();
      await it.clock.advance(1500);
      it.server.watches[0]?.send(
        { type: "BOOKMARK", object: { metadata: { resourceVersion: revision } } },
        { type: "MODIFIED", object: thing("a", revision) },
      );
      await it.clock.advance(0);
      it.server.cut();
      await it.clock.advance(0);
      expect(verbs(it.server)).toEqual(["list 0", "watch 100", "watch 100"]);
    });

  test("a source with revisions of its own making goes on from the last of them", async () => {
    const server = new ModelServer({ supportsWatchList: false });
    server.list = async () => ({ metadata: { resourceVersion: "tick" }, items: [] });
    const watch = server.watch.bind(server);
    server.watch = (options, signal) =>
      watch({ ...options, resourceVersion: "0" }, signal).then((opened) => {
        server.calls.push({ verb: "watch", options });
        return opened;
      });
    await using it = rig({ server });
    await it.clock.advance(1500);
    server.watches[0]?.send({ type: "MODIFIED", object: thing("a", "tock") });
    await it.clock.advance(0);
    server.cut();
    await it.clock.advance(0);
    expect(verbs(server)).toContain("watch tock");
  });

  test("out of order: the next watch goes on from no earlier than where this one began", async () => {
    await using it = rig();
    await it.clock.advance(1500);
    it.server.revision = 400;
    for (const revision of ["205", "203", "50", "204"])
      it.server.watches[0]?.send({ type: "MODIFIED", object: thing("a", revision) });
    await it.clock.advance(0);
    expect(it.reflector.lastSyncResourceVersion).toBe("205");
    it.server.cut();
    await it.clock.advance(0);
    expect(verbs(it.server).at(-1)).toBe("watch 205");
  });
});

describe("late and repeated events among the initial objects", () => {
  const seen = async (...events: readonly ThingEvent[]): Promise<readonly string[]> => {
    await using it = rig({ server: new Puppet() });
    await it.clock.advance(0);
    it.server.watches[0]?.send(...events, bookmarkAt(300, "true"));
    await it.clock.advance(0);
    return [...it.store.objects.values()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
  };
  const event = (type: "ADDED" | "MODIFIED" | "DELETED", revision: string): ThingEvent => ({
    type,
    object: thing("a", revision),
  });

  test("an older state does not take the place of a newer one", async () => {
    expect(await seen(event("ADDED", "5"), event("MODIFIED", "7"), event("ADDED", "5"))).toEqual(["a@7"]);
  });

  test("the deletion of an earlier life leaves the present one", async () => {
    const lives = [event("ADDED", "5"), event("DELETED", "6"), event("ADDED", "7")];
    expect(await seen(...lives, event("DELETED", "6"))).toEqual(["a@7"]);
  });

  test("what was deleted does not come back", async () => {
    expect(await seen(event("ADDED", "5"), event("DELETED", "6"), event("ADDED", "5"))).toEqual([]);
  });
});

test("a deletion that comes late, while a later one waits in the queue, does not hide it", async () => {
  const { clock, server, informer } = informerRig();
  await using _ = informer.start();
  await clock.advance(0);
  const [open] = server.open;
  open?.send({ type: "ADDED", object: thing("a", "201") }, { type: "DELETED", object: thing("a", "202") });
  await clock.advance(0);
  open?.send(
    { type: "ADDED", object: thing("a", "203") },
    { type: "DELETED", object: thing("a", "202") },
    { type: "DELETED", object: thing("a", "204") },
  );
  await clock.advance(0);
  expect(informer.indexer.listKeys()).toEqual([]);
});

describe("the end of the initial objects", () => {
  test("that is told twice completes the list once; the second is a bookmark", async () => {
    await using it = rig({ server: new Puppet() });
    await it.clock.advance(0);
    it.server.watches[0]?.send({ type: "ADDED", object: thing("a", "1") }, bookmarkAt(300, "true"));
    it.server.watches[0]?.send({ type: "ADDED", object: thing("b", "301") }, bookmarkAt(301, "true"));
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace a @300", "ADDED b", "bookmark 301"]);
  });

  test("that is never told is waited for, with a warning, until the server ends the stream; then asked for anew", async () => {
    await using it = rig({ server: new Puppet() });
    await it.clock.advance(0);
    it.server.watches[0]?.send({ type: "ADDED", object: thing("a", "1") });
    await it.clock.advance(299_000);
    expect([it.store.log, verbs(it.server)]).toEqual([[], ['watch ""']]);
    it.server.cut();
    await it.clock.advance(0);
    expect(verbs(it.server)).toEqual(['watch ""', 'watch ""']);
    it.server.watches[1]?.send(bookmarkAt(300, "true"));
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace  @300"]);
  });

  test("that never comes because the connection died in silence is asked for anew", async () => {
    await using it = rig({ server: new Puppet() });
    await it.clock.advance(0);
    it.server.watches[0]?.send({ type: "ADDED", object: thing("a", "1") });
    await it.clock.advance(300_000 + 30_000);
    expect(verbs(it.server)).toEqual(['watch ""', 'watch ""']);
    expect(it.server.watches[0]?.ended).toBe(true);
  });
});

describe("a server that ends every stream at once", () => {
  test("after an event each: five in a row are asked again without a pause, then there is a wait", async () => {
    const server = new ModelServer({ supportsWatchList: false });
    await using it = rig({ server });
    const watch = server.watch.bind(server);
    server.watch = async (options, signal) => {
      const opened = await watch(options, signal);
      opened.send(bookmarkAt(server.revision));
      opened.end();
      return opened;
    };
    await it.clock.advance(0);
    expect(server.watches).toHaveLength(6);
    await it.clock.advance(799);
    expect(server.watches).toHaveLength(6);
    await it.clock.advance(1);
    expect(server.watches).toHaveLength(7);
    server.watch = watch;
    await it.clock.advance(60_000);
    server.put("a");
    await it.clock.advance(0);
    expect(it.store.objects.has("a")).toBe(true);
  });

  test("before the initial objects are complete: the same", async () => {
    const server = new Puppet();
    const watch = server.watch.bind(server);
    server.watch = async (options, signal) => {
      const opened = await watch(options, signal);
      opened.send({ type: "ADDED", object: thing("a", "1") });
      opened.end();
      return opened;
    };
    await using it = rig({ server });
    await it.clock.advance(0);
    expect(server.watches).toHaveLength(6);
    await it.clock.advance(10_000);
    expect(server.watches.length).toBeLessThan(12);
  });
});

test("a proxy that passes on the answer's head only at the end: what lasted minutes is no very short watch", async () => {
  const server = new ModelServer({ supportsWatchList: false });
  await using it = rig({ server });
  const watch = server.watch.bind(server);
  server.watch = async (options, signal) => {
    await it.clock.sleep(60_000, signal);
    const opened = await watch(options, signal);
    opened.end();
    return opened;
  };
  await it.clock.advance(0);
  await it.clock.advance(60_000);
  await it.clock.advance(60_000);
  expect(verbs(server)).toEqual(["list 0", "watch 100", "watch 100"]);
});
