import { describe, expect, test } from "vitest";
import { ModelServer, type Thing } from "../../test/informer/model-server.js";
import {
  defineResource,
  isNotFound,
  type KubeObject,
  newInternalError,
  parseLabelSelector,
  type ResourceType,
} from "../api/index.js";
import { FakeClock } from "../base/index.js";
import type { Client } from "../client/index.js";
import {
  CacheSyncError,
  createLister,
  type FactoryOptions,
  Indexer,
  namespaceIndex,
  namespaceIndexFunction,
  SharedInformerFactory,
} from "./index.js";

const Thing: ResourceType<Thing> = defineResource<Thing>({
  group: "example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  scope: "Namespaced",
});
const Other: ResourceType<KubeObject> = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Other",
  plural: "others",
  scope: "Cluster",
});

/** A client whose every kind is served by one model server; remembers the requests. */
function fakeClient(server = new ModelServer()): {
  client: Pick<Client, "resource" | "metadata">;
  asked: unknown[];
  server: ModelServer;
} {
  const asked: unknown[] = [];
  const streams = {
    limits: { listBytes: 2 ** 30 },
    stream({ signal, ...options }: { signal: AbortSignal }) {
      asked.push(options);
      const listed = server.list(options, signal);
      let envelope = {};
      return {
        bytes: 0,
        envelope: () => envelope,
        batches: async function* () {
          const { items, ...rest } = await listed;
          envelope = rest;
          yield items;
        },
      };
    },
    watch({ signal, ...options }: { signal: AbortSignal }) {
      asked.push(options);
      const opened = server.watch(options, signal);
      return {
        open: () => opened,
        batches: async function* () {
          yield* await opened;
        },
      };
    },
  };
  const client = { resource: () => streams, metadata: () => streams } as unknown as Pick<
    Client,
    "resource" | "metadata"
  >;
  return { client, asked, server };
}

const never = new AbortController().signal;

describe("one informer per kind and scope", () => {
  const factory = (): SharedInformerFactory => new SharedInformerFactory(fakeClient().client);

  test("however often it is asked for, by descriptor, not by identity", () => {
    const shared = factory();
    expect(shared.informer(Thing)).toBe(shared.informer({ ...Thing }));
    expect(shared.lister(Thing)).toBe(shared.informer(Thing).lister);
    expect(shared.informer(Thing)).not.toBe(shared.informer(Other));
  });

  test("narrower scopes have their own, and metadata-only too", () => {
    const shared = factory();
    const all = [
      shared.informer(Thing),
      shared.informer(Thing, { namespace: "a" }),
      shared.informer(Thing, { labelSelector: "x=y" }),
      shared.informer(Thing, { fieldSelector: "metadata.name=z" }),
      shared.metadata(Thing),
    ];
    expect(new Set(all).size).toBe(5);
    expect(shared.informer(Thing, { namespace: "a" })).toBe(all[1]);
    expect(shared.metadata(Thing)).toBe(all[4]);
    expect([...shared.informers.keys()]).toEqual([
      "example.com/v1/things",
      "example.com/v1/things?namespace=a",
      "example.com/v1/things?labels=x=y",
      "example.com/v1/things?fields=metadata.name=z",
      "example.com/v1/things?as=metadata",
    ]);
  });
});

describe("start", () => {
  test("is idempotent, and picks up informers that were asked for later; merely making a factory starts nothing", async () => {
    const { client, server } = fakeClient();
    const clock = new FakeClock();
    const factory = new SharedInformerFactory(client, { clock });
    await using _ = factory.start();
    await clock.advance(0);
    expect(server.calls).toHaveLength(0);
    factory.informer(Thing);
    factory.start();
    factory.start();
    await clock.advance(0);
    expect(server.calls).toHaveLength(1);
    expect(factory.informer(Thing).hasSynced).toBe(true);
  });

  test("does nothing once shutdown has begun; shutdown waits, and may be called again", async () => {
    const { client } = fakeClient();
    const clock = new FakeClock();
    const factory = new SharedInformerFactory(client, { clock });
    const things = factory.informer(Thing);
    factory.start();
    await clock.advance(0);
    await Promise.all([factory.shutdown(), factory.shutdown()]);
    await factory.shutdown();
    expect(things.isStopped).toBe(true);
    const later = factory.informer(Other);
    factory.start();
    expect(later.isStarted).toBe(false);
  });
});

describe("waitForCacheSync", () => {
  test("covers the informers that were started, and says which have synced", async () => {
    const { client } = fakeClient();
    const clock = new FakeClock();
    const factory = new SharedInformerFactory(client, { clock });
    factory.informer(Thing);
    await using _ = factory.start();
    factory.informer(Other);
    const waiting = factory.waitForCacheSync({ signal: never });
    await clock.advance(0);
    expect(await waiting).toEqual(new Map([["example.com/v1/things", true]]));
  });

  test("rejects with the names of those that have not, sorted, and the signal's reason as the cause", async () => {
    const { client, server } = fakeClient();
    server.refuse = () => new Error("down");
    const factory = new SharedInformerFactory(client, { clock: new FakeClock() });
    factory.informer(Thing);
    factory.informer(Other);
    await using _ = factory.start();
    const stop = new AbortController();
    const waiting = factory.waitForCacheSync({ signal: stop.signal });
    stop.abort(new Error("timed out"));
    await expect(waiting).rejects.toThrow(CacheSyncError);
    await expect(waiting).rejects.toMatchObject({
      unsynced: ["example.com/v1/others", "example.com/v1/things"],
      cause: { message: "timed out" },
    });
  });
});

