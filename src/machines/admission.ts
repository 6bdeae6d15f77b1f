/** Checks whether a node has room for a pod, as a kubelet does: a pod may be bound without a scheduler. */
import type { Node, Pod } from "../api/index.js";
import { defined } from "../base/defined.js";
import { NodeInfo } from "../scheduler/state/node-info.js";
import { podInfo, type PodInfo } from "../scheduler/state/pod-info.js";
import { keepsCpus } from "./node-object.js";
import type { PendingResize } from "./pod/resize.js";

/** The reason why a pod is rejected, in the kubelet's words. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/**
 * Invariants:
 * 1. Every pod that a node has admitted is counted on it until it is released, or found to be gone or finished.
 * 2. A pod is judged once: an admitted pod is not rejected later. After a resize, only the growth is judged.
 */
export class NodeAdmission {
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #isThere: (pod: Pod) => boolean;

  /** `isThere` tells whether an admitted pod still takes room. Called only when there is none left. */
  constructor(isThere: (pod: Pod) => boolean) {
    this.#isThere = isThere;
  }

  /** Admits the pod, or gives the reason why not. A pod that has started on the node before is always admitted. */
  take(pod: Pod, node: Node): Rejection | undefined {
    const { uid = "" } = pod.metadata;
    const place = this.#placeOf(node.metadata.name);
    if (place.pods.has(uid)) return undefined;
    const info = podInfo(pod);
    if (pod.status?.startTime === undefined) {
      const rejection = this.#refusal(info, place, node);
      if (rejection !== undefined) return rejection;
    }
    place.add(remembered(info));
    return undefined;
  }

  /** Grants an admitted pod its present requests, or gives the reason why that must wait; it then keeps its old grant. */
  resize(pod: Pod, node: Node): PendingResize | undefined {
    const { uid = "", generation } = pod.metadata;
    const place = this.#placeOf(node.metadata.name);
    const held = place.pods.get(uid);
    if (held === undefined || held.pod.metadata.generation === generation) return undefined;
    const { status: _, ...asked } = pod;
    const wanted = podInfo(asked);
    if (pod.status?.qosClass === "Guaranteed" && keepsCpus(node) && wanted.requests.cpu !== held.requests.cpu) {
      const message = 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"';
      return { reason: "Infeasible", message };
    }
    place.remove(uid);
    const rejection = this.#refusal(wanted, place, node);
    place.add(rejection === undefined ? remembered(wanted) : held);
    return rejection && { reason: "Deferred", message: rejection.message };
  }

  release(node: string, uid: string): void {
    this.#nodes.get(node)?.remove(uid);
  }

  #placeOf(name: string): NodeInfo {
    const place = this.#nodes.get(name) ?? new NodeInfo(name);
    this.#nodes.set(name, place);
    return place;
  }

  /** The reason why there is no room for the pod, after pods that are gone have been removed. */
  #refusal(info: PodInfo, place: NodeInfo, node: Node): Rejection | undefined {
    if (place.node !== node) place.setNode(node);
    if (refusal(info, place) === undefined) return undefined;
    for (const { pod, uid } of place.pods.values()) if (!this.#isThere(pod)) place.remove(uid);
    return refusal(info, place);
  }
}

/** The pod by its name alone: the version that was admitted is not the one that the cache has later. */
function remembered(info: PodInfo): PodInfo {
  const { pod, ...facts } = info;
  const { apiVersion, kind, metadata } = pod;
  const { name, namespace, uid, generation } = metadata;
  return { pod: { apiVersion, kind, metadata: { name, ...defined({ namespace, uid, generation }) } }, ...facts };
}

/** Counts only resources that the node reports, and no extended resource that devices provide. */
function refusal({ pod, requests, hostPorts }: PodInfo, place: NodeInfo): Rejection | undefined {
  const has = place.node?.status?.allocatable ?? {};
  const { allocatable, requested } = place;
  const checks: readonly (readonly [string, number, number, number])[] = [
    ["pods", 1, place.pods.size, place.podLimit],
    ["cpu", requests.cpu, requested.cpu, allocatable.cpu],
    ["memory", requests.memory, requested.memory, allocatable.memory],
    ["ephemeral-storage", requests.storage, requested.storage, allocatable.storage],
    ...[...(requests.others ?? [])].flatMap(([name, wanted]) =>
      isProvided(pod, name)
        ? []
        : [[name, wanted, requested.others?.get(name) ?? 0, allocatable.others?.get(name) ?? 0] as const],
    ),
  ];
  for (const [name, wanted, used, capacity] of checks) {
    if (has[name] === undefined || wanted === 0 || used + wanted <= capacity) continue;
    const amounts = `requested: ${wanted}, used: ${used}, capacity: ${capacity}`;
    return { reason: `OutOf${name}`, message: `Node didn't have enough resource: ${name}, ${amounts}` };
  }
  if (hostPorts.length === 0 || !place.hasPortOf(hostPorts)) return undefined;
  const why = "node(s) didn't have free ports for the requested pod ports";
  return { reason: "NodePorts", message: `Predicate NodePorts failed: ${why}` };
}

const isProvided = ({ status }: Pod, resource: string): boolean =>
  status?.extendedResourceClaimStatus?.requestMappings.some(({ resourceName }) => resourceName === resource) ?? false;
