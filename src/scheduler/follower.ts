/** Keeps the scheduler's state and its queue of pods in step with the informers of nodes, pods and devices. */
import { metaNamespaceKey, Node, Pod } from "../api/index.js";
import type { HandlerRegistration, SharedInformerFactory } from "../informer/index.js";
import { podsOfDeviceClaim } from "../placement/device-claims.js";
import { isTerminal } from "../placement/pod-phase.js";
import type { ClusterEvent } from "./filters/filter.js";
import { assignedPodChanged, nodeChanged, waitingPodChanged } from "./node-changes.js";
import type { SchedulingQueue } from "./queue.js";
import type { ClusterState } from "./state/cluster-state.js";
import { type PodInfo, podInfo } from "./state/pod-info.js";
import type { Promises } from "./state/promises.js";
import type { VolumeBinder } from "./volumes/volume-binder.js";

export interface FollowerOptions {
  readonly informers: SharedInformerFactory;
  readonly state: ClusterState;
  readonly queue: SchedulingQueue;
  readonly promises: Promises;
  readonly volumes: VolumeBinder | undefined;
  /** Whether a pod asks for this scheduler. */
  isOurs(pod: Pod): boolean;
}

export class Follower {
  readonly #informers: SharedInformerFactory;
  readonly #state: ClusterState;
  readonly #queue: SchedulingQueue;
  readonly #promises: Promises;
  readonly #volumes: VolumeBinder | undefined;
  readonly #isOurs: (pod: Pod) => boolean;

  constructor({ informers, state, queue, promises, volumes, isOurs }: FollowerOptions) {
    this.#informers = informers;
    this.#state = state;
    this.#queue = queue;
    this.#promises = promises;
    this.#volumes = volumes;
    this.#isOurs = isOurs;
  }

  follow(): readonly HandlerRegistration[] {
    return [this.#followNodes(), this.#followPods()];
  }

  #followNodes(): HandlerRegistration {
    return this.#informers.informer(Node).addEventHandler((change) => {
      const { type, object: node } = change;
      if (type === "resync") return;
      if (type === "deleted") {
        this.#state.removeNode(node.metadata.name);
        return this.#queue.onEvent({ type: "node-removed", node });
      }
      this.#state.setNode(node);
      if (type === "added") this.#queue.onEvent({ type: "node-set", node });
      else if (nodeChanged(change.previous, node))
        this.#queue.onEvent({ type: "node-set", node, previous: change.previous });
    });
  }

  #followPods(): HandlerRegistration {
    return this.#informers.informer(Pod).addEventHandler((change) => {
      const { type, object: pod } = change;
      if (type === "deleted") return this.#onPodGone(pod);
      if (type === "added") return this.#onPod(undefined, pod);
      if (type === "resync") return;
      const isSame = change.previous.metadata.uid === pod.metadata.uid;
      if (!isSame) this.#onPodGone(change.previous);
      this.#onPod(isSame ? change.previous : undefined, pod);
    });
  }

  /** Takes a change of a claim, a slice or a class of devices. */
  onDevices(event: ClusterEvent): void {
    this.#queue.onEvent(event);
    if (event.type !== "device-claim-changed") return;
    const waiting = podsOfDeviceClaim(this.#informers.informer(Pod).indexer, metaNamespaceKey(event.claim));
    for (const { metadata } of waiting) this.#queue.reconsider(metadata.uid ?? "");
  }

  #onPod(previous: Pod | undefined, pod: Pod): void {
    if (pod.spec?.nodeName) return this.#onAssigned(previous, pod);
    const { uid = "" } = pod.metadata;
    if (isTerminal(pod) || !this.#isOurs(pod)) return this.#onPodGone(pod);
    if (this.#state.isPlaced(uid)) return;
    const info = podInfo(pod);
    const isWithdrawn = this.#keepPromise(previous, info);
    const matters = previous === undefined || isWithdrawn || waitingPodChanged(previous, pod);
    // a pod that the loop holds returns to the queue by itself
    if (previous === undefined || matters || this.#queue.has(uid)) this.#queue.set(info, { matters });
  }

  #onAssigned(previous: Pod | undefined, pod: Pod): void {
    const { uid = "" } = pod.metadata;
    this.#queue.remove(uid);
    this.#promises.remove(uid);
    if (isTerminal(pod)) return this.#onPodGone(pod);
    if (previous?.spec?.nodeName && this.#state.isConfirmed(uid) && !assignedPodChanged(previous, pod)) return;
    const before = this.#state.podInfo(uid);
    this.#state.setPod(pod);
    const now = this.#state.podInfo(uid);
    if (now === undefined) return;
    if (!previous?.spec?.nodeName || before === undefined) this.#queue.onEvent({ type: "pod-added", pod: now });
    else this.#queue.onEvent({ type: "pod-changed", pod: now, previous: before });
  }

  /** Keeps the nomination that a pod's status names, also after a restart. True if somebody has withdrawn it. */
  #keepPromise(previous: Pod | undefined, info: PodInfo): boolean {
    const known = this.#promises.of(info.uid);
    const said = info.pod.status?.nominatedNodeName;
    // our own nomination may not have been written yet
    const node = said || (previous?.status?.nominatedNodeName ? undefined : known);
    if (node !== undefined) this.#promises.set(info, node);
    else if (known !== undefined) return this.#promises.remove(info.uid);
    return false;
  }

  #onPodGone(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    this.#queue.remove(uid);
    const wasPromised = this.#promises.remove(uid);
    const info = this.#state.podInfo(uid);
    if (info !== undefined && info.claims.length > 0) this.#volumes?.wake();
    this.#state.removePod(uid);
    if (info !== undefined) this.#queue.onEvent({ type: "pod-removed", pod: info });
    else if (wasPromised) this.#queue.onEvent({ type: "pod-removed", pod: podInfo(pod) });
  }
}
