/** The remaining content of a namespace that is being deleted, and the status that reports it. Pure. */
import { formatTime, type NamespaceCondition, type Pod } from "../../api/index.js";
import { isTerminal } from "../pods/state.js";

/** One resource, after its objects were deleted. */
export interface Remaining {
  /** As messages name it: `configmaps.`, `deployments.apps`. */
  readonly resource: string;
  readonly count: number;
  /** The number of objects that wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

export interface Progress {
  readonly remaining: readonly Remaining[];
  /** The messages of failures. */
  readonly discoveryFailures: readonly string[];
  readonly contentFailures: readonly string[];
}

interface Judgement {
  readonly type: NamespaceCondition["type"];
  /** The message if the condition is bad; undefined if all is well. */
  readonly problem: string | undefined;
  readonly bad: string;
  readonly good: string;
  readonly fine: string;
}

/** All five conditions, always: False is good. The transition time changes only with the status. */
export function deletionConditions(
  before: readonly NamespaceCondition[] | undefined,
  progress: Progress,
  now: number,
): readonly NamespaceCondition[] {
  const judgements = judge(progress);
  const others = (before ?? []).filter(({ type }) => !judgements.some((one) => one.type === type));
  const conditions = judgements.map(({ type, problem, bad, good, fine }): NamespaceCondition => {
    const status = problem === undefined ? "False" : "True";
    const old = before?.find((condition) => condition.type === type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : undefined;
    return {
      type,
      status,
      lastTransitionTime: lastTransitionTime ?? formatTime(now),
      reason: problem === undefined ? good : bad,
      message: problem ?? fine,
    };
  });
  return [...others, ...conditions];
}

function judge({ remaining, discoveryFailures, contentFailures }: Progress): readonly Judgement[] {
  const left = remaining.filter(({ count }) => count > 0);
  const finalizers = new Map<string, number>();
  for (const one of left) {
    for (const [name, count] of one.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  return [
    {
      type: "NamespaceDeletionDiscoveryFailure",
      problem: firstOf(
        discoveryFailures,
        (text) => `Discovery failed for some groups, ${discoveryFailures.length} failing: ${text}`,
      ),
      bad: "DiscoveryFailed",
      good: "ResourcesDiscovered",
      fine: "All resources successfully discovered",
    },
    {
      type: "NamespaceDeletionGroupVersionParsingFailure",
      problem: undefined,
      bad: "GroupVersionParsingFailed",
      good: "ParsedGroupVersions",
      fine: "All legacy kube types successfully parsed",
    },
    {
      type: "NamespaceDeletionContentFailure",
      problem: firstOf(
        contentFailures,
        (text) => `Failed to delete all resource types, ${contentFailures.length} remaining: ${text}`,
      ),
      bad: "ContentDeletionFailed",
      good: "ContentDeleted",
      fine: "All content successfully deleted, may be waiting on finalization",
    },
    {
      type: "NamespaceContentRemaining",
      problem: listOf(
        "Some resources are remaining: ",
        left.map(({ resource, count }) => `${resource} has ${count} resource instances`),
      ),
      bad: "SomeResourcesRemain",
      good: "ContentRemoved",
      fine: "All content successfully removed",
    },
    {
      type: "NamespaceFinalizersRemaining",
      problem: listOf(
        "Some content in the namespace has finalizers remaining: ",
        [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`),
      ),
      bad: "SomeFinalizersRemain",
      good: "ContentHasNoFinalizers",
      fine: "All content-preserving finalizers finished",
    },
  ];
}

const firstOf = (texts: readonly string[], say: (text: string) => string): string | undefined =>
  texts.length === 0 ? undefined : say(texts.join(", "));

const listOf = (head: string, parts: readonly string[]): string | undefined =>
  parts.length === 0 ? undefined : head + parts.toSorted((a, b) => (a < b ? -1 : 1)).join(", ");

/** The seconds that the pods may still take: the longest grace period of those that run, unless that time is over. */
export function podGraceSeconds(pods: readonly Pod[], deletedForSeconds: number): number {
  const longest = pods
    .filter((pod) => !isTerminal(pod))
    .reduce((most, { spec }) => Math.max(most, spec?.terminationGracePeriodSeconds ?? 30), 0);
  return deletedForSeconds >= longest ? 0 : longest;
}
