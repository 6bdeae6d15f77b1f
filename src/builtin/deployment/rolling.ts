/** One step of a rolling update: first the new set grows, then the old sets shrink, within the limits of `fenceposts`. Pure. */
import type { Deployment, ReplicaSet } from "../../api/index.js";
import { available, maxUnavailable, nextSizeOfNew, wantedReplicas, sum } from "./fenceposts.js";
import { byAge } from "./revisions.js";
import { isActiveSet, type Resize } from "./scale.js";

export function planRolling(
  deployment: Deployment,
  newSet: ReplicaSet,
  oldSets: readonly ReplicaSet[],
): readonly Resize[] {
  const grown = resizeOfNew(deployment, newSet, oldSets);
  return grown !== undefined ? [grown] : shrinkOld(deployment, newSet, oldSets.filter(isActiveSet));
}

function resizeOfNew(deployment: Deployment, newSet: ReplicaSet, oldSets: readonly ReplicaSet[]): Resize | undefined {
  const [size, wanted] = [wantedReplicas(newSet), wantedReplicas(deployment)];
  const to = size > wanted ? wanted : nextSizeOfNew(deployment, [...oldSets, newSet], size);
  return to === size ? undefined : { set: newSet, to };
}

/** The set's available pods that will stay. A set that was just shrunk still counts pods that are about to be deleted. */
const staying = (set: ReplicaSet): number => Math.min(available(set), wantedReplicas(set));

/**
 * Unavailable pods are removed first, from the oldest set on, since that costs nothing; then available ones, as long as
 * enough remain. Pods of the new set that are not available yet count as missing.
 */
function shrinkOld(deployment: Deployment, newSet: ReplicaSet, active: readonly ReplicaSet[]): readonly Resize[] {
  if (sum(active, wantedReplicas) === 0) return [];
  const minAvailable = wantedReplicas(deployment) - maxUnavailable(deployment);
  const newUnavailable = wantedReplicas(newSet) - staying(newSet);
  let budget = sum([...active, newSet], wantedReplicas) - minAvailable - newUnavailable;
  if (budget <= 0) return [];
  const sizes = new Map(active.toSorted(byAge).map((set) => [set, wantedReplicas(set)]));
  for (const [set, size] of sizes) {
    const unhealthy = Math.min(budget, size - staying(set));
    if (unhealthy <= 0) continue;
    sizes.set(set, size - unhealthy);
    budget -= unhealthy;
  }
  let spare = sum([...active, newSet], staying) - minAvailable;
  for (const [set, size] of sizes) {
    const down = Math.min(size, spare);
    if (down <= 0) continue;
    sizes.set(set, size - down);
    spare -= down;
  }
  return [...sizes].filter(([set, to]) => to !== wantedReplicas(set)).map(([set, to]) => ({ set, to }));
}
