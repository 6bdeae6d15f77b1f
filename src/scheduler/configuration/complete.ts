/** Fills the defaults of a configuration, and of its plug-ins' arguments. */
import type {
  ClientConnectionConfiguration,
  ExtenderConfiguration,
  LeaderElectionConfiguration,
  PluginArguments,
  PluginSets,
  ResourceSpec,
  ScoringStrategy,
  SchedulerConfiguration,
  SchedulerProfile,
} from "./types.js";

export interface CompletedConfiguration {
  readonly parallelism: number;
  readonly leaderElection: Required<LeaderElectionConfiguration>;
  readonly clientConnection: ClientConnectionConfiguration & { readonly qps: number; readonly burst: number };
  readonly percentageOfNodesToScore: number;
  readonly podInitialBackoffSeconds: number;
  readonly podMaxBackoffSeconds: number;
  readonly profiles: readonly CompletedProfile[];
  readonly extenders: readonly ExtenderConfiguration[];
}

export interface CompletedProfile {
  /** Empty if it is missing, which is a fault. */
  readonly schedulerName: string;
  readonly percentageOfNodesToScore: number | undefined;
  readonly plugins: PluginSets;
  readonly pluginConfig: readonly { readonly name: string; readonly args: object }[];
}

type Full<T, Optional extends keyof T = never> = Required<Omit<T, Optional>> & Pick<T, Optional>;

export interface CompletedArguments {
  readonly DefaultPreemption: Full<PluginArguments["DefaultPreemption"]>;
  readonly InterPodAffinity: Full<PluginArguments["InterPodAffinity"]>;
  readonly NodeAffinity: PluginArguments["NodeAffinity"];
  readonly NodeResourcesBalancedAllocation: { readonly resources: readonly Full<ResourceSpec>[] };
  readonly NodeResourcesFit: {
    readonly ignoredResources: readonly string[];
    readonly ignoredResourceGroups: readonly string[];
    readonly scoringStrategy: Pick<ScoringStrategy, "requestedToCapacityRatio"> & {
      readonly type: string;
      readonly resources: readonly Full<ResourceSpec>[];
    };
  };
  readonly PodTopologySpread: Full<PluginArguments["PodTopologySpread"]>;
  readonly VolumeBinding: Full<PluginArguments["VolumeBinding"], "shape">;
  readonly DynamicResources: Full<PluginArguments["DynamicResources"]>;
}

export function completed(given: SchedulerConfiguration): CompletedConfiguration {
  const { leaderElection = {}, clientConnection = {} } = given;
  const profiles = given.profiles?.length ? given.profiles : [{}];
  return {
    parallelism: given.parallelism ?? 16,
    leaderElection: {
      leaderElect: leaderElection.leaderElect ?? true,
      leaseDuration: leaderElection.leaseDuration ?? "15s",
      renewDeadline: leaderElection.renewDeadline ?? "10s",
      retryPeriod: leaderElection.retryPeriod ?? "2s",
      resourceLock: leaderElection.resourceLock || "leases",
      resourceName: leaderElection.resourceName || "kube-scheduler",
      resourceNamespace: leaderElection.resourceNamespace || "kube-system",
    },
    clientConnection: { ...clientConnection, qps: clientConnection.qps || 50, burst: clientConnection.burst || 100 },
    percentageOfNodesToScore: given.percentageOfNodesToScore ?? 0,
    podInitialBackoffSeconds: given.podInitialBackoffSeconds ?? 1,
    podMaxBackoffSeconds: given.podMaxBackoffSeconds ?? 10,
    profiles: profiles.map((profile) => completedProfile(profile, profiles.length === 1)),
    extenders: given.extenders ?? [],
  };
}

function completedProfile(profile: SchedulerProfile, isOnly: boolean): CompletedProfile {
  return {
    schedulerName: profile.schedulerName ?? (isOnly ? "default-scheduler" : ""),
    percentageOfNodesToScore: profile.percentageOfNodesToScore,
    plugins: profile.plugins ?? {},
    pluginConfig: (profile.pluginConfig ?? []).map(({ name, args = {} }) => ({
      name,
      args: hasArguments(name) ? completedArguments(name, args) : args,
    })),
  };
}

export const hasArguments = (name: string): name is keyof PluginArguments => Object.hasOwn(fills, name);

/** The arguments that a profile gives to a plug-in, with their defaults. */
export function argumentsOf<Name extends keyof PluginArguments>(
  { pluginConfig }: CompletedProfile,
  name: Name,
): CompletedArguments[Name] {
  const given = pluginConfig.find((config) => config.name === name);
  return (given?.args ?? completedArguments(name, {})) as CompletedArguments[Name];
}

const weighed = (resources: readonly ResourceSpec[] | undefined): readonly Full<ResourceSpec>[] =>
  resources?.length
    ? resources.map(({ name, weight }) => ({ name, weight: weight || 1 }))
    : ["cpu", "memory"].map((name) => ({ name, weight: 1 }));

type Fills = { readonly [Name in keyof PluginArguments]: (given: PluginArguments[Name]) => CompletedArguments[Name] };

const fills: Fills = {
  DefaultPreemption: ({ minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 }) => ({
    minCandidateNodesPercentage,
    minCandidateNodesAbsolute,
  }),
  InterPodAffinity: ({ hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false }) => ({
    hardPodAffinityWeight,
    ignorePreferredTermsOfExistingPods,
  }),
  NodeAffinity: (given) => given,
  NodeResourcesBalancedAllocation: ({ resources }) => ({ resources: weighed(resources) }),
  NodeResourcesFit: ({ ignoredResources = [], ignoredResourceGroups = [], scoringStrategy: given }) => {
    const { type = "", resources, ...rest } = given ?? { type: "LeastAllocated" };
    const scoringStrategy = { ...rest, type, resources: weighed(resources) };
    return { ignoredResources, ignoredResourceGroups, scoringStrategy };
  },
  PodTopologySpread: ({ defaultConstraints = [], defaultingType }) => ({
    defaultConstraints,
    defaultingType: defaultingType || "System",
  }),
  VolumeBinding: (given) => ({ bindTimeoutSeconds: 600, ...given }),
  DynamicResources: ({ filterTimeout = "10s", bindingTimeout = "10m" }) => ({ filterTimeout, bindingTimeout }),
};

const completedArguments = <Name extends keyof PluginArguments>(
  name: Name,
  given: PluginArguments[Name],
): CompletedArguments[Name] => fills[name](given);
