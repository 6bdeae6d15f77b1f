/** The next step of a StatefulSet: takes its pods and revisions, gives what to make, mend and delete, in order. Pure. */
import { type Pod, scaledValueOf, type StatefulSet } from "../../api/index.js";
import { isAvailable, isReady, isTerminal } from "../pods/state.js";
import { ordinalOf, replicasOf, revisionOfPod, startOrdinal, withIdentity } from "./identity.js";

export interface ObservedStatefulSet {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** Names of the revisions; equal when no update is under way. */
  readonly currentRevision: string;
  readonly updateRevision: string;
}

export type StatefulAction =
  /** The claims first, then the pod. */
  | { readonly type: "create"; readonly ordinal: number; readonly revision: "current" | "update" }
  | { readonly type: "delete"; readonly pod: Pod; readonly why: "failed" | "succeeded" | "scaled-down" | "outdated" }
  | { readonly type: "ensure-claims"; readonly ordinal: number }
  | { readonly type: "repair"; readonly pod: Pod };

export interface StatefulPods {
  /** By ordinal, ascending; undefined where there is none. */
  readonly replicas: readonly { readonly ordinal: number; readonly pod: Pod | undefined }[];
  /** Beyond the range, highest ordinal first. */
  readonly condemned: readonly Pod[];
}

export function splitPods(set: StatefulSet, pods: readonly Pod[]): StatefulPods {
  const start = startOrdinal(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  const replicas = Array.from({ length: replicasOf(set) }, (_, i) => {
    const ordinal = start + i;
    return { ordinal, pod: byOrdinal.get(ordinal) };
  });
  const inRange = (ordinal: number): boolean => ordinal >= start && ordinal < start + replicasOf(set);
  const condemned = [...byOrdinal]
    .filter(([ordinal]) => ordinal !== undefined && !inRange(ordinal))
    .toSorted(([a = 0], [b = 0]) => b - a)
    .map(([, pod]) => pod);
  return { replicas, condemned };
}

const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);

export function isRunningAndAvailable(set: StatefulSet, pod: Pod, now: number): boolean {
  return isRunningAndReady(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
}

const isParallel = ({ spec }: StatefulSet): boolean => spec?.podManagementPolicy === "Parallel";

/** Nothing for a set that is being deleted: its pods go by garbage collection. */
export function planStatefulSet(observed: ObservedStatefulSet, now: number): readonly StatefulAction[] {
  const { set } = observed;
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const pods = splitPods(set, observed.pods);
  const actions: StatefulAction[] = [];
  if (!planReplicas(observed, pods, actions, now)) return actions;
  if (!planCondemned(observed, pods, actions, now)) return actions;
  if (
    (set.spec?.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate" &&
    actions.every(({ type }) => type === "repair")
  ) {
    planUpdate(observed, pods, actions, now);
  }
  return actions;
}

/** False if the set has to wait at this replica: in order, a later one is not touched before this one is available. */
function planReplicas(
  observed: ObservedStatefulSet,
  { replicas }: StatefulPods,
  actions: StatefulAction[],
  now: number,
): boolean {
  const { set } = observed;
  const ordered = !isParallel(set);
  for (const { ordinal, pod } of replicas) {
    if (pod === undefined) {
      actions.push({ type: "create", ordinal, revision: revisionForNew(observed, ordinal) });
      if (ordered) return false;
      continue;
    }
    if (isTerminal(pod)) {
      const why = pod.status?.phase === "Failed" ? "failed" : "succeeded";
      if (!isLeaving(pod)) actions.push({ type: "delete", pod, why });
      return false;
    }
    if (pod.status?.phase === "Pending") actions.push({ type: "ensure-claims", ordinal });
    if (ordered && (isLeaving(pod) || !isRunningAndAvailable(set, pod, now))) return false;
    const mended = withIdentity(set, ordinal, pod);
    if (mended !== pod) actions.push({ type: "repair", pod: mended });
  }
  return true;
}

/** Ordinals below the partition stay with the current revision; without a partition, as many as still have it. */
function revisionForNew({ set }: ObservedStatefulSet, ordinal: number): "current" | "update" {
  const { type = "RollingUpdate", rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type !== "RollingUpdate") return "update";
  const below =
    startOrdinal(set) +
    (rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0));
  return ordinal < below ? "current" : "update";
}

/** Highest ordinal first; in order, one at a time, and only while all others are well, unless this one is what is not. */
function planCondemned(
  { set }: ObservedStatefulSet,
  { replicas, condemned }: StatefulPods,
  actions: StatefulAction[],
  now: number,
): boolean {
  const ordered = !isParallel(set);
  const unhealthy = (pod: Pod | undefined): boolean =>
    pod === undefined || isLeaving(pod) || !isRunningAndAvailable(set, pod, now);
  const firstUnhealthy = [...replicas.map(({ pod }) => pod), ...condemned.toReversed()].find(unhealthy);
  for (const pod of condemned) {
    if (isLeaving(pod)) {
      if (ordered) return false;
      continue;
    }
    if (ordered && !isRunningAndAvailable(set, pod, now) && pod !== firstUnhealthy) return false;
    actions.push({ type: "delete", pod, why: "scaled-down" });
    if (ordered) return false;
  }
  return true;
}

/** Percentages round down; at least one. */
function maxUnavailable({ spec }: StatefulSet, replicas: number): number {
  return Math.max(1, scaledValueOf(spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, replicas, "down"));
}

/** Deletes old pods from the highest ordinal down to the partition, within the budget; they come back updated. */
function planUpdate(
  { set, updateRevision }: ObservedStatefulSet,
  { replicas }: StatefulPods,
  actions: StatefulAction[],
  now: number,
): void {
  const partition = startOrdinal(set) + (set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
  const present = replicas.flatMap(({ ordinal, pod }) => (pod === undefined ? [] : [{ ordinal, pod }]));
  const isWell = (pod: Pod): boolean => !isLeaving(pod) && isRunningAndAvailable(set, pod, now);
  const old = present
    .filter(({ ordinal, pod }) => ordinal >= partition && !isLeaving(pod) && revisionOfPod(pod) !== updateRevision)
    .toReversed();
  const missing = replicas.length - present.filter(({ pod }) => isWell(pod)).length;
  // in parallel, old pods that serve nobody are replaced without asking the budget
  const free = isParallel(set) ? old.filter(({ pod }) => !isWell(pod)) : [];
  const candidates = old.filter(({ pod }) => isWell(pod) || !isParallel(set));
  const budget = Math.max(0, maxUnavailable(set, replicas.length) - missing);
  for (const { pod } of [...free, ...candidates.slice(0, budget)])
    actions.push({ type: "delete", pod, why: "outdated" });
}
