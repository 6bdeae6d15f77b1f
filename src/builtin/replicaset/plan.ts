/**
 * The plan of a ReplicaSet or ReplicationController: takes the pods it has claimed, gives the number of pods it lacks,
 * the surplus pods to delete, and its status. Pure.
 */
import {
  findCondition,
  formatTime,
  parseTime,
  type Pod,
  removeCondition,
  type ReplicaSetCondition,
  type ReplicaSetStatus,
  selectorFromSet,
  semanticEqual,
} from "../../api/index.js";
import { defined, unlessEmpty } from "../../base/defined.js";
import { byDeletionRank } from "../pods/ranking.js";
import { isAvailable, isReady } from "../pods/state.js";
import { nonZero } from "../kit/status.js";

/** The most creates or deletes in one sync. */
const burst = 500;

/** The part of a ReplicaSet that a ReplicationController has too, with the selector in its general form. */
export interface Replicated {
  readonly generation: number;
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly templateLabels: Readonly<Record<string, string>>;
  readonly status: ReplicaSetStatus | undefined;
}

export type ReplicaPlan =
  | { readonly type: "none" }
  | { readonly type: "create"; readonly count: number }
  | { readonly type: "delete"; readonly pods: readonly Pod[] };

/**
 * `active` are the set's own active pods. `related` are all active pods of the same application (of every set with the
 * same controller), by which pods on crowded nodes are deleted first.
 */
export function planReplicas(
  set: Replicated,
  active: readonly Pod[],
  related: readonly Pod[],
  now: number,
): ReplicaPlan {
  const missing = set.replicas - active.length;
  if (missing === 0) return { type: "none" };
  if (missing > 0) return { type: "create", count: Math.min(missing, burst) };
  return { type: "delete", pods: victims(active, related, Math.min(-missing, burst), now) };
}

function victims(active: readonly Pod[], related: readonly Pod[], count: number, now: number): readonly Pod[] {
  if (count >= active.length) return active;
  const perNode = new Map<string, number>();
  for (const { spec } of related) {
    const node = spec?.nodeName ?? "";
    perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  return active
    .map((pod) => ({ pod, siblings: perNode.get(pod.spec?.nodeName ?? "") ?? 0 }))
    .toSorted(byDeletionRank(now))
    .slice(0, count)
    .map(({ pod }) => pod);
}

/**
 * For each ready pod that is deleted, its age divided by the age of the youngest ready pod: below 2, unless another
 * criterion decided.
 */
export function ageRatios(going: readonly Pod[], active: readonly Pod[], now: number): readonly number[] {
  const ageOf = ({ metadata }: Pod): number =>
    Math.max(1, now - parseTime(metadata.creationTimestamp ?? formatTime(now)));
  const youngest = Math.min(...active.filter(isReady).map(ageOf));
  return going.filter(isReady).map((pod) => Math.floor(ageOf(pod) / youngest));
}

export interface ReplicaObservation {
  readonly active: readonly Pod[];
  /** The number of its terminating pods; undefined where the kind does not report it. */
  readonly terminating: number | undefined;
  /** The error that kept this sync from creating or deleting pods. */
  readonly failure: { readonly reason: "FailedCreate" | "FailedDelete"; readonly message: string } | undefined;
}

/** The status to write; undefined if it equals the stored one. */
export function planStatus(
  set: Replicated,
  { active, terminating, failure }: ReplicaObservation,
  now: number,
): ReplicaSetStatus | undefined {
  const template = selectorFromSet(set.templateLabels);
  const count = (test: (pod: Pod) => boolean): number => active.reduce((total, pod) => total + (test(pod) ? 1 : 0), 0);
  const conditions = withFailure(set.status?.conditions, failure, now);
  const status: ReplicaSetStatus = {
    replicas: active.length,
    ...nonZero({
      fullyLabeledReplicas: count((pod) => template.matches(pod.metadata.labels)),
      readyReplicas: count(isReady),
      availableReplicas: count((pod) => isAvailable(pod, set.minReadySeconds, now)),
      observedGeneration: set.generation,
    }),
    ...defined({ terminatingReplicas: terminating, conditions: unlessEmpty(conditions) }),
  };
  return semanticEqual(status, set.status) ? undefined : status;
}

/**
 * The ReplicaFailure condition: set when pods first fail to be created or deleted, removed with the first success. The
 * first failure's message stays.
 */
function withFailure(
  conditions: readonly ReplicaSetCondition[] = [],
  failure: ReplicaObservation["failure"],
  now: number,
): readonly ReplicaSetCondition[] {
  const known = findCondition(conditions, "ReplicaFailure");
  if (failure === undefined) return removeCondition(conditions, "ReplicaFailure");
  if (known !== undefined) return conditions;
  const condition: ReplicaSetCondition = {
    type: "ReplicaFailure",
    status: "True",
    lastTransitionTime: formatTime(now),
    ...failure,
  };
  return [...conditions, condition];
}
