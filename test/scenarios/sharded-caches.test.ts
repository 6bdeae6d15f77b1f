/** Replicas that cache only the objects of their shards: on a virtual clock, and over a real kube-apiserver. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Namespace, Secret } from "../../src/api/index.js";
import { connect } from "../../src/client/index.js";
import { type ControllerOptions, OtherShardError } from "../../src/controller/index.js";
import { Manager } from "../../src/manager/index.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { patienceMs } from "../eventually.js";
import { map, mirror, secretFor } from "./mirror.js";
import { all, type Replica, setup } from "./sharded-replicas.js";

const limited = { limitCaches: true };

/** The namespaces whose ConfigMaps the replica caches. */
const cached = ({ manager }: Pick<Replica, "manager">): string[] =>
  manager.reader
    .list(ConfigMap)
    .flatMap(({ metadata: { name, namespace = "" } }) => (name === "m" ? [namespace] : []))
    .sort();

/** Notes the keys for which the cache lacked the Secret that the server had. */
function careful(gaps: string[]): Partial<ControllerOptions<ConfigMap>> {
  return {
    async reconcile({ object, cache, client }) {
      const have = cache.get(Secret, object.metadata);
      const text = atob(have?.data?.["text"] ?? "");
      if (object.data?.["text"] !== "1" && text === "") gaps.push(object.metadata.namespace ?? "");
      await client.apply(secretFor(object));
    },
  };
}

describe("replicas that cache their shards alone", () => {
  test("have each object in one cache, and see all that belongs to a shard before they reconcile it", async () => {
    const { clock, start, stop, touch, texts, held, namespaces } = await setup(limited);
    const gaps: string[] = [];
    const a = await start("a", careful(gaps));
    await clock.pass(10_000);
    await touch("1");
    await clock.pass(5_000);
    expect([await texts(), cached(a)]).toEqual([all("1"), [...namespaces].sort()]);
    const b = await start("b", careful(gaps));
    await clock.pass(30_000);
    expect(held()).toEqual([4, 4]);
    const both = [cached(a), cached(b)];
    expect([both.flat().sort(), both.every(({ length }) => length > 0)]).toEqual([[...namespaces].sort(), true]);
    await touch("2");
    await clock.pass(5_000);
    expect(await texts()).toEqual(all("2"));
    await stop(a);
    await touch("3");
    await clock.pass(10_000);
    expect([await texts(), cached(b), gaps]).toEqual([all("3"), [...namespaces].sort(), []]);
  });

  test("reconcile nothing of a shard while the list of a kind that they own is under way", async () => {
    const { clock, start, stop, touch, texts } = await setup(limited);
    const gaps: string[] = [];
    const a = await start("a", careful(gaps));
    await clock.pass(10_000);
    await touch("1");
    await clock.pass(5_000);
    let gate = Promise.resolve();
    const before = async (path: string): Promise<void> => {
      if (path.startsWith("/api/v1/secrets")) await gate;
    };
    const b = await start("b", { ...careful(gaps), before });
    await clock.pass(100);
    let open = (): void => {};
    gate = new Promise((resolve) => void (open = resolve));
    await clock.pass(30_000);
    await stop(a);
    await touch("2");
    await clock.pass(20_000);
    expect([cached(b).length, b.manager.sharder?.held.length, await texts()]).toEqual([12, 8, all("1")]);
    open();
    await clock.pass(5_000);
    expect([await texts(), gaps]).toEqual([all("2"), []]);
  });

  test("win a shard back: an object that had left the cache is not taken for a deleted one", async () => {
    const { clock, start, touch, texts } = await setup(limited);
    const gone: string[] = [];
    const deleted = { deleted: async ({ request }: { request: object }) => void gone.push(JSON.stringify(request)) };
    const a = await start("a", deleted);
    const b = await start("b", deleted);
    await clock.pass(30_000);
    await touch("1");
    await clock.pass(5_000);
    for (const cut of [true, false, true, false]) {
      a.cut = cut;
      await clock.pass(25_000);
    }
    await touch("2");
    await clock.pass(5_000);
    expect([await texts(), gone, cached(a).length + cached(b).length]).toEqual([all("2"), [], 12]);
  });

  test("refuse to read another replica's namespace, unless the kind is cached for all shards", async () => {
    const { clock, start, touch, namespaces } = await setup(limited);
    const a = await start("a");
    const b = await start("b");
    await clock.pass(30_000);
    await touch("1");
    await clock.pass(5_000);
    for (const { manager } of [a, b]) {
      const outside = namespaces.filter((namespace) => !cached({ manager }).includes(namespace));
      expect(outside.length).toBeGreaterThan(0);
      for (const namespace of outside) {
        expect(() => manager.reader.get(Secret, { namespace, name: "m" })).toThrow(OtherShardError);
        expect(() => manager.reader.list(Secret, { namespace })).toThrow("manager.cache(Secret, { allShards: true })");
      }
    }
  });

  test("cache all objects of kinds that are declared so, and of those of a controller without a lease", async () => {
    const { clock, direct, namespaces, touch } = await setup(limited);
    await touch("1");
    const seen: string[] = [];
    const managers = await Promise.all(
      ["a", "b"].map(async (identity) => {
        const lease = { namespace: "kube-system", name: "group" };
        const manager = await Manager.create({ client: direct, clock, sharding: { lease, identity, ...limited } });
        manager.cache(Secret, { allShards: true });
        manager.controller(mirror());
        manager.controller<ConfigMap>({
          name: "everywhere",
          for: ConfigMap,
          withoutLease: true,
          async reconcile({ request }) {
            seen.push(`${identity} ${request.namespace}/${request.name}`);
          },
        });
        return manager;
      }),
    );
    const running = managers.map((manager) => manager.start());
    await clock.pass(40_000);
    for (const manager of managers) {
      expect(cached({ manager })).toEqual([...namespaces].sort());
      expect(manager.reader.list(Secret).length).toBe(12);
    }
    for (const identity of ["a", "b"])
      for (const namespace of namespaces) expect(seen).toContain(`${identity} ${namespace}/m`);
    const stopped = Promise.all(running.map((one) => one.close()));
    await clock.pass(20_000);
    await stopped;
  });
});

