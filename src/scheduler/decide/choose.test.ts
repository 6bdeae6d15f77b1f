import { describe, expect, test } from "vitest";
import type { Node, Pod, PodSpec } from "../../api/index.js";
import { seededRandom } from "../../base/index.js";
import { choose, enoughNodes } from "./choose.js";
import { failureMessage } from "./failure-message.js";
import { podInfo } from "../state/pod-info.js";
import { type NodeShape, node, pod, cluster, decide } from "../../../test/scheduler/shapes.js";

const taint = (key: string, effect: "NoSchedule" | "NoExecute" | "PreferNoSchedule", value?: string) => ({
  key,
  effect,
  ...(value === undefined ? {} : { value }),
});

const nodeAffinity = (...matchExpressions: readonly { key: string; operator: string; values?: string[] }[]) =>
  ({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  }) as Partial<PodSpec>;

const antiAffinity = (labels: Readonly<Record<string, string>>, topologyKey = "kubernetes.io/hostname") =>
  ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: labels } }],
      },
    },
  }) as Partial<PodSpec>;

const affinity = (labels: Readonly<Record<string, string>>, topologyKey = "kubernetes.io/hostname") =>
  ({
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: labels } }],
      },
    },
  }) as Partial<PodSpec>;

const spread = (topologyKey: string, change: object = {}) =>
  ({
    topologySpreadConstraints: [
      {
        topologyKey,
        maxSkew: 1,
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: "web" } },
        ...change,
      },
    ],
  }) as Partial<PodSpec>;

const zone = (name: string): NodeShape => ({ labels: { "topology.kubernetes.io/zone": name } });

describe("a node will not do", () => {
  const refusing: readonly { why: string; nodes: readonly Node[]; pods?: readonly Pod[]; pod: Pod; message: string }[] =
    [
      { why: "if there is none", nodes: [], pod: pod(), message: "no nodes available to schedule pods" },
      {
        why: "if too little cpu is left",
        nodes: [node("a"), node("b")],
        pods: [pod({ on: "a", requests: { cpu: "3500m" } })],
        pod: pod({ requests: { cpu: "5" } }),
        message: "0/2 nodes are available: 2 Insufficient cpu.",
      },
      {
        why: "for two reasons at once, which are both counted",
        nodes: [node("a")],
        pod: pod({ requests: { cpu: "5", memory: "9Gi", "example.com/gpu": "1" } }),
        message: "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient example.com/gpu, 1 Insufficient memory.",
      },
      ...[affinity({ app: "web" }, "constructor"), spread("constructor")].map((spec) => ({
        why: `if it lacks a label that has the name of what every object inherits (${Object.keys(spec)[0]})`,
        nodes: [node("a")],
        pods: [pod({ on: "a", labels: { app: "web" } })],
        pod: pod({ labels: { app: "web" }, spec }),
        message:
          "affinity" in spec
            ? "0/1 nodes are available: 1 node(s) didn't match pod affinity rules."
            : "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).",
      })),
      {
        why: "if it has as many pods as it takes",
        nodes: [node("a", { allocatable: { pods: "1" } })],
        pods: [pod({ on: "a" })],
        pod: pod(),
        message: "0/1 nodes are available: 1 Too many pods.",
      },
      {
        why: "for different reasons on different nodes, sorted as text",
        nodes: [
          node("a", { spec: { taints: [taint("x", "NoSchedule")] } }),
          node("b", { spec: { taints: [taint("x", "NoExecute")] } }),
          node("c", { spec: { unschedulable: true } }),
          node("d", { allocatable: { cpu: "0" } }),
        ],
        pod: pod({ requests: { cpu: "1" } }),
        message:
          "0/4 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s).",
      },
      {
        why: "if its labels are not those of the node selector",
        nodes: [node("a"), node("b")],
        pod: pod({ spec: { nodeSelector: { disk: "ssd" } } }),
        message: "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
      },
      {
        why: "if another pod has the port",
        nodes: [node("a")],
        pods: [pod({ on: "a", spec: { containers: [{ name: "c", ports: [{ containerPort: 80, hostPort: 80 }] }] } })],
        pod: pod({
          spec: { containers: [{ name: "c", ports: [{ containerPort: 8080, hostPort: 80, hostIP: "127.0.0.1" }] }] },
        }),
        message: "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
      },
      {
        why: "if the pod wants to be elsewhere than those there",
        nodes: [node("a")],
        pods: [pod({ on: "a", labels: { app: "web" } })],
        pod: pod({ spec: antiAffinity({ app: "web" }) }),
        message: "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.",
      },
      {
        why: "if those there do not want the pod",
        nodes: [node("a")],
        pods: [pod({ on: "a", spec: antiAffinity({ app: "web" }) })],
        pod: pod({ labels: { app: "web" } }),
        message: "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
      },
      {
        why: "if nobody is there whom the pod wants to be with",
        nodes: [node("a"), node("b", { labels: { "kubernetes.io/hostname": "b" } })],
        pod: pod({ labels: { app: "api" }, spec: affinity({ app: "web" }) }),
        message: "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.",
      },
      {
        why: "if it lacks the label over which pods spread, or has too many",
        nodes: [node("a", zone("1")), node("b", zone("2")), node("c")],
        pods: [pod({ on: "a", labels: { app: "web" } }), pod({ on: "b", requests: { cpu: "4" } })],
        pod: pod({
          labels: { app: "web" },
          requests: { cpu: "1" },
          spec: spread("topology.kubernetes.io/zone"),
        }),
        message:
          "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't match pod topology spread constraints (missing required label).",
      },
      {
        why: "if the pod names another, as those of DaemonSets do",
        nodes: [node("a", { spec: { unschedulable: true } }), node("b"), node("c")],
        pod: pod({
          spec: {
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] }],
                },
              },
            },
          },
        }),
        message:
          "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
      },
    ];
  test.each(refusing)("$why", ({ nodes, pods = [], pod: subject, message }) => {
    expect(decide(subject, cluster(nodes, pods))).toBe(message);
  });
});

