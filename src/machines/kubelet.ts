/**
 * Plays the kubelets of all simulated nodes: takes the pods bound to them from the informer, advances their lives, and
 * writes their statuses as a kubelet would. All due times wait in one queue, on one timer.
 */
import {
  compareRevisions,
  type Container,
  deepEqual,
  findCondition,
  formatTime,
  isDeleting,
  isNotFound,
  metaNamespaceKey,
  type Node,
  type ObjectReference,
  Pod,
} from "../api/index.js";
import { defined } from "../base/defined.js";
import { isTerminal } from "../placement/pod-phase.js";
import { podKeysOnNode } from "../placement/pods-by-node.js";
import { PodAddresses } from "./addresses.js";
import { NodeAdmission, type Rejection } from "./admission.js";
import type { NodeContext } from "./context.js";
import { hostAddress } from "./node-object.js";
import { isPoweredOn, isSimulated } from "../placement/simulated-machines.js";
import { NodeVolumes } from "./node-volumes.js";
import { annotationProblems, type Behaviour, behaviourOf } from "./pod/behaviour.js";
import { advance, type Happening, type PodLife } from "./pod/life.js";
import { statusPatch } from "./pod/patch.js";
import { recover } from "./pod/recover.js";
import { resizeHappenings, type Resize, type ResizeCircumstances, resizeOf, restartResized } from "./pod/resize.js";
import { setBack } from "./pod/set-back.js";
import { podStatusOf } from "./pod/status.js";
import { NodeWork } from "./work.js";

/** Smaller differences are how a clock is kept right. */
const leastSetBackMs = 1_000;

/** A pod that is played. `written` is the result of our last write: newer than the cache until the cache has caught up. */
/** Fields are unset by undefined: the engine would keep an object with a deleted field as a dictionary, of 450 bytes. */
interface Played {
  readonly uid: string;
  readonly node: string;
  life: PodLife;
  /** The wall clock less the monotonic one when the pod was last looked at. */
  clockOffset: number;
  written: Pod | undefined;
  /** The generation of the pod whose resources are in effect: the events about them are told. */
  resized: number | undefined;
  /** Everything is written for this revision of the pod, and nothing is due before `dueAt`. */
  settled: { readonly revision: string | undefined; readonly dueAt: number } | undefined;
}

export interface KubeletOptions {
  /** The number of pods that may be written at the same time. */
  readonly workers: number;
  /** Called when a node has begun or ceased to use a volume. */
  onVolumes(node: string): void;
}

/**
 * Invariants:
 * 1. A pod is played if and only if it is in `#played` under its key, with its uid.
 * 2. Every played pod without hostNetwork holds an address of its node.
 */
