/** Which changes of a node or pod may let a waiting pod fit. Pure; from the informers' updates to the scheduling queue. */
import { deepEqual, type Node, type Pod } from "../../api/index.js";
import type { ClusterEvent } from "./filters/filter.js";

export function nodeChanges(previous: Node, node: Node): readonly ClusterEvent[] {
  const changes: ClusterEvent[] = [];
  if (!deepEqual(previous.status?.allocatable, node.status?.allocatable)) changes.push("node-allocatable");
  if (!deepEqual(previous.metadata.labels, node.metadata.labels)) changes.push("node-labels");
  if (!deepEqual(previous.spec?.taints, node.spec?.taints)) changes.push("node-taints");
  if (previous.spec?.unschedulable && !node.spec?.unschedulable) changes.push("node-schedulable");
  return changes;
}

/** Of a pod that has a node, before and after. */
export function assignedPodChanges(previous: Pod, pod: Pod): readonly ClusterEvent[] {
  const changes: ClusterEvent[] = [];
  if (!deepEqual(previous.metadata.labels, pod.metadata.labels)) changes.push("pod-labels");
  // a resize in place can only be seen in the spec
  if (!deepEqual(previous.spec?.containers, pod.spec?.containers)) changes.push("pod-removed");
  if (previous.metadata.deletionTimestamp === undefined && pod.metadata.deletionTimestamp !== undefined) {
    changes.push("pod-labels");
  }
  return changes;
}

/** Whether a waiting pod changed in what its owner can change about its placing; its status is the scheduler's own doing. */
export const waitingPodChanged = (previous: Pod, pod: Pod): boolean =>
  !deepEqual(previous.spec, pod.spec) || !deepEqual(previous.metadata.labels, pod.metadata.labels);
