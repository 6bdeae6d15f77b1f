import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Node, NodeSpec, Pod, PodSpec } from "../../api/index.js";
import { seededRandom } from "../../base/index.js";
import { choose, enoughNodes } from "./choose.js";
import { failureMessage } from "./failure-message.js";
import { ClusterState } from "./state/cluster-state.js";
import { podInfo } from "./state/pod-info.js";

interface NodeShape {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: NodeSpec;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly images?: Readonly<Record<string, number>>;
}

function node(name: string, { labels, spec = {}, allocatable, images = {} }: NodeShape = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status: {
      allocatable: { cpu: "4", memory: "8Gi", pods: "10", ...allocatable },
      images: Object.entries(images).map(([image, sizeBytes]) => ({ names: [image], sizeBytes })),
    },
  };
}

interface PodShape {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
  readonly on?: string;
  readonly owner?: string;
}

let made = 0;

function pod({
  name = `p${++made}`,
  namespace = "default",
  labels = {},
  requests,
  spec,
  on,
  owner,
}: PodShape = {}): Pod {
  const container = { name: "c", image: "i", ...(requests && { resources: { requests } }) };
  const ownerReferences = owner && [
    { apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: owner, controller: true },
  ];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid: `${namespace}/${name}`, labels, ...(ownerReferences && { ownerReferences }) },
    spec: { containers: [container], ...spec, ...(on && { nodeName: on }) },
  };
}

function cluster(nodes: readonly Node[], pods: readonly Pod[] = []): ClusterState {
  const state = new ClusterState({ namespaceLabels: (name) => ({ "kubernetes.io/metadata.name": name }) });
  for (const each of nodes) state.setNode(each);
  for (const each of pods) state.setPod(each);
  return state;
}

/** The node's name, or the message. */
function decide(subject: Pod, state: ClusterState, seed = 1): string {
  const decision = choose(podInfo(subject), state, { random: seededRandom(seed) });
  return decision.type === "chosen" ? decision.node : failureMessage(decision.failure).replace(/ preemption: .*/, "");
}

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

