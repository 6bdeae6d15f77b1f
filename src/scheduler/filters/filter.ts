/** What a filter is. Filters are pure: asked once for each pod, they give a test of single nodes. */
import type { Node } from "../../api/index.js";
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

/** What happens in a cluster, and may let a pod fit that did not. Pods are those that have a node, or are promised one. */
export type ClusterEvent =
  | { readonly type: "node-set"; readonly node: Node; readonly previous?: Node }
  | { readonly type: "node-removed"; readonly node: Node }
  | { readonly type: "pod-added"; readonly pod: PodInfo }
  | { readonly type: "pod-changed"; readonly pod: PodInfo; readonly previous: PodInfo }
  | { readonly type: "pod-removed"; readonly pod: PodInfo }
  /** A claim, by its key; without one, a volume or a class of them. */
  | { readonly type: "storage-changed"; readonly claim?: string };

export interface Filter {
  readonly name: string;
  /** Why no node will do, whichever there are. */
  rejects?(pod: PodInfo): string | undefined;
  /** Undefined if it has nothing against any node. */
  prepare(pod: PodInfo, view: ClusterView): NodeTest | undefined;
  /** Whether a pod that it refused is worth another try after this. A change of the pod itself always is. */
  mayFitAfter(event: ClusterEvent, pod: PodInfo, view: Pick<ClusterView, "namespaceLabels">): boolean;
}

export const refusal = (reason: string, unresolvable = false): Refusal => ({ reasons: [reason], unresolvable });

/** For filters that look at nodes alone: whether this one does now, and did not before. */
export const nowDoes = (event: ClusterEvent, does: (node: Node) => boolean): boolean =>
  event.type === "node-set" && does(event.node) && !(event.previous !== undefined && does(event.previous));
