/** A Deployment's status and conditions: takes the observed sets, gives the new status. Pure. */
import {
  type Deployment,
  type DeploymentCondition,
  type DeploymentStatus,
  findCondition,
  formatTime,
  parseTime,
  removeCondition,
  type ReplicaSet,
} from "../../api/index.js";
import { defined, unlessEmpty } from "../../base/defined.js";
import { available, maxUnavailable, wantedReplicas, sum } from "./fenceposts.js";
import { nonZero } from "../kit/status.js";

export type NewDeploymentCondition = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;

/** The largest int32. For a progress deadline and a history limit it means "no limit". */
export const noLimit: number = 2 ** 31 - 1;

export function progressDeadlineSeconds(deployment: Deployment): number | undefined {
  const seconds = deployment.spec?.progressDeadlineSeconds;
  return seconds === undefined || seconds === noLimit ? undefined : seconds;
}

const progressing = (status: DeploymentStatus | undefined): DeploymentCondition | undefined =>
  findCondition(status?.conditions, "Progressing");

/**
 * The status with the condition. A condition with the same status and reason stays as it is; a changed one moves to the
 * end. The transition time changes only with the status.
 */
export function withCondition(
  status: DeploymentStatus,
  condition: NewDeploymentCondition,
  now: number,
): DeploymentStatus {
  const old = findCondition(status.conditions, condition.type);
  if (old !== undefined && old.status === condition.status && old.reason === condition.reason) return status;
  return replaceCondition(status, stamped(condition, old, now));
}

function stamped(
  condition: NewDeploymentCondition,
  old: DeploymentCondition | undefined,
  now: number,
): DeploymentCondition {
  const time = formatTime(now);
  const keeps = old?.status === condition.status && old.lastTransitionTime !== undefined;
  return { ...condition, lastUpdateTime: time, lastTransitionTime: keeps ? (old.lastTransitionTime as string) : time };
}

function replaceCondition(status: DeploymentStatus, condition: DeploymentCondition): DeploymentStatus {
  return { ...status, conditions: [...removeCondition(status.conditions, condition.type), condition] };
}

function withoutCondition(status: DeploymentStatus, type: string): DeploymentStatus {
  const { conditions, ...rest } = status;
  return { ...rest, ...defined({ conditions: unlessEmpty(removeCondition(conditions, type)) }) };
}

/** Undefined as soon as one set that its controller has already observed does not report the number. */
function terminatingReplicas(sets: readonly ReplicaSet[]): number | undefined {
  let total = 0;
  for (const { status } of sets) {
    if (status?.terminatingReplicas !== undefined) total += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) > 0) return undefined;
  }
  return total;
}

/** The counts and the Available condition. `sets` are all sets, including the new one. */
export function countStatus(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  now: number,
): DeploymentStatus {
  const availableReplicas = sum(sets, available);
  const { conditions, collisionCount } = deployment.status ?? {};
  const status: DeploymentStatus = {
    ...nonZero({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: sum(sets, (set) => set.status?.replicas ?? 0),
      updatedReplicas: newSet?.status?.replicas ?? 0,
      readyReplicas: sum(sets, (set) => set.status?.readyReplicas ?? 0),
      availableReplicas,
      unavailableReplicas: Math.max(0, sum(sets, wantedReplicas) - availableReplicas),
    }),
    ...defined({ terminatingReplicas: terminatingReplicas(sets), conditions, collisionCount }),
  };
  const enough = availableReplicas >= wantedReplicas(deployment) - maxUnavailable(deployment);
  const reason = enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable";
  const message = `Deployment ${enough ? "has" : "does not have"} minimum availability.`;
  return withCondition(status, { type: "Available", status: enough ? "True" : "False", reason, message }, now);
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = wantedReplicas(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus): number => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  const growing = ["updatedReplicas", "readyReplicas", "availableReplicas"] as const;
  return old(after) < old(before) || growing.some((name) => (after[name] ?? 0) > (before[name] ?? 0));
}

/** The deadline counts from the last sign of progress, which is the condition's `lastUpdateTime`. */
function hasTimedOut(deployment: Deployment, status: DeploymentStatus, now: number): boolean {
  const condition = progressing(status);
  const deadline = progressDeadlineSeconds(deployment);
  if (condition === undefined || deadline === undefined || condition.reason === "NewReplicaSetAvailable") return false;
  if (condition.reason === "ProgressDeadlineExceeded") return true;
  return condition.lastUpdateTime !== undefined && parseTime(condition.lastUpdateTime) + deadline * 1000 < now;
}

function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  newSet: ReplicaSet | undefined,
  now: number,
): DeploymentStatus {
  if (progressDeadlineSeconds(deployment) === undefined) return withoutCondition(status, "Progressing");
  const current = progressing(deployment.status);
  const wasComplete =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === "NewReplicaSetAvailable";
  if (wasComplete) return status;
  const subject =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const message = `${subject} has successfully progressed.`;
    const reason = "NewReplicaSetAvailable";
    return withCondition(status, { type: "Progressing", status: "True", reason, message }, now);
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    const message = `${subject} is progressing.`;
    const condition = { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", message } as const;
    // written even if the reason is the same: the deadline counts from its `lastUpdateTime`
    return replaceCondition(status, stamped(condition, current, now));
  }
  if (hasTimedOut(deployment, status, now)) {
    const message = `${subject} has timed out progressing.`;
    const reason = "ProgressDeadlineExceeded";
    return withCondition(status, { type: "Progressing", status: "False", reason, message }, now);
  }
  return status;
}

/** Copies a set's ReplicaFailure condition to the Deployment; the new set's has precedence. */
function withReplicaFailure(
  status: DeploymentStatus,
  sets: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  now: number,
): DeploymentStatus {
  const failureOf = (set: ReplicaSet) => findCondition(set.status?.conditions, "ReplicaFailure");
  const failure =
    (newSet === undefined ? undefined : failureOf(newSet)) ?? sets.map(failureOf).find((one) => one !== undefined);
  if (failure === undefined) return withoutCondition(status, "ReplicaFailure");
  const { status: value, reason, message, lastTransitionTime } = failure;
  // the set's condition has the time at which the failure began
  const since = lastTransitionTime === undefined ? now : parseTime(lastTransitionTime);
  return withCondition(status, { type: "ReplicaFailure", status: value, ...defined({ reason, message }) }, since);
}

/** The status during a rollout: counts, progress and failures. */
export function rolloutStatus(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  now: number,
): DeploymentStatus {
  const counted = countStatus(deployment, sets, newSet, now);
  return withReplicaFailure(withProgress(deployment, counted, newSet, now), sets, newSet, now);
}

/** Milliseconds after which a rollout without progress must be checked again; undefined if it needs no check. */
export function nextProgressCheckMs(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const condition = progressing(deployment.status);
  const deadline = progressDeadlineSeconds(deployment);
  if (condition?.lastUpdateTime === undefined || deadline === undefined) return undefined;
  // the first has no deadline to miss, and the second has missed it: waiting changes neither
  if (condition.reason === "NewReplicaSetAvailable" || condition.reason === "ProgressDeadlineExceeded")
    return undefined;
  if (isComplete(deployment, status)) return undefined;
  const afterMs = parseTime(condition.lastUpdateTime) + deadline * 1000 - now;
  // never at once: until the deadline has passed, to the millisecond, another sync would find the same state and spin
  return afterMs < 1000 ? Math.max(afterMs, 0) + 100 : afterMs + 1000;
}
