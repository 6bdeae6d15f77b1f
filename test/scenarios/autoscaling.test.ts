/** The horizontal pod autoscaler on a cluster of simulated nodes, on virtual time. */
import { describe, expect, test } from "vitest";
import {
  CustomResourceDefinition,
  Deployment,
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerSpec,
  type MetricSpec,
} from "../../src/api/index.js";
import { MetricValues } from "../../src/apiserver/index.js";
import { startCluster } from "../../src/testing/cluster.js";

const controllers = ["deployment", "replicaset", "horizontalpodautoscaling"];

async function autoscaled(spec: Partial<HorizontalPodAutoscalerSpec>, more: Record<string, unknown> = {}) {
  const {
    annotations = {},
    replicas = 2,
    requests = { cpu: "1" },
    metricValues,
  } = more as {
    annotations?: Record<string, string>;
    replicas?: number;
    requests?: Record<string, string>;
    metricValues?: MetricValues;
  };
  const cluster = await startCluster({
    clock: "virtual",
    controllers,
    nodes: 4,
    ...(metricValues && { metricValues }),
  });
  const deployments = cluster.client.resource(Deployment, { namespace: "default" });
  await deployments.create({
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" }, annotations },
        spec: { containers: [{ name: "main", image: "a", resources: { requests } }] },
      },
    },
  });
  const autoscalers = cluster.client.resource(HorizontalPodAutoscaler, { namespace: "default" });
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  await autoscalers.create({ metadata: { name: "web" }, spec: { scaleTargetRef, maxReplicas: 10, ...spec } });
  return {
    cluster,
    deployments,
    autoscalers,
    async replicas(): Promise<number | undefined> {
      return (await deployments.get("web")).spec?.replicas;
    },
    async conditions(): Promise<readonly string[]> {
      const { status } = await autoscalers.get("web");
      return (status?.conditions ?? []).map(({ type, status: value, reason }) => `${type} ${value} ${reason}`);
    },
  };
}

const utilization = (averageUtilization: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

describe("the autoscaler", () => {
  test("follows the utilization of CPU up at once, and down after five minutes", async () => {
    const annotations = { "coxswain.dev/cpu": "total 3" };
    const { cluster, deployments, replicas, conditions } = await autoscaled(
      { metrics: [utilization(50)] },
      { annotations },
    );
    await using _ = cluster;
    await cluster.clock.advance(120_000);
    expect(await replicas()).toBe(6);
    expect(await conditions()).toEqual([
      "AbleToScale True ReadyForNewScale",
      "ScalingActive True ValidMetricFound",
      "ScalingLimited False DesiredWithinRange",
    ]);
    expect(cluster.events.filter((event) => event.startsWith("HorizontalPodAutoscaler"))).toContainEqual(
      expect.stringMatching(
        /^HorizontalPodAutoscaler web SuccessfulRescale New size: \d; reason: cpu resource utilization \(percentage of request\) above target$/,
      ),
    );
    const quiet = { template: { metadata: { annotations: { "coxswain.dev/cpu": "total 500m" } } } };
    await deployments.patch("web", { merge: { spec: quiet } });
    await cluster.clock.advance(120_000);
    expect(await replicas()).toBe(6);
    expect(await conditions()).toContain("AbleToScale True ScaleDownStabilized");
    await cluster.clock.advance(300_000);
    expect(await replicas()).toBe(1);
  });

  test("keeps within its limits before it looks at a metric", async () => {
    const { cluster, replicas, conditions } = await autoscaled({ minReplicas: 3, metrics: [utilization(50)] });
    await using _ = cluster;
    await cluster.clock.advance(16_000);
    expect(await replicas()).toBe(3);
    expect(await conditions()).toEqual(["AbleToScale True SucceededRescale"]);
    expect(cluster.events).toContain(
      "HorizontalPodAutoscaler web SuccessfulRescale New size: 3; reason: Current number of replicas below Spec.MinReplicas",
    );
  });

  test("leaves a target of zero replicas alone", async () => {
    const { cluster, replicas, conditions } = await autoscaled({ metrics: [utilization(50)] }, { replicas: 0 });
    await using _ = cluster;
    await cluster.clock.advance(60_000);
    expect(await replicas()).toBe(0);
    expect(await conditions()).toEqual(["AbleToScale True SucceededGetScale", "ScalingActive False ScalingDisabled"]);
  });

  test("scales by metrics of pods, of objects and from outside", async () => {
    const metricValues = new MetricValues();
    let [perPod, hits, waiting] = [5, 0, 0];
    metricValues.custom({ name: "requests", resource: "pods", valueOf: () => perPod });
    metricValues.custom({ name: "hits", resource: "deployments.apps", valueOf: () => hits });
    metricValues.external({ name: "queue", labels: { queue: "jobs" }, value: () => waiting });
    const metrics: MetricSpec[] = [
      { type: "Pods", pods: { metric: { name: "requests" }, target: { type: "AverageValue", averageValue: "10" } } },
      {
        type: "Object",
        object: {
          metric: { name: "hits" },
          describedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
          target: { type: "Value", value: "100" },
        },
      },
      {
        type: "External",
        external: {
          metric: { name: "queue", selector: { matchLabels: { queue: "jobs" } } },
          target: { type: "AverageValue", averageValue: "30" },
        },
      },
    ];
    const { cluster, replicas, autoscalers } = await autoscaled({ metrics }, { metricValues });
    await using _ = cluster;
    await cluster.clock.advance(31_000);
    expect(await replicas()).toBe(2);
    waiting = 120;
    await cluster.clock.advance(16_000);
    expect(await replicas()).toBe(4);
    expect(cluster.events).toContain(
      "HorizontalPodAutoscaler web SuccessfulRescale New size: 4; reason: external metric queue(&LabelSelector{MatchLabels:map[string]string{queue: jobs,},MatchExpressions:[]LabelSelectorRequirement{},}) above target",
    );
    // an object's value is shared by the pods that are ready: the new ones need a while for their image
    await cluster.clock.advance(45_000);
    hits = 200;
    await cluster.clock.advance(16_000);
    expect(await replicas()).toBe(8);
    perPod = 40;
    await cluster.clock.advance(31_000);
    expect(await replicas()).toBe(10);
    const { status } = await autoscalers.get("web");
    expect(status?.currentMetrics).toMatchObject([
      { type: "Pods", pods: { current: { averageValue: "40" } } },
      { type: "Object", object: { current: { value: "200" } } },
      { type: "External", external: { current: { averageValue: "12" } } },
    ]);
  });

  test("scales a custom kind", async () => {
    await using cluster = await startCluster({ clock: "virtual", controllers });
    const { client, clock } = cluster;
    await client.resource(CustomResourceDefinition).create({
      metadata: { name: "fleets.example.com" },
      spec: {
        group: "example.com",
        names: { plural: "fleets", singular: "fleet", kind: "Fleet", listKind: "FleetList" },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            subresources: { scale: { specReplicasPath: ".spec.ships", statusReplicasPath: ".status.ships" } },
          },
        ],
      },
    });
    await clock.advance(1_000);
    const fleets = await client.dynamic({ apiVersion: "example.com/v1", kind: "Fleet" }, { namespace: "default" });
    await fleets.create({ metadata: { name: "red" }, spec: { ships: 1 } } as never);
    await client.resource(HorizontalPodAutoscaler, { namespace: "default" }).create({
      metadata: { name: "red" },
      spec: {
        scaleTargetRef: { apiVersion: "example.com/v1", kind: "Fleet", name: "red" },
        minReplicas: 3,
        maxReplicas: 5,
        metrics: [utilization(50)],
      },
    });
    await clock.advance(16_000);
    expect(await fleets.get("red")).toMatchObject({ spec: { ships: 3 } });
    await clock.advance(16_000);
    expect(cluster.events.at(-2)).toBe("HorizontalPodAutoscaler red SelectorRequired selector is required");
  });
});

