/** The form of a scheduler's configuration: `KubeSchedulerConfiguration` of kubescheduler.config.k8s.io/v1. */
import type { NodeAffinity, TopologySpreadConstraint } from "../../api/index.js";

export const schedulerConfigurationVersion = "kubescheduler.config.k8s.io/v1";

export interface SchedulerConfiguration {
  readonly apiVersion?: typeof schedulerConfigurationVersion;
  readonly kind?: "KubeSchedulerConfiguration";
  /** Accepted; one pod is placed at a time, and its nodes are examined one after the other. */
  readonly parallelism?: number;
  readonly leaderElection?: LeaderElectionConfiguration;
  readonly clientConnection?: ClientConnectionConfiguration;
  /** Accepted, without an effect. */
  readonly enableProfiling?: boolean;
  readonly enableContentionProfiling?: boolean;
  readonly delayCacheUntilActive?: boolean;
  /** The share of nodes that are examined before the best is taken, if there are 100 or more; 0 adapts it to their number. */
  readonly percentageOfNodesToScore?: number;
  readonly podInitialBackoffSeconds?: number;
  readonly podMaxBackoffSeconds?: number;
  readonly profiles?: readonly SchedulerProfile[];
  readonly extenders?: readonly ExtenderConfiguration[];
}

export interface LeaderElectionConfiguration {
  readonly leaderElect?: boolean;
  readonly leaseDuration?: string;
  readonly renewDeadline?: string;
  readonly retryPeriod?: string;
  readonly resourceLock?: string;
  readonly resourceName?: string;
  readonly resourceNamespace?: string;
}

export interface ClientConnectionConfiguration {
  readonly kubeconfig?: string;
  readonly acceptContentTypes?: string;
  readonly contentType?: string;
  readonly qps?: number;
  readonly burst?: number;
}

export interface SchedulerProfile {
  /** Pods that name it are placed by this profile. */
  readonly schedulerName?: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: PluginSets;
  readonly pluginConfig?: readonly PluginConfig[];
}

export const extensionPoints = [
  "preEnqueue",
  "queueSort",
  "preFilter",
  "filter",
  "postFilter",
  "preScore",
  "score",
  "reserve",
  "permit",
  "preBind",
  "bind",
  "postBind",
  "placementGenerate",
  "placementScore",
] as const;

export type ExtensionPoint = (typeof extensionPoints)[number];

export type PluginSets = { readonly [Point in ExtensionPoint | "multiPoint"]?: PluginSet };

export interface PluginSet {
  readonly enabled?: readonly { readonly name: string; readonly weight?: number }[];
  readonly disabled?: readonly { readonly name: string }[];
}

export interface PluginConfig {
  readonly name: string;
  readonly args?: object;
}

export interface ResourceSpec {
  readonly name: string;
  readonly weight?: number;
}

export interface UtilizationShapePoint {
  /** 0 by default. */
  readonly utilization?: number;
  /** 0 to 10; 0 by default. */
  readonly score?: number;
}

export interface ScoringStrategy {
  readonly type?: string;
  readonly resources?: readonly ResourceSpec[];
  readonly requestedToCapacityRatio?: { readonly shape?: readonly UtilizationShapePoint[] };
}

/** The arguments of plug-ins that have any, by the plug-ins' names. */
export interface PluginArguments {
  readonly DefaultPreemption: {
    readonly minCandidateNodesPercentage?: number;
    readonly minCandidateNodesAbsolute?: number;
  };
  readonly InterPodAffinity: {
    readonly hardPodAffinityWeight?: number;
    readonly ignorePreferredTermsOfExistingPods?: boolean;
  };
  readonly NodeAffinity: { readonly addedAffinity?: NodeAffinity };
  readonly NodeResourcesBalancedAllocation: { readonly resources?: readonly ResourceSpec[] };
  readonly NodeResourcesFit: {
    readonly ignoredResources?: readonly string[];
    readonly ignoredResourceGroups?: readonly string[];
    readonly scoringStrategy?: ScoringStrategy;
  };
  readonly PodTopologySpread: {
    readonly defaultConstraints?: readonly TopologySpreadConstraint[];
    readonly defaultingType?: string;
  };
  readonly VolumeBinding: {
    readonly bindTimeoutSeconds?: number;
    readonly shape?: readonly UtilizationShapePoint[];
  };
  readonly DynamicResources: { readonly filterTimeout?: string; readonly bindingTimeout?: string };
}

export interface ExtenderConfiguration {
  readonly urlPrefix?: string;
  readonly filterVerb?: string;
  readonly preemptVerb?: string;
  readonly prioritizeVerb?: string;
  readonly bindVerb?: string;
  readonly weight?: number;
  readonly enableHTTPS?: boolean;
  readonly tlsConfig?: ExtenderTls;
  readonly httpTimeout?: string;
  readonly nodeCacheCapable?: boolean;
  readonly managedResources?: readonly { readonly name: string; readonly ignoredByScheduler?: boolean }[];
  readonly ignorable?: boolean;
}

/** Data is in base64. */
export interface ExtenderTls {
  readonly insecure?: boolean;
  readonly serverName?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
  readonly certData?: string;
  readonly keyData?: string;
  readonly caData?: string;
}
