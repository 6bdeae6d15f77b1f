/** Programs that change an object of a cache: they fail in tests, and lose no write where objects are not frozen. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Deployment, type KubeObject, newControllerRef, Secret } from "../../src/api/index.js";
import { createLogger, FakeClock, systemClock } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { type ReconcileContext, watch } from "../../src/controller/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
import { Manager, type ManagerOptions } from "../../src/manager/index.js";
import { startTestServer, startCluster } from "../../src/testing/cluster.js";
import { eventually } from "../eventually.js";

type Loose = { metadata: Record<string, never>; data: Record<string, string>; spec: Record<string, unknown> };

const loose = (object: KubeObject | undefined): Loose => object as unknown as Loose;

/** Each way to change an object in place. */
const changes: readonly (readonly [string, (object: Loose) => void])[] = [
  ["an assignment", (object) => (object.data = {})],
  ["an assignment further down", (object) => (object.data["text"] = "changed")],
  ["Object.assign", (object) => Object.assign(object.metadata, { labels: {} })],
  ["a new property", (object) => ((object.metadata as Record<string, unknown>)["annotations"] = {})],
  ["delete", (object) => delete object.data["text"]],
  ["delete of a part", (object) => delete (object as Partial<Loose>).data],
  ["push", (object) => (object.metadata["finalizers"] as unknown as string[]).push("example.com/c")],
  ["sort", (object) => (object.metadata["finalizers"] as unknown as string[]).sort()],
  ["assignment to an item", (object) => ((object.metadata["finalizers"] as unknown as string[])[0] = "example.com/c")],
  ["Object.defineProperty", (object) => Object.defineProperty(object.data, "text", { value: "changed" })],
];

const frozenCompletely = (value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(frozenCompletely));

const draft = {
  metadata: { name: "a", finalizers: ["example.com/b", "example.com/a"], labels: { app: "a" } },
  data: { text: "as it was" },
};

/** A controller of ConfigMaps that gives each place from which objects come to `visit`. */
async function visitAll(
  options: Partial<ManagerOptions>,
  client: Client,
  pass: (done: () => boolean) => Promise<void>,
) {
  const given = new Map<string, KubeObject>();
  const give = (place: string, object: KubeObject | undefined): void => {
    if (object !== undefined) given.set(place, object);
  };
  const manager = await Manager.create({ client, ...options });
  const byText = manager.index(ConfigMap, ({ data }) => [data?.["text"] ?? ""]);
  const all = (context: ReconcileContext<ConfigMap>): void => {
    const { object, cache } = context;
    const place = object.metadata;
    give("the reconciler's object", object);
    give("cache.get", cache.get(ConfigMap, place));
    give(
      "cache.list",
      cache.list(ConfigMap, { namespace: "default" }).find(({ metadata }) => metadata.name === "a"),
    );
    give("cache.byIndex", cache.byIndex(byText, "as it was")[0]);
    give("cache.ownedBy", cache.ownedBy(Secret, object)[0]);
  };
  manager.controller({
    name: "visitor",
    for: ConfigMap,
    owns: [Secret],
    predicates: [
      (change) => {
        give("a predicate", change.object);
        if (change.type === "updated") give("a predicate, before", change.previous);
        return true;
      },
    ],
    watches: [
      watch(Secret, (change) => {
        give(`a map of ${change.type}`, change.object);
        return [];
      }),
    ],
    finalizer: { name: "example.com/z", run: async (context) => give("the finalizer's object", context.object) },
    async reconcile(context) {
      if (context.object.metadata.name !== "a") return;
      const { name, namespace = "" } = context.object.metadata;
      const metadata = { name, namespace, ownerReferences: [newControllerRef(context.object)] };
      give(
        "the answer of a write",
        await context.client.apply({ apiVersion: "v1", kind: "Secret", metadata, data: {} }),
      );
      all(context);
      give("cache.get of an own write", context.cache.get(Secret, metadata));
    },
  });
  await using _running = manager.start();
  const maps = client.resource(ConfigMap, { namespace: "default" });
  await maps.create(draft);
  await pass(() => given.has("cache.ownedBy") && given.has("a map of added"));
  await maps.patch("a", { merge: { metadata: { labels: { app: "b" } } } });
  await pass(() => given.has("a predicate, before"));
  give("manager.reader", manager.reader.get(ConfigMap, { namespace: "default", name: "a" }));
  await client.resource(Secret, { namespace: "default" }).delete("a");
  await pass(() => given.has("a map of deleted"));
  await maps.delete("a");
  await pass(() => given.has("the finalizer's object"));
  await maps.patch("a", { merge: { metadata: { finalizers: null } } });
  return given;
}

