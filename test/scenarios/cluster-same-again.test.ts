import { expect, test } from "vitest";
import { Deployment, Event, Job, type KubeObject, Node, Pod, ReplicaSet, Service } from "../../src/api/index.js";
import { namespace, startWholeCluster, template, type WholeCluster } from "./whole-cluster.js";

/**
 * Everything that a run of the cluster leaves behind, with uids, revisions and times: any step taken sooner or later
 * changes the trace.
 */
async function traceOf(cluster: WholeCluster): Promise<readonly string[]> {
  const trace: string[] = [...cluster.events];
  for (const type of [Deployment, ReplicaSet, Pod, Job, Node, Service, Event] as const) {
    const { items } = await cluster.client.resource<KubeObject>(type as never).list();
    trace.push(...items.map((object) => JSON.stringify(object)));
  }
  return trace;
}

async function life(): Promise<readonly string[]> {
  await using cluster = await startWholeCluster();
  const { client, pass } = cluster;
  await client.resource(Service, { namespace }).create({
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  });
  const deployments = client.resource(Deployment, { namespace });
  for (const name of ["web", "side"]) {
    await deployments.create({
      metadata: { name },
      spec: { replicas: 4, selector: { matchLabels: { app: name } }, template: template(name, `${name}:1`) },
    });
  }
  const { metadata, spec } = template("sum", "sum:1", { "run-for": "2s" });
  await client.resource(Job, { namespace }).create({
    metadata: { name: "sum" },
    spec: { completions: 3, template: { metadata, spec: { ...spec, restartPolicy: "Never" } } },
  });
  await pass(4_000);
  await deployments.patch("web", {
    strategic: { spec: { template: { spec: { containers: [{ name: "c", image: "web:2" }] } } } },
  });
  await deployments.delete("side", { propagationPolicy: "Foreground" });
  await pass(20_000);
  return await traceOf(cluster);
}

test("a cluster on virtual time and a seed takes the same steps each time", async () => {
  expect(await life()).toEqual(await life());
});