describe("what the state counts", () => {
  const one = { cpu: "4" };

  test("an assumed pod holds its place until it is forgotten", () => {
    const state = cluster([node("a")]);
    const first = podInfo(pod({ requests: one }));
    state.assume(first, "a");
    expect(decide(pod({ requests: one }), state)).toBe("0/1 nodes are available: 1 Insufficient cpu.");
    state.forget(first.uid);
    expect(decide(pod({ requests: one }), state)).toBe("a");
  });

  test("a pod that is being deleted holds its place; one that has ended does not", () => {
    const there = pod({ on: "a", requests: one });
    const deleting = { ...there, metadata: { ...there.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const state = cluster([node("a")], [deleting]);
    expect(decide(pod({ requests: one }), state)).toContain("Insufficient cpu");
    state.setPod({ ...deleting, status: { phase: "Succeeded" } });
    expect(decide(pod({ requests: one }), state)).toBe("a");
  });

  test("pods that came before their node are counted when it comes", () => {
    const state = cluster([], [pod({ on: "a", requests: one })]);
    expect(decide(pod(), state)).toBe("no nodes available to schedule pods");
    state.setNode(node("a"));
    expect(decide(pod({ requests: one }), state)).toContain("Insufficient cpu");
  });

  test.each([
    { what: "the sum of containers", spec: { containers: [c("1"), c("2")] }, cpu: 3_000 },
    {
      what: "the largest init container, if that is more",
      spec: { initContainers: [c("4"), c("2")], containers: [c("1")] },
      cpu: 4_000,
    },
    {
      what: "sidecars beside containers",
      spec: { initContainers: [side("1"), side("1")], containers: [c("1")] },
      cpu: 3_000,
    },
    {
      what: "an init container beside the sidecars before it",
      spec: { initContainers: [side("1"), c("4"), side("9m")], containers: [c("1")] },
      cpu: 5_000,
    },
    { what: "the overhead too", spec: { containers: [c("1")], overhead: { cpu: "250m" } }, cpu: 1_250 },
    {
      what: "what the pod says as a whole",
      spec: { containers: [c("1")], resources: { requests: { cpu: "3" } } },
      cpu: 3_000,
    },
  ])("a pod needs $what", ({ spec, cpu }) => {
    expect(podInfo(pod({ spec: spec as Partial<PodSpec> })).requests.cpu).toBe(cpu);
  });
});

function c(cpu: string): object {
  return { name: "c", resources: { requests: { cpu } } };
}

function side(cpu: string): object {
  return { ...c(cpu), restartPolicy: "Always" };
}

describe("a message says of taking the place of others", () => {
  const messageOf = (subject: Pod, state: ClusterState): string => {
    const decision = choose(podInfo(subject), state, { random: seededRandom(1) });
    return decision.type === "none" ? failureMessage(decision.failure) : decision.node;
  };
  const nodes = [node("a"), node("b", { spec: { unschedulable: true } })];
  const there = [pod({ on: "a", requests: { cpu: "3" } })];

  test("why it would not help", () => {
    expect(messageOf(pod({ requests: { cpu: "2" } }), cluster(nodes, there))).toBe(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
    );
  });

  test("nothing if it would", () => {
    expect(messageOf(pod({ requests: { cpu: "2" }, spec: { priority: 10 } }), cluster(nodes, there))).toBe(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.",
    );
  });
});

test("of many nodes a part is looked at: between half and a twentieth", () => {
  expect([1, 99, 100, 150, 1_000, 5_000, 10_000].map(enoughNodes)).toEqual([1, 99, 100, 100, 420, 500, 500]);
});

test("no node is ever given more than it has, whatever comes and goes", () => {
  const cpu = fc.integer({ min: 1, max: 40 });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant("place" as const), cpu }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("remove" as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("forget" as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("confirm" as const), which: fc.nat() }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.integer(), (steps, seed) => {
      const random = seededRandom(seed);
      const nodes = ["a", "b", "c"].map((name) => node(name, { allocatable: { cpu: "10", pods: "6" } }));
      const state = cluster(nodes);
      const placed = new Map<string, { pod: Pod; on: string; cpu: number; seen: boolean }>();
      const pick = (which: number): [string, { pod: Pod; on: string; cpu: number; seen: boolean }] | undefined =>
        [...placed][which % Math.max(1, placed.size)];
      for (const action of steps) {
        if (action.type === "place") {
          const subject = pod({ requests: { cpu: `${action.cpu * 100}m` } });
          const decision = choose(podInfo(subject), state, { random });
          const fits = nodes.some(({ metadata: { name } }) => {
            const there = [...placed.values()].filter(({ on }) => on === name);
            return there.length < 6 && there.reduce((sum, each) => sum + each.cpu, action.cpu) <= 100;
          });
          expect(decision.type).toBe(fits ? "chosen" : "none");
          if (decision.type === "none") continue;
          state.assume(podInfo(subject), decision.node);
          placed.set(subject.metadata.uid ?? "", { pod: subject, on: decision.node, cpu: action.cpu, seen: false });
        } else {
          const [uid, found] = pick(action.which) ?? [];
          if (uid === undefined || found === undefined) continue;
          if (action.type === "confirm") {
            state.setPod({ ...found.pod, spec: { containers: [], ...found.pod.spec, nodeName: found.on } });
            found.seen = true;
          } else if (action.type === "forget") {
            state.forget(uid);
            if (!found.seen) placed.delete(uid);
          } else {
            state.removePod(uid);
            placed.delete(uid);
          }
        }
        for (const { name } of nodes.map(({ metadata }) => metadata)) {
          const there = [...placed.values()].filter(({ on }) => on === name);
          const info = state.node(name);
          expect(info?.requested.cpu).toBe(there.reduce((sum, each) => sum + each.cpu * 100, 0));
          expect(info?.pods.size).toBe(there.length);
          expect(info?.requested.cpu).toBeLessThanOrEqual(10_000);
        }
      }
    }),
  );
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
