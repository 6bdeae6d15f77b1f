/** A node with its pods and their sums, updated pod by pod. */
import type { Labels, Node, Taint } from "../../api/index.js";
import type { HostPort, PodInfo } from "./pod-info.js";
import { type PlainAmounts, plainAmountsOf, minus, noAmounts, plus, podLimitOf } from "./resources.js";
import { emptyMap } from "../../base/members.js";

/**
 * Invariants:
 * 1. `requested`, `requestedForScore`, `withAffinity` and `withRequiredAntiAffinity` are sums and subsets of `pods`.
 * 2. A node without an object has only pods that came before it or outlived it. It is never chosen.
 * 3. `version` changes with everything that filters and scores can read of the node.
 */
export class NodeInfo {
  readonly name: string;
  readonly pods: Map<string, PodInfo> = new Map();
  #withAffinity: Set<PodInfo> | undefined;
  #withRequiredAntiAffinity: Set<PodInfo> | undefined;
  #node: Node | undefined;
  /** Inherits nothing: pods ask for labels by any name. */
  #labels: Labels = emptyMap<string>();
  #allocatable: PlainAmounts = noAmounts;
  #podLimit = 0;
  #unschedulable = false;
  #taints: readonly Taint[] = noTaints;
  #images: ReadonlyMap<string, number> = noImages;
  #requested: PlainAmounts = noAmounts;
  #requestedForScore: PlainAmounts = noAmounts;
  readonly #versions: Versions;
  #slot = noSlot;
  #version = 0;

  constructor(name: string, versions: Versions = { last: 0 }) {
    this.name = name;
    this.#versions = versions;
  }

  /** The node's place among the nodes of its cluster, by which facts about all nodes stand in columns. */
  get slot(): number {
    return this.#slot;
  }

  /** Grows with every change, and is never that of another node of the same cluster. */
  get version(): number {
    return this.#version;
  }

  set slot(slot: number) {
    this.#slot = slot;
  }

  get withAffinity(): ReadonlySet<PodInfo> {
    return this.#withAffinity ?? noPods;
  }

  get withRequiredAntiAffinity(): ReadonlySet<PodInfo> {
    return this.#withRequiredAntiAffinity ?? noPods;
  }

  get node(): Node | undefined {
    return this.#node;
  }

  get labels(): Labels {
    return this.#labels;
  }

  get allocatable(): PlainAmounts {
    return this.#allocatable;
  }

  get podLimit(): number {
    return this.#podLimit;
  }

  /** Whether the node is cordoned. */
  get unschedulable(): boolean {
    return this.#unschedulable;
  }

  get taints(): readonly Taint[] {
    return this.#taints;
  }

  /** The sizes in bytes of the node's images, by each of their names. */
  get images(): ReadonlyMap<string, number> {
    return this.#images;
  }

  get requested(): PlainAmounts {
    return this.#requested;
  }

  get requestedForScore(): PlainAmounts {
    return this.#requestedForScore;
  }

  /** Reads the facts that filters and scores ask for, because they ask hundreds of nodes for each pod. */
  setNode(node: Node | undefined): void {
    this.#node = node;
    this.#changed();
    const { unschedulable = false, taints = noTaints } = node?.spec ?? {};
    this.#unschedulable = unschedulable;
    this.#taints = taints;
    this.#labels = Object.assign(emptyMap<string>(), node?.metadata.labels);
    this.#allocatable = plainAmountsOf(node?.status?.allocatable);
    this.#podLimit = podLimitOf(node?.status?.allocatable);
    const images = node?.status?.images ?? [];
    this.#images =
      images.length === 0
        ? noImages
        : new Map(images.flatMap(({ names = [], sizeBytes = 0 }) => names.map((name) => [name, sizeBytes] as const)));
  }

  add(info: PodInfo): void {
    this.remove(info.uid);
    this.#changed();
    this.pods.set(info.uid, info);
    this.#requested = plus(this.#requested, info.requests);
    this.#requestedForScore = plus(this.#requestedForScore, info.requestsForScore);
    if (info.affinities === undefined) return;
    (this.#withAffinity ??= new Set()).add(info);
    if (info.affinities.requiredAnti.length > 0) (this.#withRequiredAntiAffinity ??= new Set()).add(info);
  }

  remove(uid: string): PodInfo | undefined {
    const info = this.pods.get(uid);
    if (info === undefined) return undefined;
    this.#changed();
    this.pods.delete(uid);
    this.#requested = minus(this.#requested, info.requests);
    this.#requestedForScore = minus(this.#requestedForScore, info.requestsForScore);
    this.#withAffinity?.delete(info);
    this.#withRequiredAntiAffinity?.delete(info);
    return info;
  }

  /** A copy with the same pods, on which preemption tries removals. */
  copy(): NodeInfo {
    const copy = new NodeInfo(this.name);
    copy.setNode(this.#node);
    for (const info of this.pods.values()) copy.add(info);
    return copy;
  }

  #changed(): void {
    this.#version = ++this.#versions.last;
  }

  /** Whether a pod here holds one of these ports; the address 0.0.0.0 collides with all. */
  hasPortOf(wanted: readonly HostPort[]): boolean {
    for (const { hostPorts } of this.pods.values()) {
      for (const held of hostPorts) if (wanted.some((port) => collide(held, port))) return true;
    }
    return false;
  }
}

/** The last version that a node of a cluster was given. */
export interface Versions {
  last: number;
}

/** The slot of a node that is in no cluster. */
const noSlot = -1;
const noTaints: readonly Taint[] = [];
/** Most nodes have no pods with affinities. */
const noPods: ReadonlySet<PodInfo> = new Set();
const noImages: ReadonlyMap<string, number> = new Map();
const everywhere = "0.0.0.0";

export const collide = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === everywhere || b.ip === everywhere);
