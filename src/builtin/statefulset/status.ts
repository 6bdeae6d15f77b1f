/** A StatefulSet's status: how many pods exist, are ready, and have which revision. Pure. */
import { isDeleting, semanticEqual, type StatefulSetStatus } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { replicasOf } from "./identity.js";
import { isRunningAndAvailable, isRunningAndReady, type ObservedStatefulSet } from "./plan.js";
import { nonZero } from "../kit/status.js";
import { revisionHashOf } from "../history/revisions.js";

/**
 * The status to write; undefined if it equals the stored one. `replaced` is the number of pods that were just deleted
 * for an update: they no longer count for the current revision, on which the revision of the next new pod may depend.
 */
export function planStatus(observed: ObservedStatefulSet, now: number, replaced = 0): StatefulSetStatus | undefined {
  const { set, pods, updateRevision } = observed;
  const of = (revision: string): number =>
    pods.filter((pod) => !isDeleting(pod) && revisionHashOf(pod) === revision).length;
  const ready = pods.filter(isRunningAndReady).length;
  const updated = of(updateRevision);
  // the update is over when every wanted pod exists, is ready and is updated
  const complete =
    (set.spec?.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate" &&
    updated === pods.length &&
    ready === pods.length &&
    pods.length === replicasOf(set);
  const currentRevision = complete ? updateRevision : observed.currentRevision;
  const { collisionCount, conditions } = set.status ?? {};
  const status: StatefulSetStatus = {
    ...nonZero({
      observedGeneration: set.metadata.generation ?? 0,
      readyReplicas: ready,
      currentReplicas: complete ? updated : Math.max(0, of(observed.currentRevision) - replaced),
      updatedReplicas: updated,
      availableReplicas: pods.filter((pod) => isRunningAndAvailable(set, pod, now)).length,
    }),
    replicas: pods.length,
    currentRevision,
    updateRevision,
    collisionCount: collisionCount ?? 0,
    ...defined({ conditions }),
  };
  return semanticEqual(status, set.status) ? undefined : status;
}
