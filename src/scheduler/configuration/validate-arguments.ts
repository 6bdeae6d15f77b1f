/** The faults of plug-ins' arguments, in kube-scheduler's words. */
import {
  durationToMs,
  type FieldError,
  type FieldPath,
  formatDuration,
  isQualifiedName,
  parseDuration,
  type TopologySpreadConstraint,
} from "../../api/index.js";
import type { CompletedArguments } from "./complete.js";
import type { PluginArguments, UtilizationShapePoint } from "./types.js";
import { repeats } from "../../base/members.js";

type Faults = Generator<FieldError>;

type Checks = { readonly [Name in keyof PluginArguments]: (at: FieldPath, args: CompletedArguments[Name]) => Faults };

/** Plug-ins without arguments have no faults. */
export function* argumentFaults(at: FieldPath, plugin: keyof PluginArguments, args: unknown): Faults {
  if (Object.hasOwn(checks, plugin)) yield* (checks[plugin] as (at: FieldPath, args: unknown) => Faults)(at, args);
}

const checks: Checks = {
  *DefaultPreemption(at, { minCandidateNodesPercentage: share, minCandidateNodesAbsolute: least }) {
    const [shareAt, leastAt] = [at.child("minCandidateNodesPercentage"), at.child("minCandidateNodesAbsolute")];
    if (share < 0 || share > 100) yield shareAt.invalid(share, "not in valid range [0, 100]");
    if (least < 0) yield leastAt.invalid(least, "not in valid range [0, inf)");
    if (share !== 0 || least !== 0) return;
    yield shareAt.invalid(0, "cannot be zero at the same time as minCandidateNodesAbsolute");
    yield leastAt.invalid(0, "cannot be zero at the same time as minCandidateNodesPercentage");
  },
  *InterPodAffinity(at, { hardPodAffinityWeight: weight }) {
    if (weight < 0 || weight > 100) {
      yield at.child("hardPodAffinityWeight").invalid(weight, "not in valid range [0, 100]");
    }
  },
  *NodeAffinity(at, { addedAffinity }) {
    const required = "requiredDuringSchedulingIgnoredDuringExecution";
    const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    const terms = at.child("addedAffinity", required, "nodeSelectorTerms");
    for (const [here, term] of terms.items(addedAffinity?.[required]?.nodeSelectorTerms)) yield* nodeTerm(here, term);
    for (const [here, { preference }] of at.child("addedAffinity", preferred).items(addedAffinity?.[preferred])) {
      yield* nodeTerm(here, preference);
    }
  },
  *NodeResourcesBalancedAllocation(at, { resources }) {
    const isRepeat = repeats();
    for (const [here, { name, weight }] of at.child("resources").items(resources)) {
      if (isRepeat(name)) yield here.child("name").duplicate(name);
      if (weight !== 1) yield here.child("weight").invalid(weight, "must be 1");
    }
  },
  *NodeResourcesFit(at, { ignoredResources, ignoredResourceGroups, scoringStrategy }) {
    for (const [here, name] of at.child("ignoredResources").items(ignoredResources)) yield* labelName(here, name);
    for (const [here, group] of at.child("ignoredResourceGroups").items(ignoredResourceGroups)) {
      if (group.includes("/")) yield here.invalid(group, "resource group name can't contain '/'");
      yield* labelName(here, group);
    }
    const { type, resources, requestedToCapacityRatio: ratio } = scoringStrategy;
    const strategy = at.child("scoringStrategy");
    if (!strategies.includes(type)) yield strategy.child("type").notSupported(type, strategies);
    for (const [here, { name, weight }] of strategy.child("resources").items(resources)) {
      if (weight > 0 && weight <= 100) continue;
      yield here.child("weight").invalid(weight, `resource weight of ${name} not in valid range (0, 100]`);
    }
    const ratioAt = strategy.child("requestedToCapacityRatio");
    if (type !== "RequestedToCapacityRatio") {
      if (ratio) yield ratioAt.forbidden("must be nil when type is not RequestedToCapacityRatio");
    } else if (ratio) yield* shapeFaults(ratioAt.child("shape"), ratio.shape ?? []);
    else yield ratioAt.required("must be specified when type is RequestedToCapacityRatio");
  },
  *PodTopologySpread(at, { defaultConstraints, defaultingType: type }) {
    const types = ["System", "List"];
    if (!types.includes(type)) yield at.child("defaultingType").notSupported(type, types);
    else if (type === "System" && defaultConstraints.length > 0) {
      yield at.child("defaultingType").invalid(type, "when .defaultConstraints are not empty");
    }
    for (const [index, constraint] of defaultConstraints.entries()) {
      yield* constraintFaults(
        at.child("defaultConstraints").index(index),
        constraint,
        defaultConstraints.slice(0, index),
      );
    }
  },
  *VolumeBinding(at, { bindTimeoutSeconds: seconds, shape }) {
    if (seconds < 0) {
      const why = "invalid BindTimeoutSeconds, should not be a negative value";
      yield at.child("bindTimeoutSeconds").invalid(seconds, why);
    }
    if (shape !== undefined) {
      const why = "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring";
      yield at.child("shape").invalid(shape, why);
    }
  },
  *DynamicResources(at, { filterTimeout, bindingTimeout }) {
    const [filter, binding] = [parseDuration(filterTimeout), parseDuration(bindingTimeout)];
    if (filter < 0n) yield at.child("filterTimeout").invalid(formatDuration(filter), "must be zero or positive");
    if (durationToMs(binding) < 1_000) {
      yield at.child("bindingTimeout").invalid(formatDuration(binding), "must be at least 1 second");
    }
  },
};

