import { expect, test } from "vitest";
import { Deployment, ReplicaSet } from "../../api/index.js";
import type { FakeClock } from "../../base/index.js";
import { startCluster, type TestCluster } from "../../testing/cluster.js";
import type { ControllerDescriptor } from "../kit/context.js";
import { replicaSetController } from "../replicaset/index.js";
import { deploymentController } from "./index.js";

const namespace = "default";
const labels = { app: "web" };
const template = (image: string) => ({ metadata: { labels }, spec: { containers: [{ name: "c", image }] } });
const deployment = {
  metadata: { name: "web" },
  spec: { replicas: 3, selector: { matchLabels: labels }, template: template("one") },
};

/** Deployments and ReplicaSets in a process that is as busy as the test says. */
function busyCluster(isBusy: () => boolean): Promise<TestCluster<FakeClock>> {
  const controllers = [deploymentController, replicaSetController].map(
    (one): ControllerDescriptor => ({ ...one, create: (context) => one.create({ ...context, isBusy }) }),
  );
  return startCluster({ clock: "virtual", controllers, nodes: 2 });
}

async function stateOf({ client }: TestCluster) {
  const { status } = await client.resource(Deployment, { namespace }).get("web");
  const sets = (await client.resource(ReplicaSet, { namespace }).list()).items;
  return { deployment: status?.readyReplicas ?? 0, sets: sets.map((set) => set.status?.readyReplicas ?? 0) };
}

test("statuses wait while the process is busy, are written when it has time, and are right then", async () => {
  let isBusy = false;
  await using cluster = await busyCluster(() => isBusy);
  isBusy = true;
  await cluster.client.resource(Deployment, { namespace }).create(deployment);
  await cluster.clock.pass(1_500);
  expect(await stateOf(cluster)).toEqual({ deployment: 0, sets: [0] });
  isBusy = false;
  await cluster.clock.pass(100);
  expect(await stateOf(cluster)).toEqual({ deployment: 3, sets: [3] });
});

test("in a process that is busy for ever statuses wait two seconds each, no longer", async () => {
  let isBusy = false;
  await using cluster = await busyCluster(() => isBusy);
  isBusy = true;
  await cluster.client.resource(Deployment, { namespace }).create(deployment);
  for (const ms of [1_900, 200, 1_900, 200]) await cluster.clock.pass(ms);
  expect(await stateOf(cluster)).toEqual({ deployment: 3, sets: [3] });
});

test("a rollout waits for no status, however busy the process is", async () => {
  let isBusy = false;
  await using cluster = await busyCluster(() => isBusy);
  const deployments = cluster.client.resource(Deployment, { namespace });
  await deployments.create(deployment);
  await cluster.clock.pass(3_000);
  isBusy = true;
  await deployments.patch("web", { merge: { spec: { template: template("two") } } });
  for (let step = 0; step < 10; step++) await cluster.clock.pass(190);
  const sets = (await cluster.client.resource(ReplicaSet, { namespace }).list()).items;
  const sizes = sets.map(({ spec }) => `${spec?.template?.spec?.containers[0]?.image} ${spec?.replicas}`);
  expect(new Set(sizes)).toEqual(new Set(["one 0", "two 3"]));
});
