import { beforeAll, describe, expect, test } from "vitest";
import { askReal, realAnswer } from "../../../test/real-answer.js";
import type { KubeObject } from "../../api/index.js";
import { hasRealCluster } from "../../testing/shared-envtest.js";
import { builtInConversions } from "./index.js";

const events = builtInConversions.get("events.k8s.io/v1 Event");
const autoscalers = builtInConversions.get("autoscaling/v1 HorizontalPodAutoscaler");

test("an event keeps everything under its other names", () => {
  const stored = {
    kind: "Event",
    apiVersion: "v1",
    metadata: { name: "e", namespace: "n" },
    involvedObject: { kind: "Pod", name: "p" },
    reason: "R",
    message: "m",
    source: { component: "c" },
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: null,
    count: 2,
    type: "Normal",
    eventTime: null,
    reportingComponent: "r",
    reportingInstance: "i",
  } as unknown as KubeObject;
  const shown = events?.fromStorage(stored);
  expect(shown).toMatchObject({
    apiVersion: "events.k8s.io/v1",
    regarding: { kind: "Pod", name: "p" },
    note: "m",
    deprecatedSource: { component: "c" },
    deprecatedCount: 2,
    reportingController: "r",
  });
  expect(events?.toStorage(shown as KubeObject)).toEqual(stored);
});

test("an autoscaler of the old version without a metric gets the one that it always had", () => {
  const old = {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: { name: "h" },
    spec: { scaleTargetRef: { kind: "Deployment", name: "d" }, maxReplicas: 3 },
  } as unknown as KubeObject;
  expect(autoscalers?.toStorage(old)).toMatchObject({
    apiVersion: "autoscaling/v2",
    spec: {
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
      ],
    },
  });
});

describe.skipIf(!hasRealCluster())("against a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  const headers = { "content-type": "application/json" };
  const send = async (method: string, path: string, object: object): Promise<void> => {
    const { status, bytes } = await askReal({ method, path, headers, body: JSON.stringify(object) });
    if (status > 201) throw new Error(bytes.toString());
  };
  const scaleTargetRef = { kind: "Deployment", name: "x", apiVersion: "apps/v1" };
  const metrics = [
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
    { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
    {
      type: "Pods",
      pods: {
        metric: { name: "m", selector: { matchLabels: { a: "b" } } },
        target: { type: "AverageValue", averageValue: "5" },
      },
    },
    {
      type: "Object",
      object: {
        describedObject: { kind: "Service", name: "s", apiVersion: "v1" },
        metric: { name: "o" },
        target: { type: "AverageValue", averageValue: "7" },
      },
    },
    { type: "External", external: { metric: { name: "e" }, target: { type: "Value", value: "8" } } },
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 60 } },
    },
  ];
  const status = {
    currentReplicas: 1,
    desiredReplicas: 2,
    conditions: [{ type: "AbleToScale", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R" }],
    currentMetrics: [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 40, averageValue: "4m" } } },
      { type: "Pods", pods: { metric: { name: "m" }, current: { averageValue: "3" } } },
      {
        type: "Object",
        object: {
          describedObject: { kind: "Service", name: "s", apiVersion: "v1" },
          metric: { name: "o" },
          current: { value: "2" },
        },
      },
      { type: "External", external: { metric: { name: "e" }, current: { value: "8" } } },
      { type: "ContainerResource", containerResource: { name: "cpu", container: "c", current: { averageValue: "1" } } },
    ],
  };
  const behavior = {
    scaleUp: { stabilizationWindowSeconds: 5, tolerance: "0.05" },
    scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] },
  };

  beforeAll(async () => {
    await send("POST", "/api/v1/namespaces", { metadata: { name: "conversion" } });
    const path = "/apis/autoscaling/v2/namespaces/conversion/horizontalpodautoscalers";
    const spec = { maxReplicas: 3, scaleTargetRef, metrics, behavior };
    await send("POST", path, { metadata: { name: "rich", annotations: { x: "y" } }, spec });
    await send("PUT", `${path}/rich/status`, { metadata: { name: "rich" }, spec, status });
    await send("POST", path, { metadata: { name: "plain" }, spec: { maxReplicas: 3, scaleTargetRef } });
    await send("POST", "/apis/autoscaling/v1/namespaces/conversion/horizontalpodautoscalers", {
      metadata: { name: "old" },
      spec: { maxReplicas: 3, scaleTargetRef },
    });
    const involvedObject = { kind: "Pod", name: "x", namespace: "conversion" };
    await send("POST", "/api/v1/namespaces/conversion/events", {
      metadata: { name: "older" },
      involvedObject,
      reason: "R",
      message: "m",
      source: { component: "c", host: "h" },
      count: 3,
      firstTimestamp: "2026-01-01T00:00:00Z",
    });
    await send("POST", "/apis/events.k8s.io/v1/namespaces/conversion/events", {
      metadata: { name: "newer" },
      regarding: involvedObject,
      related: { kind: "Node", name: "n" },
      reason: "R",
      note: "n",
      type: "Normal",
      action: "A",
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "c.example/x",
      reportingInstance: "i",
      series: { count: 2, lastObservedTime: "2026-01-01T00:00:00.000000Z" },
    });
  });

  const hpas = (version: string, name: string) =>
    `/apis/autoscaling/${version}/namespaces/conversion/horizontalpodautoscalers/${name}`;

  test.each(["rich", "plain", "old"])("the autoscaler %s is converted in the same way", async (name) => {
    const stored = (await realAnswer(hpas("v2", name))) as KubeObject;
    const shown = (await realAnswer(hpas("v1", name))) as KubeObject;
    expect(autoscalers?.fromStorage(stored)).toEqual(shown);
    // through the old version a status always has a value, even if it had none before
    if (name !== "rich") expect(autoscalers?.toStorage(shown)).toEqual(stored);
    expect(autoscalers?.fromStorage(autoscalers.toStorage(shown))).toEqual(shown);
  });

  test.each(["older", "newer"])("the event %s is converted in the same way", async (name) => {
    const stored = (await realAnswer(`/api/v1/namespaces/conversion/events/${name}`)) as KubeObject;
    const shown = (await realAnswer(`/apis/events.k8s.io/v1/namespaces/conversion/events/${name}`)) as KubeObject;
    expect(events?.fromStorage(stored)).toEqual(shown);
    expect(events?.toStorage(shown)).toEqual(stored);
  });
});

test("a converted object begins with its kind and version, which lists leave out by their length", () => {
  const event = {
    metadata: { name: "e", namespace: "n" },
    involvedObject: { kind: "Pod", name: "p" },
    count: 2,
    source: { component: "c" },
    kind: "Event",
    apiVersion: "v1",
  } as unknown as KubeObject;
  const shown = builtInConversions.get("events.k8s.io/v1 Event")?.fromStorage(event);
  expect(Object.keys(shown ?? {}).slice(0, 2)).toEqual(["kind", "apiVersion"]);
});
