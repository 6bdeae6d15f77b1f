/** Which changes of a node or pod matter to the scheduler. Pure; from the informers' updates. */
import { deepEqual, type Node, type Pod } from "../api/index.js";

/** In what filters look at: a heartbeat is none of it. */
export const nodeChanged = (previous: Node, node: Node): boolean =>
  !deepEqual(previous.status?.allocatable, node.status?.allocatable) ||
  !deepEqual(previous.metadata.labels, node.metadata.labels) ||
  !deepEqual(previous.spec?.taints, node.spec?.taints) ||
  previous.spec?.unschedulable !== node.spec?.unschedulable;

/** Of a pod that has a node. Servers number the changes of a spec; without a number, anything may have changed. */
export const assignedPodChanged = (previous: Pod, pod: Pod): boolean =>
  previous.metadata.generation === undefined ||
  previous.metadata.generation !== pod.metadata.generation ||
  previous.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
  !deepEqual(previous.metadata.labels, pod.metadata.labels) ||
  !sameGrants(previous, pod);

/** What a node gave a pod's containers is in its status. */
function sameGrants({ status: before }: Pod, { status: after }: Pod): boolean {
  const statuses = before?.containerStatuses ?? [];
  return (
    statuses.length === (after?.containerStatuses?.length ?? 0) &&
    statuses.every((status, index) => {
      const other = after?.containerStatuses?.[index];
      return (
        deepEqual(status.resources, other?.resources) && deepEqual(status.allocatedResources, other?.allocatedResources)
      );
    })
  );
}

/** Whether a waiting pod changed in what its owner can change about its placing; its status is the scheduler's own doing. */
export const waitingPodChanged = (previous: Pod, pod: Pod): boolean =>
  !deepEqual(previous.spec, pod.spec) || !deepEqual(previous.metadata.labels, pod.metadata.labels);
