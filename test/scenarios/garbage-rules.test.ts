import { describe, expect, test } from "vitest";
import { ClusterRole, ConfigMap, Namespace, type OwnerReference } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import type { TestCluster } from "../../src/testing/cluster.js";
import { startControllers } from "./in-process.js";

const namespace = "default";

interface Maps {
  /** Gives the reference by which others name it as their owner. */
  make(name: string, owners?: readonly OwnerReference[], finalizers?: readonly string[]): Promise<OwnerReference>;
  owners(name: string): Promise<readonly string[] | undefined>;
  names(): Promise<readonly string[]>;
  readonly all: ReturnType<TestCluster["client"]["resource"]>;
}

function mapsOf({ client }: TestCluster, where = namespace): Maps {
  const maps = client.resource(ConfigMap, { namespace: where });
  return {
    all: maps as never,
    async make(name, ownerReferences = [], finalizers = []) {
      const { metadata } = await maps.create({ metadata: { name, ownerReferences, finalizers } });
      return { apiVersion: "v1", kind: "ConfigMap", name, uid: metadata.uid ?? "" };
    },
    async owners(name) {
      const map = await maps.getOrUndefined(name);
      return map && (map.metadata.ownerReferences ?? []).map((owner) => owner.name);
    },
    names: async () => (await maps.list()).items.map(({ metadata }) => metadata.name),
  };
}

const blocking = (owner: OwnerReference): OwnerReference => ({ ...owner, blockOwnerDeletion: true });

async function withCollector(play: (cluster: TestCluster, clock: FakeClock) => Promise<void>): Promise<void> {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  await using cluster = await startControllers(["garbagecollector"], { clock });
  await clock.pass(2_000);
  await play(cluster, clock);
}

describe("an object", () => {
  test("with two owners stays until both are gone, and forgets the first that goes", () =>
    withCollector(async (cluster, clock) => {
      const maps = mapsOf(cluster);
      const [a, b] = [await maps.make("a"), await maps.make("b")];
      await maps.make("child", [a, b]);
      await maps.all.delete("a", { propagationPolicy: "Background" });
      await clock.pass(2_000);
      expect(await maps.owners("child")).toEqual(["b"]);
      await maps.all.delete("b", { propagationPolicy: "Background" });
      await clock.pass(2_000);
      expect(await maps.names()).toEqual([]);
    }));

  test("whose owner was made anew under its name goes with the old one", () =>
    withCollector(async (cluster, clock) => {
      const maps = mapsOf(cluster);
      const first = await maps.make("owner");
      await maps.make("child", [first]);
      await maps.all.delete("owner", { propagationPolicy: "Background" });
      await maps.make("owner");
      await clock.pass(2_000);
      expect(await maps.names()).toEqual(["owner"]);
    }));

  test("whose owner is in another namespace goes, and people are told, for each such object", () =>
    withCollector(async (cluster, clock) => {
      await cluster.client.resource(Namespace).create({ metadata: { name: "other" } });
      const owner = await mapsOf(cluster, "other").make("owner");
      const maps = mapsOf(cluster);
      for (const name of ["one", "two"]) await maps.make(name, [owner]);
      await clock.pass(15_000);
      expect(await maps.names()).toEqual([]);
      expect(await mapsOf(cluster, "other").names()).toEqual(["owner"]);
      const text = `ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: ${owner.uid}] does not exist in namespace "default"`;
      const told = new Set(cluster.events.filter((event) => event.includes("OwnerRefInvalidNamespace")));
      expect([...told].toSorted()).toEqual([
        `ConfigMap one OwnerRefInvalidNamespace ${text}`,
        `ConfigMap two OwnerRefInvalidNamespace ${text}`,
      ]);
    }));

  test("of the whole cluster with an owner in a namespace is left as it is", () =>
    withCollector(async (cluster, clock) => {
      const owner = await mapsOf(cluster).make("owner");
      const never = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "none", uid: "none" };
      const roles = cluster.client.resource(ClusterRole);
      await roles.create({ metadata: { name: "child", ownerReferences: [owner, never] }, rules: [] });
      await mapsOf(cluster).all.delete("owner", { propagationPolicy: "Background" });
      await clock.pass(15_000);
      expect((await roles.get("child")).metadata.ownerReferences?.map(({ name }) => name)).toEqual(["owner", "none"]);
    }));
});

describe("an owner that is deleted in the foreground", () => {
  test("waits for children that block it, and for no others", () =>
    withCollector(async (cluster, clock) => {
      const maps = mapsOf(cluster);
      const hold = ["example.com/hold"];
      const [waits, goes] = [await maps.make("waits"), await maps.make("goes")];
      await maps.make("blocks", [blocking(waits)], hold);
      await maps.make("loose", [goes], hold);
      for (const name of ["waits", "goes"]) await maps.all.delete(name, { propagationPolicy: "Foreground" });
      await clock.pass(3_000);
      expect(await maps.names()).toEqual(["blocks", "loose", "waits"]);
      await maps.all.patch("blocks", { merge: { metadata: { finalizers: [] } } });
      await clock.pass(3_000);
      expect(await maps.names()).toEqual(["loose"]);
    }));

  test("does not take a child that another owner keeps, and does not wait for it", () =>
    withCollector(async (cluster, clock) => {
      const maps = mapsOf(cluster);
      const [goes, keeps] = [await maps.make("goes"), await maps.make("keeps")];
      await maps.make("child", [blocking(goes), keeps]);
      await maps.all.delete("goes", { propagationPolicy: "Foreground" });
      await clock.pass(3_000);
      expect(await maps.names()).toEqual(["child", "keeps"]);
      expect(await maps.owners("child")).toEqual(["keeps"]);
    }));

  test("takes a whole circle with it", () =>
    withCollector(async (cluster, clock) => {
      const maps = mapsOf(cluster);
      const a = await maps.make("a");
      const b = await maps.make("b", [blocking(a)]);
      await maps.all.patch("a", { merge: { metadata: { ownerReferences: [blocking(b)] } } });
      await clock.pass(1_000);
      await maps.all.delete("a", { propagationPolicy: "Foreground" });
      await clock.pass(10_000);
      expect(await maps.names()).toEqual([]);
    }));
});

test("an owner that orphans leaves its children without it, and with their other owners", () =>
  withCollector(async (cluster, clock) => {
    const maps = mapsOf(cluster);
    const [goes, keeps] = [await maps.make("goes"), await maps.make("keeps")];
    await maps.make("only", [goes]);
    await maps.make("both", [goes, keeps]);
    await maps.all.delete("goes", { propagationPolicy: "Orphan" });
    await clock.pass(3_000);
    expect(await maps.names()).toEqual(["both", "keeps", "only"]);
    expect([await maps.owners("only"), await maps.owners("both")]).toEqual([[], ["keeps"]]);
  }));

test("a server that cannot say at first what there is costs no orphan its life", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  let refusals = 0;
  await using cluster = await startControllers(["garbagecollector"], {
    clock,
    faults: ({ path }) =>
      path.startsWith("/apis") && !path.includes("/apis/") && refusals++ < 3
        ? { type: "answer", code: 500 }
        : undefined,
  });
  const maps = mapsOf(cluster);
  const owner = await maps.make("owner");
  await maps.make("child", [owner]);
  await maps.all.delete("owner", { propagationPolicy: "Orphan" });
  await clock.pass(10_000);
  expect(refusals).toBeGreaterThan(3);
  expect([await maps.names(), await maps.owners("child")]).toEqual([["child"], []]);
});
