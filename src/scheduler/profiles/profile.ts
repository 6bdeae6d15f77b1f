/** Takes a configured profile and the caches of volumes and devices; gives its filters, scores and ways to make room. */
import { durationToMs, parseDuration, type TopologySpreadConstraint } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { argumentsOf, type CompletedConfiguration, type CompletedProfile } from "../configuration/complete.js";
import { enabledPlugins } from "../configuration/plugins.js";
import { Answers } from "../decide/answers.js";
import type { EnoughCandidates } from "../decide/preemption.js";
import { type DeviceView, deviceFilter, deviceScore } from "../devices/device-filter.js";
import { devicesBehind } from "../devices/extended-resources.js";
import type { Filter } from "../filters/filter.js";
import {
  nodeAffinityFilter,
  nodeNameFilter,
  portsFilter,
  resourcesFilter,
  taintFilter,
  unschedulableFilter,
} from "../filters/node-filters.js";
import { podAffinityFilter } from "../filters/pod-affinity-filter.js";
import { spreadFilter } from "../filters/spread-filter.js";
import { type DefaultSpreads, systemSpreads } from "../filters/spreads.js";
import { imageScore } from "../scores/image-score.js";
import { nodeAffinityScore, taintScore } from "../scores/node-scores.js";
import { podAffinityScore } from "../scores/pod-affinity-score.js";
import { balancedScore, type DeviceTotals, type ResourceStrategy, resourceScore } from "../scores/resource-scores.js";
import type { Score } from "../scores/score.js";
import { spreadScore } from "../scores/spread-score.js";
import type { VolumeView } from "../volumes/needs.js";
import { volumeFilters } from "../volumes/index.js";

export interface PlacementProfile {
  /** The name by which pods ask for it. */
  readonly name: string;
  readonly filters: readonly Filter[];
  readonly scores: readonly Score[];
  /** The answers of nodes to these filters and scores. */
  readonly answers: Answers;
  /** The share of nodes to find, in percent; 0 adapts it to their number. */
  readonly percentage: number;
  /** Undefined if no pod makes room by preemption. */
  readonly preemption: EnoughCandidates | undefined;
  /** Whether devices are taken from claims that no pod uses. */
  readonly deallocates: boolean;
  /** Whether pods with scheduling gates wait. */
  readonly holdsGated: boolean;
  /** Whether pods wait until their claims of devices are there. */
  readonly holdsForClaims: boolean;
  readonly volumeTimeoutMs: number;
  readonly deviceTimeoutMs: number;
}

/** Pods are placed as if they had no volumes, or no devices, where the view is absent. */
export interface ProfileViews {
  readonly volumes?: VolumeView | undefined;
  readonly devices?: DeviceView | undefined;
}

export function profileOf(
  configured: CompletedProfile,
  { configuration, views }: { readonly configuration: CompletedConfiguration; readonly views: ProfileViews },
): PlacementProfile {
  const { schedulerName: name } = configured;
  const { at, weights } = enabledPlugins(configured.plugins, name);
  const { minCandidateNodesPercentage, minCandidateNodesAbsolute } = argumentsOf(configured, "DefaultPreemption");
  const scores = scoresOf(configured, views);
  const spreads = spreadsIn(configured);
  return {
    name,
    filters: filtersAt(at, filtersOf(configured, { configuration, views, spreads })),
    scores: at.score.flatMap((plugin) => {
      const score = scores.get(plugin);
      return score === undefined ? [] : [{ ...score, weight: weights.get(plugin) ?? 1 }];
    }),
    answers: new Answers(),
    percentage: configured.percentageOfNodesToScore ?? configuration.percentageOfNodesToScore,
    preemption: at.postFilter.includes("DefaultPreemption")
      ? { percentage: minCandidateNodesPercentage, absolute: minCandidateNodesAbsolute }
      : undefined,
    deallocates: at.postFilter.includes("DynamicResources"),
    holdsGated: at.preEnqueue.includes("SchedulingGates"),
    holdsForClaims: at.preEnqueue.includes("DynamicResources"),
    volumeTimeoutMs: argumentsOf(configured, "VolumeBinding").bindTimeoutSeconds * 1_000,
    deviceTimeoutMs: durationToMs(parseDuration(argumentsOf(configured, "DynamicResources").bindingTimeout)),
  };
}

