import { describe, expect, test } from "vitest";
import { Deployment, Job, Namespace, Pod, ReplicaSet } from "../../src/api/index.js";
import { namespace, startWholeCluster, template, type WholeCluster } from "./whole-cluster.js";

async function deploy(cluster: WholeCluster, where = namespace): Promise<void> {
  await cluster.client.resource(Deployment, { namespace: where }).create({
    metadata: { name: "web" },
    spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template: template("web", "web:1") },
  });
  await cluster.settle();
}

async function left(cluster: WholeCluster): Promise<Readonly<Record<string, number>>> {
  const count = async (type: typeof Pod | typeof ReplicaSet): Promise<number> =>
    (await cluster.client.resource<Pod | ReplicaSet>(type as typeof Pod, { namespace }).list()).items.length;
  return { sets: await count(ReplicaSet), pods: await count(Pod) };
}

describe("endings on a whole cluster", () => {
  for (const propagationPolicy of ["Background", "Foreground"] as const) {
    test(`a Deployment deleted in the ${propagationPolicy.toLowerCase()} takes its sets and pods with it`, async () => {
      await using cluster = await startWholeCluster(1);
      await deploy(cluster);
      const deployments = cluster.client.resource(Deployment, { namespace });
      await deployments.delete("web", { propagationPolicy });
      await cluster.settle(10_000);
      expect(await deployments.getOrUndefined("web")).toBeUndefined();
      expect(await left(cluster)).toEqual({ sets: 0, pods: 0 });
    });
  }

  test("what a Deployment leaves as orphans runs on, and a namesake adopts it without a restart", async () => {
    await using cluster = await startWholeCluster(1);
    await deploy(cluster);
    const before = (await cluster.pods()).map(({ metadata }) => metadata.uid);
    await cluster.client.resource(Deployment, { namespace }).delete("web", { propagationPolicy: "Orphan" });
    await cluster.settle(10_000);
    const [set] = (await cluster.client.resource(ReplicaSet, { namespace }).list()).items;
    expect(set?.metadata.ownerReferences ?? []).toEqual([]);
    expect(await left(cluster)).toEqual({ sets: 1, pods: 2 });
    await deploy(cluster);
    expect((await cluster.pods()).map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(await left(cluster)).toEqual({ sets: 1, pods: 2 });
  });

  test("a Job whose pods fail gives up at its limit; deleted while it runs, it leaves no pod and no finalizer", async () => {
    await using cluster = await startWholeCluster(1);
    const jobs = cluster.client.resource(Job, { namespace });
    const create = (name: string, behaviour: Readonly<Record<string, string>>): Promise<Job> => {
      const { metadata, spec } = template(name, "work", behaviour);
      return jobs.create({
        metadata: { name },
        spec: { backoffLimit: 2, template: { metadata, spec: { ...spec, restartPolicy: "Never" } } },
      });
    };
    await create("fails", { "run-for": "1s", "exit-code": "3" });
    await create("runs", { "run-for": "1h" });
    await cluster.settle(200_000);
    expect((await jobs.get("fails")).status).toMatchObject({
      failed: 3,
      conditions: [{}, { reason: "BackoffLimitExceeded" }],
    });
    expect((await jobs.get("runs")).status).toMatchObject({ active: 1, ready: 1 });
    for (const name of ["fails", "runs"]) await jobs.delete(name, { propagationPolicy: "Background" });
    await cluster.settle(40_000);
    expect(await left(cluster)).toEqual({ sets: 0, pods: 0 });
  });

  test("a namespace goes with all that works in it", async () => {
    await using cluster = await startWholeCluster(1);
    const namespaces = cluster.client.resource(Namespace);
    await namespaces.create({ metadata: { name: "doomed" } });
    await deploy(cluster, "doomed");
    await namespaces.delete("doomed");
    await cluster.settle(60_000);
    expect(await namespaces.getOrUndefined("doomed")).toBeUndefined();
    expect((await cluster.client.resource(Pod).list()).items).toEqual([]);
  });
});
