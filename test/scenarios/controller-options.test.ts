/** The options of a controller, one by one, on the embedded server. */
import { describe, expect, test } from "vitest";
import { ConfigMap, type KubeObject, Namespace, newControllerRef, Secret } from "../../src/api/index.js";
import { FakeClock, seededRandom } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import type { ControllerOptions } from "../../src/controller/index.js";
import { Manager, type ManagerOptions } from "../../src/manager/index.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { itemExponentialFailure } from "../../src/workqueue/index.js";

async function setup(change: Partial<ControllerOptions<ConfigMap>>, options: Partial<ManagerOptions> = {}) {
  const clock = new FakeClock();
  const server = await startTestServer({ clock });
  const client = new Client({ transport: server.transport(), clock });
  const manager = await Manager.create({ client, clock, random: seededRandom(1), ...options });
  const controller = manager.controller<ConfigMap>({ name: "c", for: ConfigMap, reconcile: async () => {}, ...change });
  const maps = client.resource(ConfigMap, { namespace: "default" });
  const pass = (ms: number): Promise<void> => clock.pass(ms);
  return { clock, server, client, manager, controller, maps, pass };
}

const named = (name: string, metadata: Partial<KubeObject["metadata"]> = {}) => ({ metadata: { name, ...metadata } });

