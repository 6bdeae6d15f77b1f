/** Conditions that were written without a time: servers give null for it, and no controller may stumble over that. */
import { expect, test } from "vitest";
import { Deployment, EndpointSlice, Job, Pod, ReplicaSet, Service } from "../../src/api/index.js";
import type { Client } from "../../src/client/index.js";
import { startCluster } from "../../src/testing/cluster.js";

const namespace = "default";
const labels = { app: "web" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } };

/** Marks all pods as ready or finished, with no time in any condition and none at the containers' end. */
async function report(client: Client, phase: "Running" | "Failed"): Promise<void> {
  const pods = client.resource(Pod, { namespace });
  const state = phase === "Failed" ? { terminated: { exitCode: 1 } } : { running: {} };
  const container = { name: "c", image: "nginx", imageID: "", ready: phase === "Running", restartCount: 0, state };
  for (const { metadata } of (await pods.list({})).items) {
    const conditions = [{ type: "Ready", status: phase === "Running" ? "True" : "False" }];
    const status = {
      phase,
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }],
      conditions,
      containerStatuses: [container],
    };
    await pods.status.patch(metadata, { strategic: { status } });
  }
}

test("the answers of the server have null there", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client } = cluster;
  await client.resource(Pod, { namespace }).create({ metadata: { name: "a" }, spec: template.spec });
  await report(client, "Running");
  const text = await client.getText("/api/v1/namespaces/default/pods/a", { accept: "application/json" });
  expect(text).toContain('"lastTransitionTime":null');
  expect((await client.resource(Pod, { namespace }).get("a")).status?.conditions?.[0]).toEqual({
    type: "Ready",
    status: "True",
  });
});

test("a ReplicaSet scales down, a Deployment goes on, a Service gets its endpoints", async () => {
  await using cluster = await startCluster({
    clock: "virtual",
    controllers: ["deployment", "replicaset", "endpointslice"],
  });
  const { client, clock } = cluster;
  await client.resource(Service, { namespace }).create({
    metadata: { name: "web" },
    spec: { selector: labels, ports: [{ port: 80 }], publishNotReadyAddresses: true },
  });
  const deployments = client.resource(Deployment, { namespace });
  await deployments.create({ metadata: { name: "web" }, spec: { replicas: 3, selector, template } });
  await clock.pass(5_000);
  await report(client, "Running");
  await clock.pass(5_000);
  const [slice] = (
    await client.resource(EndpointSlice, { namespace }).list({ labelSelector: "kubernetes.io/service-name=web" })
  ).items;
  expect(slice?.endpoints).toHaveLength(3);
  expect((await deployments.get("web")).status?.availableReplicas).toBe(3);

  await deployments.patch("web", { merge: { spec: { replicas: 1 } } });
  await clock.pass(5_000);
  expect((await client.resource(ReplicaSet, { namespace }).list({})).items[0]?.status?.replicas).toBe(1);
});

test("a Job counts its failed pods", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["job"] });
  const { client, clock } = cluster;
  const jobs = client.resource(Job, { namespace });
  const once = { ...template.spec, restartPolicy: "Never" } as const;
  await jobs.create({ metadata: { name: "sum" }, spec: { backoffLimit: 0, template: { spec: once } } });
  await clock.pass(5_000);
  await report(client, "Failed");
  await clock.pass(30_000);
  expect((await jobs.get("sum")).status?.failed).toBe(1);
});
