/** Scenarios under configurations: profiles, weights, arguments of plug-ins, and extenders. */
import type { PodSpec } from "../../../src/api/index.js";
import type { ExtenderConfiguration, PluginConfig, SchedulerProfile } from "../../../src/scheduler/index.js";
import { device, deviceClass, devices } from "./device-words.js";
import { generatedPlacements } from "./generated-placements.js";
import { all, node, pod, priority, scenario, type ScenarioSet, service } from "./scenario.js";

const host = "kubernetes.io/hostname";
const zoneKey = "topology.kubernetes.io/zone";
const zone = (name: string): Readonly<Record<string, string>> => ({ [zoneKey]: name });

const config = (name: string, args: object): PluginConfig => ({ name, args });
const by = (schedulerName: string, spec: Partial<PodSpec> = {}): { readonly spec: Partial<PodSpec> } => ({
  spec: { schedulerName, ...spec },
});
const prefers = (key: string, weight = 100): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight, preference: { matchExpressions: [{ key, operator: "Exists" }] } },
      ],
    },
  },
});

const fit = (scoringStrategy: object): readonly PluginConfig[] => [config("NodeResourcesFit", { scoringStrategy })];
const onlyFit = { score: { enabled: [{ name: "NodeResourcesFit" }], disabled: [{ name: "*" }] } } as const;

const profiles: readonly SchedulerProfile[] = [
  { schedulerName: "default-scheduler" },
  { schedulerName: "packing", plugins: onlyFit, pluginConfig: fit({ type: "MostAllocated" }) },
  {
    schedulerName: "gpus-first",
    plugins: onlyFit,
    pluginConfig: fit({
      type: "MostAllocated",
      resources: [
        { name: "example.com/gpu", weight: 5 },
        { name: "cpu", weight: 1 },
      ],
    }),
  },
  {
    schedulerName: "by-shape",
    plugins: onlyFit,
    pluginConfig: fit({
      type: "RequestedToCapacityRatio",
      resources: [
        { name: "cpu", weight: 3 },
        { name: "memory", weight: 1 },
      ],
      requestedToCapacityRatio: {
        shape: [
          { utilization: 0, score: 0 },
          { utilization: 40, score: 10 },
          { utilization: 100, score: 3 },
        ],
      },
    }),
  },
  {
    schedulerName: "affine",
    plugins: { score: { enabled: [{ name: "NodeAffinity", weight: 100 }] } },
    pluginConfig: [
      config("NodeAffinity", {
        addedAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "pool", operator: "In", values: ["a"] }] }],
          },
        },
      }),
    ],
  },
  { schedulerName: "careless", plugins: { filter: { disabled: [{ name: "TaintToleration" }] } } },
  { schedulerName: "peaceful", plugins: { postFilter: { disabled: [{ name: "*" }] } } },
  { schedulerName: "no-deallocation", plugins: { postFilter: { disabled: [{ name: "DynamicResources" }] } } },
  { schedulerName: "late", plugins: { preFilter: { disabled: [{ name: "NodeAffinity" }] } } },
  {
    schedulerName: "balanced",
    plugins: { score: { enabled: [{ name: "NodeResourcesBalancedAllocation" }], disabled: [{ name: "*" }] } },
    pluginConfig: [
      config("NodeResourcesBalancedAllocation", {
        resources: [{ name: "cpu" }, { name: "memory" }, { name: "example.com/gpu" }],
      }),
    ],
  },
  {
    schedulerName: "spreading",
    pluginConfig: [
      config("PodTopologySpread", {
        defaultingType: "List",
        defaultConstraints: [{ maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: "DoNotSchedule" }],
      }),
    ],
  },
  {
    schedulerName: "sociable",
    plugins: { score: { enabled: [{ name: "InterPodAffinity", weight: 10 }], disabled: [{ name: "*" }] } },
    pluginConfig: [config("InterPodAffinity", { hardPodAffinityWeight: 50 })],
  },
  {
    schedulerName: "unsociable",
    plugins: {
      score: { enabled: [{ name: "InterPodAffinity" }, { name: "NodeResourcesFit" }], disabled: [{ name: "*" }] },
    },
    pluginConfig: [config("InterPodAffinity", { ignorePreferredTermsOfExistingPods: true })],
  },
  {
    schedulerName: "ignorant",
    pluginConfig: [
      config("NodeResourcesFit", { ignoredResources: ["example.com/foo"], ignoredResourceGroups: ["other.com"] }),
    ],
  },
];