/**
 * In the order of the point `filter`. A filter that is enabled only there does not reject pods for all nodes at once; one
 * that is enabled only at `preFilter` does nothing else.
 */
function filtersAt(
  at: { readonly filter: readonly string[]; readonly preFilter: readonly string[] },
  known: ReadonlyMap<string, Filter>,
): readonly Filter[] {
  const first = at.preFilter.filter((name) => !at.filter.includes(name));
  return [...at.filter, ...first].flatMap((name): readonly Filter[] => {
    const filter = known.get(name);
    if (filter === undefined) return [];
    if (!at.filter.includes(name)) return [{ ...filter, prepare: () => undefined }];
    if (at.preFilter.includes(name)) return [filter];
    const { rejects: _rejects, only: _only, ...late } = filter;
    return [late];
  });
}

function spreadsIn(configured: CompletedProfile): DefaultSpreads {
  const { defaultingType, defaultConstraints } = argumentsOf(configured, "PodTopologySpread");
  if (defaultingType === "System") return systemSpreads;
  const constraints: readonly TopologySpreadConstraint[] = defaultConstraints;
  return { constraints, acceptsMissingLabels: false };
}

interface FilterParts {
  readonly configuration: CompletedConfiguration;
  readonly views: ProfileViews;
  readonly spreads: DefaultSpreads;
}

function filtersOf(
  configured: CompletedProfile,
  { configuration, views, spreads }: FilterParts,
): ReadonlyMap<string, Filter> {
  const { ignoredResources, ignoredResourceGroups } = argumentsOf(configured, "NodeResourcesFit");
  const managed = configuration.extenders.flatMap(({ managedResources = [] }) =>
    managedResources.flatMap(({ name, ignoredByScheduler }) => (ignoredByScheduler ? [name] : [])),
  );
  const ignored = { names: new Set([...ignoredResources, ...managed]), groups: new Set(ignoredResourceGroups) };
  const { devices } = views;
  const added = argumentsOf(configured, "NodeAffinity").addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const filters = [
    unschedulableFilter,
    nodeNameFilter,
    taintFilter,
    nodeAffinityFilter(added?.nodeSelectorTerms),
    portsFilter,
    resourcesFilter({
      ...(ignored.names.size + ignored.groups.size > 0 && { ignored }),
      ...(devices && { isProvided: (resource: string) => devices.classBehind(resource) !== undefined }),
    }),
    ...(views.volumes ? volumeFilters(views.volumes) : []),
    spreadFilter(spreads),
    podAffinityFilter,
    ...(devices ? [deviceFilter(devices)] : []),
  ];
  return new Map(filters.map((filter) => [filter.name, filter]));
}

function scoresOf(configured: CompletedProfile, views: ProfileViews): ReadonlyMap<string, Score> {
  const { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods } = argumentsOf(configured, "InterPodAffinity");
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const { resources } = argumentsOf(configured, "NodeResourcesBalancedAllocation");
  const { devices } = views;
  const totals: DeviceTotals | undefined = devices && ((name, node) => devicesBehind(name, node, devices));
  const scores = [
    taintScore,
    nodeAffinityScore(argumentsOf(configured, "NodeAffinity").addedAffinity?.[preferred]),
    resourceScore(strategyOf(configured), totals),
    spreadScore(spreadsIn(configured)),
    podAffinityScore({ requiredWeight: hardPodAffinityWeight, ignoresOthers: ignorePreferredTermsOfExistingPods }),
    balancedScore(
      resources.map(({ name }) => name),
      totals,
    ),
    imageScore,
    ...(devices ? [deviceScore(devices)] : []),
  ];
  return new Map(scores.map((score) => [score.name, score]));
}

/** A configured score goes up to 10. */
const perConfiguredPoint = 10;

function strategyOf(configured: CompletedProfile): ResourceStrategy {
  const { type, resources, requestedToCapacityRatio } = argumentsOf(configured, "NodeResourcesFit").scoringStrategy;
  const shape = requestedToCapacityRatio?.shape?.map(({ utilization = 0, score = 0 }) => ({
    utilization,
    score: score * perConfiguredPoint,
  }));
  return { type: type as ResourceStrategy["type"], resources, ...defined({ shape }) };
}
