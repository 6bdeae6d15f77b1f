import { expect, test } from "vitest";
import { CustomResourceDefinition, Deployment, Pod } from "../api/index.js";
import { startCluster, type TestCluster } from "./cluster.js";

test("a cluster in this process brings a Deployment's pods to run, on virtual time", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["deployment", "replicaset"], nodes: 3 });
  const { client, clock, events } = cluster;
  const labels = { app: "web" };
  await client.resource(Deployment, { namespace: "default" }).create({
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
    },
  });
  await clock.pass(60_000);
  const pods = (await client.resource(Pod, { namespace: "default" }).list({})).items;
  expect(pods.map(({ status }) => status?.phase)).toEqual(["Running", "Running", "Running"]);
  expect((await client.resource(Deployment, { namespace: "default" }).get("web")).status?.availableReplicas).toBe(3);
  expect(events.some((event) => event.startsWith("Deployment web ScalingReplicaSet Scaled up replica set web-"))).toBe(
    true,
  );
});

test("a fork has the cluster's objects, starts its controllers and nodes anew, and changes nothing in the cluster", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["deployment", "replicaset"], nodes: 2 });
  const labels = { app: "web" };
  const podsOf = async ({ client }: TestCluster) =>
    (await client.resource(Pod, { namespace: "default" }).list()).items.map(({ status }) => status?.phase);
  await cluster.client.resource(Deployment, { namespace: "default" }).create({
    metadata: { name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
    },
  });
  await cluster.clock.pass(60_000);
  await using fork = await cluster.fork();
  expect([fork.clock.now(), fork.clock === cluster.clock]).toEqual([cluster.clock.now(), false]);
  await fork.client.resource(Deployment, { namespace: "default" }).patch("web", { merge: { spec: { replicas: 3 } } });
  await fork.clock.pass(60_000);
  expect(await podsOf(fork)).toEqual(["Running", "Running", "Running"]);
  await cluster.clock.pass(60_000);
  expect(await podsOf(cluster)).toEqual(["Running", "Running"]);
});

test("what a server of this process serves is parsed once for each client, until it changes", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client } = cluster;
  const find = async (kind: string) => {
    client.discovery.invalidate();
    return (await client.discovery.all()).resources.find((one) => one.kind === kind);
  };
  const map = await find("ConfigMap");
  expect(map?.plural).toBe("configmaps");
  expect(Object.isFrozen(map?.verbs)).toBe(true);
  expect(await find("ConfigMap")).toBe(map);
  expect(await find("Thing")).toBeUndefined();
  await client.resource(CustomResourceDefinition).create(thing);
  await cluster.clock.pass(1_000);
  expect((await find("Thing"))?.plural).toBe("things");
  expect(await find("ConfigMap")).not.toBe(map);
});

const thing = {
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
} as const;
