/** The forms of a scheduler's configuration and of its plug-ins' arguments, for strict decoding. */
import type { Form, StructForm } from "./fields.js";
import { extensionPoints, type PluginArguments } from "./types.js";

const struct = (type: string, fields: Readonly<Record<string, Form>>): StructForm => ({ type, fields });
const list = (form: Form): Form => ({ list: form });

const pluginSet = struct("PluginSet", {
  enabled: list(struct("Plugin", { name: "string", weight: "int32" })),
  disabled: list(struct("Plugin", { name: "string", weight: "int32" })),
});

const plugins = struct(
  "Plugins",
  Object.fromEntries([...extensionPoints, "multiPoint"].map((point) => [point, pluginSet])),
);

const profile = struct("KubeSchedulerProfile", {
  schedulerName: "string",
  percentageOfNodesToScore: "int32",
  plugins,
  pluginConfig: list(struct("PluginConfig", { name: "string", args: "any" })),
});

const extender = struct("Extender", {
  urlPrefix: "string",
  filterVerb: "string",
  preemptVerb: "string",
  prioritizeVerb: "string",
  bindVerb: "string",
  weight: "int64",
  enableHTTPS: "bool",
  tlsConfig: struct("ExtenderTLSConfig", {
    insecure: "bool",
    serverName: "string",
    certFile: "string",
    keyFile: "string",
    caFile: "string",
    certData: "string",
    keyData: "string",
    caData: "string",
  }),
  httpTimeout: "duration",
  nodeCacheCapable: "bool",
  managedResources: list(struct("ExtenderManagedResource", { name: "string", ignoredByScheduler: "bool" })),
  ignorable: "bool",
});

const typeMeta = { apiVersion: "string", kind: "string" } as const;

export const configurationForm: StructForm = struct("KubeSchedulerConfiguration", {
  ...typeMeta,
  parallelism: "int32",
  leaderElection: struct("LeaderElectionConfiguration", {
    leaderElect: "bool",
    leaseDuration: "duration",
    renewDeadline: "duration",
    retryPeriod: "duration",
    resourceLock: "string",
    resourceName: "string",
    resourceNamespace: "string",
  }),
  clientConnection: struct("ClientConnectionConfiguration", {
    kubeconfig: "string",
    acceptContentTypes: "string",
    contentType: "string",
    qps: "float32",
    burst: "int32",
  }),
  enableProfiling: "bool",
  enableContentionProfiling: "bool",
  delayCacheUntilActive: "bool",
  percentageOfNodesToScore: "int32",
  podInitialBackoffSeconds: "int64",
  podMaxBackoffSeconds: "int64",
  profiles: list(profile),
  extenders: list(extender),
});

const resources = list(struct("ResourceSpec", { name: "string", weight: "int64" }));
const shape = list(struct("UtilizationShapePoint", { utilization: "int32", score: "int32" }));

const requirements = list(
  struct("NodeSelectorRequirement", { key: "string", operator: "string", values: list("string") }),
);
const nodeTerm = struct("NodeSelectorTerm", { matchExpressions: requirements, matchFields: requirements });

/** By the names of plug-ins. */
export const argumentForms: { readonly [Name in keyof PluginArguments]: StructForm } = {
  DefaultPreemption: struct("DefaultPreemptionArgs", {
    ...typeMeta,
    minCandidateNodesPercentage: "int32",
    minCandidateNodesAbsolute: "int32",
  }),
  InterPodAffinity: struct("InterPodAffinityArgs", {
    ...typeMeta,
    hardPodAffinityWeight: "int32",
    ignorePreferredTermsOfExistingPods: "bool",
  }),
  NodeAffinity: struct("NodeAffinityArgs", {
    ...typeMeta,
    addedAffinity: struct("NodeAffinity", {
      requiredDuringSchedulingIgnoredDuringExecution: struct("NodeSelector", { nodeSelectorTerms: list(nodeTerm) }),
      preferredDuringSchedulingIgnoredDuringExecution: list(
        struct("PreferredSchedulingTerm", { weight: "int32", preference: nodeTerm }),
      ),
    }),
  }),
  NodeResourcesBalancedAllocation: struct("NodeResourcesBalancedAllocationArgs", { ...typeMeta, resources }),
  NodeResourcesFit: struct("NodeResourcesFitArgs", {
    ...typeMeta,
    ignoredResources: list("string"),
    ignoredResourceGroups: list("string"),
    scoringStrategy: struct("ScoringStrategy", {
      type: "string",
      resources,
      requestedToCapacityRatio: struct("RequestedToCapacityRatioParam", { shape }),
    }),
  }),
  PodTopologySpread: struct("PodTopologySpreadArgs", {
    ...typeMeta,
    defaultConstraints: list(
      struct("TopologySpreadConstraint", {
        maxSkew: "int32",
        topologyKey: "string",
        whenUnsatisfiable: "string",
        labelSelector: "any",
        minDomains: "int32",
        nodeAffinityPolicy: "string",
        nodeTaintsPolicy: "string",
        matchLabelKeys: list("string"),
      }),
    ),
    defaultingType: "string",
  }),
  VolumeBinding: struct("VolumeBindingArgs", { ...typeMeta, bindTimeoutSeconds: "int64", shape }),
  DynamicResources: struct("DynamicResourcesArgs", {
    ...typeMeta,
    filterTimeout: "duration",
    bindingTimeout: "duration",
  }),
};
