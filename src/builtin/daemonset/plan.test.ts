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

  test("keeps its own tolerations in their places, and those that daemons have without an end", () => {
    const own = [
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
      { key: "team", operator: "Exists" },
    ] as const;
    const { tolerations = [] } = (daemonPod(setOf({}, { tolerations: own, hostNetwork: true }), "n1", "new") as Pod)
      .spec ?? {
      containers: [],
    };
    expect(tolerations.map(({ key }) => key)).toEqual([
      "node.kubernetes.io/not-ready",
      "team",
      ...[
        "unreachable",
        "disk-pressure",
        "memory-pressure",
        "pid-pressure",
        "unschedulable",
        "network-unavailable",
      ].map((name) => `node.kubernetes.io/${name}`),
    ]);
    expect(tolerations[0]).not.toHaveProperty("tolerationSeconds");
  });

  test("takes the place of the required node affinity of the template, and leaves the preferred one", () => {
    const term = { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] };
    const preferred = [{ weight: 1, preference: term }];
    const required = { nodeSelectorTerms: [term] };
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: required,
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    };
    const set = setOf({}, { affinity: { nodeAffinity } });
    expect([fitOf(set)(nodeOf("n1")).shouldRun, fitOf(set)(nodeOf("n2")).shouldContinue]).toEqual([true, false]);
    expect((daemonPod(set, "n1", "new") as Pod).spec?.affinity?.nodeAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    });
  });

  test("belongs only to the node that its template names, if it names one", () => {
    const fit = fitOf(setOf({}, { nodeName: "n1" }));
    expect([fit(nodeOf("n1")).shouldRun, fit(nodeOf("n2"))]).toEqual([
      true,
      { shouldRun: false, shouldContinue: false },
    ]);
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

  test("with a surge puts a pod on a node whose only pods leave or have ended, and without one waits", () => {
    const pods = [podOn("n1", "leaving", { deleting: true }), podOn("n2", "failed", { phase: "Failed" })];
    const nodes = [nodeOf("n1"), nodeOf("n2"), nodeOf("n3", [{ key: "team", effect: "NoSchedule" }])];
    const stranger = podOn("n3", "leaving-n3", { deleting: true });
    const surging = setOf({ maxSurge: "10%", maxUnavailable: 0 });
    expect(planPlacement(observe(surging, nodes, [...pods, stranger]), now).create).toEqual(["n1", "n2"]);
    expect(planPlacement(observe(setOf({ maxUnavailable: 1 }), nodes, pods), now).create).toEqual([]);
  });

  test("with a surge keeps one new and one old pod on a node, as long as the old one is ready and the new one is not available", () => {
    const set = setOf({ maxSurge: 1, maxUnavailable: 0 });
    const spare = (old: PodShape, fresh: PodShape): readonly string[] => {
      const later = "2026-01-01T00:30:00Z";
      const pods = [
        podOn("n1", "old", { hash: "old", ...old }),
        podOn("n1", "older-twin", { hash: "older", created: later }),
        podOn("n1", "new", { created: later, ...fresh }),
      ];
      return names(planPlacement(observe(set, [nodeOf("n1")], pods), now).delete);
    };
    expect(spare({}, { ready: false })).toEqual(["older-twin"]);
    expect(spare({ ready: false }, { ready: false })).toEqual(["older-twin", "old"]);
    expect(spare({}, {})).toEqual(["older-twin", "old"]);
  });

  test("clears a node whose pods may not stay, and leaves alone those that may though none should be made", () => {
    const tainted = (name: string, effect: Taint["effect"]) => nodeOf(name, [{ key: "team", effect }]);
    const nodes = [tainted("n1", "NoExecute"), tainted("n2", "NoSchedule"), tainted("n3", "NoSchedule")];
    const pods = [podOn("n1", "a"), podOn("n1", "b", { deleting: true }), podOn("n2", "c")];
    const plan = planPlacement(observe(setOf(), nodes, pods), now);
    expect([plan.create, names(plan.delete)]).toEqual([[], ["a"]]);
  });

  test("takes a pod that has ended and is being deleted for gone", () => {
    const pods = [podOn("n1", "ended", { phase: "Succeeded", deleting: true })];
    expect(planPlacement(observe(setOf(), [nodeOf("n1")], pods), now).create).toEqual(["n1"]);
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

  test("counts a node without a pod, and one whose pod leaves, as missing", () => {
    const set = setOf({ maxUnavailable: 2 });
    const deleted = (pods: readonly Pod[]): number => planRollingUpdate(observe(set, nodes, pods), now).delete.length;
    expect(deleted([old("n1"), old("n2"), old("n3")])).toBe(1);
    expect(deleted([old("n1"), old("n2"), podOn("n3", "leaving", { deleting: true })])).toBe(0);
  });

  test("counts new pods that are not available for minReadySeconds yet as missing", () => {
    const { spec, ...rest } = setOf({ maxUnavailable: 1 });
    const set = { ...rest, spec: { ...(spec as NonNullable<DaemonSet["spec"]>), minReadySeconds: 3600 } };
    const fresh = podOn("n1", "new-n1", { created: "2026-01-01T00:30:00Z" });
    const pods = ["n2", "n3", "n4"].map((node) => old(node, { created: "2025-12-31T00:00:00Z" }));
    expect(planRollingUpdate(observe(set, nodes, [fresh, ...pods]), now).delete).toEqual([]);
    expect(planRollingUpdate(observe(set, nodes, [fresh, ...pods]), now + 3_600_000).delete).toHaveLength(1);
  });

  test("leaves a node with several old pods to be cleaned up, and counts it as missing", () => {
    const pods = [old("n1"), podOn("n1", "twin", { hash: "old" }), old("n2"), old("n3"), old("n4")];
    expect(planRollingUpdate(observe(setOf({ maxUnavailable: 1 }), nodes, pods), now).delete).toEqual([]);
  });

  test("may always miss one pod, if it may neither surge nor miss any", () => {
    const pods = nodes.map(({ metadata }) => old(metadata.name));
    const set = setOf({ maxUnavailable: 0, maxSurge: 0 });
    expect(planRollingUpdate(observe(set, nodes, pods), now).delete).toHaveLength(1);
  });

  test("surges at once where the old pod serves nobody, besides as many nodes as it may", () => {
    const pods = [old("n1", { ready: false }), old("n2"), old("n3"), old("n4")];
    const plan = planRollingUpdate(observe(setOf({ maxSurge: "30%", maxUnavailable: 0 }), nodes, pods), now);
    expect([plan.create, plan.delete]).toEqual([["n1", "n2", "n3"], []]);
  });

  test("surges onto no node that should have no pod any more, and empties it when enough serve elsewhere", () => {
    const set = setOf({ maxSurge: 1, maxUnavailable: 0 });
    const some = [nodeOf("n1", [{ key: "team", effect: "NoSchedule" }]), nodeOf("n2")];
    const step = (pods: readonly Pod[]) => {
      const plan = planRollingUpdate(observe(set, some, pods), now);
      return [plan.create, names(plan.delete)];
    };
    expect(step([old("n1"), podOn("n2", "new-n2", { ready: false })])).toEqual([[], []]);
    expect(step([old("n1"), podOn("n2", "new-n2")])).toEqual([[], ["old-n1"]]);
    expect(step([old("n1", { ready: false }), podOn("n2", "new-n2", { ready: false })])).toEqual([[], ["old-n1"]]);
  });

  test("takes a pod of the set's template generation for updated, whatever its hash", () => {
    const base = setOf();
    const annotations = { "deprecated.daemonset.template.generation": "4" };
    const set = { ...base, metadata: { ...base.metadata, annotations } };
    const pods = nodes.map(({ metadata: { name } }) => {
      const pod = old(name);
      return {
        ...pod,
        metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, "pod-template-generation": "4" } },
      };
    });
    expect(planRollingUpdate(observe(set, nodes, pods), now).delete).toEqual([]);
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

test("the status judges a node by its oldest bound pod", () => {
  const pods = [
    podOn("n1", "young", { created: "2026-01-01T00:30:00Z" }),
    podOn("n1", "old", { hash: "old", ready: false }),
  ];
  const observed = observe(setOf(), [nodeOf("n1")], pods);
  const status = planStatus(observed, now);
  expect(status).toMatchObject({ currentNumberScheduled: 1, numberReady: 0, numberUnavailable: 1 });
});

test("the status counts nodes, and is not written twice", () => {
  const nodes = [nodeOf("n1"), nodeOf("n2"), nodeOf("n3", [{ key: "team", effect: "NoSchedule" }])];
  const pods = [podOn("n1", "a"), podOn("n2", "b", { hash: "old", ready: false }), podOn("n3", "c")];
  const set = setOf();
  const status = planStatus(observe(set, nodes, pods), now);
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
    planStatus(observe({ ...set, status: status as NonNullable<DaemonSet["status"]> }, nodes, pods), now),
  ).toBeUndefined();
});