describe("a pod goes to", () => {
  const choosing: readonly {
    where: string;
    nodes: readonly Node[];
    pods?: readonly Pod[];
    pod: Pod;
    chosen: string;
  }[] = [
    {
      where: "the node with room",
      nodes: [node("a"), node("b")],
      pods: [pod({ on: "a", requests: { cpu: "3" } })],
      pod: pod({ requests: { cpu: "2" } }),
      chosen: "b",
    },
    {
      where: "a tainted node that it tolerates, if no other is there",
      nodes: [node("a", { spec: { taints: [taint("x", "NoSchedule", "1")] } })],
      pod: pod({ spec: { tolerations: [{ key: "x", operator: "Equal", value: "1", effect: "NoSchedule" }] } }),
      chosen: "a",
    },
    {
      where: "an unschedulable node whose taint it tolerates",
      nodes: [node("a", { spec: { unschedulable: true } })],
      pod: pod({ spec: { tolerations: [{ operator: "Exists" }] } }),
      chosen: "a",
    },
    {
      where: "a node without a taint that it would rather avoid",
      nodes: [node("a", { spec: { taints: [taint("x", "PreferNoSchedule")] } }), node("b")],
      pods: [pod({ on: "b", requests: { cpu: "1" } })],
      pod: pod(),
      chosen: "b",
    },
    {
      where: "the emptier node",
      nodes: [node("a"), node("b")],
      pods: [pod({ on: "a", requests: { cpu: "1", memory: "2Gi" } })],
      pod: pod({ requests: { cpu: "100m" } }),
      chosen: "b",
    },
    {
      where: "the node it prefers by its labels",
      nodes: [node("a"), node("b", { labels: { disk: "ssd" } })],
      pod: pod({
        spec: {
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 1, preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] } },
              ],
            },
          },
        },
      }),
      chosen: "b",
    },
    {
      where: "the node where fewer of its siblings are",
      nodes: [node("a"), node("b")],
      pods: [pod({ on: "a", owner: "rs" }), pod({ on: "b", requests: { cpu: "500m" } })],
      pod: pod({ owner: "rs" }),
      chosen: "b",
    },
    {
      where: "the node where fewer of its siblings stay",
      nodes: [node("a"), node("b")],
      pods: [
        ...[1, 2, 3].map(() => pod({ on: "a", owner: "rs", leaving: true })),
        pod({ on: "b", owner: "rs" }),
        ...[1, 2].map(() => pod({ on: "b" })),
      ],
      pod: pod({ owner: "rs" }),
      chosen: "a",
    },
    {
      where: "the emptier node, if it is a Job's, whose pods are not spread",
      nodes: [node("a"), node("b")],
      pods: [pod({ on: "a", owner: "job", ownerKind: "batch/v1/Job" }), pod({ on: "b", requests: { cpu: "3" } })],
      pod: pod({ owner: "job", ownerKind: "batch/v1/Job" }),
      chosen: "a",
    },
    {
      where: "the node where fewer pods of its service are",
      nodes: [node("a"), node("b")],
      pods: [pod({ on: "a", labels: { app: "served" } }), pod({ on: "b", requests: { cpu: "500m" } })],
      pod: pod({ labels: { app: "served" } }),
      chosen: "b",
    },
    {
      where: "any node of a zone, if it spreads all pods, because none of them counts",
      nodes: [node("a", zone("1")), node("b", { ...zone("2"), spec: { unschedulable: true } })],
      pods: [1, 2, 3].map(() => pod({ on: "a", labels: { app: "web" } })),
      pod: pod({ labels: { app: "web" }, spec: spread("topology.kubernetes.io/zone", { labelSelector: {} }) }),
      chosen: "a",
    },
    {
      where: "a node in the zone of whom it must be with, over all hosts there",
      nodes: [node("a", zone("1")), node("b", zone("2")), node("c", zone("2"))],
      pods: [pod({ on: "b", labels: { app: "db" } }), pod({ on: "b", requests: { cpu: "4" } })],
      pod: pod({ requests: { cpu: "1" }, spec: affinity({ app: "db" }, "topology.kubernetes.io/zone") }),
      chosen: "c",
    },
    {
      where: "any node, as the first of those who want to be together",
      nodes: [node("a")],
      pod: pod({ labels: { app: "web" }, spec: affinity({ app: "web" }) }),
      chosen: "a",
    },
    {
      where: "the zone with fewer of its kind",
      nodes: [node("a", zone("1")), node("b", zone("2"))],
      pods: [pod({ on: "a", labels: { app: "web" } })],
      pod: pod({ labels: { app: "web" }, spec: spread("topology.kubernetes.io/zone") }),
      chosen: "b",
    },
    {
      where: "a node near those it prefers",
      nodes: [node("a"), node("b")],
      pods: [pod({ on: "a", labels: { app: "cache" }, requests: { cpu: "100m" } })],
      pod: pod({
        spec: {
          affinity: {
            podAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 100,
                  podAffinityTerm: {
                    topologyKey: "kubernetes.io/hostname",
                    labelSelector: { matchLabels: { app: "cache" } },
                  },
                },
              ],
            },
          },
        },
      }),
      chosen: "a",
    },
    {
      where: "the node that has its image, if that is large",
      nodes: [
        node("a"),
        node("b", { images: { "i:latest": 900_000_000 } }),
        node("c", { images: { "x:1": 900_000_000 } }),
      ],
      pod: pod(),
      chosen: "b",
    },
    {
      where: "a node with a number above the one it asks for",
      nodes: [node("a", { labels: { size: "3" } }), node("b", { labels: { size: "12" } })],
      pod: pod({ spec: nodeAffinity({ key: "size", operator: "Gt", values: ["5"] }) }),
      chosen: "b",
    },
  ];
  test.each(choosing)("$where", ({ nodes, pods = [], pod: subject, chosen }) => {
    expect(decide(subject, cluster(nodes, pods))).toBe(chosen);
  });

  test("each of the equally good nodes, by chance", () => {
    const state = cluster([node("a"), node("b"), node("c")]);
    const chosen = new Set(Array.from({ length: 40 }, (_, seed) => decide(pod(), state, seed)));
    expect([...chosen].sort()).toEqual(["a", "b", "c"]);
  });
});

test("of many nodes a part is looked at: between half and a twentieth", () => {
  expect([1, 99, 100, 150, 1_000, 5_000, 10_000].map((nodes) => enoughNodes(nodes))).toEqual([
    1, 99, 100, 100, 420, 500, 500,
  ]);
});

test("a thousand pods are placed on a thousand nodes, about evenly", () => {
  const state = cluster(Array.from({ length: 1_000 }, (_, i) => node(`n${i}`)));
  const random = seededRandom("a thousand");
  let startAt = 0;
  for (let i = 0; i < 1_000; i++) {
    const info = podInfo(pod({ name: `many-${i}`, owner: "rs", requests: { cpu: "100m" } }));
    const decision = choose(info, state, { random, startAt });
    if (decision.type === "none") throw new Error(failureMessage(decision.failure));
    startAt = (startAt + decision.looked) % 1_000;
    state.assume(info, decision.node);
  }
  const counts = state.nodes.map(({ pods }) => pods.size);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_000);
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
});
