/** The metrics APIs of a cluster of simulated nodes, on virtual time. */
import { describe, expect, test } from "vitest";
import { Deployment, Pod } from "../../src/api/index.js";
import { MetricValues } from "../../src/apiserver/index.js";
import type { FakeClock } from "../../src/base/index.js";
import type { Json } from "../ask.js";
import { startCluster, type TestCluster } from "../../src/testing/cluster.js";

const deployment = (name: string, annotations: Record<string, string>, replicas = 2) => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, annotations },
      spec: { containers: [{ name: "main", image: "a" }] },
    },
  },
});

async function asked(
  { server }: TestCluster<FakeClock>,
  path: string,
  { method = "GET", accept = "application/json" }: { readonly method?: string; readonly accept?: string } = {},
): Promise<{ readonly status: number; readonly body: Json }> {
  const { status, body } = await server.transport()(
    { method, path, headers: { accept } },
    new AbortController().signal,
  );
  return { status, body: JSON.parse(Buffer.from(body as Uint8Array).toString()) };
}

const root = "/apis/metrics.k8s.io/v1beta1";

async function measuredCluster(metricValues?: MetricValues) {
  const cluster = await startCluster({
    clock: "virtual",
    controllers: ["deployment", "replicaset"],
    nodes: 2,
    ...(metricValues && { metricValues }),
  });
  const deployments = cluster.client.resource(Deployment, { namespace: "default" });
  await deployments.create(deployment("web", { "coxswain.dev/cpu": "total 3", "coxswain.dev/memory": "100Mi" }));
  await deployments.create(deployment("idle", {}, 1));
  await cluster.clock.advance(40_000);
  return { cluster, deployments };
}

