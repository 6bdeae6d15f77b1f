/** By how many pods a rollout may exceed the wanted number or fall short of it: takes a Deployment, gives whole numbers. Pure. */
import { type Deployment, type ReplicaSet, scaledValueOf } from "../../api/index.js";

export const wantedReplicas = ({ spec }: Deployment | ReplicaSet): number => spec?.replicas ?? 1;

export const isRollingUpdate = (deployment: Deployment): boolean =>
  (deployment.spec?.strategy?.type ?? "RollingUpdate") === "RollingUpdate";

/** Surge rounds up and unavailability rounds down. If both are 0 the rollout could not move, so one pod may be unavailable. */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const replicas = wantedReplicas(deployment);
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledValueOf(maxSurge, replicas, "up");
  const unavailable = scaledValueOf(maxUnavailable, replicas, "down");
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

export const maxSurge = (deployment: Deployment): number =>
  isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;

export function maxUnavailable(deployment: Deployment): number {
  const replicas = wantedReplicas(deployment);
  if (!isRollingUpdate(deployment) || replicas === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, replicas);
}

export const sum = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number =>
  sets.reduce((total, set) => total + count(set), 0);

export const available = (set: ReplicaSet): number => set.status?.availableReplicas ?? 0;

/** The size that the new set may have now, given the surge and the sizes of all sets (`sets` includes the new one). */
export function nextSizeOfNew(deployment: Deployment, sets: readonly ReplicaSet[], size: number): number {
  const wanted = wantedReplicas(deployment);
  if (!isRollingUpdate(deployment)) return wanted;
  const room = wanted + maxSurge(deployment) - sum(sets, wantedReplicas);
  return room <= 0 ? size : size + Math.min(room, wanted - size);
}