const places = [
  "a map of added",
  "a map of deleted",
  "a predicate",
  "a predicate, before",
  "cache.byIndex",
  "cache.get",
  "cache.get of an own write",
  "cache.list",
  "cache.ownedBy",
  "manager.reader",
  "the answer of a write",
  "the finalizer's object",
  "the reconciler's object",
];

describe("frozen in tests", () => {
  test("on virtual time, whatever the client is, all that a manager gives out", async () => {
    const clock = new FakeClock();
    await using server = await startTestServer({ clock });
    const client = new Client({ transport: server.transport(), clock });
    const given = await visitAll({ clock }, client, () => clock.pass(5_000));
    expect([...given.keys()].sort()).toEqual(expect.arrayContaining(places));
    expect([...given].filter(([, object]) => !frozenCompletely(object)).map(([place]) => place)).toEqual([]);
  });

  test("on real time, with the client of a test cluster, all that a manager gives out", async () => {
    await using cluster = await startCluster();
    const given = await visitAll({}, cluster.client, (done) => eventually("the next place was visited", done));
    expect([...given.keys()].sort()).toEqual(expect.arrayContaining(places));
    expect([...given].filter(([, object]) => !frozenCompletely(object)).map(([place]) => place)).toEqual([]);
  });

  test.each(changes)("%s fails at its line, and the run with it", async (_, change) => {
    await using cluster = await startCluster({ clock: "virtual" });
    const { client, clock } = cluster;
    const manager = await Manager.create({ client, clock });
    manager.controller({
      name: "careless",
      for: ConfigMap,
      reconcile: async ({ object }) => {
        if (object.metadata.name === "a") change(loose(object));
      },
    });
    await using _running = manager.start();
    await client.resource(ConfigMap, { namespace: "default" }).create(draft);
    await clock.pass(100);
    const [first] = manager.journal.entries({ key: "default/a" });
    expect(first?.result).toMatchObject({
      type: "failed",
      error: expect.stringMatching(/read only|not extensible|Cannot (delete|assign|redefine|define)/) as string,
    });
  });

  test("objects of listers, stores and handlers of a factory", async () => {
    await using cluster = await startCluster({ clock: "virtual" });
    const { client, clock } = cluster;
    const factory = new SharedInformerFactory(client, { clock });
    const informer = factory.informer(ConfigMap);
    const told: KubeObject[] = [];
    informer.addEventHandler({ onAdd: (object) => void told.push(object), onUpdate: (a, b) => void told.push(a, b) });
    await using _factory = factory.start();
    const maps = client.resource(ConfigMap, { namespace: "default" });
    await maps.create(draft);
    await clock.pass(1_000);
    await maps.patch("a", { merge: { data: { text: "2" } } });
    await clock.pass(1_000);
    const found = [
      ...told,
      ...informer.lister.list(),
      informer.lister.namespace("default").get("a"),
      ...informer.indexer.list(),
    ];
    expect(found.length).toBeGreaterThan(5);
    expect(found.every(frozenCompletely)).toBe(true);
  });

  test("freeze: false leaves them as they are, and freeze: true freezes in production", async () => {
    const clock = new FakeClock();
    await using server = await startTestServer({ clock });
    const client = new Client({ transport: server.transport() });
    expect(new SharedInformerFactory(client, { clock: systemClock }).freeze).toBe(false);
    expect(new SharedInformerFactory(client, { freeze: true }).freeze).toBe(true);
    expect(new SharedInformerFactory(client, { clock, freeze: false }).freeze).toBe(false);
    expect((await Manager.create({ client, freeze: true })).reader.frozen).toBe(true);
    expect((await Manager.create({ client })).reader.frozen).toBe(false);
  });
});

