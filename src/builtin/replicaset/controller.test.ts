import { expect, test } from "vitest";
import { Pod, ReplicaSet, ReplicationController, ResourceQuota } from "../../api/index.js";
import type { FakeClock } from "../../base/index.js";
import { startCluster, type TestCluster } from "../../testing/cluster.js";

const namespace = "default";
const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "one" }] } };
const setOf = (replicas: number) => ({
  metadata: { name: "web" },
  spec: { replicas, selector: { matchLabels: labels }, template },
});

type Cluster = TestCluster<FakeClock>;
const start = (): Promise<Cluster> => startCluster({ clock: "virtual", controllers: ["replicaset"] });
/** Long enough for all writes to be in all caches, and for their consequences to be done. */
const pass = ({ clock }: Cluster): Promise<void> => clock.pass(10_000);
const setsOf = ({ client }: TestCluster) => client.resource(ReplicaSet, { namespace });
const podsOf = ({ client }: TestCluster) => client.resource(Pod, { namespace });
const has = (count: number) => (one: ReplicaSet | undefined) =>
  one?.status?.observedGeneration === one?.metadata.generation && one?.status?.replicas === count;

test("pods that nobody owns are adopted, and released when their labels change", async () => {
  await using cluster = await start();
  const pods = podsOf(cluster);
  await pods.create({ metadata: { ...template.metadata, name: "loose" }, spec: template.spec });
  await pass(cluster);
  const set = await setsOf(cluster).create(setOf(1));
  await pass(cluster);
  expect((await pods.get("loose")).metadata.ownerReferences).toEqual([
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      name: "web",
      uid: set.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  await pods.patch("loose", { merge: { metadata: { labels: { app: "other" } } } });
  await pass(cluster);
  expect((await pods.get("loose")).metadata.ownerReferences ?? []).toEqual([]);
  expect(has(1)(await setsOf(cluster).get("web"))).toBe(true);
  expect((await pods.list({ labelSelector: "app=web" })).items).toHaveLength(1);
});

test("a quota that is used up is told as a failure, until what is wanted fits", async () => {
  await using cluster = await startCluster({ controllers: ["replicaset", "resourcequota"] });
  const quotas = cluster.client.resource(ResourceQuota, { namespace });
  await quotas.create({ metadata: { name: "two" }, spec: { hard: { pods: "2" } } });
  await quotas.waitFor("two", (one) => one?.status?.hard?.["pods"] === "2");
  await setsOf(cluster).create(setOf(3));
  const failed = await setsOf(cluster).waitFor("web", (one) => (one?.status?.conditions ?? []).length > 0);
  expect(failed?.status?.conditions?.[0]).toMatchObject({
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message: expect.stringContaining("exceeded quota: two, requested: pods=1, used: pods=2, limited: pods=2") as string,
  });
  await setsOf(cluster).patch("web", { merge: { spec: { replicas: 2 } } });
  const well = await setsOf(cluster).waitFor("web", (one) => has(2)(one) && one?.status?.conditions === undefined);
  expect(well?.status?.replicas).toBe(2);
  expect(cluster.events.some((event) => event.startsWith("ReplicaSet web FailedCreate Error creating: pods"))).toBe(
    true,
  );
});

test("failed pods are replaced and left where they are", async () => {
  await using cluster = await start();
  await setsOf(cluster).create(setOf(1));
  await pass(cluster);
  const [first] = (await podsOf(cluster).list()).items;
  const name = first?.metadata.name ?? "";
  await podsOf(cluster).status.patch(name, { strategic: { status: { phase: "Failed" } } });
  await pass(cluster);
  expect((await podsOf(cluster).list()).items).toHaveLength(2);
  expect(has(1)(await setsOf(cluster).get("web"))).toBe(true);
  expect((await podsOf(cluster).get(name)).metadata.deletionTimestamp).toBeUndefined();
});

test("a set made anew under its name owes nothing to the first", async () => {
  await using cluster = await start();
  const first = await setsOf(cluster).create(setOf(2));
  await pass(cluster);
  await setsOf(cluster).delete("web", { propagationPolicy: "Background" });
  const second = await setsOf(cluster).create(setOf(3));
  expect(second.metadata.uid).not.toBe(first.metadata.uid);
  await pass(cluster);
  expect(has(3)(await setsOf(cluster).get("web"))).toBe(true);
  const owners = (await podsOf(cluster).list()).items.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
  expect(owners.filter((uid) => uid === second.metadata.uid)).toHaveLength(3);
});

test("a ReplicationController does the same, and says nothing of pods on their way out", async () => {
  await using cluster = await startCluster({ controllers: ["replicationcontroller"] });
  const controllers = cluster.client.resource(ReplicationController, { namespace });
  await controllers.create({ metadata: { name: "web" }, spec: { replicas: 2, selector: labels, template } });
  const made = await controllers.waitFor("web", (one) => one?.status?.replicas === 2);
  expect(made?.status).toEqual({ replicas: 2, fullyLabeledReplicas: 2, observedGeneration: 1 });
  await controllers.patch("web", { merge: { spec: { replicas: 0 } } });
  await controllers.waitFor("web", (one) => one?.status?.replicas === 0);
  expect(cluster.events.map((event) => event.split(" ").slice(0, 3).join(" ")).toSorted()).toEqual([
    "ReplicationController web SuccessfulCreate",
    "ReplicationController web SuccessfulCreate",
    "ReplicationController web SuccessfulDelete",
    "ReplicationController web SuccessfulDelete",
  ]);
});
