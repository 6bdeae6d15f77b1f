/** Spreads a change of a Deployment's size over its ReplicaSets in proportion: takes the sets, gives their new sizes. Pure. */
import type { Deployment, ReplicaSet } from "../../api/index.js";
import { available, isRollingUpdate, maxSurge, wantedReplicas, sum } from "./fenceposts.js";
import { byAge, desiredReplicasAnnotation, intAnnotation, maxReplicasAnnotation } from "./revisions.js";

export interface Resize {
  readonly set: ReplicaSet;
  readonly to: number;
}

export const isActiveSet = (set: ReplicaSet): boolean => wantedReplicas(set) > 0;

/** True if an active set remembers another size than the Deployment has now: the Deployment was scaled. */
export function isScalingEvent(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets.some((set) => {
    const desired = intAnnotation(set, desiredReplicasAnnotation);
    return isActiveSet(set) && desired !== undefined && desired !== wantedReplicas(deployment);
  });
}

export function planScale(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
): readonly Resize[] {
  const wanted = wantedReplicas(deployment);
  const sets = newSet === undefined ? oldSets : [...oldSets, newSet];
  const active = sets.filter(isActiveSet);
  const only = active.length > 1 ? undefined : (active[0] ?? newSet ?? oldSets.toSorted(byAge).at(-1));
  if (only !== undefined) return wantedReplicas(only) === wanted ? [] : [{ set: only, to: wanted }];
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return oldSets.filter(isActiveSet).map((set) => ({ set, to: 0 }));
  }
  return isRollingUpdate(deployment) ? inProportion(deployment, active) : [];
}

/** True if the new set has all the pods that the Deployment wants: then the old sets are only leftovers. */
function isSaturated(deployment: Deployment, newSet: ReplicaSet): boolean {
  const wanted = wantedReplicas(deployment);
  return (
    wantedReplicas(newSet) === wanted &&
    intAnnotation(newSet, desiredReplicasAnnotation) === wanted &&
    available(newSet) === wanted
  );
}

/** Lists every active set, even one that keeps its size: its annotations must carry the Deployment's new size. */
function inProportion(deployment: Deployment, active: readonly ReplicaSet[]): readonly Resize[] {
  const wanted = wantedReplicas(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const toAdd = allowed - sum(active, wantedReplicas);
  const youngerFirst = toAdd > 0 ? 1 : -1;
  const sets = active.toSorted((a, b) => wantedReplicas(b) - wantedReplicas(a) || youngerFirst * byAge(b, a));
  let added = 0;
  const sizes = sets.map((set) => {
    const left = toAdd - added;
    const fraction = left === 0 ? 0 : fractionOf(deployment, set);
    const share = toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
    added += share;
    return wantedReplicas(set) + share;
  });
  // rounding leaves a rest, which the largest set takes
  return sets.map((set, i) => ({
    set,
    to: i === 0 ? Math.max(0, (sizes[0] as number) + toAdd - added) : (sizes[i] as number),
  }));
}

/** The number of pods by which the set grows (or shrinks, if negative) to keep its share of the whole. */
function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const size = wantedReplicas(set);
  const wanted = wantedReplicas(deployment);
  if (wanted === 0) return -size;
  const before = intAnnotation(set, maxReplicasAnnotation) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * (wanted + maxSurge(deployment))) / before) - size;
}