const needsCompany: Partial<PodSpec> = {
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: host, labelSelector: { matchLabels: { app: "web" } } },
      ],
    },
  },
};
const prefersCompany: Partial<PodSpec> = {
  affinity: {
    podAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, podAffinityTerm: { topologyKey: host, labelSelector: { matchLabels: { app: "web" } } } },
      ],
    },
  },
};
const web = { app: "web" } as const;

/** Sets in which no pod has two best nodes. */
const seeds = [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 22, 23, 25, 26, 27, 28];

const byProfile: ScenarioSet = {
  name: "profiles",
  configuration: () => ({ profiles }),
  scenarios: [
    scenario(
      "packing, beside the default",
      all(node("n1"), node("n2")),
      pod("a", { on: "n1", asks: { cpu: "1", memory: "1Gi" } }),
      pod("b", { asks: { cpu: "1", memory: "1Gi" }, ...by("packing") }),
      pod("c", { asks: { cpu: "1", memory: "1Gi" } }),
    ),
    scenario(
      "an extended resource that counts",
      all(node("n1", { has: { "example.com/gpu": "8" } }), node("n2", { has: { "example.com/gpu": "4" } }), node("n3")),
      pod("a", { asks: { cpu: "1", "example.com/gpu": "1" }, ...by("gpus-first") }),
      pod("b", { on: "n1", asks: { cpu: "3" } }),
      pod("c", { asks: { cpu: "1" }, ...by("gpus-first") }),
    ),
    scenario(
      "weights of extended resources that devices provide",
      all(node("n1"), node("n2"), node("n3"), deviceClass("gpu", { extendedResourceName: "example.com/gpu" })),
      all(
        devices("n1", ...Array.from({ length: 8 }, (_, i) => device(`a${i}`))),
        devices("n2", ...Array.from({ length: 4 }, (_, i) => device(`b${i}`))),
      ),
      pod("a", { asks: { cpu: "1", "example.com/gpu": "1" }, ...by("gpus-first") }),
      pod("b", { asks: { cpu: "1", "example.com/gpu": "2" }, ...by("gpus-first") }),
      pod("c", { asks: { cpu: "1", "example.com/gpu": "4" }, ...by("gpus-first") }),
      pod("d", { asks: { cpu: "1", "example.com/gpu": "1" }, ...by("gpus-first") }),
    ),
    scenario(
      "a shape",
      all(node("n1"), node("n2", { has: { cpu: "8" } })),
      pod("a", { on: "n1", asks: { cpu: "1", memory: "1Gi" } }),
      pod("b", { asks: { cpu: "1", memory: "1Gi" }, ...by("by-shape") }),
      pod("c", { asks: { cpu: "1", memory: "1Gi" }, ...by("by-shape") }),
      pod("d", { asks: { cpu: "1", memory: "2Gi" }, ...by("by-shape") }),
      pod("e", { asks: { cpu: "2", memory: "1Gi" }, ...by("by-shape") }),
    ),
    scenario(
      "an affinity that the scheduler adds",
      all(
        node("n1", { labels: { pool: "b" } }),
        node("n2", { labels: { pool: "a" } }),
        node("n3", { has: { cpu: "1" } }),
      ),
      pod("a", { on: "n2", asks: { cpu: "3" } }),
      pod("b", by("affine")),
      pod("c", { asks: { cpu: "2" }, ...by("affine") }),
      pod("d", by("affine", { nodeSelector: { pool: "b" } })),
    ),
    scenario(
      "a weight that decides",
      all(node("n1", { labels: { pool: "a", fast: "yes" } }), node("n2", { labels: { pool: "a" } })),
      pod("a", { on: "n1", asks: { cpu: "3", memory: "6Gi" } }),
      pod("b", { asks: { cpu: "100m" }, ...by("affine", prefers("fast")) }),
    ),
    scenario(
      "a filter that is off",
      all(node("n1", { taints: [{ key: "k", effect: "NoSchedule" }] })),
      pod("a", by("careless")),
      pod("b"),
    ),
    scenario(
      "no preemption",
      all(priority("high", 1000), node("n1")),
      pod("a", { on: "n1", asks: { cpu: "3" } }),
      pod("b", { asks: { cpu: "3" }, ...by("peaceful", { priorityClassName: "high" }) }),
      pod("c", { asks: { cpu: "3" }, ...by("no-deallocation") }),
      pod("d", { asks: { cpu: "3" }, ...by("no-deallocation", { priorityClassName: "high" }) }),
    ),
    scenario(
      "named nodes without the early filter",
      all(node("n1"), node("n2")),
      pod("a", {
        asks: { cpu: "5" },
        ...by("late", {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }],
              },
            },
          },
        }),
      }),
    ),
    scenario(
      "balance of three resources",
      all(node("n1", { has: { "example.com/gpu": "4" } }), node("n2", { has: { "example.com/gpu": "4" } })),
      all(
        pod("a", { on: "n1", asks: { cpu: "2", memory: "1Gi", "example.com/gpu": "3" } }),
        pod("b", { on: "n2", asks: { cpu: "1", memory: "4Gi", "example.com/gpu": "1" } }),
      ),
      pod("c", { asks: { cpu: "1", memory: "4Gi", "example.com/gpu": "1" }, ...by("balanced") }),
    ),
    scenario(
      "a list of default constraints",
      all(
        service("s", web),
        node("n1", { labels: zone("a") }),
        node("n2", { labels: zone("b"), has: { cpu: "1" } }),
        node("n3", { has: { cpu: "8" } }),
      ),
      pod("a", { labels: web, on: "n1" }),
      pod("b", { labels: web, asks: { cpu: "600m" }, ...by("spreading") }),
      pod("c", { labels: web, ...by("spreading", { nodeSelector: { [zoneKey]: "a" } }) }),
      pod("d", { labels: web, asks: { cpu: "600m" }, ...by("spreading") }),
    ),
    scenario(
      "company that others need",
      all(node("n1"), node("n2", { has: { cpu: "8" } })),
      pod("a", { labels: web, on: "n1", spec: needsCompany }),
      pod("b", { labels: web, asks: { cpu: "1" }, ...by("sociable") }),
    ),
    scenario(
      "company that others would like",
      all(node("n1"), node("n2", { has: { cpu: "8", memory: "32Gi" } })),
      pod("a", { labels: web, on: "n1", asks: { cpu: "1", memory: "1Gi" }, spec: prefersCompany }),
      pod("b", { labels: web, asks: { cpu: "1", memory: "1Gi" }, ...by("unsociable") }),
      pod("c", { labels: web, asks: { cpu: "1", memory: "1Gi" } }),
    ),
    scenario(
      "resources that others look after",
      all(node("n1")),
      pod("a", { asks: { "example.com/foo": "1" }, ...by("ignorant") }),
      pod("b", { asks: { "other.com/bar": "1" }, ...by("ignorant") }),
      pod("c", { asks: { "example.com/bar": "1" }, ...by("ignorant") }),
    ),
    ...seeds.map((seed) =>
      generatedPlacements(seed, ["default-scheduler", "packing", "gpus-first", "by-shape", "unsociable"]),
    ),
  ],
};

