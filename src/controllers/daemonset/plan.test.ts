import { describe, expect, test } from "vitest";
import type { DaemonSet, Node, Pod, Taint } from "../../api/index.js";
import { daemonPod, fitOf, targetNode } from "./placement.js";
import { groupByNode, planPlacement, planRollingUpdate } from "./plan.js";
import { planStatus } from "./status.js";

const now = Date.parse("2026-01-01T01:00:00Z");
const labels = { app: "agent" };

function setOf(rollingUpdate: Record<string, number | string> = {}, spec: Record<string, unknown> = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent", namespace: "default", uid: "ds", generation: 2 },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "agent" }], ...spec } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate },
    },
  };
}

const nodeOf = (name: string, taints: readonly Taint[] = []): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { disk: name === "n1" ? "ssd" : "hdd" } },
  spec: { taints },
});

interface PodShape {
  readonly hash?: string;
  readonly ready?: boolean;
  readonly phase?: "Running" | "Failed" | "Succeeded";
  readonly created?: string;
  readonly deleting?: boolean;
}

function podOn(node: string, name: string, shape: PodShape = {}): Pod {
  const { hash = "new", ready = true, phase = "Running", created = "2026-01-01T00:00:00Z", deleting = false } = shape;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      labels: { ...labels, "controller-revision-hash": hash },
      creationTimestamp: created,
      ...(deleting ? { deletionTimestamp: "2026-01-01T00:59:00Z" } : {}),
    },
    spec: { containers: [], nodeName: node },
    status: { phase, conditions: ready ? [{ type: "Ready", status: "True", lastTransitionTime: created }] : [] },
  };
}

const observe = (set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]) => ({
  set,
  nodes,
  podsByNode: groupByNode(pods),
  hash: "new",
});

const names = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.name);

describe("a daemon pod", () => {
  test("should run where no taint forbids it, and may stay where only NoSchedule does", () => {
    const fit = fitOf(setOf());
    expect(fit(nodeOf("n1"))).toEqual({ shouldRun: true, shouldContinue: true });
    expect(fit(nodeOf("n1", [{ key: "team", effect: "NoSchedule" }]))).toEqual({
      shouldRun: false,
      shouldContinue: true,
    });
    expect(fit(nodeOf("n1", [{ key: "team", effect: "NoExecute" }]))).toEqual({
      shouldRun: false,
      shouldContinue: false,
    });
  });

  test("runs on nodes that are not ready, under pressure or cordoned", () => {
    const taint = (key: string, effect: Taint["effect"]): Taint => ({ key: `node.kubernetes.io/${key}`, effect });
    const taints = [
      taint("not-ready", "NoExecute"),
      taint("unreachable", "NoExecute"),
      taint("disk-pressure", "NoSchedule"),
      taint("unschedulable", "NoSchedule"),
    ];
    expect(fitOf(setOf())(nodeOf("n1", taints)).shouldRun).toBe(true);
  });

  test("runs only on nodes that its selector names", () => {
    const fit = fitOf(setOf({}, { nodeSelector: { disk: "ssd" } }));
    expect([fit(nodeOf("n1")).shouldRun, fit(nodeOf("n2")).shouldContinue]).toEqual([true, false]);
  });

  test("is pinned to its node by an affinity that says where it belongs", () => {
    const pod = daemonPod(setOf(), "n7", "new") as Pod;
    expect(targetNode(pod)).toBe("n7");
    expect(pod.metadata.labels).toEqual({ ...labels, "controller-revision-hash": "new" });
  });
});

describe("placement", () => {
  test("makes what is missing, deletes what is too much or ended, and spares what is leaving", () => {
    const nodes = [nodeOf("n1"), nodeOf("n2"), nodeOf("n3"), nodeOf("n4")];
    const pods = [
      podOn("n2", "younger", { created: "2026-01-01T00:30:00Z" }),
      podOn("n2", "older"),
      podOn("n3", "failed", { phase: "Failed" }),
      podOn("n4", "leaving", { deleting: true }),
    ];
    const plan = planPlacement(observe(setOf(), nodes, pods), now);
    expect(plan.create).toEqual(["n1"]);
    expect(names(plan.delete)).toEqual(["younger"]);
    expect(names(plan.failed)).toEqual(["failed"]);
  });

  test("deletes pods that wait for a node which is gone", () => {
    const waiting = { ...(daemonPod(setOf(), "gone", "new") as Pod), metadata: { name: "waiting" } };
    expect(names(planPlacement(observe(setOf(), [nodeOf("n1")], [waiting]), now).delete)).toEqual(["waiting"]);
  });
});

describe("a rolling update", () => {
  const nodes = ["n1", "n2", "n3", "n4"].map((name) => nodeOf(name));
  const old = (node: string, shape: PodShape = {}) => podOn(node, `old-${node}`, { hash: "old", ...shape });

  test("replaces as many as may be missing; percentages round up", () => {
    const pods = ["n1", "n2", "n3", "n4"].map((node) => old(node));
    expect(names(planRollingUpdate(observe(setOf({ maxUnavailable: "30%" }), nodes, pods), now).delete)).toHaveLength(
      2,
    );
  });

  test("replaces what serves nobody for free, and then nothing else while the budget is used up", () => {
    const pods = [old("n1", { ready: false }), old("n2"), podOn("n3", "new-n3", { ready: false }), old("n4")];
    expect(names(planRollingUpdate(observe(setOf({ maxUnavailable: 1 }), nodes, pods), now).delete)).toEqual([
      "old-n1",
    ]);
  });

  test("with a surge makes the new pod first, and removes the old one when the new one is available", () => {
    const set = setOf({ maxSurge: 1, maxUnavailable: 0 });
    const before = ["n1", "n2"].map((node) => old(node));
    expect(planRollingUpdate(observe(set, nodes.slice(0, 2), before), now).create).toHaveLength(1);
    const during = [...before, podOn("n1", "new-n1", { ready: false })];
    expect(planRollingUpdate(observe(set, nodes.slice(0, 2), during), now)).toEqual({ create: [], delete: [] });
    const after = [...before, podOn("n1", "new-n1")];
    const plan = planRollingUpdate(observe(set, nodes.slice(0, 2), after), now);
    expect([names(plan.delete), plan.create]).toEqual([["old-n1"], ["n2"]]);
  });
});

test("the status counts nodes, and is not written twice", () => {
  const nodes = [nodeOf("n1"), nodeOf("n2"), nodeOf("n3", [{ key: "team", effect: "NoSchedule" }])];
  const pods = [podOn("n1", "a"), podOn("n2", "b", { hash: "old", ready: false }), podOn("n3", "c")];
  const set = setOf();
  const status = planStatus(observe(set, nodes, pods), true, now);
  expect(status).toEqual({
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 2,
    numberReady: 1,
    observedGeneration: 2,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
  });
  expect(
    planStatus(observe({ ...set, status: status as NonNullable<DaemonSet["status"]> }, nodes, pods), true, now),
  ).toBeUndefined();
});