describe("metrics.k8s.io", () => {
  test("tells the usage of pods and nodes, whose shares of a total follow the number of replicas", async () => {
    const { cluster, deployments } = await measuredCluster();
    await using _ = cluster;
    const { body } = await asked(cluster, `${root}/namespaces/default/pods?labelSelector=app%3Dweb`);
    expect(body).toMatchObject({ kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1" });
    expect(body.items).toHaveLength(2);
    expect(body.items[0]).toEqual({
      kind: "PodMetrics",
      apiVersion: "metrics.k8s.io/v1beta1",
      metadata: {
        name: expect.stringMatching(/^web-/),
        namespace: "default",
        creationTimestamp: "2020-01-01T00:00:40Z",
        labels: expect.objectContaining({ app: "web" }),
      },
      timestamp: "2020-01-01T00:00:30Z",
      window: "15s",
      containers: [{ name: "main", usage: { cpu: "1500m", memory: "100Mi" } }],
    });
    await deployments.patch("web", { merge: { spec: { replicas: 4 } } });
    await cluster.clock.advance(30_000);
    const after = await asked(cluster, `${root}/pods?labelSelector=app%3Dweb`);
    expect(after.body.items.map(({ containers }: Json) => containers[0].usage.cpu)).toEqual(Array(4).fill("750m"));
    const nodes = await asked(cluster, `${root}/nodes`);
    expect(nodes.body.kind).toBe("NodeMetricsList");
    const cpus = nodes.body.items.map(({ usage }: Json) => Number.parseInt(usage.cpu, 10));
    // three cores of the totals, a little for the idle pod, and a little for each node
    expect(cpus.reduce((sum: number, cpu: number) => sum + cpu)).toBe(3_041);
  });

  test("answers one object, tables and refusals as metrics-server does", async () => {
    const { cluster } = await measuredCluster();
    await using _ = cluster;
    const { body: node } = await asked(cluster, `${root}/nodes/node-1`);
    expect(node).toMatchObject({ kind: "NodeMetrics", metadata: { name: "node-1" }, window: "15s" });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { body: table } = await asked(cluster, `${root}/namespaces/default/pods?labelSelector=app%3Didle`, {
      accept,
    });
    expect(table.columnDefinitions.map(({ name }: Json) => name)).toEqual(["Name", "cpu", "memory", "Window"]);
    expect(table.rows[0].cells).toEqual([expect.stringMatching(/^idle-/), "1m", "8Mi", "15s"]);
    const refused = async (path: string, method = "GET") => {
      const { status, body } = await asked(cluster, `${root}/${path}`, { method });
      return `${status} ${body.message}`;
    };
    expect(await refused("pods?watch=true")).toBe(
      '405 watch is not supported on resources of kind "pods.metrics.k8s.io"',
    );
    expect(await refused("namespaces/default/pods", "POST")).toBe(
      "405 the server does not allow this method on the requested resource",
    );
    expect(await refused("nodes/nobody")).toBe('404 nodes "nobody" not found');
    expect(await refused("pods?labelSelector=%21%21")).toMatch(/^400 /);
    await cluster.client.resource(Pod, { namespace: "default" }).create({
      metadata: { name: "waits" },
      spec: { containers: [{ name: "main", image: "a" }], nodeSelector: { no: "such" } },
    });
    expect(await refused("namespaces/default/pods/waits")).toBe(
      '404 podmetrics.metrics.k8s.io "default/waits" not found',
    );
  });

  test("is in discovery and in OpenAPI", async () => {
    await using cluster = await startCluster({ clock: "virtual" });
    const { body: list } = await asked(cluster, root);
    expect(list.resources).toEqual([
      { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
      { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
    ]);
    const { body: groups } = await asked(cluster, "/apis");
    expect(groups.groups.map(({ name }: Json) => name)).toContain("metrics.k8s.io");
    const { body: document } = await asked(cluster, "/openapi/v3/apis/metrics.k8s.io/v1beta1");
    expect(Object.keys(document.paths)).toContain(`${root}/namespaces/{namespace}/pods/{name}`);
    const schemas = Object.keys(document.components.schemas);
    expect(schemas.filter((name) => name.includes("PodMetrics"))).toHaveLength(2);
  });
});

describe("custom.metrics.k8s.io and external.metrics.k8s.io", () => {
  const customRoot = "/apis/custom.metrics.k8s.io/v1beta2";
  const externalRoot = "/apis/external.metrics.k8s.io/v1beta1";

  test("tell the values that a program gives", async () => {
    const values = new MetricValues();
    const { cluster } = await measuredCluster(values);
    await using _ = cluster;
    values.custom({ name: "requests", resource: "pods", labels: { verb: "GET" }, valueOf: () => 12.5 });
    values.custom({
      name: "hits",
      resource: "deployments.apps",
      valueOf: ({ metadata }) => (metadata.name === "web" ? { value: "2k", windowSeconds: 60 } : undefined),
    });
    values.custom({ name: "tenants", resource: "namespaces", valueOf: () => 3 });
    using queue = values.external({ name: "queue_length", labels: { queue: "jobs" }, value: () => "30" });
    values.external({ name: "queue_length", labels: { queue: "mails" }, namespace: "other", value: () => 1 });
    const pods = await asked(cluster, `${customRoot}/namespaces/default/pods/*/requests?labelSelector=app%3Dweb`);
    expect(pods.body.items).toHaveLength(2);
    expect(pods.body.items[0]).toEqual({
      describedObject: {
        kind: "Pod",
        namespace: "default",
        name: expect.stringMatching(/^web-/),
        apiVersion: "v1",
      },
      metric: { name: "requests", selector: null },
      timestamp: "2020-01-01T00:00:40Z",
      value: "12500m",
    });
    const one = await asked(cluster, `${customRoot}/namespaces/default/deployments.apps/web/hits`);
    expect(one.body.items).toMatchObject([{ value: "2k", windowSeconds: 60 }]);
    const old = await asked(cluster, "/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/metrics/tenants");
    expect(old.body.items).toMatchObject([{ metricName: "tenants", describedObject: { kind: "Namespace" } }]);
    const { body } = await asked(cluster, customRoot);
    expect(body.resources.map(({ name }: Json) => name)).toEqual([
      "deployments.apps/hits",
      "namespaces/tenants",
      "pods/requests",
    ]);
    const outside = await asked(cluster, `${externalRoot}/namespaces/default/queue_length`);
    expect(outside.body.items).toEqual([
      { metricName: "queue_length", metricLabels: { queue: "jobs" }, timestamp: "2020-01-01T00:00:40Z", value: "30" },
    ]);
    queue[Symbol.dispose]();
    expect((await asked(cluster, `${externalRoot}/namespaces/default/queue_length`)).body.items).toEqual([]);
  });

  test("refuse metrics that are not there, not numbers, or written", async () => {
    const values = new MetricValues();
    const { cluster } = await measuredCluster(values);
    await using _ = cluster;
    values.custom({ name: "broken", resource: "pods", valueOf: () => Number.NaN });
    values.external({ name: "broken", value: () => "many" });
    const refused = async (path: string, method = "GET") => {
      const { status, body } = await asked(cluster, path, { method });
      return `${status} ${body.message}`;
    };
    const pods = `${customRoot}/namespaces/default/pods`;
    expect(await refused(`${pods}/*/none`)).toBe("404 the server could not find the metric none for pods");
    expect(await refused(`${pods}/a/none`)).toBe("404 the server could not find the metric none for pods a");
    expect(await refused(`${pods}/*/broken`)).toMatch(/^500 .*NaN is not a finite number/);
    expect(await refused(`${externalRoot}/namespaces/default/broken`)).toMatch(/^500 .*metric broken/);
    expect(await refused(`${pods}/*/broken?labelSelector=%21%21`)).toMatch(/^400 /);
    expect(await refused(`${externalRoot}/namespaces/default/broken`, "POST")).toMatch(/^405 /);
    expect(() => values.custom({ name: "a/b", resource: "pods", valueOf: () => 1 })).toThrow("without slashes");
  });
});
