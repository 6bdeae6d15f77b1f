/** The order in which handlers see many changes at once, and the meaning of the cache's revision. */
import { describe, expect, test } from "vitest";
import { newExpired } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import {
  DeletedFinalStateUnknown,
  deletionHandlingKey,
  type InformerOptions,
  SharedIndexInformer,
} from "../../src/informer/index.js";
import { ModelServer, type Thing } from "./model-server.js";

function rig(options: Partial<InformerOptions<Thing>> = {}) {
  const clock = new FakeClock();
  const server = new ModelServer();
  return { clock, server, informer: new SharedIndexInformer<Thing>({ source: server, clock, ...options }) };
}

const event = (type: "ADDED" | "MODIFIED", name: string, revision: string): { type: typeof type; object: Thing } => ({
  type,
  object: {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name, namespace: "default", uid: name, resourceVersion: revision },
  },
});

describe("a batch", () => {
  test("is applied as a whole before its first callback, and callbacks come in the order of the changes", async () => {
    const { clock, server, informer } = rig();
    const seen: string[] = [];
    const look = (what: string) => (thing: Thing) =>
      void seen.push(`${what} ${thing.metadata.name}, cached: ${informer.indexer.listKeys().join(" ")}`);
    informer.addEventHandler({ onAdd: look("add"), onUpdate: (_old, thing) => look("update")(thing) });
    await using _ = informer.start();
    await clock.advance(0);
    server.open[0]?.send(event("ADDED", "a", "201"), event("ADDED", "b", "202"), event("ADDED", "c", "203"));
    await clock.advance(0);
    const cached = "default/a default/b default/c";
    expect(seen).toEqual([`add a, cached: ${cached}`, `add b, cached: ${cached}`, `add c, cached: ${cached}`]);
  });

  test("never holds two changes of one key: each update comes with the state before it", async () => {
    const { clock, server, informer } = rig();
    const pairs: string[] = [];
    informer.addEventHandler({
      onUpdate: (old, thing) => void pairs.push(`${old.metadata.resourceVersion}→${thing.metadata.resourceVersion}`),
    });
    await using _ = informer.start();
    await clock.advance(0);
    server.open[0]?.send(event("ADDED", "a", "201"), event("MODIFIED", "a", "202"), event("MODIFIED", "a", "203"));
    await clock.advance(0);
    expect(pairs).toEqual(["201→202", "202→203"]);
  });

  test("has callbacks only for what could be applied: an object that cannot be transformed has none", async () => {
    const { clock, server, informer } = rig({
      transform(thing) {
        if (thing.metadata.name === "bad") throw new Error("cannot");
        return thing;
      },
    });
    const seen: string[] = [];
    informer.addEventHandler({ onAdd: (thing) => void seen.push(thing.metadata.name) });
    await using _ = informer.start();
    await clock.advance(0);
    server.open[0]?.send(event("ADDED", "a", "201"), event("ADDED", "bad", "202"), event("ADDED", "b", "203"));
    await clock.advance(0);
    expect(seen).toEqual(["a", "b"]);
    expect(informer.indexer.listKeys()).toEqual(["default/a", "default/b"]);
    expect(informer.lastSyncResourceVersion).toBe("203");
  });
});

describe("the cache's revision", () => {
  test("moves with a deletion to the revision of the deletion, and with bookmarks behind what came before", async () => {
    const { clock, server, informer } = rig();
    server.put("a");
    await using _ = informer.start();
    await clock.advance(0);
    server.remove("a");
    await clock.advance(0);
    expect(informer.lastStoreSyncResourceVersion).toBe(String(server.revision));
    server.revision = 500;
    server.bookmark();
    await clock.advance(0);
    expect(informer.lastStoreSyncResourceVersion).toBe("500");
  });

  test("is compared as an integer of any length: not as a text, and not as a double", async () => {
    const { clock, server, informer } = rig();
    const seen: string[] = [];
    informer.addEventHandler({
      onAdd: (thing) => void seen.push(`add ${thing.metadata.resourceVersion}`),
      onUpdate: (_old, thing) => void seen.push(`update ${thing.metadata.resourceVersion}`),
    });
    await using _ = informer.start();
    await clock.advance(0);
    const revisions = ["999", "1000", "999", "90071992547409930", "90071992547409931", "90071992547409930"];
    for (const revision of revisions) server.open[0]?.send(event("MODIFIED", "a", revision));
    await clock.advance(0);
    expect(seen).toEqual(["add 999", "update 1000", "update 90071992547409930", "update 90071992547409931"]);
    expect(informer.lastSyncResourceVersion).toBe("90071992547409931");
  });
});

describe("tombstones", () => {
  test("the key is the one sure datum: whoever wants a key takes an object, a tombstone, and one without an object", () => {
    const { object } = event("ADDED", "a", "1");
    expect(deletionHandlingKey(object)).toBe("default/a");
    expect(deletionHandlingKey(new DeletedFinalStateUnknown("default/a", object))).toBe("default/a");
    expect(deletionHandlingKey(new DeletedFinalStateUnknown<Thing>("default/b", undefined))).toBe("default/b");
  });

  test("are never transformed, nor are objects that a resync shows again", async () => {
    const transformed: string[] = [];
    const { clock, server, informer } = rig({
      resyncPeriodMs: 10_000,
      transform(thing) {
        transformed.push(thing.metadata.name);
        return thing;
      },
    });
    server.put("a");
    server.put("b");
    const gone: unknown[] = [];
    let updates = 0;
    informer.addEventHandler({ onDelete: (thing) => gone.push(thing), onUpdate: () => void updates++ });
    await using _ = informer.start();
    await clock.advance(0);
    await clock.advance(10_000);
    expect(updates).toBe(2);
    transformed.length = 0;
    server.cut(newExpired("too old"));
    server.remove("b");
    await clock.advance(2000);
    expect(gone).toEqual([expect.any(DeletedFinalStateUnknown)]);
    expect(transformed).toEqual(["a"]);
  });
});

