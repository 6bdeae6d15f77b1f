import { describe, expect, test } from "vitest";
import type { Node, Pod } from "../../api/index.js";
import { missingNodes, stuckPods, terminatedPods } from "./plan.js";

interface Shape {
  readonly phase?: "Running" | "Succeeded" | "Failed";
  readonly minute?: number;
  readonly evicted?: boolean;
  readonly deleting?: boolean;
  readonly node?: string;
}

function podOf(name: string, { phase = "Running", minute = 0, evicted, deleting, node }: Shape = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      creationTimestamp: `2026-01-01T00:0${minute}:00Z`,
      ...(deleting ? { deletionTimestamp: "2026-01-01T01:00:00Z" } : {}),
    },
    spec: { containers: [], ...(node === undefined ? {} : { nodeName: node }) },
    status: { phase, ...(evicted ? { reason: "Evicted" } : {}) },
  };
}

const nodeOf = (ready: "True" | "False", taint?: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  spec: taint === undefined ? {} : { taints: [{ key: taint, effect: "NoExecute" }] },
  status: { conditions: [{ type: "Ready", status: ready }] },
});

describe("pods that are over", () => {
  const names = (pods: readonly Pod[], threshold: number) =>
    terminatedPods(pods, threshold).map(({ pod, reason }) => `${pod.metadata.name} ${reason}`);
  const pods = [
    podOf("young", { phase: "Succeeded", minute: 3 }),
    podOf("running"),
    podOf("old", { phase: "Failed", minute: 1 }),
    podOf("evicted", { phase: "Failed", minute: 4, evicted: true }),
    podOf("same-b", { phase: "Succeeded", minute: 2 }),
    podOf("same-a", { phase: "Succeeded", minute: 2 }),
  ];

  test("go when they are too many: evicted ones first, then the oldest, then by name", () => {
    expect(names(pods, 1)).toEqual(["evicted terminated", "old terminated", "same-a terminated", "same-b terminated"]);
    expect(names(pods, 4)).toEqual(["evicted terminated"]);
  });
  test("stay while they are few, and always if there is no limit", () =>
    expect([names(pods, 5), names(pods, 0)]).toEqual([[], []]));
});

describe("pods that are stuck", () => {
  const reasons = (pod: Pod, node?: Node) =>
    stuckPods([pod], new Map(node === undefined ? [] : [["n", node]])).map(({ reason }) => reason);
  const outOfService = "node.kubernetes.io/out-of-service";
  for (const [name, pod, node, expected] of [
    ["leave without ever having had a node", podOf("p", { deleting: true }), undefined, ["unscheduled"]],
    [
      "leave a node out of service",
      podOf("p", { deleting: true, node: "n" }),
      nodeOf("False", outOfService),
      ["out-of-service"],
    ],
    [
      "are left alone if that node is ready",
      podOf("p", { deleting: true, node: "n" }),
      nodeOf("True", outOfService),
      [],
    ],
    ["are left alone on any other node", podOf("p", { deleting: true, node: "n" }), nodeOf("False", "other"), []],
    ["are left alone if nobody deleted them", podOf("p", { node: "n" }), nodeOf("False", outOfService), []],
  ] as const) {
    test(name, () => expect(reasons(pod, node)).toEqual(expected));
  }
});

test("nodes are missing that pods name and nobody has", () => {
  expect([...missingNodes(["n", "gone"], new Map([["n", nodeOf("True")]]))]).toEqual(["gone"]);
});
