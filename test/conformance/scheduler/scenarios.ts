/** The pods of the comparison of schedulers. Each has one best node, or none: nothing is left to chance. */
import type { PodSpec, TopologySpreadConstraint } from "../../../src/api/index.js";
import { all, budget, node, pod, priority, remove, scenario, type Scenario, service } from "./scenario.js";
import { deviceScenarios } from "./device-scenarios.js";
import { extendedScenarios } from "./extended-scenarios.js";
import { volumeScenarios } from "./volume-scenarios.js";

const zone = (name: string): Readonly<Record<string, string>> => ({ "topology.kubernetes.io/zone": name });
const host = "kubernetes.io/hostname";
const zoneKey = "topology.kubernetes.io/zone";

const nodeAffinity = (...nodeSelectorTerms: readonly object[]): Partial<PodSpec> => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } as never,
});

const named = (name: string): object => ({ key: "metadata.name", operator: "In", values: [name] });

const podRules = (
  kind: "podAffinity" | "podAntiAffinity",
  labels: Readonly<Record<string, string>>,
  { topologyKey = host, weight, ...term }: { readonly topologyKey?: string; readonly weight?: number } & object = {},
): Partial<PodSpec> => {
  const rule = { topologyKey, labelSelector: { matchLabels: labels }, ...term };
  const rules =
    weight === undefined
      ? { requiredDuringSchedulingIgnoredDuringExecution: [rule] }
      : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: rule }] };
  return { affinity: { [kind]: rules } };
};

const spread = (topologyKey: string, change: Partial<TopologySpreadConstraint> = {}): Partial<PodSpec> => ({
  topologySpreadConstraints: [
    {
      topologyKey,
      maxSkew: 1,
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "web" } },
      ...change,
    },
  ],
});

const web = { app: "web" } as const;
const port = (hostPort: number, more: object = {}): Partial<PodSpec> => ({
  containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, hostPort, ...more }] }],
});
const ssd = { key: "disk", operator: "In", values: ["ssd"] } as const;