test("a long list that changes everything is told in order: deletions, then the list", async () => {
  const { clock, server, informer } = rig();
  for (let i = 0; i < 1200; i++) server.put(`t${i}`);
  const seen: string[] = [];
  informer.addEventHandler({
    onAdd: (thing, initial) => void seen.push(`add ${thing.metadata.name} ${initial}`),
    onUpdate: (_old, thing) => void seen.push(`update ${thing.metadata.name}`),
    onDelete: (thing) => void seen.push(`delete ${deletionHandlingKey(thing)}`),
  });
  await using _ = informer.start();
  for (let turn = 0; turn < 5; turn++) await clock.advance(0);
  expect(seen).toEqual(Array.from({ length: 1200 }, (_x, i) => `add t${i} true`));
  seen.length = 0;
  server.cut(newExpired("too old"));
  for (let i = 0; i < 600; i++) server.remove(`t${i}`);
  for (let i = 1200; i < 1500; i++) server.put(`t${i}`);
  for (let turn = 0; turn < 5; turn++) await clock.advance(1000);
  expect(seen).toEqual([
    ...Array.from({ length: 600 }, (_x, i) => `delete default/t${i}`),
    ...Array.from({ length: 600 }, (_x, i) => `update t${i + 600}`),
    ...Array.from({ length: 300 }, (_x, i) => `add t${i + 1200} false`),
  ]);
});

test("an object that came and is missing in the list behind it is told as added and then as deleted, though both waited in the queue", async () => {
  const { clock, server, informer } = rig();
  const seen: string[] = [];
  informer.addEventHandler({
    onAdd: (thing) => void seen.push(`add ${thing.metadata.name}`),
    onDelete: (thing) =>
      void seen.push(`delete ${deletionHandlingKey(thing)} ${thing instanceof DeletedFinalStateUnknown}`),
  });
  await using _ = informer.start();
  await clock.advance(0);
  const [open] = server.open;
  open?.send(event("ADDED", "a", "201"));
  server.revision = 300;
  open?.end(newExpired("old"));
  await clock.advance(2000);
  expect(seen).toEqual(["add a", "delete default/a true"]);
});

describe("updates of a source without revisions, or of objects that a transform made something else of", () => {
  for (const [what, options] of [
    ["without revisions", {}],
    ["something else", { transform: (thing: Thing) => [thing] as unknown as Thing, key: () => "it" }],
  ] as const)
    test(`are told to every handler, whether it is due for a resync or not: ${what}`, async () => {
      const { clock, server, informer } = rig({ resyncPeriodMs: 60_000, ...options });
      let updates = 0;
      informer.addEventHandler({ onUpdate: () => void updates++ }, { resyncPeriodMs: 600_000 });
      informer.addEventHandler({}, { resyncPeriodMs: 60_000 });
      await using _ = informer.start();
      await clock.advance(61_000);
      const [open] = server.open;
      for (const type of ["ADDED", "MODIFIED", "MODIFIED"] as const) {
        open?.send({ type, object: { apiVersion: "v1", kind: "Thing", metadata: { name: "a" } } });
        await clock.advance(0);
      }
      expect(updates).toBe(2);
    });
});

describe("a source with one revision for everything", () => {
  test("objects may go and come back, though nothing tells the one event from the other", async () => {
    const { clock, server, informer } = rig();
    const seen: string[] = [];
    informer.addEventHandler({
      onAdd: (thing) => void seen.push(`add ${thing.metadata.name}`),
      onUpdate: (_old, thing) => void seen.push(`update ${thing.metadata.name}`),
      onDelete: (thing) => void seen.push(`delete ${deletionHandlingKey(thing)}`),
    });
    await using _ = informer.start();
    await clock.advance(0);
    const [open] = server.open;
    const { object } = event("ADDED", "a", "7");
    for (const type of ["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED", "DELETED", "ADDED"] as const) {
      open?.send({ type, object });
      await clock.advance(0);
    }
    expect(seen).toEqual(["add a", "update a", "delete default/a", "add a", "delete default/a", "add a"]);
  });
});

test("a server that was restored from a backup: its lower revisions are the truth, also for what was deleted since", async () => {
  const { clock, server, informer } = rig();
  server.put("a", 1);
  const backup = server.put("b", 1);
  await using _ = informer.start();
  await clock.advance(2000);
  server.put("a", 2);
  server.remove("b");
  await clock.advance(0);
  // everything since is undone, and forgotten
  server.cut();
  server.compact();
  server.compactedAt = 0;
  server.revision = 102;
  server.objects.set("default/b", backup);
  server.put("a", 3);
  await clock.advance(5000);
  expect(new Map(informer.indexer.list().map((thing) => [thing.metadata.name, thing.spec?.value]))).toEqual(
    new Map([
      ["a", 3],
      ["b", 1],
    ]),
  );
  server.put("b", 4);
  await clock.advance(0);
  expect(informer.indexer.get("default/b")?.spec?.value).toBe(4);
});
