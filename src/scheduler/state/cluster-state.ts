/** The scheduler's picture of the cluster: nodes with their pods, and pods it has placed but not yet seen bound. Changed event by event. */
import type { Labels, Node, Pod } from "../../api/index.js";
import { NodeInfo } from "./node-info.js";
import { type PodInfo, podInfo } from "./pod-info.js";

/** What filters and scores may see. */
export interface ClusterView {
  /** Nodes that exist, in a stable order. */
  readonly nodes: readonly NodeInfo[];
  node(name: string): NodeInfo | undefined;
  namespaceLabels(name: string): Labels | undefined;
  /** What the services that select a pod with these labels select by, together. */
  serviceLabels(namespace: string, labels: Labels): Labels;
  /** Whether any pod on any node has a lower priority. */
  anyBelow(priority: number): boolean;
  /** Of all nodes together: lets filters skip what concerns nobody. */
  readonly podsWithAffinity: number;
  readonly podsWithRequiredAntiAffinity: number;
}

/** Both default to none. */
export interface ClusterStateOptions {
  readonly namespaceLabels?: (name: string) => Labels | undefined;
  /** What each of a namespace's services selects by. */
  readonly serviceSelectors?: (namespace: string) => Iterable<Labels>;
}

/**
 * 1. A pod is on at most one node, `#placed` says which.   2. An assumed pod is placed.
 * 3. `nodes` are those with an object.
 */
export class ClusterState implements ClusterView {
  readonly #infos = new Map<string, NodeInfo>();
  #nodes: NodeInfo[] = [];
  readonly #placed = new Map<string, string>();
  readonly #assumed = new Set<string>();
  /** How many placed pods there are of each priority: few are in use. */
  readonly #byPriority = new Map<number, number>();
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

  get assumed(): number {
    return this.#assumed.size;
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

  anyBelow(priority: number): boolean {
    for (const known of this.#byPriority.keys()) if (known < priority) return true;
    return false;
  }

  setNode(node: Node): void {
    const info = this.#infoOf(node.metadata.name);
    const isNew = info.node === undefined;
    info.setNode(node);
    if (isNew) this.#nodes.push(info);
  }

  removeNode(name: string): void {
    const info = this.#infos.get(name);
    if (info === undefined) return;
    info.setNode(undefined);
    this.#nodes = this.#nodes.filter((other) => other !== info);
    this.#drop(info);
  }

  /** What the informer says of a pod that has a node. One that has ended holds nothing any more. */
  setPod(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    const { nodeName } = pod.spec ?? {};
    const { phase } = pod.status ?? {};
    if (!nodeName) return;
    this.#assumed.delete(uid);
    if (phase === "Succeeded" || phase === "Failed") return this.removePod(uid);
    this.#place(podInfo(pod), nodeName);
  }

  removePod(uid: string): void {
    this.#assumed.delete(uid);
    this.#unplace(uid);
  }

  /** Counts the pod as being on the node until the informer confirms it, or it is forgotten. */
  assume(info: PodInfo, nodeName: string): void {
    this.#place(info, nodeName);
    this.#assumed.add(info.uid);
  }

  /** The binding failed. A pod that the informer has confirmed meanwhile stays. */
  forget(uid: string): void {
    if (this.#assumed.delete(uid)) this.#unplace(uid);
  }

  /** Of a pod that is placed. */
  podInfo(uid: string): PodInfo | undefined {
    return this.#infos.get(this.#placed.get(uid) ?? "")?.pods.get(uid);
  }

  isPlaced(uid: string): boolean {
    return this.#placed.has(uid);
  }

  /** Placed, and the informer has said so. */
  isConfirmed(uid: string): boolean {
    return this.#placed.has(uid) && !this.#assumed.has(uid);
  }

  #place(info: PodInfo, nodeName: string): void {
    this.#unplace(info.uid);
    this.#infoOf(nodeName).add(info);
    this.#placed.set(info.uid, nodeName);
    this.#count(info, 1);
  }

  #unplace(uid: string): void {
    const nodeName = this.#placed.get(uid);
    if (nodeName === undefined) return;
    this.#placed.delete(uid);
    const node = this.#infoOf(nodeName);
    const info = node.remove(uid);
    if (info !== undefined) this.#count(info, -1);
    this.#drop(node);
  }

  #count({ affinities, priority }: PodInfo, by: 1 | -1): void {
    const same = (this.#byPriority.get(priority) ?? 0) + by;
    if (same > 0) this.#byPriority.set(priority, same);
    else this.#byPriority.delete(priority);
    if (affinities === undefined) return;
    this.podsWithAffinity += by;
    if (affinities.requiredAnti.length > 0) this.podsWithRequiredAntiAffinity += by;
  }

  #infoOf(name: string): NodeInfo {
    const known = this.#infos.get(name);
    if (known !== undefined) return known;
    const info = new NodeInfo(name);
    this.#infos.set(name, info);
    return info;
  }

  #drop(info: NodeInfo): void {
    if (info.node === undefined && info.pods.size === 0) this.#infos.delete(info.name);
  }
}
