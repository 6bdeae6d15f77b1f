/** The next step of a StatefulSet: takes its pods and revisions, gives the pods to create, repair and delete, in order. Pure. */
import { isDeleting, type PersistentVolumeClaim, type Pod, scaledValueOf, type StatefulSet } from "../../api/index.js";
import { isAvailable, isReady, isTerminal } from "../pods/state.js";
import { claimsOf, ordinalOf, podNameOf, replicasOf, startOrdinal, withIdentity } from "./identity.js";
import { hasItsOwners, isStaleFor } from "./retention.js";
import { revisionHashOf } from "../history/revisions.js";

export interface ObservedStatefulSet {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** Names of the revisions; equal when no update is under way. */
  readonly currentRevision: string;
  readonly updateRevision: string;
  /** A claim in the set's namespace, by its name. */
  readonly claim: (name: string) => PersistentVolumeClaim | undefined;
}

export type StatefulAction =
  /** Creates the claims first, then the pod. */
  | { readonly type: "create"; readonly ordinal: number; readonly revision: "current" | "update" }
  | { readonly type: "delete"; readonly pod: Pod; readonly why: "failed" | "succeeded" | "scaled-down" | "outdated" }
  /** Creates missing claims of a pending pod, which may wait for them. */
  | { readonly type: "ensure-claims"; readonly ordinal: number; readonly pod: Pod }
  /** The pod has lost its identity, or its claims do not have the right owners. */
  | { readonly type: "repair"; readonly ordinal: number; readonly pod: Pod }
  /** The claims of a pod that is scaled away are deleted with it, or stay. */
  | { readonly type: "retain-claims"; readonly ordinal: number; readonly pod: Pod };

interface StatefulPods {
  /** By ordinal, ascending; `pod` is undefined for an ordinal without a pod. */
  readonly replicas: readonly { readonly ordinal: number; readonly pod: Pod | undefined }[];
  /** Pods beyond the range, highest ordinal first. */
  readonly condemned: readonly Pod[];
}

function splitPods(set: StatefulSet, pods: readonly Pod[]): StatefulPods {
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

export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);

export function isRunningAndAvailable(set: StatefulSet, pod: Pod, now: number): boolean {
  return isRunningAndReady(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
}

export const isParallel = ({ spec }: StatefulSet): boolean => spec?.podManagementPolicy === "Parallel";

/** Plans nothing for a set that is being deleted: the garbage collector deletes its pods. */
export function planStatefulSet(observed: ObservedStatefulSet, now: number): readonly StatefulAction[] {
  const { set } = observed;
  if (isDeleting(set)) return [];
  const pods = splitPods(set, observed.pods);
  const actions: StatefulAction[] = [];
  if (!planReplicas(observed, pods, actions, now)) return actions;
  for (const pod of pods.condemned) {
    const ordinal = ordinalOf(set, pod) ?? 0;
    if (!hasOwners(observed, ordinal, pod, true)) actions.push({ type: "retain-claims", ordinal, pod });
  }
  if (!planCondemned(observed, pods, actions, now)) return actions;
  if ((set.spec?.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate") planUpdate(observed, pods, actions, now);
  return actions;
}

function hasOwners({ set, claim }: ObservedStatefulSet, ordinal: number, pod: Pod, condemned: boolean): boolean {
  const { name, uid } = pod.metadata;
  return claimsOf(set, ordinal).every(({ metadata }) => {
    const known = claim(metadata.name ?? "");
    return known === undefined || hasItsOwners(known, set, { name, uid, condemned });
  });
}

/** True if the pod must wait: a claim that is deleted with an earlier pod of this name must be gone first. */
function hasStaleClaim({ set, claim }: ObservedStatefulSet, ordinal: number): boolean {
  const pod = { name: podNameOf(set, ordinal), condemned: false };
  return claimsOf(set, ordinal).some(({ metadata }) => {
    const known = claim(metadata.name ?? "");
    return known !== undefined && isStaleFor(known, set, pod);
  });
}

/** False if an ordered set has to wait at this replica: a later one is not touched before this one is available. */
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
      const revision = revisionForNew(observed, ordinal);
      if (!hasStaleClaim(observed, ordinal)) actions.push({ type: "create", ordinal, revision });
      if (ordered) return false;
      continue;
    }
    if (isTerminal(pod)) {
      const why = pod.status?.phase === "Failed" ? "failed" : "succeeded";
      if (!isDeleting(pod)) actions.push({ type: "delete", pod, why });
      if (ordered) return false;
      continue;
    }
    if (pod.status?.phase === "Pending") actions.push({ type: "ensure-claims", ordinal, pod });
    if (ordered && (isDeleting(pod) || !isRunningAndAvailable(set, pod, now))) return false;
    if (withIdentity(set, ordinal, pod) !== pod || !hasOwners(observed, ordinal, pod, false))
      actions.push({ type: "repair", ordinal, pod });
  }
  return true;
}