describe("options of a controller", () => {
  test("timeoutMs: a run that takes longer is told by its signal, and counts as a failure", async () => {
    const { server, manager, maps, pass, clock } = await setup({
      timeoutMs: 1_000,
      limiter: itemExponentialFailure({ baseMs: 60_000, maxMs: 60_000 }),
      reconcile: ({ signal }) => clock.sleep(1e9, signal),
    });
    await using _server = server;
    await maps.create(named("slow"));
    await using _running = manager.start();
    await pass(5_000);
    expect(manager.journal.entries().map(({ result }) => result)).toMatchObject([
      { type: "failed", error: "the run took longer than 1000 ms", failures: 1, retryInMs: 60_000 },
    ]);
  });

  test("maxFailures: one too many makes a dead letter, which the next change of the object revives", async () => {
    let broken = true;
    const { server, manager, controller, maps, pass } = await setup({
      maxFailures: 3,
      limiter: itemExponentialFailure({ baseMs: 10, maxMs: 100 }),
      async reconcile() {
        if (broken) throw new Error("boom");
      },
    });
    await using _server = server;
    await maps.create(named("a"));
    await using _running = manager.start();
    await pass(10_000);
    expect(controller.snapshot().deadLetters).toMatchObject([
      { key: "default/a", failures: 3, error: "boom", why: "retry limit" },
    ]);
    expect(manager.journal.entries()).toHaveLength(3);
    broken = false;
    await maps.patch("a", { merge: { data: { text: "changed" } } });
    await pass(1_000);
    expect([controller.snapshot().deadLetters, manager.journal.entries().at(-1)?.result]).toEqual([
      [],
      { type: "done" },
    ]);
  });

  test("concurrency: so many objects at the same time, each once; and one that hangs keeps no other from running", async () => {
    const active = new Set<string>();
    const done: string[] = [];
    let most = 0;
    const { server, manager, maps, pass, clock } = await setup({
      concurrency: 2,
      timeoutMs: 60_000,
      async reconcile({ object, signal }) {
        const { name } = object.metadata;
        expect(active.has(name)).toBe(false);
        active.add(name);
        most = Math.max(most, active.size);
        await clock.sleep(name === "hangs" ? 30_000 : 100, signal);
        active.delete(name);
        done.push(name);
      },
    });
    await using _server = server;
    await maps.create(named("hangs"));
    for (let i = 0; i < 5; i++) await maps.create(named(`m${i}`));
    await using _running = manager.start();
    await pass(5_000);
    expect([most, done.toSorted()]).toEqual([2, ["m0", "m1", "m2", "m3", "m4"]]);
    await pass(40_000);
    expect(done).toContain("hangs");
  });

  test("what was there at the start waits behind what happens now", async () => {
    const order: string[] = [];
    const { server, manager, maps, pass, clock } = await setup({
      concurrency: 1,
      async reconcile({ object, signal }) {
        order.push(object.metadata.name);
        await clock.sleep(1_000, signal);
      },
    });
    await using _server = server;
    for (let i = 0; i < 4; i++) await maps.create(named(`old${i}`));
    await using _running = manager.start();
    await pass(500);
    await maps.create(named("fresh"));
    await pass(10_000);
    expect([order[0]?.startsWith("old"), order[1], order.length]).toEqual([true, "fresh", 5]);
  });

  test("predicates: all of them must let a change pass", async () => {
    const seen: string[] = [];
    const { server, manager, maps, pass } = await setup({
      predicates: [
        ({ object }) => object.metadata.name !== "hidden",
        ({ object }) => object.metadata.labels?.["show"] === "yes",
      ],
      reconcile: async ({ object }) => void seen.push(object.metadata.name),
    });
    await using _server = server;
    await using _running = manager.start();
    await maps.create(named("hidden", { labels: { show: "yes" } }));
    await maps.create(named("plain"));
    await maps.create(named("shown", { labels: { show: "yes" } }));
    await pass(1_000);
    expect(seen).toEqual(["shown"]);
  });

  test("deleted: is told of objects that are gone, and the failures of one are forgotten with it", async () => {
    const gone: string[] = [];
    const { server, manager, maps, pass, controller } = await setup({
      limiter: itemExponentialFailure({ baseMs: 1_000, maxMs: 1_000 }),
      reconcile: () => Promise.reject(new Error("always")),
      deleted: async ({ request, reasons }) => void gone.push(`${request.name} ${reasons[0]?.type}`),
    });
    await using _server = server;
    await using _running = manager.start();
    await maps.create(named("a"));
    await pass(500);
    expect(controller.snapshot().failing).toEqual([{ key: "default/a", failures: 1, error: "always" }]);
    await maps.delete("a");
    await pass(5_000);
    expect([gone, controller.snapshot().failing]).toEqual([["a deleted"], []]);
  });

  test("a resync is off unless it is asked for; then everything runs again, spread over a tenth of the period", async () => {
    const runs: number[] = [];
    const change = (clock: () => number): Partial<ControllerOptions<ConfigMap>> => ({
      reconcile: async ({ reasons }) => void (reasons[0]?.type === "resync" && runs.push(clock())),
    });
    let now = (): number => 0;
    const { server, manager, maps, clock } = await setup(
      change(() => now()),
      { resyncPeriodMs: 100_000 },
    );
    now = () => clock.monotonic();
    await using _server = server;
    for (let i = 0; i < 20; i++) await maps.create(named(`m${i}`));
    await using _running = manager.start();
    for (let step = 0; step < 250; step++) await clock.advance(500);
    expect(runs.length).toBeGreaterThanOrEqual(20);
    const first = runs.slice(0, 20);
    expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(2_000);
    expect(Math.max(...first) - Math.min(...first)).toBeLessThanOrEqual(10_500);
  });

  test("namespaces: only those are cached, each by a watch of its own, and own writes are seen in each", async () => {
    const lists: string[] = [];
    const { server, client, manager, pass } = await setup(
      {
        owns: [Secret],
        async reconcile({ object, cache, client: writer }) {
          const { namespace = "", name } = object.metadata;
          if (cache.get(Secret, { namespace, name }) === undefined) {
            await writer.create({
              apiVersion: "v1",
              kind: "Secret",
              metadata: { namespace, name, ownerReferences: [newControllerRef(object)] },
            });
          }
          lists.push(
            `${namespace}: ${cache
              .list(Secret)
              .map(({ metadata }) => metadata.namespace ?? "")
              .toSorted()
              .join(" ")}`,
          );
        },
      },
      { namespaces: ["a", "b"] },
    );
    await using _server = server;
    for (const name of ["a", "b", "c"]) {
      await client.resource(Namespace).create({ metadata: { name } });
      await client.resource(ConfigMap, { namespace: name }).create(named("m"));
    }
    await using _running = manager.start();
    await pass(1_000);
    const secrets = await client.resource(Secret).list();
    expect(secrets.items.map(({ metadata }) => metadata.namespace ?? "").toSorted()).toEqual(["a", "b"]);
    expect(lists.at(-1)).toMatch(/^[ab]: a b$/);
    await client.resource(Secret, { namespace: "a" }).delete("m");
    await pass(1_000);
    expect(manager.reader.list(Secret)).toHaveLength(2);
    expect(
      manager
        .memory()
        .caches.map(({ cache }) => cache)
        .toSorted(),
    ).toEqual([
      "v1/configmaps?namespace=a",
      "v1/configmaps?namespace=b",
      "v1/secrets?namespace=a",
      "v1/secrets?namespace=b",
    ]);
  });

  test("two controllers of one name, and a controller after the start, are errors", async () => {
    const { server, manager, pass } = await setup({});
    await using _server = server;
    const again = { name: "c", for: ConfigMap, reconcile: async () => {} } as const;
    expect(() => manager.controller<ConfigMap>(again)).toThrow("there is already a controller named c");
    await using _running = manager.start();
    expect(() => manager.controller<ConfigMap>({ ...again, name: "d" })).toThrow("comes too late");
    await pass(100);
  });

  test("withoutLease: it runs, and may write, on replicas that do not lead", async () => {
    const lease = { namespace: "kube-system", name: "c" };
    const ran: string[] = [];
    const { server, client, clock, manager, maps, pass } = await setup(
      { reconcile: async () => void ran.push("leased") },
      { leaderElection: { lease, identity: "first" } },
    );
    await using _server = server;
    const standby = await Manager.create({ client, clock, leaderElection: { lease, identity: "second" } });
    standby.controller({ name: "c", for: ConfigMap, reconcile: async () => void ran.push("never") });
    standby.controller({
      name: "everywhere",
      for: ConfigMap,
      withoutLease: true,
      async reconcile({ object, client }) {
        await client.patch(object, { merge: { metadata: { annotations: { seen: "true" } } } });
        ran.push("everywhere");
      },
    });
    await using _leading = manager.start();
    await pass(1_000);
    await using _waiting = standby.start();
    await pass(1_000);
    await maps.create(named("a"));
    await pass(1_000);
    expect([...new Set(ran)].toSorted()).toEqual(["everywhere", "leased"]);
    expect((await maps.get("a")).metadata.annotations).toEqual({ seen: "true" });
  });

  test("slowHotLoops: false has a loop reported, but not slowed down", async () => {
    const runsWith = async (slowHotLoops: boolean): Promise<number> => {
      let runs = 0;
      const { server, manager, maps, pass } = await setup({
        slowHotLoops,
        async reconcile({ object, client }) {
          await client.patch(object, { merge: { data: { count: String(++runs) } } });
        },
      });
      await using _server = server;
      await maps.create(named("a"));
      await using _running = manager.start();
      await pass(100);
      expect(manager.metrics.expose()).toMatch(/^coxswain_hot_loops_total\{controller="c"\} [1-9]/m);
      return runs;
    };
    expect(await runsWith(false)).toBeGreaterThan(2 * (await runsWith(true)));
  });
});
