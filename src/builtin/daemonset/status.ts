/** A DaemonSet's status: counts over its nodes, where each node counts by its first pod in the order of precedence. Pure. */
import { type DaemonSetStatus, semanticEqual } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { nonZero } from "../kit/status.js";
import { isAvailable, isReady } from "../pods/state.js";
import { fitOf } from "./placement.js";
import { byPrecedence, isUpdated, type ObservedDaemonSet } from "./plan.js";

function countNodes({ set, nodes, podsByNode, hash }: ObservedDaemonSet, now: number) {
  const fit = fitOf(set);
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const count = { desired: 0, current: 0, misscheduled: 0, ready: 0, updated: 0, available: 0 };
  for (const node of nodes) {
    const [pod] = (podsByNode.get(node.metadata.name) ?? []).toSorted(byPrecedence);
    if (!fit(node).shouldRun) {
      if (pod !== undefined) count.misscheduled++;
      continue;
    }
    count.desired++;
    if (pod === undefined) continue;
    count.current++;
    if (isReady(pod)) count.ready++;
    if (isAvailable(pod, minReadySeconds, now)) count.available++;
    if (isUpdated(set, pod, hash)) count.updated++;
  }
  return count;
}

/** The status to write, or undefined if the stored one says it all. */
export function planStatus(observed: ObservedDaemonSet, now: number): DaemonSetStatus | undefined {
  const { set } = observed;
  const count = countNodes(observed, now);
  const { generation } = set.metadata;
  const { collisionCount, conditions } = set.status ?? {};
  const status: DaemonSetStatus = {
    currentNumberScheduled: count.current,
    numberMisscheduled: count.misscheduled,
    desiredNumberScheduled: count.desired,
    numberReady: count.ready,
    ...nonZero({
      updatedNumberScheduled: count.updated,
      numberAvailable: count.available,
      numberUnavailable: count.desired - count.available,
    }),
    ...defined({ observedGeneration: generation, collisionCount, conditions }),
  };
  return semanticEqual(status, set.status) ? undefined : status;
}
