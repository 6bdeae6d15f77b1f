import { describe, expect, test } from "vitest";
import {
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
import { garbageCollectorController } from "../../src/controllers/gc/index.js";
import { patienceMs } from "../eventually.js";
import { startControllers } from "./in-process.js";

const signal = (): AbortSignal => AbortSignal.timeout(patienceMs);
const namespace = "default";

const gone = (object: KubeObject | undefined): boolean => object === undefined;

async function family(client: Client): Promise<void> {
  const parent = await client.resource(ConfigMap, { namespace }).create({ metadata: { name: "parent" } });
  const child = await client.resource(Secret, { namespace }).create({
    metadata: { name: "child", ownerReferences: [newControllerRef(parent)] },
  });
  await client.resource(ConfigMap, { namespace }).create({
    metadata: { name: "grandchild", ownerReferences: [newControllerRef(child)] },
  });
}

async function deleteParent(
  client: Client,
  propagationPolicy: NonNullable<DeleteOptions["propagationPolicy"]>,
): Promise<void> {
  await client.resource(ConfigMap, { namespace }).delete("parent", { propagationPolicy });
  await client.resource(ConfigMap, { namespace }).waitFor("parent", gone, { signal: signal() });
}

describe("the garbage collector", () => {
  test("in the background removes children and their children after the owner", async () => {
    await using cluster = await startControllers([garbageCollectorController]);
    const { client } = cluster;
    await family(client);
    await deleteParent(client, "Background");
    await client.resource(Secret, { namespace }).waitFor("child", gone, { signal: signal() });
    await client.resource(ConfigMap, { namespace }).waitFor("grandchild", gone, { signal: signal() });
  });

  test("in the foreground removes children before the owner", async () => {
    await using cluster = await startControllers([garbageCollectorController]);
    const { client } = cluster;
    await family(client);
    await deleteParent(client, "Foreground");
    const { items } = await client.resource(Secret, { namespace }).list({});
    expect(items.map(({ metadata }) => metadata.name)).not.toContain("child");
  });

  test("orphans children when asked to", async () => {
    await using cluster = await startControllers([garbageCollectorController]);
    const { client } = cluster;
    await family(client);
    await deleteParent(client, "Orphan");
    const child = await client.resource(Secret, { namespace }).get("child");
    expect(child.metadata.ownerReferences ?? []).toEqual([]);
    expect((await client.resource(ConfigMap, { namespace }).get("grandchild")).metadata.ownerReferences).toHaveLength(
      1,
    );
  });

  test("removes a child of an owner that never was, and keeps one of an owner that is", async () => {
    await using cluster = await startControllers([garbageCollectorController]);
    const { client } = cluster;
    const configMaps = client.resource(ConfigMap, { namespace });
    const owner = await configMaps.create({ metadata: { name: "owner" } });
    const ghost = { apiVersion: "v1", kind: "ConfigMap", name: "ghost", uid: "00000000-0000-0000-0000-000000000000" };
    await configMaps.create({ metadata: { name: "kept", ownerReferences: [newControllerRef(owner), ghost] } });
    await configMaps.create({ metadata: { name: "lost", ownerReferences: [ghost] } });
    await configMaps.waitFor("lost", gone, { signal: signal() });
    const kept = await configMaps.waitFor("kept", (map) => map?.metadata.ownerReferences?.length === 1, {
      signal: signal(),
    });
    expect(kept?.metadata.ownerReferences?.[0]?.name).toBe("owner");
  });

  test("removes a child of an owner that came and went before its kind was watched", async () => {
    const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 1) });
    const starting = startControllers([garbageCollectorController], { clock });
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