export const scenarios: readonly Scenario[] = [
  scenario("no node", pod("a")),
  scenario(
    "too little cpu, and too little memory",
    all(node("n1"), node("n2")),
    pod("a", { asks: { cpu: "5", memory: "9Gi" } }),
  ),
  scenario(
    "an extended resource",
    all(node("n1"), node("n2", { has: { "example.com/gpu": "2" } })),
    pod("a", { asks: { "example.com/gpu": "3" } }),
    pod("b", { asks: { "example.com/gpu": "2" } }),
    pod("c", { asks: { "example.com/gpu": "1" } }),
  ),
  scenario("too many pods", node("n1", { has: { pods: "2" } }), all(pod("a"), pod("b")), pod("c")),
  scenario(
    "a different reason on each node",
    all(
      node("n1", { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] }),
      node("n2", { unschedulable: true }),
      node("n3", { labels: { disk: "ssd" }, has: { cpu: "1" } }),
      node("n4"),
    ),
    pod("a", { asks: { cpu: "2" }, spec: { nodeSelector: { disk: "ssd" } } }),
  ),
  scenario(
    "tolerations",
    all(
      node("n1", { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] }),
      node("n2", { taints: [{ key: "x", effect: "NoExecute" }] }),
    ),
    pod("a", { spec: { tolerations: [{ key: "k", operator: "Equal", value: "v", effect: "NoSchedule" }] } }),
    pod("b", { spec: { tolerations: [{ key: "k", operator: "Equal", value: "w" }] } }),
    pod("c", { spec: { tolerations: [{ key: "x", operator: "Exists" }] } }),
  ),
  scenario(
    "a preference against taints",
    all(node("n1", { taints: [{ key: "k", effect: "PreferNoSchedule" }] }), node("n2")),
    pod("a", { asks: { cpu: "1" } }),
    pod("b", { asks: { cpu: "1" } }),
  ),
  scenario(
    "an unschedulable node that is tolerated",
    node("n1", { unschedulable: true }),
    pod("a", { spec: { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] } }),
    pod("b"),
  ),
  scenario(
    "node affinity",
    all(node("n1", { labels: { disk: "hdd", size: "7" } }), node("n2", { labels: { disk: "ssd", size: "9" } })),
    pod("a", { spec: nodeAffinity({ matchExpressions: [ssd] }) }),
    pod("b", { spec: nodeAffinity({ matchExpressions: [{ key: "size", operator: "Gt", values: ["8"] }] }) }),
    pod("c", { spec: nodeAffinity({ matchExpressions: [{ key: "size", operator: "Lt", values: ["7"] }] }) }),
    pod("d", {
      spec: nodeAffinity({
        matchExpressions: [
          { key: "none", operator: "DoesNotExist" },
          { key: "disk", operator: "NotIn", values: ["ssd"] },
        ],
      }),
    }),
  ),
  scenario(
    "a node by its name",
    all(node("n1"), node("n2"), node("n3", { has: { cpu: "1" } })),
    pod("a", { spec: nodeAffinity({ matchFields: [named("n2")] }) }),
    pod("b", { asks: { cpu: "2" }, spec: nodeAffinity({ matchFields: [named("n3")] }) }),
    pod("c", { spec: nodeAffinity({ matchFields: [named("n1"), named("n2")] }) }),
    pod("d", { spec: nodeAffinity({ matchFields: [named("none")] }) }),
    pod("e", {
      asks: { cpu: "9" },
      spec: nodeAffinity({ matchFields: [named("n1")] }, { matchFields: [named("n3")] }),
    }),
  ),
  scenario(
    "preferred node affinity",
    all(node("n1", { labels: { disk: "hdd" } }), node("n2", { labels: { disk: "ssd" } })),
    pod("a", {
      spec: {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ ...ssd }] } },
            ],
          },
        },
      },
    }),
  ),
  scenario(
    "host ports",
    all(node("n1"), node("n2")),
    all(pod("a", { on: "n1", spec: port(80) }), pod("b", { on: "n2", spec: port(80, { hostIP: "10.0.0.1" }) })),
    pod("c", { spec: port(80, { hostIP: "10.0.0.2" }) }),
    pod("d", { spec: port(80) }),
    pod("e", { spec: { ...port(80, { protocol: "UDP" }), nodeSelector: { [host]: "n1" } } }),
  ),
  scenario(
    "the emptier node",
    all(node("n1"), node("n2")),
    pod("a", { on: "n1", asks: { cpu: "1", memory: "1Gi" } }),
    pod("b", { asks: { cpu: "1", memory: "1Gi" } }),
  ),
  scenario(
    "balance",
    all(node("n1"), node("n2")),
    all(
      pod("a", { on: "n1", asks: { cpu: "2", memory: "1Gi" } }),
      pod("b", { on: "n2", asks: { cpu: "1", memory: "3Gi" } }),
    ),
    pod("c", { asks: { cpu: "100m", memory: "3Gi" } }),
  ),
  scenario(
    "init containers, sidecars, overhead",
    node("n1"),
    pod("a", { spec: { initContainers: [{ name: "i", image: "i", resources: { requests: { cpu: "5" } } }] } }),
    pod("b", {
      spec: {
        initContainers: [
          { name: "s", image: "i", restartPolicy: "Always", resources: { requests: { cpu: "3" } } },
          { name: "i", image: "i", resources: { requests: { cpu: "2" } } },
        ],
      },
    }),
    pod("c", {
      spec: {
        initContainers: [
          { name: "i", image: "i", resources: { requests: { cpu: "2" } } },
          { name: "s", image: "i", restartPolicy: "Always", resources: { requests: { cpu: "2" } } },
        ],
        containers: [{ name: "c", image: "i", resources: { requests: { cpu: "2" } } }],
      },
    }),
  ),
  scenario(
    "resources of the whole pod",
    node("n1"),
    pod("a", { asks: { cpu: "1" }, spec: { resources: { requests: { cpu: "5" }, limits: { cpu: "6" } } } }),
    pod("b", { asks: { cpu: "1" }, spec: { resources: { requests: { cpu: "4" }, limits: { cpu: "6" } } } }),
    pod("c", { asks: { cpu: "1m" } }),
  ),
  scenario(
    "anti-affinity",
    all(node("n1"), node("n2")),
    pod("a", { labels: web, on: "n1" }),
    pod("b", { labels: web, spec: podRules("podAntiAffinity", web) }),
    pod("c", { labels: web, spec: podRules("podAntiAffinity", web) }),
  ),
  scenario(
    "anti-affinity of those that are there",
    all(node("n1"), node("n2")),
    pod("a", { on: "n1", spec: podRules("podAntiAffinity", web) }),
    pod("b", { labels: web }),
    pod("c", { labels: web, spec: { nodeSelector: { [host]: "n1" } } }),
  ),
  scenario(
    "affinity",
    all(node("n1", { labels: zone("a") }), node("n2", { labels: zone("b") }), node("n3")),
    pod("a", { labels: { app: "db" }, on: "n1" }),
    pod("b", { spec: podRules("podAffinity", { app: "db" }, { topologyKey: zoneKey }) }),
    pod("c", { spec: podRules("podAffinity", { app: "cache" }, { topologyKey: zoneKey }) }),
    pod("d", {
      labels: { app: "queue" },
      spec: { ...podRules("podAffinity", { app: "queue" }, { topologyKey: zoneKey }), nodeSelector: { [host]: "n2" } },
    }),
    pod("e", {
      labels: { app: "queue" },
      spec: { ...podRules("podAffinity", { app: "queue" }, { topologyKey: zoneKey }), nodeSelector: { [host]: "n1" } },
    }),
  ),
  scenario(
    "affinity by namespaces",
    all(node("n1"), node("n2")),
    pod("a", { labels: web, on: "n1" }),
    pod("b", { spec: podRules("podAffinity", web, { namespaceSelector: {} } as never) }),
    pod("c", { spec: podRules("podAffinity", web, { namespaces: ["kube-system"] } as never) }),
    pod("d", {
      spec: podRules("podAntiAffinity", web, {
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
      } as never),
    }),
  ),
  scenario(
    "affinity by the pod's own labels",
    all(node("n1"), node("n2")),
    pod("a", { labels: { ...web, v: "1" }, on: "n1" }),
    pod("b", { labels: { ...web, v: "2" }, on: "n2" }),
    pod("c", { labels: { ...web, v: "1" }, spec: podRules("podAffinity", web, { matchLabelKeys: ["v"] } as never) }),
    pod("d", {
      labels: { ...web, v: "1" },
      spec: podRules("podAntiAffinity", web, { mismatchLabelKeys: ["v"] } as never),
    }),
  ),
  scenario(
    "preferred affinity and anti-affinity",
    all(node("n1"), node("n2")),
    pod("a", { labels: web, on: "n1" }),
    pod("b", { spec: podRules("podAffinity", web, { weight: 100 }) }),
    pod("c", { spec: podRules("podAntiAffinity", web, { weight: 100 }) }),
  ),
  scenario(
    "spread over zones",
    all(node("n1", { labels: zone("a") }), node("n2", { labels: zone("b") }), node("n3")),
    pod("a", { labels: web, on: "n1" }),
    pod("b", { labels: web, spec: spread(zoneKey) }),
    pod("c", { labels: web, spec: { ...spread(zoneKey), nodeSelector: { [zoneKey]: "a" } } }),
    pod("d", { labels: web, spec: { ...spread(zoneKey), nodeSelector: { [zoneKey]: "a" } } }),
    pod("e", {
      labels: web,
      spec: { ...spread(zoneKey, { nodeAffinityPolicy: "Ignore" }), nodeSelector: { [zoneKey]: "a" } },
    }),
  ),
  scenario(
    "spread with taints honoured",
    all(
      node("n1", { labels: zone("a") }),
      node("n2", { labels: zone("b"), taints: [{ key: "k", effect: "NoSchedule" }] }),
    ),
    pod("a", { labels: web, on: "n1" }),
    pod("b", { labels: web, spec: spread(zoneKey) }),
    pod("c", { labels: web, spec: spread(zoneKey, { nodeTaintsPolicy: "Honor" }) }),
  ),
  scenario(
    "spread over at least so many domains",
    all(node("n1", { labels: zone("a") }), node("n2", { labels: zone("b") })),
    all(pod("a", { labels: web, on: "n1" }), pod("b", { labels: web, on: "n2" })),
    pod("c", { labels: web, spec: spread(zoneKey, { minDomains: 3 }) }),
  ),
  scenario(
    "spread with a selector of all",
    all(node("n1", { labels: zone("a") }), node("n2", { labels: zone("b") })),
    all(pod("a", { labels: web, on: "n1" }), pod("b", { labels: web, on: "n1" })),
    pod("c", { labels: web, spec: { ...spread(zoneKey, { labelSelector: {} }), nodeSelector: { [zoneKey]: "a" } } }),
  ),
  scenario(
    "spread by label keys",
    all(node("n1", { labels: zone("a") }), node("n2", { labels: zone("b") })),
    pod("a", { labels: { ...web, v: "1" }, on: "n1" }),
    pod("b", {
      labels: { ...web, v: "2" },
      spec: { ...spread(zoneKey, { matchLabelKeys: ["v"] }), nodeSelector: { [zoneKey]: "a" } },
    }),
    pod("c", {
      labels: { ...web, v: "2" },
      spec: {
        ...spread(zoneKey, { matchLabelKeys: ["v"] }),
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 100, preference: { matchExpressions: [{ key: zoneKey, operator: "In", values: ["a"] }] } },
            ],
          },
        },
      },
    }),
  ),
  scenario(
    "spread if possible",
    all(node("n1", { labels: zone("a") }), node("n2", { labels: zone("b") })),
    pod("a", { labels: web, on: "n1" }),
    pod("b", { labels: web, spec: spread(zoneKey, { whenUnsatisfiable: "ScheduleAnyway" }) }),
  ),
  scenario(
    "spread of a service's pods",
    all(service("s", web), node("n1"), node("n2")),
    pod("a", { labels: web, on: "n1" }),
    pod("b", { labels: web, on: "n1" }),
    pod("c", { labels: web }),
  ),
  scenario("gates", node("n1"), pod("a", { spec: { schedulingGates: [{ name: "g" }] } })),
  scenario("a node that comes", pod("a", { asks: { cpu: "2" } }), node("n1", { has: { cpu: "1" } }), node("n2")),
  scenario(
    "room that comes",
    node("n1"),
    all(pod("a", { on: "n1", asks: { cpu: "3" } })),
    pod("b", { asks: { cpu: "2" } }),
    remove("a"),
  ),
  scenario(
    "preemption",
    all(priority("high", 1000), priority("low", 10), node("n1"), node("n2")),
    pod("a", { on: "n1", asks: { cpu: "3" }, spec: { priorityClassName: "low" } }),
    pod("b", { on: "n2", asks: { cpu: "3" } }),
    pod("b2", { on: "n2", asks: { cpu: "1" } }),
    pod("c", { asks: { cpu: "3" }, spec: { priorityClassName: "high" } }),
  ),
  scenario(
    "preemption that waits for its victim",
    all(priority("high", 1000), node("n1")),
    pod("a", { asks: { cpu: "3" }, stopAfter: "20s" }),
    pod("c", { asks: { cpu: "3" }, spec: { priorityClassName: "high" } }),
    pod("d", { asks: { cpu: "2" } }),
  ),
  scenario(
    "preemption that does not help",
    all(priority("high", 1000), node("n1", { unschedulable: true }), node("n2"), node("n3")),
    all(
      pod("a", { on: "n2", asks: { cpu: "3" }, spec: { priorityClassName: "high" } }),
      pod("a3", { on: "n3", asks: { cpu: "3" }, spec: { priorityClassName: "high" } }),
      pod("b3", { on: "n3", asks: { cpu: "500m" } }),
    ),
    pod("c", { asks: { cpu: "2" }, spec: { priorityClassName: "high" } }),
  ),
  scenario(
    "preemption that is not wanted",
    all(priority("high", 1000, "Never"), node("n1")),
    pod("a", { asks: { cpu: "3" } }),
    pod("c", { asks: { cpu: "3" }, spec: { priorityClassName: "high" } }),
  ),
  scenario(
    "preemption with a budget",
    all(priority("high", 1000), budget("b", web, 0), node("n1"), node("n2")),
    all(pod("a", { labels: web, on: "n1", asks: { cpu: "3" } }), pod("b", { on: "n2", asks: { cpu: "3" } })),
    pod("c", { asks: { cpu: "3" }, spec: { priorityClassName: "high" } }),
  ),
  scenario(
    "preemption of as few as possible",
    all(priority("high", 1000), priority("low", 10), node("n1")),
    all(
      pod("a", { on: "n1", asks: { cpu: "1" } }),
      pod("b", { on: "n1", asks: { cpu: "2" } }),
      pod("b2", { on: "n1", asks: { cpu: "1" }, spec: { priorityClassName: "low" } }),
    ),
    pod("c", { asks: { cpu: "2" }, spec: { priorityClassName: "high" } }),
  ),
  scenario(
    "preemption for a port",
    all(priority("high", 1000), node("n1")),
    pod("a", { on: "n1", spec: port(80) }),
    pod("c", { spec: { ...port(80), priorityClassName: "high" } }),
  ),
  scenario(
    "preemption against anti-affinity",
    all(priority("high", 1000), node("n1")),
    pod("a", { labels: web, on: "n1" }),
    pod("c", { spec: { ...podRules("podAntiAffinity", web), priorityClassName: "high" } }),
  ),
  scenario(
    "preemption for spread",
    all(
      priority("high", 1000),
      node("n1", { labels: zone("a") }),
      node("n2", { labels: zone("b"), has: { cpu: "100m" } }),
    ),
    all(pod("a", { labels: web, on: "n1" })),
    pod("c", { asks: { cpu: "1" }, labels: web, spec: { ...spread(zoneKey), priorityClassName: "high" } }),
  ),
  ...volumeScenarios,
  ...deviceScenarios,
  ...extendedScenarios,
];
