/** Several managers that share the objects of one program, on one server and a virtual clock. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Lease, newForbidden } from "../../src/api/index.js";
import { FakeClock, type Transport } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { type ControllerOptions, pausedAnnotation } from "../../src/controller/index.js";
import { Manager, NotLeaderError, type ShardingOptions } from "../../src/manager/index.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { map, mirror, secretFor } from "./mirror.js";
import { all, lease, setup } from "./sharded-replicas.js";

describe("replicas that share", () => {
  test("each reconcile a part, and together the members reconcile everything; a new one gets its part, and one that stops hands over at once", async () => {
    const { clock, start, stop, touch, texts, held, doubles } = await setup();
    const a = await start("a");
    await clock.pass(10_000);
    await touch("1");
    await clock.pass(5_000);
    expect([await texts(), held(), new Set(a.ran).size]).toEqual([all("1"), [8], 12]);
    const b = await start("b");
    await clock.pass(20_000);
    expect(held()).toEqual([4, 4]);
    const before = [a.ran.length, b.ran.length];
    await touch("2");
    await clock.pass(5_000);
    const [byA, byB] = [new Set(a.ran.slice(before[0])), new Set(b.ran.slice(before[1]))];
    expect([byA.size + byB.size, byA.size > 0, byB.size > 0, await texts()]).toEqual([12, true, true, all("2")]);
    await stop(a);
    expect(held()).toEqual([0, 8]);
    await touch("3");
    await clock.pass(2_000);
    expect([await texts(), doubles]).toEqual([all("3"), []]);
    expect(b.manager.metrics.expose()).toContain('coxswain_shards_held{name="group"} 8');
  });

  test("take over from one that is cut off: late writes are refused, and no key is an orphan", async () => {
    const { clock, direct, start, touch, texts, held, doubles } = await setup();
    const refused: unknown[] = [];
    const forever = new AbortController().signal;
    const late = (name: string): Partial<ControllerOptions<ConfigMap>> => ({
      async reconcile({ object, client }) {
        await client.apply(secretFor(object));
        if (object.data?.["text"] !== "1") return;
        // a write that the run does not wait for
        void clock
          .sleep(40_000, forever)
          .then(() => client.apply(secretFor({ ...object, data: { text: `late ${name}` } }), { signal: forever }))
          .catch((error: unknown) => void refused.push(error));
      },
    });
    const a = await start("a", late("a"));
    await start("b", late("b"));
    await clock.pass(30_000);
    await touch("1");
    await clock.pass(5_000);
    a.cut = true;
    await touch("2");
    await clock.pass(30_000);
    expect(held()).toEqual([0, 8]);
    expect(await texts()).toEqual(all("2"));
    a.cut = false;
    await clock.pass(30_000);
    expect([await texts(), doubles, held()]).toEqual([all("2"), [], [4, 4]]);
    // those of the runs of both, whose runs have ended; those of a by its term
    expect(refused.length).toBeGreaterThanOrEqual(12);
    expect(refused.every((error) => error instanceof NotLeaderError && !error.sent)).toBe(true);
    expect((await direct.resource(Lease, { namespace: "kube-system" }).get("group")).spec?.holderIdentity).toBe(
      "8 by namespace",
    );
  });

  test("wait for a run that is under way: a shard goes to another only when its runs have ended", async () => {
    const { clock, start, touch, doubles } = await setup();
    const log: string[] = [];
    const slow = (name: string): Partial<ControllerOptions<ConfigMap>> => ({
      async reconcile({ request: { namespace: key }, clock: own }) {
        log.push(`${name} begins ${key}`);
        await own.sleep(8_000, new AbortController().signal);
        log.push(`${name} ends ${key}`);
      },
      concurrency: 12,
    });
    await start("a", slow("a"));
    await clock.pass(5_000);
    await touch("1");
    await clock.pass(1_000);
    await start("b", slow("b"));
    await clock.pass(40_000);
    const moved = log.filter((line) => line.startsWith("b begins")).map((line) => line.split(" ").at(-1));
    expect(moved.length).toBeGreaterThan(0);
    for (const key of moved) expect(log.indexOf(`a ends ${key}`)).toBeLessThan(log.indexOf(`b begins ${key}`));
    expect(doubles).toEqual([]);
  });

  test("tell of a deletion once at least, also if it fell into a hand-over", async () => {
    const { clock, direct, start, touch, namespaces } = await setup();
    const gone: string[] = [];
    const deleted = {
      deleted: async ({ request }: { request: { namespace?: string } }) => void gone.push(request.namespace ?? ""),
    };
    const a = await start("a", deleted);
    await start("b", deleted);
    await clock.pass(30_000);
    await touch("1");
    await clock.pass(5_000);
    a.cut = true;
    for (const namespace of namespaces) await direct.resource(ConfigMap, { namespace }).delete("m");
    await clock.pass(60_000);
    expect(new Set(gone)).toEqual(new Set(namespaces));
  });

  test("run other work that needs a lease on one of them, which ends it before another begins", async () => {
    const { clock, start, stop } = await setup();
    const log: string[] = [];
    const poller = (name: string) => ({
      name: "poller",
      async run({ signal }: { readonly signal: AbortSignal }) {
        log.push(`${name} begins`);
        await clock.sleep(1e9, signal).catch(() => {});
        log.push(`${name} ends`);
      },
    });
    const [a, b] = [await start("a", { runnable: poller("a") }), await start("b", { runnable: poller("b") })];
    await clock.pass(40_000);
    const first = log[0]?.[0];
    await stop(first === "a" ? a : b);
    await clock.pass(5_000);
    const second = first === "a" ? "b" : "a";
    expect(log.slice(-3)).toEqual([`${first} begins`, `${first} ends`, `${second} begins`]);
  });

  test("by a label: an object that changes its shard is left alone until its former holder must have seen it", async () => {
    const { clock, direct, start, held } = await setup({ by: { label: "tenant" } });
    const log: { readonly name: string; readonly tenant: string; readonly at: number }[] = [];
    const noting = (name: string): Partial<ControllerOptions<ConfigMap>> => ({
      async reconcile({ object }) {
        log.push({ name, tenant: object.metadata.labels?.["tenant"] ?? "", at: clock.monotonic() });
      },
    });
    await start("a", noting("a"));
    await start("b", noting("b"));
    await clock.pass(30_000);
    expect(held()).toEqual([4, 4]);
    const maps = direct.resource(ConfigMap, { namespace: "default" });
    await maps.create(map("m", "1", { labels: { tenant: "t0" } }));
    await clock.pass(1_000);
    const first = log[0]?.name;
    let moves = 0;
    for (let i = 1; i < 20 && moves === 0; i++) {
      const before = log.length;
      const changedAt = clock.monotonic();
      await maps.patch("m", { merge: { metadata: { labels: { tenant: `t${i}` } } } });
      await clock.pass(30_000);
      expect(log.slice(before)).toHaveLength(1);
      const { name, at } = log.at(-1) ?? { name: "", at: 0 };
      if (name === first) continue;
      moves += 1;
      expect(at - changedAt).toBeGreaterThanOrEqual(15_000);
    }
    expect(moves).toBe(1);
  });

  test("pause by the annotation of the group's Lease", async () => {
    const { clock, direct, start, touch, texts } = await setup();
    await start("a");
    await start("b");
    await clock.pass(30_000);
    const leases = direct.resource(Lease, { namespace: "kube-system" });
    const paused = (value: string | null): never =>
      ({ merge: { metadata: { annotations: { [pausedAnnotation]: value } } } }) as never;
    await leases.patch("group", paused("true"));
    await clock.pass(5_000);
    await touch("1");
    await clock.pass(5_000);
    expect(await texts()).toEqual([]);
    await leases.patch("group", paused(null));
    await clock.pass(5_000);
    expect(await texts()).toEqual(all("1"));
  });

  test("with another number of shards wait until the others have ended", async () => {
    const { clock, start, stop, touch, texts, held, doubles } = await setup();
    const a = await start("a");
    await clock.pass(10_000);
    await start("b", { manager: { sharding: { lease, shards: 4, identity: "b" } } });
    await touch("1");
    await clock.pass(30_000);
    expect([held(), await texts()]).toEqual([[8, 0], all("1")]);
    await stop(a);
    await touch("2");
    await clock.pass(20_000);
    expect([held(), await texts(), doubles]).toEqual([[0, 4], all("2"), []]);
  });
});

describe("sharding tells", () => {
  test("a missing permission, with its rule", async () => {
    const clock = new FakeClock();
    await using server = await startTestServer({ clock });
    const transport: Transport = async (request, signal) => {
      if (!request.path.includes("/leases")) return server.transport()(request, signal);
      const { status } = newForbidden({ group: "coordination.k8s.io", resource: "leases" }, "", "no");
      const headers = { "content-type": "application/json" };
      return { status: 403, headers, body: new TextEncoder().encode(JSON.stringify(status)) };
    };
    const manager = await Manager.create({ client: new Client({ transport, clock }), clock, sharding: { lease } });
    manager.controller(mirror());
    const running = manager.start();
    await clock.pass(5_000);
    const rule = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
    expect(manager.problems().join()).toContain(
      `the leases of the group kube-system/group cannot be read or written; missing RBAC rule: ${JSON.stringify({ ...rule, verbs: ["create", "delete", "get", "list", "update"] })}`,
    );
    expect(manager.clusterRole("x").rules).toContainEqual({
      ...rule,
      verbs: ["create", "delete", "get", "list", "update"],
    });
    const stopped = running.close();
    await clock.pass(20_000);
    await stopped;
  });

  test.each([
    [{}, "manager: sharding: lease is missing"],
    [{ lease: { namespace: "a" } }, "manager: sharding: lease: name is missing"],
    [{ lease: { namespace: "a", name: "A b" } }, "manager: sharding: lease: name 'A b'"],
    [{ lease, shards: 0 }, "manager: sharding: shards must be a whole number from 1 to 4096, not 0"],
    [{ lease, by: "name" }, 'manager: sharding: by must be "namespace", { label: "example.com/tenant" } or a function'],
    [{ lease, leaseDurationMs: 1_500 }, "sharding kube-system/group: leaseDurationMs must be whole seconds"],
    [{ lease, shard: 3 }, "there is no option shard"],
    [
      { lease, by: { label: "tenant" }, limitCaches: true },
      'manager: sharding: limitCaches needs by: "namespace": an object and those that its reconciler reads share a namespace',
    ],
  ])("%j is refused", (sharding, message) => {
    const client = new Client({ transport: () => Promise.reject(new Error("not asked")) });
    expect(() => new Manager({ client, sharding: sharding as unknown as ShardingOptions })).toThrow(message);
  });

  test("that its Lease is the manager's unless it has one, and so is that of an election", () => {
    const client = new Client({ transport: () => Promise.reject(new Error("not asked")) });
    const own = { namespace: "kube-system", name: "own" };
    expect(new Manager({ client, lease, sharding: {} }).sharder?.lease).toEqual(lease);
    expect(new Manager({ client, lease, sharding: { lease: own } }).sharder?.lease).toEqual(own);
    expect(new Manager({ client, lease, leaderElection: {} }).elector?.lease).toEqual(lease);
    expect(() => new Manager({ client, leaderElection: {} })).toThrow("manager: lease");
  });

  test("that it excludes leader election", () => {
    const client = new Client({ transport: () => Promise.reject(new Error("not asked")) });
    const both = { client, sharding: { lease }, leaderElection: { lease } };
    expect(() => new Manager(both)).toThrow("sharding and leaderElection exclude each other");
  });
});
