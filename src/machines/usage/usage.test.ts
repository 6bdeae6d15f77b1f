/** The usage of simulated pods and nodes at a time. */
import { describe, expect, test } from "vitest";
import { formatTime, type Node, type Pod } from "../../api/index.js";
import { simulatedUsage } from "./usage.js";

interface Made {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly startedAt?: number;
  readonly ready?: boolean;
  readonly owner?: string;
  readonly hash?: string;
}

function podOf(name: string, { annotations = {}, startedAt = 0, ready = true, owner = "web", hash = "a" }: Made): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: name,
      annotations,
      labels: { "pod-template-hash": hash },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: `${owner}-${hash}`, uid: "1", controller: true },
      ],
    },
    spec: {
      nodeName: "node-1",
      containers: [
        { name: "main", image: "a" },
        { name: "side", image: "b" },
      ],
    },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      containerStatuses: ["main", "side"].map((container) => ({
        name: container,
        image: "a",
        imageID: "",
        ready,
        restartCount: 0,
        state: { running: { startedAt: formatTime(startedAt) } },
      })),
    },
  } as Pod;
}

const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "node-1", labels: { "coxswain.dev/node": "simulated" } },
} as Node;

const mainCpu = "coxswain.dev/cpu.main";
const cpuOf = (pods: readonly Pod[], now = 60_000, options = {}) => {
  const measured = simulatedUsage(options)(pods, now);
  return pods.map((pod) => measured.pod(pod)?.containers[0]?.cpu);
};

describe("simulated usage", () => {
  test("is measured every 15 seconds, and begins with the first measurement after the start", () => {
    const pod = podOf("a", { startedAt: 16_000 });
    const measure = simulatedUsage();
    expect(measure([pod], 29_999).pod(pod)).toBeUndefined();
    expect(measure([pod], 44_999).pod(pod)).toMatchObject({ timestamp: 30_000, windowMs: 15_000 });
  });

  test("of a container of which nothing is said is next to none", () => {
    const pod = podOf("a", { annotations: { [mainCpu]: "3" } });
    const idle = { cpu: 0.001, memory: 8 * 2 ** 20 };
    expect(simulatedUsage()([pod], 15_000).pod(pod)?.containers).toEqual([
      { name: "main", ...idle, cpu: 3 },
      { name: "side", ...idle },
    ]);
  });

  test("of a total is divided among the ready replicas, over both ReplicaSets of a rollout", () => {
    const annotations = { [mainCpu]: "total 6" };
    const pods = [
      podOf("a", { annotations }),
      podOf("b", { annotations, hash: "b" }),
      podOf("c", { annotations, ready: false }),
      podOf("other", { annotations, owner: "other" }),
    ];
    expect(cpuOf(pods)).toEqual([3, 3, 0, 6]);
  });

  test("has noise that depends on the seed and the time alone", () => {
    const pods = [podOf("a", { annotations: { [mainCpu]: "1 ~10%" } })];
    const [first = 0] = cpuOf(pods, 60_000, { seed: 7 });
    expect(first).toBeGreaterThanOrEqual(0.9);
    expect(first).toBeLessThanOrEqual(1.1);
    expect(cpuOf(pods, 60_000, { seed: 7 })).toEqual([first]);
    expect(cpuOf(pods, 60_000, { seed: 8 })).not.toEqual([first]);
    expect(cpuOf(pods, 75_000, { seed: 7 })).not.toEqual([first]);
  });

  test("follows rules before annotations; a rule's nonsense counts as nothing", () => {
    const pods = [podOf("a", { annotations: { [mainCpu]: "1" } })];
    const ruled = (cpu: unknown) => cpuOf(pods, 60_000, { rules: [() => ({ cpu })] })[0];
    expect(ruled("2")).toBe(2);
    expect(ruled((time: number) => time / 60_000)).toBe(1);
    expect(ruled(() => Number.NaN)).toBe(0);
    expect(ruled(() => -5)).toBe(0);
    expect(ruled("nonsense")).toBe(0.001);
  });

  test("of a node is that of its pods and a little more; a node without power has none", () => {
    const pod = podOf("a", { annotations: { "coxswain.dev/cpu": "1", "coxswain.dev/memory": "100Mi" } });
    const measured = simulatedUsage()([pod], 15_000);
    expect(measured.node(node)).toMatchObject({ cpu: 2.02, memory: 328 * 2 ** 20 });
    const { metadata } = node;
    const off = { ...node, metadata: { ...metadata, annotations: { "coxswain.dev/power": "off" } } };
    expect(measured.node(off)).toBeUndefined();
    expect(measured.node({ ...node, metadata: { name: "real" } })).toBeUndefined();
  });
});
