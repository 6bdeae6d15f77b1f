/** The scheduler's picture of the cluster: nodes with their pods, and pods that it has placed but not yet seen bound. */
import type { Labels, Node, Pod } from "../../api/index.js";
import { isTerminal } from "../../placement/pod-phase.js";
import { NodeInfo } from "./node-info.js";
import { type PodInfo, podInfo } from "./pod-info.js";

/** The read-only view for filters and scores. */
export interface ClusterView {
  /** The nodes that exist, in a stable order. */
  readonly nodes: readonly NodeInfo[];
  node(name: string): NodeInfo | undefined;
  namespaceLabels(name: string): Labels | undefined;
  /** The joined selectors of the services that select a pod with these labels. */
  serviceLabels(namespace: string, labels: Labels): Labels;
  /** The number of pods of a controller on each node that has some, without terminating ones. */
  ofOwner(uid: string): ReadonlyMap<NodeInfo, number>;
  /** Whether any placed pod has a lower priority. */
  anyBelow(priority: number): boolean;
  /** The number of placed pods that use a volume claim, by its key. */
  claimUsers(key: string): number;
  /** Counts over all nodes, by which filters skip work. */
  readonly podsWithAffinity: number;
  readonly podsWithRequiredAntiAffinity: number;
}

/** Both default to none. */
export interface ClusterStateOptions {
  readonly namespaceLabels?: (name: string) => Labels | undefined;
  /** The selectors of a namespace's services. */
  readonly serviceSelectors?: (namespace: string) => Iterable<Labels>;
}

/**
 * Invariants:
 * 1. A pod is on at most one node; `#placed` tells which.
 * 2. An assumed pod is placed.
 * 3. `nodes` are exactly those with an object. The slot of each is its index, and has been since its last version.
 */
export class ClusterState implements ClusterView {
  readonly #infos = new Map<string, NodeInfo>();
  #nodes: NodeInfo[] = [];
  readonly #versions = { last: 0 };
  readonly #placed = new Map<string, string>();
  readonly #assumed = new Set<string>();
  /** The number of placed pods by priority; few priorities are in use. */
  readonly #byPriority = new Map<number, number>();
  /** The number of placed pods by the keys of their claims. */
  readonly #byClaim = new Map<string, number>();
  /** The number of placed pods that do not terminate, by controller and node: siblings are on few of all nodes. */
  readonly #byOwner = new Map<string, Map<NodeInfo, number>>();
  readonly #namespaces: (name: string) => Labels | undefined;
  readonly #serviceSelectors: (namespace: string) => Iterable<Labels>;
  podsWithAffinity = 0;
  podsWithRequiredAntiAffinity = 0;

  constructor(options: ClusterStateOptions = {}) {
    this.#namespaces = options.namespaceLabels ?? (() => undefined);
    this.#serviceSelectors = options.serviceSelectors ?? (() => []);
  }

  get nodes(): readonly NodeInfo[] {
    return this.#nodes;
  }

  node(name: string): NodeInfo | undefined {
    return this.#infos.get(name);
  }

  namespaceLabels(name: string): Labels | undefined {
    return this.#namespaces(name);
  }

  serviceLabels(namespace: string, labels: Labels): Labels {
    const selecting: Labels = {};
    for (const selector of this.#serviceSelectors(namespace)) {
      const entries = Object.entries(selector);
      if (entries.length > 0 && entries.every(([key, value]) => labels[key] === value)) {
        Object.assign(selecting, selector);
      }
    }
    return selecting;
  }

  ofOwner(uid: string): ReadonlyMap<NodeInfo, number> {
    return this.#byOwner.get(uid) ?? noPods;
  }

  anyBelow(priority: number): boolean {
    for (const known of this.#byPriority.keys()) if (known < priority) return true;
    return false;
  }

  claimUsers(key: string): number {
    return this.#byClaim.get(key) ?? 0;
  }

  setNode(node: Node): void {
    const info = this.#infoOf(node.metadata.name);
    const isNew = info.node === undefined;
    info.setNode(node);
    if (isNew) info.slot = this.#nodes.push(info) - 1;
  }

  removeNode(name: string): void {
    const info = this.#infos.get(name);
    if (info === undefined) return;
    info.setNode(undefined);
    this.#nodes = this.#nodes.filter((other) => other !== info);
    for (const [slot, other] of this.#nodes.entries()) other.slot = slot;
    this.#drop(info);
  }

  /** Takes the informer's state of a pod that has a node. A finished pod holds no resources. */
  setPod(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    const { nodeName } = pod.spec ?? {};
    if (!nodeName) return;
    this.#assumed.delete(uid);
    if (isTerminal(pod)) return this.removePod(uid);
    this.#place(podInfo(pod), nodeName);
  }

  removePod(uid: string): void {
    this.#assumed.delete(uid);
    this.#unplace(uid);
  }

  /** Counts the pod as placed until the informer confirms it, or `forget` is called. */
  assume(info: PodInfo, nodeName: string): void {
    this.#place(info, nodeName);
    this.#assumed.add(info.uid);
  }

  /** Removes an assumed pod whose binding failed. A pod that the informer has confirmed meanwhile stays. */
  forget(uid: string): void {
    if (this.#assumed.delete(uid)) this.#unplace(uid);
  }

  /** The PodInfo of a placed pod. */
  podInfo(uid: string): PodInfo | undefined {
    return this.#infos.get(this.#placed.get(uid) ?? "")?.pods.get(uid);
  }

  isPlaced(uid: string): boolean {
    return this.#placed.has(uid);
  }

  /** True if the pod is placed and the informer has confirmed it. */
  isConfirmed(uid: string): boolean {
    return this.#placed.has(uid) && !this.#assumed.has(uid);
  }

  #place(info: PodInfo, nodeName: string): void {
    this.#unplace(info.uid);
    const node = this.#infoOf(nodeName);
    node.add(info);
    this.#placed.set(info.uid, nodeName);
    this.#count(info, node, 1);
  }

  #unplace(uid: string): void {
    const nodeName = this.#placed.get(uid);
    if (nodeName === undefined) return;
    this.#placed.delete(uid);
    const node = this.#infoOf(nodeName);
    const info = node.remove(uid);
    if (info !== undefined) this.#count(info, node, -1);
    this.#drop(node);
  }

  #count({ affinities, priority, claims, owner, isDeleting }: PodInfo, node: NodeInfo, by: 1 | -1): void {
    change(this.#byPriority, priority, by);
    if (owner !== undefined && !isDeleting) this.#countSibling(owner, node, by);
    for (const { key } of claims) change(this.#byClaim, key, by);
    if (affinities === undefined) return;
    this.podsWithAffinity += by;
    if (affinities.requiredAnti.length > 0) this.podsWithRequiredAntiAffinity += by;
  }

  #countSibling(owner: string, node: NodeInfo, by: 1 | -1): void {
    const nodes = this.#byOwner.get(owner) ?? new Map<NodeInfo, number>();
    change(nodes, node, by);
    if (nodes.size > 0) this.#byOwner.set(owner, nodes);
    else this.#byOwner.delete(owner);
  }

  #infoOf(name: string): NodeInfo {
    const known = this.#infos.get(name);
    if (known !== undefined) return known;
    const info = new NodeInfo(name, this.#versions);
    this.#infos.set(name, info);
    return info;
  }

  #drop(info: NodeInfo): void {
    if (info.node === undefined && info.pods.size === 0) this.#infos.delete(info.name);
  }
}

const noPods: ReadonlyMap<NodeInfo, number> = new Map();

/** Changes a count; a count of zero is absent. */
function change<K>(counts: Map<K, number>, key: K, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}