describe("an autoscaler that cannot work says why", () => {
  const told = async (spec: Partial<HorizontalPodAutoscalerSpec>, more = {}): Promise<readonly string[]> => {
    const { cluster } = await autoscaled(spec, more);
    await using _ = cluster;
    await cluster.clock.advance(61_000);
    return [...new Set(cluster.events.filter((event) => event.startsWith("HorizontalPodAutoscaler")))].map((event) =>
      event.slice("HorizontalPodAutoscaler web ".length),
    );
  };
  const target = (kind: string, name = "nobody", apiVersion = "apps/v1") => ({
    scaleTargetRef: { apiVersion, kind, name },
    metrics: [utilization(50)],
  });

  test.each([
    ["a target that is missing", target("Deployment"), ['FailedGetScale deployments.apps "nobody" not found']],
    ["an unknown kind", target("Fleet"), ['FailedGetScale no matches for kind "Fleet" in group "apps"']],
    [
      "a kind without a scale",
      target("DaemonSet"),
      ["FailedGetScale the server could not find the requested resource"],
    ],
  ])("%s", async (_title, spec, events) => {
    expect(await told(spec)).toEqual(events);
  });

  test("a target without requests", async () => {
    const events = await told({ metrics: [utilization(50)] }, { requests: {} });
    // before the first window of the pods is over, there is nothing to compare with requests
    expect(events.at(-2)).toMatch(
      /^FailedGetResourceMetric failed to get cpu utilization: missing request for cpu in container main of Pod web-/,
    );
    expect(events.at(-1)).toMatch(
      /^FailedComputeMetricsReplicas invalid metrics \(1 invalid out of 1\), first error is: failed to get cpu resource metric value: failed to get cpu utilization: missing request for cpu/,
    );
  });

  test("metrics that are not there or not numbers", async () => {
    const metricValues = new MetricValues();
    metricValues.external({ name: "broken", value: () => Number.NaN });
    const external = (name: string): MetricSpec => ({
      type: "External",
      external: { metric: { name }, target: { type: "Value", value: "1" } },
    });
    const events = await told({ metrics: [external("broken"), external("none")] }, { metricValues });
    expect(events.slice(0, 2)).toEqual([
      expect.stringMatching(
        /^FailedGetExternalMetric unable to get external metric default\/broken\/nil: unable to fetch metrics from external metrics API: .*NaN/,
      ),
      "FailedGetExternalMetric unable to get external metric default/none/nil: no metrics returned from external metrics API",
    ]);
  });

  test("two autoscalers of the same pods, until one of them goes", async () => {
    const { cluster, autoscalers, conditions } = await autoscaled({ metrics: [utilization(50)] });
    await using _ = cluster;
    const { spec } = await autoscalers.get("web");
    await autoscalers.create({ metadata: { name: "rival" }, spec: spec as HorizontalPodAutoscalerSpec });
    await cluster.clock.advance(61_000);
    expect(cluster.events).toContain(
      "HorizontalPodAutoscaler web AmbiguousSelector pods by selector app=web are controlled by multiple HPAs: [default/web default/rival]",
    );
    expect(await conditions()).toContain("ScalingActive False AmbiguousSelector");
    await autoscalers.delete("rival");
    await cluster.clock.advance(31_000);
    expect(await conditions()).toContain("ScalingActive True ValidMetricFound");
  });
});
