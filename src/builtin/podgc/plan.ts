/** Pods that no other component will ever clean up: takes pods and nodes, gives the pods to remove and the reasons. Pure. */
import { isConditionTrue, isDeleting, type Node, type Pod } from "../../api/index.js";
import { isTerminal } from "../pods/state.js";
import { createdAt } from "../kit/created-at.js";
import { byName } from "../../api/meta/key.js";

type GarbageReason = "terminated" | "out-of-service" | "orphaned" | "unscheduled";

export interface GarbagePod {
  readonly pod: Pod;
  readonly reason: GarbageReason;
}

/** The nodes of the cache, by name. */
interface Nodes {
  has(name: string): boolean;
  get(name: string): Node | undefined;
}

const outOfServiceTaint = "node.kubernetes.io/out-of-service";

/** Finished pods beyond the threshold: evicted ones first, then the oldest. */
export function terminatedPods(pods: readonly Pod[], threshold: number): readonly GarbagePod[] {
  const terminated = pods.filter(isTerminal);
  const excess = terminated.length - threshold;
  if (threshold <= 0 || excess <= 0) return [];
  const evicted = (pod: Pod): number => (pod.status?.reason === "Evicted" ? 0 : 1);
  return terminated
    .toSorted((a, b) => evicted(a) - evicted(b) || createdAt(a) - createdAt(b) || byName(a, b))
    .slice(0, excess)
    .map((pod) => ({ pod, reason: "terminated" }));
}

/** Terminating pods on a node with the out-of-service taint, and terminating pods that never had a node. */
export function stuckPods(pods: readonly Pod[], nodes: Pick<Nodes, "get">): readonly GarbagePod[] {
  return pods.flatMap((pod): readonly GarbagePod[] => {
    if (!isDeleting(pod)) return [];
    const nodeName = pod.spec?.nodeName ?? "";
    if (nodeName === "") return [{ pod, reason: "unscheduled" }];
    const node = nodes.get(nodeName);
    return node !== undefined && isOutOfService(node) ? [{ pod, reason: "out-of-service" }] : [];
  });
}

function isOutOfService(node: Node): boolean {
  const ready = isConditionTrue(node.status?.conditions, "Ready");
  return !ready && (node.spec?.taints ?? []).some(({ key }) => key === outOfServiceTaint);
}

/** Of the nodes that pods name, the ones that the cache does not have. */
export const missingNodes = (named: readonly string[], nodes: Pick<Nodes, "has">): ReadonlySet<string> =>
  new Set(named.filter((name) => !nodes.has(name)));
