/** The contract of filters. They are pure: prepared once for each pod, they give a test of single nodes. */
import type { Node, ResourceClaim } from "../../api/index.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import type { ClusterView } from "../state/cluster-state.js";

/** The reasons why a node does not fit, in the words that the message counts. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** True if removing pods from the node would not help. */
  readonly unresolvable: boolean;
}

export type NodeTest = (node: NodeInfo) => Refusal | undefined;

/** A refusal, with the name of its filter. */
export interface Refused extends Refusal {
  readonly filter: string;
}

/** Gives undefined if the pod fits the node. */
export type FitTest = (node: NodeInfo) => Refused | undefined;

/**
 * A change in the cluster that may let a pod fit that did not before. Pod events are about pods that have a node or are
 * nominated to one.
 */
export type ClusterEvent =
  | { readonly type: "node-set"; readonly node: Node; readonly previous?: Node }
  | { readonly type: "node-removed"; readonly node: Node }
  | { readonly type: "pod-added"; readonly pod: PodInfo }
  | { readonly type: "pod-changed"; readonly pod: PodInfo; readonly previous: PodInfo }
  | { readonly type: "pod-removed"; readonly pod: PodInfo }
  /** `claim` is the key of the changed claim; absent if a volume or a storage class changed. */
  | { readonly type: "storage-changed"; readonly claim?: string }
  /** A claim of devices; a deleted one counts as one that has lost its allocation. */
  | { readonly type: "device-claim-changed"; readonly claim: ResourceClaim; readonly previous?: ResourceClaim }
  /** A resource slice or a device class; of a class, the extended resources that it now provides. */
  | { readonly type: "devices-changed"; readonly provides?: readonly string[] };

/** A filter could not decide, for a reason that has nothing to do with the node: the pod's attempt fails. */
export class FilterError extends Error {
  override readonly name = "FilterError";
}

export interface Filter {
  readonly name: string;
  /** Whether a node's verdict depends on nothing but the node and the `placementKey` of the pod. */
  readonly isOfNode?: boolean;
  /** The reason why no node whatsoever can fit. */
  rejects?(pod: PodInfo): string | undefined;
  /** The only nodes that are possible, if the pod names them as those of a DaemonSet do; undefined if any node is. */
  only?(pod: PodInfo): ReadonlySet<string> | undefined;
  /** Undefined if the filter accepts every node. */
  prepare(pod: PodInfo, view: ClusterView): NodeTest | undefined;
  /** Whether a pod that this filter refused is worth another attempt after the event. A change of the pod itself always is. */
  mayFitAfter(event: ClusterEvent, pod: PodInfo, view: Pick<ClusterView, "namespaceLabels">): boolean;
}

export const refusalOf = (reason: string, unresolvable = false): Refusal => ({ reasons: [reason], unresolvable });

/** For filters that look at single nodes: true if the changed node fits now and did not before. */
export const nowDoes = (event: ClusterEvent, does: (node: Node) => boolean): boolean =>
  event.type === "node-set" && does(event.node) && !(event.previous !== undefined && does(event.previous));
