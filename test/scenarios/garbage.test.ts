import { describe, expect, test } from "vitest";
import {
  compareRevisions,
  ConfigMap,
  crdOf,
  CustomResourceDefinition,
  defineResource,
  type KubeObject,
  newControllerRef,
  Secret,
} from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import type { Client, DeleteOptions } from "../../src/client/index.js";
import { startCluster, type TestCluster } from "../../src/testing/cluster.js";
import { patienceMs } from "../eventually.js";
import { startControllers } from "./in-process.js";

const namespace = "default";

type Cluster = TestCluster<FakeClock>;
const start = (): Promise<Cluster> => startCluster({ clock: "virtual", controllers: ["garbagecollector"] });
/** Long enough for the collector to have seen everything, whichever watch tells it of it, and to have done its work. */
const pass = ({ clock }: Cluster): Promise<void> => clock.pass(10_000);

const namesIn = async ({ client }: Cluster): Promise<readonly string[]> => {
  const { items: maps } = await client.resource(ConfigMap, { namespace }).list();
  const { items: secrets } = await client.resource(Secret, { namespace }).list();
  return [...maps, ...secrets].map(({ metadata }) => metadata.name).toSorted();
};

async function family(client: Client): Promise<void> {
  const parent = await client.resource(ConfigMap, { namespace }).create({ metadata: { name: "parent" } });
  const child = await client.resource(Secret, { namespace }).create({
    metadata: { name: "child", ownerReferences: [newControllerRef(parent)] },
  });
  await client.resource(ConfigMap, { namespace }).create({
    metadata: { name: "grandchild", ownerReferences: [newControllerRef(child)] },
  });
}

/** Gives the names of the objects that are left. */
async function afterDeletion(
  cluster: Cluster,
  propagationPolicy: NonNullable<DeleteOptions["propagationPolicy"]>,
): Promise<readonly string[]> {
  await family(cluster.client);
  await pass(cluster);
  await cluster.client.resource(ConfigMap, { namespace }).delete("parent", { propagationPolicy });
  await pass(cluster);
  return namesIn(cluster);
}

describe("the garbage collector", () => {
  test("in the background removes children and their children after the owner", async () => {
    await using cluster = await start();
    expect(await afterDeletion(cluster, "Background")).toEqual([]);
  });

  test("in the foreground removes children before the owner", async () => {
    await using cluster = await start();
    const { resourceVersion = "" } = (await cluster.client.resource(Secret, { namespace }).list()).metadata;
    const endOf = async (type: typeof Secret | typeof ConfigMap, name: string): Promise<string> => {
      const events = cluster.client.resource<KubeObject>(type, { namespace }).watch({ resourceVersion });
      for await (const event of events)
        if (event.type === "DELETED" && event.object.metadata.name === name)
          return event.object.metadata.resourceVersion ?? "";
      return "";
    };
    expect(await afterDeletion(cluster, "Foreground")).toEqual([]);
    expect(compareRevisions(await endOf(Secret, "child"), await endOf(ConfigMap, "parent"))).toBeLessThan(0);
  });

  test("orphans children when asked to", async () => {
    await using cluster = await start();
    const { client } = cluster;
    expect(await afterDeletion(cluster, "Orphan")).toEqual(["child", "grandchild"]);
    const child = await client.resource(Secret, { namespace }).get("child");
    expect(child.metadata.ownerReferences ?? []).toEqual([]);
    expect((await client.resource(ConfigMap, { namespace }).get("grandchild")).metadata.ownerReferences).toHaveLength(
      1,
    );
  });

  test("removes a child of an owner that never was, and keeps one of an owner that is", async () => {
    await using cluster = await start();
    const { client } = cluster;
    const configMaps = client.resource(ConfigMap, { namespace });
    const owner = await configMaps.create({ metadata: { name: "owner" } });
    const ghost = { apiVersion: "v1", kind: "ConfigMap", name: "ghost", uid: "00000000-0000-0000-0000-000000000000" };
    await configMaps.create({ metadata: { name: "kept", ownerReferences: [newControllerRef(owner), ghost] } });
    await configMaps.create({ metadata: { name: "lost", ownerReferences: [ghost] } });
    await pass(cluster);
    expect(await namesIn(cluster)).toEqual(["kept", "owner"]);
    const kept = await configMaps.get("kept");
    expect(kept.metadata.ownerReferences?.map(({ name }) => name)).toEqual(["owner"]);
  });

  test("removes a child of an owner that came and went before its kind was watched", async () => {
    const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 1) });
    const starting = startControllers(["garbagecollector"], { clock });
    const Late = defineResource({
      group: "example.com",
      version: "v1",
      kind: "Late",
      plural: "lates",
      scope: "Namespaced",
      schema: { type: "object" },
    });
    await using cluster = await starting;
    const { client } = cluster;
    await client.resource(CustomResourceDefinition).create(crdOf(Late));
    const lates = client.resource(Late, { namespace });
    const secrets = client.resource(Secret, { namespace });
    const made = async (): Promise<KubeObject | undefined> =>
      lates.create({ metadata: { name: "owner" } }).catch(() => undefined);
    await expect.poll(made, { timeout: patienceMs }).toBeDefined();
    const owner = await lates.get("owner");
    await secrets.create({ metadata: { name: "child", ownerReferences: [newControllerRef(owner, Late)] } });
    // the collector has seen that the owner is there; it does not watch the kind, so nobody tells it of the end
    for (let second = 0; second < 10; second++) {
      await clock.advance(1_000);
      await lates.get("owner");
    }
    await lates.delete("owner");
    const found = async (): Promise<KubeObject | undefined> => {
      await clock.advance(10_000);
      return secrets.getOrUndefined("child");
    };
    await expect.poll(found, { timeout: patienceMs }).toBeUndefined();
  });
});