/** Ordinals below the partition stay at the current revision; without a partition, those below the number of current replicas. */
function revisionForNew({ set }: ObservedStatefulSet, ordinal: number): "current" | "update" {
  const { type = "RollingUpdate", rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type !== "RollingUpdate") return "update";
  const below =
    startOrdinal(set) +
    (rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0));
  return ordinal < below ? "current" : "update";
}

/**
 * Highest ordinal first. An ordered set deletes one at a time, and only while all other pods are healthy, unless the
 * unhealthy one is the pod to delete.
 */
function planCondemned(
  { set }: ObservedStatefulSet,
  { replicas, condemned }: StatefulPods,
  actions: StatefulAction[],
  now: number,
): boolean {
  const ordered = !isParallel(set);
  const unhealthy = (pod: Pod | undefined): boolean =>
    pod === undefined || isDeleting(pod) || !isRunningAndAvailable(set, pod, now);
  const firstUnhealthy = [...replicas.map(({ pod }) => pod), ...condemned.toReversed()].find(unhealthy);
  for (const pod of condemned) {
    if (isDeleting(pod)) {
      if (ordered) return false;
      continue;
    }
    if (ordered && !isRunningAndAvailable(set, pod, now) && pod !== firstUnhealthy) return false;
    actions.push({ type: "delete", pod, why: "scaled-down" });
    if (ordered) return false;
  }
  return true;
}

/** Deletes old pods from the highest ordinal down to the partition; they are created again with the new revision. */
function planUpdate(
  observed: ObservedStatefulSet,
  { replicas }: StatefulPods,
  actions: StatefulAction[],
  now: number,
): void {
  const { set, updateRevision } = observed;
  const partition = startOrdinal(set) + (set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
  const isWell = (pod: Pod): boolean => !isDeleting(pod) && isRunningAndAvailable(set, pod, now);
  const going = new Set(actions.flatMap((action) => (action.type === "delete" ? [action.pod] : [])));
  const isOld = (pod: Pod): boolean => !isDeleting(pod) && !going.has(pod) && revisionHashOf(pod) !== updateRevision;
  const inRange = replicas.filter(({ ordinal }) => ordinal >= partition).toReversed();
  const limit = set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
  const victims =
    limit === undefined
      ? nextOld(inRange, isOld, isWell)
      : oldWithin(
          Math.max(1, scaledValueOf(limit, replicas.length, "down")),
          {
            missing: replicas.filter(({ pod }) => pod === undefined || !isWell(pod)).length,
            parallel: isParallel(set),
          },
          inRange.flatMap(({ pod }) => (pod !== undefined && isOld(pod) ? [{ pod, well: isWell(pod) }] : [])),
        );
  for (const pod of victims) actions.push({ type: "delete", pod, why: "outdated" });
}

/** The old pod with the highest ordinal, healthy or not; none while a pod above it is unhealthy. */
function nextOld(
  inRange: StatefulPods["replicas"],
  isOld: (pod: Pod) => boolean,
  isWell: (pod: Pod) => boolean,
): readonly Pod[] {
  const next = inRange.find(({ pod }) => pod === undefined || isOld(pod) || !isWell(pod))?.pod;
  return next !== undefined && isOld(next) ? [next] : [];
}

/**
 * Old pods to replace within the limit of missing pods. In a parallel set, unhealthy old pods are replaced regardless
 * of the limit.
 */
function oldWithin(
  limit: number,
  { missing, parallel }: { readonly missing: number; readonly parallel: boolean },
  old: readonly { readonly pod: Pod; readonly well: boolean }[],
): readonly Pod[] {
  const free = parallel ? old.filter(({ well }) => !well) : [];
  const candidates = old.filter(({ well }) => well || !parallel);
  return [...free, ...candidates.slice(0, Math.max(0, limit - missing))].map(({ pod }) => pod);
}