describe.skipIf(!hasRealCluster())("over a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  test(
    "two replicas have each object in one cache; when one ends, the other has all",
    async () => {
      const { kubeconfig } = await realCluster();
      await using direct = await connect({ kubeconfig });
      const namespaces = Array.from({ length: 8 }, (_, i) => `part-${i}`);
      for (const name of namespaces) {
        await direct.resource(Namespace).create({ metadata: { name } });
        await direct
          .resource(ConfigMap, { namespace: name })
          .create({ ...map("m", "1"), metadata: { name: "m", namespace: name, labels: { part: "yes" } } });
      }
      const texts = async (): Promise<Set<string>> =>
        new Set(
          (await direct.resource(Secret).list({ labelSelector: "part=yes" })).items.map(({ data }) =>
            atob(data?.["text"] ?? ""),
          ),
        );
      const start = async (identity: string) => {
        const client = await connect({ kubeconfig });
        const lease = { namespace: "default", name: "parts" };
        const times = { leaseDurationMs: 10_000, renewDeadlineMs: 7_000, retryPeriodMs: 500 };
        const manager = await Manager.create({
          client,
          sharding: { lease, shards: 8, identity, ...times, ...limited },
        });
        manager.controller(
          mirror({
            cache: { labelSelector: "part=yes" },
            async reconcile({ object, client: writer }) {
              const secret = secretFor(object);
              await writer.apply({ ...secret, metadata: { ...secret.metadata, labels: { part: "yes" } } });
            },
          }),
        );
        return { client, manager, running: manager.start() };
      };
      const a = await start("a");
      await expect.poll(() => cached(a), { timeout: patienceMs }).toEqual(namespaces);
      const b = await start("b");
      try {
        const share = (): unknown => [[...cached(a), ...cached(b)].sort(), cached(a).length > 0, cached(b).length > 0];
        await expect.poll(share, { timeout: patienceMs }).toEqual([namespaces, true, true]);
        await a.running.close();
        for (const namespace of namespaces)
          await direct.resource(ConfigMap, { namespace }).patch("m", { merge: { data: { text: "2" } } });
        await expect.poll(() => cached(b), { timeout: patienceMs }).toEqual(namespaces);
        await expect.poll(async () => [...(await texts())], { timeout: patienceMs }).toEqual(["2"]);
      } finally {
        await Promise.all([a.running.close(), b.running.close()]);
        await Promise.all([a.client.close(), b.client.close()]);
      }
    },
    5 * patienceMs,
  );
});