/** A manager that freezes nothing, as in production, over a Deployment `web` with 2 replicas. */
async function unfrozen(reconcile: (context: ReconcileContext<Deployment>) => Promise<void>) {
  const clock = new FakeClock();
  const server = await startTestServer({ clock });
  const client = new Client({ transport: server.transport(), clock });
  const deployments = client.resource(Deployment, { namespace: "default" });
  const labels = { app: "web" };
  await deployments.create({
    metadata: { name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } },
    },
  });
  const lines: string[] = [];
  const log = createLogger({ level: "error", write: (line) => void lines.push(line), clock });
  const manager = await Manager.create({ client, clock, log, freeze: false });
  manager.controller({ name: "careless", for: Deployment, reconcile });
  return { clock, server, client, deployments, manager, lines };
}

describe("where nothing is frozen", () => {
  const updates: readonly (readonly [string, (object: Deployment) => Deployment])[] = [
    ["the object itself", (object) => object],
    ["a copy of the changed object", (object) => structuredClone(object)],
    ["an object that shares the changed part", (object) => ({ ...object })],
  ];

  test.each(updates)("a write of %s is sent, and the change is reported", async (_, sent) => {
    let runs = 0;
    const { clock, server, deployments, manager, lines } = await unfrozen(async ({ object, client }) => {
      if (++runs > 1) return;
      loose(object).spec["replicas"] = 7;
      await client.update(sent(object));
    });
    await using _server = server;
    await using _running = manager.start();
    await clock.pass(1_000);
    expect((await deployments.get("web")).spec?.replicas).toBe(7);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("the reconciler changed an object of the cache");
    expect(lines[0]).toContain("default/web");
    expect(manager.metrics.expose()).toContain('coxswain_cache_mutations_total{controller="careless"} 1');
  });

  test("a status that was set on the cached object first is written all the same", async () => {
    const { clock, server, deployments, manager, lines } = await unfrozen(async ({ object, client }) => {
      if (object.status?.observedGeneration === 9) return;
      (object as { status?: object }).status = { ...object.status, observedGeneration: 9 };
      await client.status(Deployment).patch(object, { observedGeneration: 9 });
    });
    await using _server = server;
    await using _running = manager.start();
    await clock.pass(1_000);
    expect((await deployments.get("web")).status?.observedGeneration).toBe(9);
    expect(lines).toHaveLength(1);
  });

  test("an apply is sent though the cached object was made to look as if it were done", async () => {
    const want = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default" },
    } as const;
    const { clock, server, deployments, manager, lines } = await unfrozen(async ({ object, client }) => {
      loose(object).spec["replicas"] = 4;
      await client.apply({ ...want, spec: { replicas: 4 } } as unknown as Deployment);
    });
    await using _server = server;
    await using _running = manager.start();
    await clock.pass(1_000);
    await deployments.patch("web", { merge: { spec: { replicas: 1 } } });
    await clock.pass(1_000);
    expect((await deployments.get("web")).spec?.replicas).toBe(4);
    expect(lines.length).toBeGreaterThan(0);
  });

  test("an answer that was changed and sent again is not mistaken for what the server has", async () => {
    let runs = 0;
    const { clock, server, deployments, manager } = await unfrozen(async ({ object, client }) => {
      if (++runs > 1) return;
      const answer = await client.patch(object, { merge: { metadata: { labels: { a: "b" } } } });
      loose(answer).spec["replicas"] = 5;
      await client.update(answer);
    });
    await using _server = server;
    await using _running = manager.start();
    await clock.pass(1_000);
    expect((await deployments.get("web")).spec?.replicas).toBe(5);
  });

  test("what changes nothing is still not sent, from the first run on, and nobody is accused", async () => {
    const { clock, server, client, manager, lines } = await unfrozen(async ({ object, client: writer }) => {
      await writer.update({ ...object });
      await writer.update(structuredClone(object));
      await writer.status(Deployment).patch(object, { observedGeneration: object.status?.observedGeneration ?? 3 });
    });
    await using _server = server;
    await using _running = manager.start();
    await clock.pass(1_000);
    await client.resource(Deployment, { namespace: "default" }).patch("web", { merge: { spec: { replicas: 3 } } });
    await clock.pass(1_000);
    const writes = manager.journal.entries({ key: "default/web" }).flatMap((entry) => entry.writes);
    expect(writes.length).toBeGreaterThanOrEqual(6);
    expect(writes.filter(({ outcome }) => outcome !== "skipped").map(({ verb }) => verb)).toEqual(["status"]);
    expect(lines).toEqual([]);
  });
});