export class Kubelet {
  readonly #context: NodeContext;
  readonly #options: KubeletOptions;
  readonly #volumes: NodeVolumes;
  readonly #work: NodeWork;
  readonly #played = new Map<string, Played>();
  readonly #addresses = new Map<string, PodAddresses>();
  /** The keys of pods whose resize waits for room, each with its node. */
  readonly #deferred = new Map<string, string>();
  readonly #admission = new NodeAdmission((pod) => {
    const known = this.#latest(metaNamespaceKey(pod));
    return known !== undefined && known.metadata.uid === pod.metadata.uid && !isTerminal(known);
  });

  constructor(context: NodeContext, options: KubeletOptions) {
    this.#context = context;
    this.#options = options;
    this.#volumes = new NodeVolumes(context.client);
    this.#work = new NodeWork(context, { name: "simulated_pods", part: "kubelet", baseMs: 50, maxMs: 30_000 });
  }

  /** The number of pods that are being played. */
  /** The volumes that pods use on a node. */
  volumesInUse(node: string): readonly string[] {
    return this.#volumes.inUse(node);
  }

  readonly onPod = (pod: Pod): void => {
    if (!pod.spec?.nodeName) return;
    const key = metaNamespaceKey(pod);
    const played = this.#played.get(key);
    if (played?.settled === undefined || played.settled.revision !== pod.metadata.resourceVersion) {
      return this.#work.queue.add(key);
    }
    // the event of our own write: the cache has caught up, and later work is already queued
    played.written = undefined;
  };

  readonly onPodGone = (key: string): void => this.#work.queue.add(key);

  /** Called when a node was created or powered on, or has another volume: its pods go on. */
  readonly onNode = ({ metadata }: Node): void => {
    for (const key of podKeysOnNode(this.#context.pods, metadata.name)) this.#work.queue.add(key);
  };

  run(signal: AbortSignal): Promise<void> {
    return this.#work.run((key, ending) => this.#sync(key, ending), { workers: this.#options.workers, signal });
  }

  async #sync(key: string, signal: AbortSignal): Promise<void> {
    const pod = this.#latest(key);
    if (pod === undefined) return this.#forget(key);
    const node = this.#context.nodes.get(pod.spec?.nodeName ?? "");
    if (node === undefined || !isSimulated(node) || !isPoweredOn(node)) return;
    try {
      await this.#play(key, { pod, node, signal });
    } catch (error) {
      // the pod is gone: the cache will tell
      if (!isNotFound(error)) throw error;
    }
  }

  async #play(
    key: string,
    { pod, node, signal }: { readonly pod: Pod; readonly node: Node; readonly signal: AbortSignal },
  ): Promise<void> {
    const deleting = isDeleting(pod);
    if (isTerminal(pod)) {
      this.#releaseVolumes(node.metadata.name, pod.metadata.uid);
      this.#retryDeferred(node.metadata.name);
      if (deleting) await this.#remove(pod, signal);
      else await this.#mendTerminal(pod, signal);
      return;
    }
    const rejection = this.#admission.take(pod, node);
    if (rejection !== undefined) return this.#reject(pod, rejection, signal);
    const { clock, speed, client } = this.#context;
    const now = clock.now();
    const played = this.#playedFor(key, pod, now);
    this.#followClock(played, now);
    const { settled } = played;
    if (settled !== undefined && settled.revision === pod.metadata.resourceVersion && now < settled.dueAt) {
      // usually the event of our own write
      return this.#wakeAt(key, settled.dueAt, now);
    }
    const behaviours = this.#behavioursOf(pod);
    const waits = !deleting && !(await this.#hasVolumes(pod, node, signal));
    const resize = this.#resize(key, node, { pod, now, behaviourOf: behaviours });
    const { life, happenings, ...step } = waits
      ? unchanged(played.life)
      : advance(played.life, { pod, now, speed, behaviourOf: behaviours });
    const dueAt = resize.type === "inProgress" ? Math.min(step.dueAt, resize.until) : step.dueAt;
    played.life = life;
    this.#tell(pod, happenings);
    this.#wakeAt(key, dueAt, now);
    const hostIP = hostAddress(node);
    const podIP = pod.spec?.hostNetwork ? hostIP : this.#addressesOf(node).take(played.uid, pod.status?.podIP);
    const wanted = podStatusOf({ pod, life, now, hostIP, podIP, behaviourOf: behaviours, resize });
    const patch = statusPatch(pod, wanted);
    if (patch === undefined) {
      if (!waits) played.settled = { revision: pod.metadata.resourceVersion, dueAt };
      return;
    }
    const written = await client.resource(Pod).status.patch(pod.metadata, { strategic: patch }, { signal });
    played.written = written;
    // a condition that another client wrote meanwhile keeps its reason, which is not ours
    const isDone = !waits && isWhatWeSaw(pod, written) && statusPatch(written, wanted) === undefined;
    if (isDone) played.settled = { revision: written.metadata.resourceVersion, dueAt };
    if (deleting && isTerminal(written)) await this.#remove(written, signal);
  }

  /** A clock that was set back must not make a container run, or wait, for that much longer. */
  #followClock(played: Played, now: number): void {
    const offset = now - this.#context.clock.monotonic();
    const byMs = played.clockOffset - offset;
    played.clockOffset = offset;
    if (byMs < leastSetBackMs) return;
    played.life = setBack(played.life, byMs);
    played.settled = undefined;
  }

  /** False while a volume is not attached yet; the change of the node wakes the pod again. */
  #hasVolumes(pod: Pod, node: Node, signal: AbortSignal): Promise<boolean> {
    const { name } = node.metadata;
    return this.#volumes.areReady(pod, node, { signal, onUse: () => this.#options.onVolumes(name) });
  }

  #releaseVolumes(node: string, uid = ""): void {
    if (this.#volumes.release(node, uid)) this.#options.onVolumes(node);
  }

  /** A scheduler whose cache is behind may have said that a pod has no place: the node that has run it knows better. */
  async #mendTerminal(pod: Pod, signal: AbortSignal): Promise<void> {
    const scheduled = findCondition(pod.status?.conditions, "PodScheduled");
    if (scheduled === undefined) return;
    const { reason, message, ...rest } = scheduled;
    const isTrue = scheduled.status === "True";
    // the reason stays if the scheduler wrote between the kubelet's look at the pod and its report
    if (isTrue && !reason && !message) return;
    const { clock, client } = this.#context;
    const changed = isTrue ? {} : { status: "True" as const, lastTransitionTime: formatTime(clock.now()) };
    const condition = { ...rest, ...changed };
    const patch = statusPatch(pod, { conditions: [condition] });
    if (patch !== undefined) await client.resource(Pod).status.patch(pod.metadata, { strategic: patch }, { signal });
  }

  #wakeAt(key: string, dueAt: number, now: number): void {
    if (dueAt !== Number.POSITIVE_INFINITY) this.#work.queue.addAfter(key, Math.max(1, dueAt - now));
  }

  async #reject(pod: Pod, { reason, message }: Rejection, signal: AbortSignal): Promise<void> {
    this.#context.recorder.warning(pod, reason, message);
    const { generation: observedGeneration } = pod.metadata;
    const status = { phase: "Failed", reason, message: `Pod was rejected: ${message}`, observedGeneration };
    const patch = { metadata: { uid: pod.metadata.uid }, status };
    await this.#context.client.resource(Pod).status.patch(pod.metadata, { strategic: patch }, { signal });
  }

  /** Grants a resized pod its present requests, and lets it have them; or remembers that it has to wait for room. */
  #resize(key: string, node: Node, circumstances: ResizeCircumstances): Resize {
    const { pod } = circumstances;
    const { name } = node.metadata;
    const pending = this.#admission.resize(pod, node);
    const resize = resizeOf({ pending, ...circumstances });
    if (pending?.reason === "Deferred") this.#deferred.set(key, name);
    else this.#deferred.delete(key);
    const played = this.#played.get(key);
    if (resize.type === "none" || played === undefined || played.resized === pod.metadata.generation) return resize;
    this.#tell(pod, resizeHappenings(pod, resize));
    if (resize.type !== "done") return resize;
    const { life, happenings } = restartResized(played.life, circumstances);
    played.life = life;
    played.resized = pod.metadata.generation ?? 0;
    this.#tell(pod, happenings);
    this.#retryDeferred(name);
    return resize;
  }

  /** Room may have become free. */
  #retryDeferred(node: string): void {
    for (const [key, place] of this.#deferred) {
      if (place !== node) continue;
      const played = this.#played.get(key);
      if (played !== undefined) played.settled = undefined;
      this.#work.queue.add(key);
    }
  }

  /** If finalizers keep the object, a second deletion has no effect, so none is sent. */
  async #remove(pod: Pod, signal: AbortSignal): Promise<void> {
    const { uid, deletionGracePeriodSeconds, finalizers = [] } = pod.metadata;
    if (deletionGracePeriodSeconds === 0 && finalizers.length > 0) return;
    const preconditions = defined({ uid });
    await this.#context.client.resource(Pod).delete(pod.metadata, { gracePeriodSeconds: 0, preconditions, signal });
  }

  /** The newest known state: the cache's, or our own last write. */
  #latest(key: string): Pod | undefined {
    const cached = this.#context.pods.get(key);
    const played = this.#played.get(key);
    if (cached === undefined || played?.written === undefined) return cached;
    const { written } = played;
    if (written.metadata.uid !== cached.metadata.uid) return cached;
    const [ours = "", theirs = ""] = [written.metadata.resourceVersion, cached.metadata.resourceVersion];
    if (compareRevisions(ours, theirs) > 0) return written;
    // the cache has caught up, so the copy can go
    played.written = undefined;
    return cached;
  }

  #playedFor(key: string, pod: Pod, now: number): Played {
    const { uid = "" } = pod.metadata;
    const known = this.#played.get(key);
    if (known?.uid === uid) return known;
    if (known !== undefined) this.#forget(key);
    const clockOffset = now - this.#context.clock.monotonic();
    const node = pod.spec?.nodeName ?? "";
    const nothingYet = { written: undefined, resized: undefined, settled: undefined };
    const played: Played = { uid, node, life: recover(pod, now), clockOffset, ...nothingYet };
    this.#played.set(key, played);
    for (const problem of annotationProblems(pod)) this.#context.recorder.warning(pod, "BadAnnotation", problem);
    return played;
  }

  #forget(key: string): void {
    const played = this.#played.get(key);
    if (played === undefined) return;
    this.#played.delete(key);
    this.#deferred.delete(key);
    this.#addresses.get(played.node)?.release(played.uid);
    this.#admission.release(played.node, played.uid);
    this.#releaseVolumes(played.node, played.uid);
    this.#retryDeferred(played.node);
  }

  /** Memoises behaviours, so that annotations are read once for each call of `advance`. */
  #behavioursOf(pod: Pod): (container: Container) => Behaviour {
    const { rules, speed, followCommands } = this.#context;
    const known = new Map<Container, Behaviour>();
    return (container) => {
      const behaviour = known.get(container) ?? behaviourOf(pod, container, { rules, speed, followCommands });
      known.set(container, behaviour);
      return behaviour;
    };
  }

  #addressesOf(node: Node): PodAddresses {
    const { name } = node.metadata;
    const known = this.#addresses.get(name);
    if (known !== undefined) return known;
    const addresses = new PodAddresses(node.spec?.podCIDR);
    this.#addresses.set(name, addresses);
    return addresses;
  }

  #tell(pod: Pod, happenings: readonly Happening[]): void {
    const { recorder } = this.#context;
    let [about, whose]: [Pod | ObjectReference, Container | undefined] = [pod, undefined];
    for (const { type, reason, message, container, isInit } of happenings) {
      // events in a row are about one container, and wait for long: they share the reference to it
      if (container !== whose) about = container === undefined ? pod : referenceToPart(pod, container, isInit);
      whose = container;
      if (type === "Normal") recorder.normal(about, reason, message);
      else recorder.warning(about, reason, message);
    }
  }
}

function referenceToPart(pod: Pod, container: Container, isInit?: boolean): ObjectReference {
  const { apiVersion, kind } = pod;
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  const fieldPath = `spec.${isInit ? "initContainers" : "containers"}{${container.name}}`;
  return defined({ kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath });
}

const unchanged = (life: PodLife) => ({ life, dueAt: Number.POSITIVE_INFINITY, happenings: [] });

/**
 * Whether the pod that our write met is the one that we knew. If another client has deleted, changed or annotated it
 * meanwhile, it must be handled again.
 */
const isWhatWeSaw = ({ metadata: seen, spec }: Pod, { metadata: met }: Pod): boolean =>
  seen.deletionTimestamp === met.deletionTimestamp &&
  seen.generation === met.generation &&
  deepEqual(seen.annotations, met.annotations) &&
  deepEqual(seen.labels, met.labels) &&
  // the conditions of readiness gates are written by others
  (spec?.readinessGates ?? []).length === 0;
