/** The remaining content of a namespace that is being deleted, and the status that reports it. Pure. */
import { findCondition, formatTime, type NamespaceCondition, type Pod } from "../../api/index.js";
import { isTerminal } from "../pods/state.js";

/** One resource, after its objects were deleted. */
export interface Remaining {
  /** As messages name it: `configmaps.`, `deployments.apps`. */
  readonly resource: string;
  readonly count: number;
  /** The number of objects that wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

export interface DeletionProgress {
  readonly remaining: readonly Remaining[];
  /** The messages of failures. */
  readonly discoveryFailures: readonly string[];
  readonly contentFailures: readonly string[];
}

/** Type, message if the condition is bad (undefined if all is well), reason if bad, reason and message if good. */
type Judgement = readonly [
  type: NamespaceCondition["type"],
  problem: string | undefined,
  bad: string,
  good: string,
  fine: string,
];

/** All five conditions, always: False is good. The transition time changes only with the status. */
export function deletionConditions(
  before: readonly NamespaceCondition[] | undefined,
  progress: DeletionProgress,
  now: number,
): readonly NamespaceCondition[] {
  const judgements = judge(progress);
  const others = (before ?? []).filter(({ type }) => !judgements.some(([judged]) => judged === type));
  const conditions = judgements.map(([type, problem, bad, good, fine]): NamespaceCondition => {
    const status = problem === undefined ? "False" : "True";
    const old = findCondition(before, type);
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

function judge({ remaining, discoveryFailures, contentFailures }: DeletionProgress): readonly Judgement[] {
  const left = remaining.filter(({ count }) => count > 0);
  const finalizers = new Map<string, number>();
  for (const one of left) {
    for (const [name, count] of one.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  const discovery = `Discovery failed for some groups, ${discoveryFailures.length} failing: `;
  const content = `Failed to delete all resource types, ${contentFailures.length} remaining: `;
  const resources = left.map(({ resource, count }) => `${resource} has ${count} resource instances`).toSorted();
  const holders = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`).toSorted();
  return [
    [
      "NamespaceDeletionDiscoveryFailure",
      listOf(discovery, discoveryFailures),
      "DiscoveryFailed",
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ],
    [
      "NamespaceDeletionGroupVersionParsingFailure",
      undefined,
      "GroupVersionParsingFailed",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ],
    [
      "NamespaceDeletionContentFailure",
      listOf(content, contentFailures),
      "ContentDeletionFailed",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ],
    [
      "NamespaceContentRemaining",
      listOf("Some resources are remaining: ", resources),
      "SomeResourcesRemain",
      "ContentRemoved",
      "All content successfully removed",
    ],
    [
      "NamespaceFinalizersRemaining",
      listOf("Some content in the namespace has finalizers remaining: ", holders),
      "SomeFinalizersRemain",
      "ContentHasNoFinalizers",
      "All content-preserving finalizers finished",
    ],
  ];
}

const listOf = (head: string, parts: readonly string[]): string | undefined =>
  parts.length === 0 ? undefined : head + parts.join(", ");

/** The seconds that the pods may still take: the longest grace period of those that run, unless that time is over. */
export function podGraceSeconds(pods: readonly Pod[], deletedForSeconds: number): number {
  const longest = pods
    .filter((pod) => !isTerminal(pod))
    .reduce((most, { spec }) => Math.max(most, spec?.terminationGracePeriodSeconds ?? 30), 0);
  return deletedForSeconds >= longest ? 0 : longest;
}
