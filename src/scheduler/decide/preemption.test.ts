import { describe, expect, test } from "vitest";
import type { Node, Pod, PodDisruptionBudget, PodSpec } from "../../api/index.js";
import { seededRandom } from "../../base/index.js";
import { choose } from "./choose.js";
import { failureMessage } from "./failure-message.js";
import { bestCandidate, preempt } from "./preemption.js";
import { ClusterState } from "../state/cluster-state.js";
import { type PodInfo, podInfo } from "../state/pod-info.js";
import { Promises } from "../state/promises.js";

const node = (name: string, spec: Node["spec"] = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "kubernetes.io/hostname": name } },
  spec,
  status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10" } },
});

interface PodShape {
  readonly on?: string;
  readonly cpu?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly priority?: number;
  readonly started?: string;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Pod["status"];
  readonly leaving?: boolean;
}

const pod = (name: string, shape: PodShape = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "default",
    uid: name,
    ...(shape.labels && { labels: shape.labels }),
    ...(shape.leaving && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
  },
  spec: {
    containers: [{ name: "c", image: "i", resources: { requests: { cpu: shape.cpu ?? "1" } } }],
    priority: shape.priority ?? 0,
    ...(shape.on && { nodeName: shape.on }),
    ...shape.spec,
  },
  status: { ...(shape.started && { startTime: shape.started }), ...shape.status },
});

const budget = (labels: Readonly<Record<string, string>>, disruptionsAllowed: number): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "b", namespace: "default" },
  spec: { selector: { matchLabels: labels } },
  status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
});

interface Given {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly promised?: (node: string) => readonly PodInfo[];
}

function cluster({ nodes, pods }: Given): ClusterState {
  const state = new ClusterState();
  for (const each of nodes) state.setNode(each);
  for (const each of pods) state.setPod(each);
  return state;
}

/** `node: victims`, or the message. */
function decide(subject: Pod, given: Given): string {
  const state = cluster(given);
  const info = podInfo(subject);
  const { promised } = given;
  const random = seededRandom(1);
  const decision = choose(info, state, { random, ...(promised && { promised }) });
  if (decision.type === "chosen") return `fits ${decision.node}`;
  const { failure } = decision;
  const found = preempt(info, state, { failure, budgets: given.budgets ?? [], random, ...(promised && { promised }) });
  if (found.type === "none") {
    return failureMessage(failure, { deallocation: "no new claims to deallocate", preemption: found.message });
  }
  const candidate = bestCandidate(found.candidates);
  return `${candidate?.node}: ${candidate?.victims.map(({ uid }) => uid).join(" ")}`;
}

const high = { priority: 10, cpu: "3" } as const;
const web = { app: "web" } as const;

