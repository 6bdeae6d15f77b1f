/** Decides which changes of a node or pod matter to the scheduler. Pure. */
import { deepEqual, type Node, type Pod } from "../api/index.js";

/** True if a field that filters read has changed; a heartbeat changes none. */
export const nodeChanged = (previous: Node, node: Node): boolean =>
  !deepEqual(previous.status?.allocatable, node.status?.allocatable) ||
  !deepEqual(previous.metadata.labels, node.metadata.labels) ||
  !deepEqual(previous.spec?.taints, node.spec?.taints) ||
  previous.spec?.unschedulable !== node.spec?.unschedulable;

/**
 * True if the change of a pod with a node matters. Servers count changes of the spec in `generation`; without it, any
 * field may have changed.
 */
export const assignedPodChanged = (previous: Pod, pod: Pod): boolean =>
  previous.metadata.generation === undefined ||
  previous.metadata.generation !== pod.metadata.generation ||
  previous.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
  !deepEqual(previous.metadata.labels, pod.metadata.labels) ||
  !sameGrants(previous, pod);

/** The resources granted to a pod's containers are in its status. */
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

/**
 * True if a waiting pod changed in a field that affects its placement. Its status does not count: the scheduler itself
 * writes it.
 */
export const waitingPodChanged = (previous: Pod, pod: Pod): boolean =>
  !deepEqual(previous.spec, pod.spec) || !deepEqual(previous.metadata.labels, pod.metadata.labels);
