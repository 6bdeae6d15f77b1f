import { expect, test } from "vitest";
import {
  ConfigMap,
  CustomResourceDefinition,
  defineResource,
  type Draft,
  type KubeObject,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
} from "../../api/index.js";
import { startCluster, type TestCluster } from "../../testing/cluster.js";

const namespace = "default";
const labels = { app: "a" };
const selector = { matchLabels: labels };

async function readyPod(cluster: TestCluster, name: string, owner?: KubeObject): Promise<void> {
  const pods = cluster.client.resource(Pod, { namespace });
  const { apiVersion = "", kind = "", metadata } = owner ?? { metadata: { name: "", uid: "" } };
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "", controller: true };
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  await pods.create({
    metadata: { name, labels, ...(owner === undefined ? {} : { ownerReferences: [reference] }) },
    spec,
  });
  const conditions = [{ type: "Ready", status: "True" }];
  await pods.status.patch(name, { strategic: { status: { phase: "Running", conditions } } });
}

const budget = (spec: object, name = "budget"): Draft<PodDisruptionBudget> => ({
  metadata: { name },
  spec: { selector, ...spec },
});

const told = (one: PodDisruptionBudget | undefined) => one?.status?.conditions?.[0]?.reason;

test("pods of a kind of somebody's own count as many as its scale says", async () => {
  await using cluster = await startCluster({ controllers: ["disruption"] });
  const { client } = cluster;
  const properties = { replicas: { type: "integer" } };
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties } } };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  await client.resource(CustomResourceDefinition).create({
    metadata: { name: "crews.example.com" },
    spec: {
      group: "example.com",
      names: { kind: "Crew", plural: "crews" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, subresources: { scale } }],
    },
  } as never);
  const Crew = defineResource<KubeObject>({
    group: "example.com",
    version: "v1",
    kind: "Crew",
    plural: "crews",
    scope: "Namespaced",
  });
  const crew = { metadata: { name: "crew" }, spec: { replicas: 5 } } as never;
  let owner: KubeObject | undefined;
  await expect
    .poll(async () => {
      owner ??= await client
        .resource(Crew, { namespace })
        .create(crew)
        .catch(() => undefined);
      return owner;
    })
    .toBeDefined();
  await readyPod(cluster, "one", { ...(owner as KubeObject), apiVersion: "example.com/v1", kind: "Crew" });
  const budgets = client.resource(PodDisruptionBudget, { namespace });
  await budgets.create(budget({ maxUnavailable: 5 }));
  const counted = await budgets.waitFor("budget", (one) => told(one) === "SufficientPods");
  expect(counted?.status).toMatchObject({ expectedPods: 5, desiredHealthy: 0, disruptionsAllowed: 1 });
});

test("pods of a kind without a scale let nobody be evicted, which is told", async () => {
  await using cluster = await startCluster({ controllers: ["disruption"] });
  const { client } = cluster;
  const owner = await client.resource(ConfigMap, { namespace }).create({ metadata: { name: "owner" } });
  await readyPod(cluster, "one", { ...owner, apiVersion: "v1", kind: "ConfigMap" });
  const budgets = client.resource(PodDisruptionBudget, { namespace });
  await budgets.create(budget({ minAvailable: "50%" }));
  const failed = await budgets.waitFor("budget", (one) => told(one) === "SyncFailed");
  expect(failed?.status?.disruptionsAllowed).toBe(0);
  expect(failed?.status?.conditions?.[0]?.message).toBe("configmaps does not implement the scale subresource");
  const why = "Failed to calculate the number of expected pods: configmaps does not implement the scale subresource";
  // besides, the budget may have been looked at before its pod was seen
  expect(cluster.events).toContain(`PodDisruptionBudget budget CalculateExpectedPodCountFailed ${why}`);
  await budgets.patch("budget", { merge: { spec: { minAvailable: 1 } } });
  await budgets.waitFor("budget", (one) => told(one) === "InsufficientPods");
});

test("pods whose controller is gone are told of, and so is a pod of two budgets", async () => {
  await using cluster = await startCluster({ controllers: ["disruption"] });
  const { client, events } = cluster;
  const gone = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "gone", uid: "gone" } };
  await readyPod(cluster, "one", gone);
  const budgets = client.resource(PodDisruptionBudget, { namespace });
  await budgets.create(budget({ maxUnavailable: 1 }));
  const failed = await budgets.waitFor("budget", (one) => told(one) === "SyncFailed");
  expect(failed?.status?.conditions?.[0]?.message).toBe('found no controllers for pod "one"');
  await budgets.create(budget({ minAvailable: 1 }, "another"));
  await budgets.waitFor("another", (one) => told(one) === "InsufficientPods");
  await readyPod(cluster, "two");
  await budgets.waitFor("another", (one) => one?.status?.disruptionsAllowed === 1);
  expect(events).toContain(
    'Pod two MultiplePodDisruptionBudgets Pod "default"/"two" matches multiple PodDisruptionBudgets.  Chose "another" arbitrarily.',
  );
});

test("a controller is counted once, however many of its pods there are", async () => {
  await using cluster = await startCluster({ controllers: ["disruption"] });
  const { client } = cluster;
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const sets = client.resource(ReplicaSet, { namespace });
  for (const [name, replicas] of [
    ["a", 3],
    ["b", 4],
  ] as const) {
    const set = await sets.create({ metadata: { name }, spec: { replicas, selector, template } });
    for (const pod of ["1", "2"])
      await readyPod(cluster, `${name}-${pod}`, { ...set, apiVersion: "apps/v1", kind: "ReplicaSet" });
  }
  const budgets = client.resource(PodDisruptionBudget, { namespace });
  await budgets.create(budget({ minAvailable: "28%" }));
  const counted = await budgets.waitFor("budget", (one) => one?.status?.currentHealthy === 4);
  expect(counted?.status).toMatchObject({ expectedPods: 7, desiredHealthy: 2, disruptionsAllowed: 2 });
});
