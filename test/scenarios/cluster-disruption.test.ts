import { describe, expect, test } from "vitest";
import {
  Deployment,
  isBadRequest,
  isTooManyRequests,
  Node,
  Pod,
  PodDisruptionBudget,
  Service,
} from "../../src/api/index.js";
import { powerAnnotation } from "../../src/machines/index.js";
import { namespace, startWholeCluster, template, type WholeCluster } from "./whole-cluster.js";

async function deploy(cluster: WholeCluster, replicas: number): Promise<void> {
  await cluster.client.resource(Service, { namespace }).create({
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  });
  await cluster.client.resource(Deployment, { namespace }).create({
    metadata: { name: "web" },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template: template("web", "web:1") },
  });
  await cluster.settle();
}

const on = (node: string, pods: readonly Pod[]): readonly Pod[] => pods.filter(({ spec }) => spec?.nodeName === node);

describe("disruptions of a whole cluster", () => {
  test("draining a node waits for the budget, then moves its pods and keeps the service's endpoints right", async () => {
    await using cluster = await startWholeCluster();
    const { client } = cluster;
    await deploy(cluster, 3);
    const budgets = client.resource(PodDisruptionBudget, { namespace });
    await budgets.create({
      metadata: { name: "web" },
      spec: { minAvailable: 3, selector: { matchLabels: { app: "web" } } },
    });
    await cluster.settle();
    expect((await budgets.get("web")).status).toMatchObject({
      disruptionsAllowed: 0,
      currentHealthy: 3,
      expectedPods: 3,
    });
    await client.resource(Node).patch("node-1", { merge: { spec: { unschedulable: true } } });
    const evict = (name: string, apiVersion = "policy/v1"): Promise<unknown> =>
      client
        .resource(Pod, { namespace })
        .subresource("eviction")
        .create(name, { apiVersion, kind: "Eviction", metadata: { name, namespace } } as never);
    const [victim] = on("node-1", await cluster.pods());
    const name = victim?.metadata.name ?? "";
    for (const version of ["v1", "v1beta1"]) {
      await expect(evict(name, `policy/${version}`)).rejects.toSatisfy(isTooManyRequests);
    }
    await expect(evict(name, "policy/v2")).rejects.toSatisfy(isBadRequest);
    await cluster.settle();
    expect(await cluster.pods()).toHaveLength(3);

    await budgets.patch("web", { merge: { spec: { minAvailable: 2 } } });
    await cluster.settle();
    await evict(name);
    await cluster.settle(8_000);
    const after = await cluster.pods();
    expect([after.length, on("node-1", after)]).toEqual([3, []]);
    const status = (await budgets.get("web")).status;
    expect(status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3 });
    expect(status?.disruptedPods ?? {}).toEqual({});
  });

  test("the pods of a lost node leave the endpoints, are evicted after their tolerance and run elsewhere", async () => {
    await using cluster = await startWholeCluster();
    await deploy(cluster, 3);
    const nodes = cluster.client.resource(Node);
    await nodes.patch("node-2", { merge: { metadata: { annotations: { [powerAnnotation]: "off" } } } });
    await cluster.settle(70_000);
    const lost = await nodes.get("node-2");
    expect(lost.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).toSorted()).toEqual([
      "node.kubernetes.io/unreachable:NoExecute",
      "node.kubernetes.io/unreachable:NoSchedule",
    ]);
    expect(on("node-2", await cluster.pods())).toHaveLength(1);
    await cluster.settle(310_000);
    const moved = await cluster.pods();
    expect([moved.length, on("node-2", moved)]).toEqual([3, []]);
    await nodes.delete("node-2");
    await cluster.settle(120_000);
    // its pods have been collected: no kubelet could report their end
    expect((await cluster.client.resource(Pod, { namespace }).list()).items).toHaveLength(3);
  });

  test("a pod that was to be disrupted and is still there two minutes later is told that it stays", async () => {
    await using cluster = await startWholeCluster(1);
    const pods = cluster.client.resource(Pod, { namespace });
    const { metadata, spec } = template("web", "web:1");
    await pods.create({ metadata: { ...metadata, name: "web" }, spec });
    await cluster.pass(5_000);
    const lastTransitionTime = (await pods.get("web")).status?.startTime;
    const word = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", lastTransitionTime };
    await pods.status.patch("web", { strategic: { status: { conditions: [word] } } });
    const target = async () =>
      (await pods.get("web")).status?.conditions?.find(({ type }) => type === "DisruptionTarget");
    await cluster.pass(60_000);
    expect(await target()).toMatchObject({ status: "True" });
    await cluster.pass(70_000);
    expect(await target()).toMatchObject({ status: "False" });
    expect(await target()).not.toHaveProperty("reason");
  });
});