const strategies: readonly string[] = ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"];

function* labelName(at: FieldPath, name: string): Faults {
  for (const complaint of isQualifiedName(name)) yield at.invalid(name, complaint);
}

function* shapeFaults(at: FieldPath, shape: readonly UtilizationShapePoint[]): Faults {
  if (shape.length === 0) return yield at.required("at least one point must be specified");
  const unsorted = shape.findIndex(
    ({ utilization = 0 }, index) => index > 0 && utilization <= (shape[index - 1]?.utilization ?? 0),
  );
  if (unsorted > 0) {
    const value = shape[unsorted]?.utilization;
    yield at.index(unsorted).child("utilization").invalid(value, "values must be sorted in increasing order");
  }
  for (const [here, { utilization = 0, score = 0 }] of at.items(shape)) {
    if (utilization < 0 || utilization > 100) {
      yield here.child("utilization").invalid(utilization, "not in valid range [0, 100]");
    }
    if (score < 0 || score > 10) yield here.child("score").invalid(score, "not in valid range [0, 10]");
  }
}

function* constraintFaults(
  at: FieldPath,
  { maxSkew = 0, topologyKey = "", whenUnsatisfiable, labelSelector }: Partial<TopologySpreadConstraint>,
  earlier: readonly TopologySpreadConstraint[],
): Faults {
  if (maxSkew <= 0) yield at.child("maxSkew").invalid(maxSkew, "not in valid range (0, inf)");
  if (topologyKey === "") yield at.child("topologyKey").required("can not be empty");
  else yield* labelName(at.child("topologyKey"), topologyKey);
  const actions = ["DoNotSchedule", "ScheduleAnyway"];
  if (!whenUnsatisfiable) yield at.child("whenUnsatisfiable").required("can not be empty");
  else if (!actions.includes(whenUnsatisfiable)) {
    yield at.child("whenUnsatisfiable").notSupported(whenUnsatisfiable, actions);
  }
  if (labelSelector) {
    yield at.child("labelSelector").forbidden("constraint must not define a selector, as they deduced for each pod");
  }
  const isRepeated = earlier.some(
    (other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable,
  );
  if (isRepeated) yield at.duplicate(`{${topologyKey}, ${whenUnsatisfiable}}`);
}

const operators = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

type NodeTerm = NonNullable<
  NonNullable<
    NonNullable<CompletedArguments["NodeAffinity"]["addedAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]
  >["nodeSelectorTerms"]
>[number];

function* nodeTerm(at: FieldPath, { matchExpressions }: NodeTerm): Faults {
  for (const [here, { key, operator, values = [] }] of at.child("matchExpressions").items(matchExpressions)) {
    yield* labelName(here.child("key"), key);
    const isList = operator === "In" || operator === "NotIn";
    const isComparison = operator === "Gt" || operator === "Lt";
    if (!operators.includes(operator)) yield here.child("operator").notSupported(operator, operators);
    else if (isList && values.length === 0) {
      yield here.child("values").invalid(values, "for 'in', 'notin' operators, values set can't be empty");
    } else if (isComparison && values.length !== 1) {
      yield here.child("values").invalid(values, "for 'Gt', 'Lt' operators, exactly one value is required");
    } else if (!isList && !isComparison && values.length > 0) {
      yield here.child("values").invalid(values, "values set must be empty for exists and does not exist");
    }
  }
}
