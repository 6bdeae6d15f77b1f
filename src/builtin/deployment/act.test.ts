import { expect, test } from "vitest";
import { Deployment, type KubeObject, type Pod, ReplicaSet } from "../../api/index.js";
import { startCluster } from "../../testing/cluster.js";
import { planDeployment } from "./plan.js";

const namespace = "default";
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "one" }] } };
const spec = { replicas: 2, selector: { matchLabels: { app: "web" } }, template };

test("a name that another template has taken is counted, and another taken", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["deployment"] });
  // so that all writes are in all caches
  const pass = (): Promise<void> => cluster.clock.pass(10_000);
  const deployments = cluster.client.resource(Deployment, { namespace });
  const sets = cluster.client.resource(ReplicaSet, { namespace });
  const before = await deployments.create({ metadata: { name: "web" }, spec });
  await pass();
  const [first] = (await sets.list()).items;
  const name = first?.metadata.name ?? "";
  await deployments.delete("web");
  await pass();
  await sets.delete(name);
  const labels = { app: "other" };
  const other = { ...template, metadata: { labels } };
  await sets.create({ metadata: { name }, spec: { replicas: 0, selector: { matchLabels: labels }, template: other } });
  await pass();
  await deployments.create({ metadata: { name: "web" }, spec });
  await pass();
  const again = await deployments.get("web");
  expect(again.status).toMatchObject({ collisionCount: 1, observedGeneration: 1 });
  expect(again.metadata.uid).not.toBe(before.metadata.uid);
  expect((await sets.list({ labelSelector: "app=web" })).items).toHaveLength(1);
  expect((await sets.get(name)).metadata.ownerReferences ?? []).toEqual([]);
});

const deploymentOf = (metadata: Partial<KubeObject["metadata"]>, more: object = {}): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace, uid: "web", generation: 2, ...metadata },
  spec: { ...spec, ...more },
});

const plan = (deployment: Deployment, sets: readonly ReplicaSet[] = [], pods: readonly Pod[] = []) =>
  planDeployment({ deployment, sets, podsOf: () => pods }, Date.parse("2026-01-01T00:00:00Z"));

test("a new set's name is the Deployment's and the hash of the template, and no longer than a name may be", () => {
  for (const name of ["w", "w".repeat(242), "w".repeat(253)]) {
    const [action] = plan(deploymentOf({ name }));
    if (action?.type !== "create-set") throw new Error("expected a new set");
    const hash = action.set.metadata.labels?.["pod-template-hash"] ?? "";
    expect(action.set.metadata.name).toBe(`${name.slice(0, 252 - hash.length)}-${hash}`);
    expect(action.set.metadata.name?.length).toBeLessThanOrEqual(253);
  }
});

test("a Deployment that is being deleted only counts", () => {
  const actions = plan(deploymentOf({ deletionTimestamp: "2026-01-01T00:00:00Z" }));
  expect(actions.map(({ type }) => type)).toEqual(["write-status"]);
});

test("one that selects everything is warned and left alone, once for each generation", () => {
  const all = deploymentOf({}, { selector: {} });
  expect(plan(all).map(({ type }) => type)).toEqual(["event", "write-status"]);
  expect(plan({ ...all, status: { observedGeneration: 2 } }).map(({ type }) => type)).toEqual(["event"]);
});

test("one that recreates waits for old pods in every phase but the last ones", () => {
  const old: ReplicaSet = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "old", uid: "old" },
    spec: { replicas: 0, selector: {}, template: { spec: { containers: [{ name: "c", image: "old" }] } } },
  };
  const recreate = deploymentOf({}, { strategy: { type: "Recreate" } });
  const waits = (phase: "Pending" | "Running" | "Unknown" | "Failed" | "Succeeded", replicas = 0): boolean => {
    const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, status: { phase } };
    const actions = plan(recreate, [{ ...old, status: { replicas } }], [pod]);
    return !actions.some(({ type }) => type === "create-set");
  };
  expect((["Pending", "Running", "Unknown", "Failed", "Succeeded"] as const).map((phase) => waits(phase))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(waits("Succeeded", 1)).toBe(true);
});

test("the legacy rollback says why it cannot be done, and is cleared", () => {
  const asked = (revision: string) => deploymentOf({ annotations: { "deprecated.deployment.rollback.to": revision } });
  const current: ReplicaSet = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web-1", annotations: { "deployment.kubernetes.io/revision": "1" } },
    spec: { replicas: 2, selector: {}, template },
  };
  for (const [revision, reason, message] of [
    ["0", "DeploymentRollbackRevisionNotFound", "Unable to find last revision."],
    ["7", "DeploymentRollbackRevisionNotFound", "Unable to find the revision to rollback to."],
    [
      "1",
      "DeploymentRollbackTemplateUnchanged",
      'The rollback revision contains the same template as current deployment "web"',
    ],
  ] as const) {
    const [event, update] = plan(asked(revision), [current]);
    expect(event).toEqual({ type: "event", level: "warning", reason, message });
    expect(update?.type === "update-deployment" && update.deployment.metadata.annotations).toEqual({});
  }
});
