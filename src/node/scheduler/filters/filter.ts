/** What a filter is. Filters are pure: asked once for each pod, they give a test of single nodes. */
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import type { ClusterView } from "../state/cluster-state.js";

/** Why a node will not do, in words that are counted in the message. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** True: removing pods from the node would not help. */
  readonly unresolvable: boolean;
}

export type NodeTest = (node: NodeInfo) => Refusal | undefined;

/** What happens in a cluster, and may let a pod fit that did not. */
export type ClusterEvent =
  | "node-added"
  | "node-allocatable"
  | "node-labels"
  | "node-taints"
  | "node-schedulable"
  | "pod-added"
  | "pod-removed"
  | "pod-labels"
  | "pod-updated";

export interface Filter {
  readonly name: string;
  /** Undefined if it has nothing against any node. */
  prepare(pod: PodInfo, view: ClusterView): NodeTest | undefined;
  /** After which of them a pod that it refused is worth another try. A new node and a change of the pod itself always are. */
  readonly wakesOn: ReadonlySet<ClusterEvent>;
}

export const refusal = (reason: string, unresolvable = false): Refusal => ({ reasons: [reason], unresolvable });