const labelled = (labels: Readonly<Record<string, string>>) => ({ labels });

const extended = (more: object): NonNullable<ScenarioSet["configuration"]> => {
  const verbs = { filterVerb: "filter", prioritizeVerb: "prioritize", preemptVerb: "preempt", weight: 3 };
  return ({ url: urlPrefix }) => ({ extenders: [{ urlPrefix, ...verbs, ...more }] });
};

const extendedScenarios = [
  scenario(
    "an extender that refuses",
    all(node("n1"), node("n2", { has: { cpu: "16", memory: "64Gi" } })),
    pod("a", { asks: { cpu: "1", memory: "1Gi" }, ...labelled({ refuse: "n2" }) }),
    pod("b", labelled({ refuse: "n1.n2" })),
    pod("c", labelled({ refuse: "n1", never: "n2" })),
    pod("d", labelled({ never: "n1.n2" })),
  ),
  scenario(
    "an extender that prefers",
    all(node("n1"), node("n2", { has: { cpu: "16", memory: "64Gi" } })),
    pod("a", { asks: { cpu: "1", memory: "1Gi" }, ...labelled({ like: "n1" }) }),
    pod("b", { asks: { cpu: "1", memory: "1Gi" }, ...labelled({ like: "n2" }) }),
  ),
  scenario("an extender that fails", node("n1"), pod("a", labelled({ fault: "broken" }))),
  scenario(
    "an extender that spares pods",
    all(priority("high", 1000), priority("low", 10), node("n1"), node("n2")),
    all(
      pod("a", { on: "n1", asks: { cpu: "3" } }),
      pod("b", { on: "n2", asks: { cpu: "3" }, spec: { priorityClassName: "low" } }),
    ),
    pod("c", { asks: { cpu: "3" }, spec: { priorityClassName: "high" }, ...labelled({ spare: "n1" }) }),
  ),
];