describe("for a pod that finds no place", () => {
  const cases: readonly {
    readonly title: string;
    readonly given: Given;
    readonly pod: Pod;
    readonly decides: string;
  }[] = [
    {
      title: "one of lower priority goes",
      given: { nodes: [node("a")], pods: [pod("low", { on: "a", cpu: "3" })] },
      pod: pod("p", high),
      decides: "a: low",
    },
    {
      title: "nobody of its own priority goes",
      given: {
        nodes: [node("a"), node("b", { unschedulable: true })],
        pods: [pod("same", { on: "a", cpu: "3", priority: 10 })],
      },
      pod: pod("p", high),
      decides:
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
    },
    {
      title: "nobody goes if that would not be enough, and the reason that remains is told",
      given: {
        nodes: [node("a")],
        pods: [pod("same", { on: "a", cpu: "2", priority: 10 }), pod("low", { on: "a", cpu: "1" })],
      },
      pod: pod("p", high),
      decides:
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Insufficient cpu.",
    },
    {
      title: "nobody goes if it does not want that",
      given: { nodes: [node("a")], pods: [pod("low", { on: "a", cpu: "3" })] },
      pod: pod("p", { ...high, spec: { preemptionPolicy: "Never" } }),
      decides:
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
    },
    {
      title: "nobody else goes while one that was asked to is on its way from the node that it was promised",
      given: {
        nodes: [node("a")],
        pods: [
          pod("low", {
            on: "a",
            cpu: "3",
            leaving: true,
            status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
          }),
        ],
      },
      pod: pod("p", { ...high, status: { nominatedNodeName: "a" } }),
      decides:
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to a terminating pod on the nominated node.",
    },
    {
      title: "only as many go as must, and the less important ones",
      given: {
        nodes: [node("a")],
        pods: [
          pod("old", { on: "a", started: "2026-01-01T00:00:00Z" }),
          pod("young", { on: "a", started: "2026-01-02T00:00:00Z" }),
          pod("better", { on: "a", priority: 5, started: "2026-01-03T00:00:00Z" }),
          pod("big", { on: "a", started: "2026-01-01T12:00:00Z" }),
        ],
      },
      pod: pod("p", { priority: 10, cpu: "2" }),
      decides: "a: big young",
    },
    {
      title: "the node is taken where no budget is broken",
      given: {
        nodes: [node("a"), node("b")],
        pods: [pod("a1", { on: "a", cpu: "3", labels: web }), pod("b1", { on: "b", cpu: "3", priority: 5 })],
        budgets: [budget(web, 0)],
      },
      pod: pod("p", high),
      decides: "b: b1",
    },
    {
      title: "a budget is broken if there is no other way",
      given: { nodes: [node("a")], pods: [pod("a1", { on: "a", cpu: "3", labels: web })], budgets: [budget(web, 0)] },
      pod: pod("p", high),
      decides: "a: a1",
    },
    {
      title: "those that a budget protects stay before others do",
      given: {
        nodes: [node("a")],
        pods: [
          pod("kept", { on: "a", cpu: "2", labels: web, started: "2026-01-02T00:00:00Z" }),
          pod("gone", { on: "a", cpu: "2", started: "2026-01-01T00:00:00Z" }),
        ],
        budgets: [budget(web, 0)],
      },
      pod: pod("p", { priority: 10, cpu: "2" }),
      decides: "a: gone",
    },
    {
      title: "the node is taken whose most important victim is the least",
      given: {
        nodes: [node("a"), node("b")],
        pods: [
          pod("a1", { on: "a", cpu: "3", priority: 5 }),
          pod("b1", { on: "b", cpu: "2" }),
          pod("b2", { on: "b", cpu: "2" }),
        ],
      },
      pod: pod("p", { priority: 10, cpu: "4" }),
      decides: "b: b1 b2",
    },
    {
      title: "among equal victims the fewest go",
      given: {
        nodes: [node("a"), node("b")],
        pods: [pod("a1", { on: "a", cpu: "2" }), pod("a2", { on: "a", cpu: "2" }), pod("b1", { on: "b", cpu: "4" })],
      },
      pod: pod("p", { priority: 10, cpu: "4" }),
      decides: "b: b1",
    },
    {
      title: "among as many equal victims those go that started last",
      given: {
        nodes: [node("a"), node("b")],
        pods: [
          pod("a1", { on: "a", cpu: "3", started: "2026-01-01T00:00:00Z" }),
          pod("b1", { on: "b", cpu: "3", started: "2026-01-02T00:00:00Z" }),
        ],
      },
      pod: pod("p", high),
      decides: "b: b1",
    },
    {
      title: "one goes that it must not be near",
      given: { nodes: [node("a")], pods: [pod("x", { on: "a", labels: web }), pod("y", { on: "a" })] },
      pod: pod("p", {
        priority: 10,
        spec: {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: web } },
              ],
            },
          },
        },
      }),
      decides: "a: x",
    },
    {
      title: "nobody goes for it where its terms about nodes conflict",
      given: { nodes: [node("a")], pods: [pod("low", { on: "a", cpu: "3" })] },
      pod: pod("p", {
        ...high,
        spec: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchFields: [
                      { key: "metadata.name", operator: "In", values: ["a"] },
                      { key: "metadata.name", operator: "In", values: ["b"] },
                    ],
                  },
                ],
              },
            },
          },
        },
      }),
      decides: "0/1 nodes are available: pod affinity terms conflict. not found",
    },
  ];
  for (const { title, given, pod: subject, decides } of cases) {
    test(title, () => expect(decide(subject, given)).toBe(decides));
  }
});

describe("a node that was promised to a pod", () => {
  const promises = new Promises();
  promises.set(podInfo(pod("waiting", { cpu: "3", priority: 5 })), "a");
  const given = { nodes: [node("a")], pods: [], promised: promises.on };

  test("is not given to another of its priority or below", () => {
    expect(decide(pod("p", { cpu: "2", priority: 5 }), given)).toContain("1 Insufficient cpu");
  });
  test("is given to one above it", () => expect(decide(pod("p", { cpu: "2", priority: 6 }), given)).toBe("fits a"));
  test("is given to one that fits beside it", () => expect(decide(pod("p", { cpu: "1" }), given)).toBe("fits a"));
  test("is taken by that pod before a better one", () => {
    const waiting = pod("waiting", { cpu: "3", priority: 5, status: { nominatedNodeName: "a" } });
    const more = { ...given, nodes: [node("a"), node("b")], pods: [pod("other", { on: "a" })] };
    expect(decide(waiting, more)).toBe("fits a");
  });
});