describe("options", () => {
  test("selectors and tweaks go into lists and watches alike; the tweak has the last word", async () => {
    const { client, asked } = fakeClient(new ModelServer({ supportsWatchList: false }));
    const clock = new FakeClock();
    const factory = new SharedInformerFactory(client, {
      clock,
      labelSelector: "app=web",
      tweak: (options) => ({ ...options, fieldSelector: "spec.nodeName=n1" }),
      tuning: { useWatchList: false },
    });
    factory.informer(Thing);
    await using _ = factory.start();
    await clock.advance(0);
    expect(asked).toMatchObject([
      { labelSelector: "app=web", fieldSelector: "spec.nodeName=n1", resourceVersion: "0" },
      { labelSelector: "app=web", fieldSelector: "spec.nodeName=n1", allowWatchBookmarks: true },
    ]);
  });

  test("a resync period of its own for a kind", async () => {
    const { client, server } = fakeClient();
    server.put("a");
    const clock = new FakeClock();
    const factory = new SharedInformerFactory(client, {
      clock,
      resyncPeriodMs: 50_000,
      resyncByKind: new Map([["example.com/v1/things", 10_000]]),
    });
    let updates = 0;
    factory.informer(Thing).addEventHandler({ onUpdate: () => (updates += 1) });
    await using _ = factory.start();
    await clock.advance(30_500);
    expect(updates).toBe(3);
  });

  test("a transform for all kinds; one that is given with a scope takes its place, and must be the same for all who share the informer", async () => {
    const { client, server } = fakeClient();
    server.put("a", 1);
    const clock = new FakeClock();
    const factory = new SharedInformerFactory(client, {
      clock,
      transform: (object) => ({ ...object, metadata: { ...object.metadata, labels: { seen: "yes" } } }),
    });
    const things = factory.informer(Thing);
    const scope = { labelSelector: "x", transform: (thing: Thing): Thing => ({ ...thing, spec: { value: 5 } }) };
    const own = factory.informer(Thing, scope);
    expect(factory.informer(Thing, scope)).toBe(own);
    expect(() => factory.informer(Thing, { labelSelector: "x" })).toThrow("another transform");
    await using _ = factory.start();
    await clock.advance(0);
    expect(things.indexer.get("default/a")?.metadata.labels).toEqual({ seen: "yes" });
    expect(own.indexer.get("default/a")).toMatchObject({ spec: { value: 5 } });
    expect(own.indexer.get("default/a")?.metadata.labels).toBeUndefined();
  });
});

test("onWatchError is told of each failed list or watch, and of the kind", async () => {
  const { client, server } = fakeClient();
  server.refuse = () => newInternalError("broken");
  const clock = new FakeClock();
  const told: string[] = [];
  const onWatchError: FactoryOptions["onWatchError"] = (error, { name }, type) =>
    told.push(`${String(error)} ${name} ${type.kind}`);
  const factory = new SharedInformerFactory(client, { clock, onWatchError });
  factory.informer(Thing, { labelSelector: "x" });
  await using _ = factory.start();
  await clock.advance(0);
  expect(told[0]).toMatch(/broken example.com\/v1\/things\?labels=x Thing$/);
});

describe("listers", () => {
  const labelled = (name: string, namespace: string, labels?: Record<string, string>): Thing => ({
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
  });
  const objects = [labelled("a", "one", { app: "web" }), labelled("b", "one"), labelled("a", "two", { app: "db" })];
  const resource = { group: "example.com", resource: "things" };
  const stores = {
    "with the namespace index": new Indexer<Thing>({ indexers: { [namespaceIndex]: namespaceIndexFunction } }),
    "without an index": new Indexer<Thing>(),
  };
  for (const [name, store] of Object.entries(stores)) {
    for (const object of objects) store.put(object);
    const lister = createLister(store, resource);
    const names = (found: readonly Thing[]): string[] =>
      found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();

    test(`list all, by namespace and by label, ${name}`, () => {
      expect(names(lister.list())).toEqual(["one/a", "one/b", "two/a"]);
      expect(names(lister.list(parseLabelSelector("app=web")))).toEqual(["one/a"]);
      expect(names(lister.namespace("one").list())).toEqual(["one/a", "one/b"]);
      expect(names(lister.namespace("one").list(parseLabelSelector("!app")))).toEqual(["one/b"]);
      expect(names(lister.namespace("").list())).toEqual(["one/a", "one/b", "two/a"]);
      expect(lister.namespace("nowhere").list()).toEqual([]);
    });

    test(`get gives the cached object itself, or NotFound as the API gives it, ${name}`, () => {
      expect(lister.namespace("one").get("a")).toBe(objects[0]);
      expect(lister.namespace("one").find("zzz")).toBeUndefined();
      expect(() => lister.namespace("one").get("zzz")).toThrow('things.example.com "zzz" not found');
      let thrown: unknown;
      try {
        lister.get("one/zzz");
      } catch (error) {
        thrown = error;
      }
      expect(isNotFound(thrown)).toBe(true);
      expect(lister.get("two/a")).toBe(objects[2]);
    });
  }
});

test("a factory without a clock of its own waits by the clock of its client", async () => {
  const { client } = fakeClient();
  const clock = new FakeClock();
  const pending = (): number => clock.pendingTimers;
  const factory = new SharedInformerFactory({ ...client, clock });
  factory.informer(Thing);
  const before = pending();
  const running = factory.start();
  await clock.advance(0);
  expect(pending()).toBeGreaterThan(before);
  await running.close();
});