const overTls = [
  "known",
  "anonymous",
  "trusting",
  "insecure",
  "strange",
  "unnamed",
  "misnamed",
  "absent",
  "served",
] as const;

export const configuredSets: readonly ScenarioSet[] = [
  byProfile,
  { name: "an extender", configuration: extended({}), scenarios: extendedScenarios },
  {
    name: "an extender with a cache that binds",
    configuration: extended({ nodeCacheCapable: true, bindVerb: "bind" }),
    scenarios: extendedScenarios,
  },
  {
    name: "an extender for a resource",
    configuration: extended({ managedResources: [{ name: "example.com/foo", ignoredByScheduler: true }] }),
    scenarios: [
      scenario(
        "pods with and without the resource",
        all(node("n1")),
        pod("a", { asks: { "example.com/foo": "1" } }),
        pod("b", { asks: { "example.com/foo": "1" }, ...labelled({ refuse: "n1" }) }),
        pod("c", labelled({ refuse: "n1" })),
        pod("d", { asks: { "example.com/bar": "1" } }),
      ),
    ],
  },
  {
    name: "extenders that are not there",
    configuration: ({ url }) => ({
      extenders: [
        { urlPrefix: `${url}/x`, filterVerb: "missing", ignorable: true },
        { urlPrefix: `${url}/y`, prioritizeVerb: "missing", weight: 1 },
        { urlPrefix: `${url}/z/`, filterVerb: "absent", managedResources: [{ name: "example.com/foo" }] },
      ],
    }),
    scenarios: [
      scenario(
        "errors of extenders",
        node("n1", { has: { "example.com/foo": "4" } }),
        pod("a"),
        pod("b", { asks: { "example.com/foo": "1" } }),
      ),
    ],
  },
  {
    name: "extenders over TLS",
    configuration: ({ secure: { url: urlPrefix, serverName }, caData, certData, keyData }) => {
      const extender = (name: string, more: Partial<ExtenderConfiguration>): ExtenderConfiguration => ({
        urlPrefix,
        filterVerb: "caller",
        managedResources: [{ name: `example.com/${name}` }],
        ...more,
      });
      return {
        extenders: [
          extender("known", { enableHTTPS: true, tlsConfig: { serverName, caData, certData, keyData } }),
          extender("anonymous", { tlsConfig: { serverName, caData } }),
          extender("trusting", { enableHTTPS: true }),
          extender("insecure", { tlsConfig: { insecure: true, certData, keyData } }),
          extender("strange", { tlsConfig: { serverName } }),
          extender("unnamed", { tlsConfig: { caData } }),
          extender("misnamed", { tlsConfig: { caData, serverName: "other.example.com" } }),
          extender("absent", { urlPrefix: "https://127.0.0.1:1" }),
          extender("served", { filterVerb: "filter", tlsConfig: { serverName, caData } }),
        ],
      };
    },
    scenarios: [
      scenario(
        "certificates of extenders and of their caller",
        node("n1", { has: Object.fromEntries(overTls.map((name) => [`example.com/${name}`, "4"])) }),
        ...overTls.map((name) => pod(name, { asks: { [`example.com/${name}`]: "1" } })),
      ),
    ],
  },
];
