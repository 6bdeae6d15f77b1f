/** The scheduler: follows the cluster by informers, takes pods from its queue one by one, and binds them. */
import {
  isConflict,
  isNotFound,
  type KubeObject,
  metaNamespaceKey,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  Service,
} from "../api/index.js";
import { defined } from "../base/defined.js";
import {
  type Clock,
  cooperative,
  type Logger,
  messageOf,
  MetricsRegistry,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from "../base/index.js";
import type { Client } from "../client/index.js";
import { EventBroadcaster, eventsV1Sink, seriesCorrelation } from "../controller/index.js";
import {
  type HandlerRegistration,
  namespaceIndex,
  type ReadonlyStore,
  SharedInformerFactory,
} from "../informer/index.js";
import { indexByDeviceClaim, podsOfDeviceClaim } from "../placement/device-claims.js";
import { isTerminal } from "../placement/pod-phase.js";
import { choose, type Decision, type PlacementFailure } from "./choose.js";
import { DeviceClaims, type DeviceReservation } from "./devices/device-claims.js";
import { deviceFilter, deviceScore, hasDeviceClaims, notOnNode } from "./devices/device-filter.js";
import { type Deallocation, failureMessage } from "./failure-message.js";
import { type ClusterEvent, type Filter, FilterError } from "./filters/filter.js";
import { filtersWith } from "./filters/index.js";
import { assignedPodChanged, nodeChanged, waitingPodChanged } from "./node-changes.js";
import type { SchedulerOptions } from "./options.js";
import { type Candidate, preempt } from "./preemption.js";
import { type QueuedPod, SchedulingQueue } from "./queue.js";
import { type SchedulerMetrics, schedulerMetrics } from "./scheduler-metrics.js";
import { defaultScores } from "./scores/index.js";
import type { Score } from "./scores/score.js";
import { ClusterState } from "./state/cluster-state.js";
import { type PodInfo, podInfo } from "./state/pod-info.js";
import { Promises } from "./state/promises.js";
import { VolumeBinder } from "./volumes/volume-binder.js";
import { volumeFilters } from "./volumes/index.js";
import { SchedulerWrites } from "./writes.js";

/** The number of writes that may be under way, those that wait for volumes aside. */
const maxWrites = 64;

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #client: Client;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #state: ClusterState;
  readonly #queue: SchedulingQueue;
  readonly informers: SharedInformerFactory;
  readonly #events: EventBroadcaster;
  readonly #acts: SchedulerWrites;
  readonly #volumes: VolumeBinder | undefined;
  readonly #devices: DeviceClaims | undefined;
  readonly #filters: readonly Filter[];
  readonly #scores: readonly Score[];
  readonly #promises = new Promises();
  readonly #budgets: ReadonlyStore<PodDisruptionBudget>;
  readonly #metrics: SchedulerMetrics;
  /** Writes under way; the loop waits while there are too many. */
  readonly #writes = new Set<Promise<void>>();
  /** Bindings that wait for volumes, possibly for long; the loop does not wait for them. */
  readonly #waits = new Set<Promise<void>>();
  #wake: () => void = () => {};
  #startAt = 0;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { client, clock = systemClock, random = systemRandom, log = silentLogger } = options;
    const metrics = options.metrics ?? new MetricsRegistry();
    this.#client = client;
    this.#name = options.schedulerName ?? "default-scheduler";
    this.#clock = clock;
    this.#random = random;
    this.#log = log.child({ part: "scheduler" });
    this.informers = options.informers ?? new SharedInformerFactory(client, { clock, random, logger: log, metrics });
    const namespaces = this.informers.informer(Namespace).indexer;
    const services = this.informers.informer(Service).indexer;
    this.#budgets = this.informers.informer(PodDisruptionBudget).indexer;
    this.#state = new ClusterState({
      namespaceLabels: (name) => namespaces.get(name)?.metadata.labels,
      serviceSelectors: (name) => services.byIndex(namespaceIndex, name).map(({ spec }) => spec?.selector ?? {}),
    });
    this.#volumes = options.ignoresVolumes ? undefined : new VolumeBinder({ client, informers: this.informers, clock });
    const { deviceSelector: selector } = options;
    const { informers } = this;
    if (selector !== undefined) indexByDeviceClaim(informers.informer(Pod));
    this.#devices = selector && new DeviceClaims({ client, informers, clock, random: random.fork("shares"), selector });
    const devices = this.#devices && deviceFilter(this.#devices.view);
    const volumes = this.#volumes && volumeFilters(this.#volumes.view);
    this.#filters = filtersWith(defined({ volumes, devices }));
    this.#scores = this.#devices ? [...defaultScores, deviceScore(this.#devices.view)] : defaultScores;
    this.#queue = new SchedulingQueue({
      clock,
      filters: this.#filters,
      namespaceLabels: (name) => this.#state.namespaceLabels(name),
      isHeld: (pod) => hasDeviceClaims(pod) && this.#devices?.whyHeld(pod) !== undefined,
      onReady: () => this.#wake(),
    });
    this.#events = new EventBroadcaster({ clock, random, log, metrics, queueLimit: 50_000, flushMs: 1_000 });
    const recorder = this.#events.newRecorder({ component: this.#name });
    this.#acts = new SchedulerWrites({ client, recorder, clock, log: this.#log });
    this.#metrics = schedulerMetrics(metrics, { profile: this.#name, queue: this.#queue });
  }

  async run(signal: AbortSignal, onStarted: () => void): Promise<void> {
    using _metrics = this.#metrics;
    const sink = seriesCorrelation(eventsV1Sink(this.#options.eventClient ?? this.#client));
    await using _sink = this.#events.startRecordingToSink(sink);
    const own = this.#options.informers === undefined;
    const volumes = this.#volumes?.follow((event) => this.#queue.onEvent(event)) ?? [];
    const devices = this.#devices?.follow((event) => this.#onDevices(event)) ?? [];
    const registered = [this.#followNodes(), this.#followPods(), ...volumes, ...devices];
    try {
      await using _informers = own ? this.informers.start({ signal }) : { [Symbol.asyncDispose]: async () => {} };
      const read = [Namespace, Service, PodDisruptionBudget].map((kind) => this.informers.informer<KubeObject>(kind));
      await Promise.all([...registered, ...read].map((each) => each.waitForSync({ signal })));
      onStarted();
      await this.#loop(signal);
    } finally {
      this.#queue.stop();
      for (const handler of registered) handler[Symbol.dispose]();
      await Promise.all([...this.#writes, ...this.#waits]);
    }
  }

  #followNodes(): HandlerRegistration {
    return this.informers.informer(Node).addEventHandler((change) => {
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
    return this.informers.informer(Pod).addEventHandler((change) => {
      const { type, object: pod } = change;
      if (type === "deleted") return this.#onPodGone(pod);
      if (type === "added") return this.#onPod(undefined, pod);
      if (type === "resync") return;
      const isSame = change.previous.metadata.uid === pod.metadata.uid;
      if (!isSame) this.#onPodGone(change.previous);
      this.#onPod(isSame ? change.previous : undefined, pod);
    });
  }

  #onDevices(event: ClusterEvent): void {
    this.#queue.onEvent(event);
    if (event.type !== "device-claim-changed") return;
    const waiting = podsOfDeviceClaim(this.informers.informer(Pod).indexer, metaNamespaceKey(event.claim));
    for (const { metadata } of waiting) this.#queue.reconsider(metadata.uid ?? "");
  }

  #onPod(previous: Pod | undefined, pod: Pod): void {
    if (pod.spec?.nodeName) return this.#onAssigned(previous, pod);
    const { uid = "" } = pod.metadata;
    if (isTerminal(pod) || pod.spec?.schedulerName !== this.#name) return this.#onPodGone(pod);
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

  async #loop(signal: AbortSignal): Promise<void> {
    const slice = cooperative({ clock: this.#clock });
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    while (!signal.aborted) {
      const ready = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const queued = this.#queue.pop();
      if (queued === undefined) {
        await Promise.race([ready, stopped]);
        continue;
      }
      this.#place(queued, signal);
      if (this.#writes.size >= maxWrites) await Promise.race([...this.#writes, stopped]);
      if (slice.due()) await slice.pause();
    }
  }

  /** Decides, and begins to write the decision. */
  #place(queued: QueuedPod, signal: AbortSignal): void {
    const { info } = queued;
    const pod = this.#latest(info.pod);
    if (pod === undefined || pod.spec?.nodeName || this.#state.isPlaced(info.uid)) return;
    if (pod.metadata.deletionTimestamp !== undefined) {
      return this.#acts.skipped(pod, `skip schedule deleting pod: ${info.key}`);
    }
    const beganAt = this.#clock.monotonic();
    const promised = this.#promises.on;
    const search = { random: this.#random, filters: this.#filters, scores: this.#scores, promised };
    let decision: Decision;
    try {
      decision = choose(info, this.#state, { ...search, startAt: this.#startAt });
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      this.#queue.retry(queued);
      return this.#write(this.#acts.report(pod, { reason: "SchedulerError", message: error.message }, signal));
    }
    const result = decision.type === "chosen" ? "scheduled" : "unschedulable";
    this.#metrics.attempted(result, this.#clock.monotonic() - beganAt);
    if (decision.type === "none") return this.#onFailure(queued, pod, decision.failure, signal);
    this.#startAt = (this.#startAt + decision.looked) % Math.max(1, this.#state.nodes.length);
    const node = this.#state.node(decision.node)?.node;
    const devices = node && hasDeviceClaims(pod) ? this.#devices?.reserve(info, node) : undefined;
    this.#state.assume(info, decision.node);
    this.#promises.remove(info.uid);
    const mayWait = info.claims.length > 0 || devices !== undefined;
    this.#write(this.#bind(queued, { nodeName: decision.node, devices }, signal), mayWait ? this.#waits : this.#writes);
  }

  /** Tries to make room by preemption; if that does not help, the pod waits. */
  #onFailure(queued: QueuedPod, pod: Pod, failure: PlacementFailure, signal: AbortSignal): void {
    const { info } = queued;
    const reason = "Unschedulable";
    if (failure.nodes === 0) {
      this.#queue.failed(queued, failure.filters);
      return this.#write(this.#acts.report(pod, { reason, message: failureMessage(failure), promised: "" }, signal));
    }
    const budgets = this.#budgets.list();
    const found = preempt(info, this.#state, {
      failure,
      budgets,
      filters: this.#filters,
      random: this.#random,
      promised: this.#promises.on,
    });
    this.#metrics.preempted(found.type === "none" ? 0 : found.candidate.victims.length);
    if (found.type === "none") {
      if (!found.keepsPromise) this.#promises.remove(info.uid);
      this.#queue.failed(queued, failure.filters);
      const deallocation = this.#deallocate(info, failure, signal);
      const message = failureMessage(failure, { deallocation, preemption: found.message });
      const report = { reason, message, ...(found.keepsPromise ? {} : { promised: "" }) } as const;
      return this.#write(this.#acts.report(pod, report, signal));
    }
    const { candidate } = found;
    this.#promises.set(info, candidate.node);
    this.#write(this.#acts.report(pod, { reason, message: failureMessage(failure), promised: candidate.node }, signal));
    this.#write(this.#makeRoom(queued, { pod, candidate, filters: failure.filters }, signal));
  }

  /** Begins to free devices that keep a pod from the nodes that would fit. */
  #deallocate(info: PodInfo, { conflict, reasons }: PlacementFailure, signal: AbortSignal): Deallocation {
    const devices = this.#devices;
    if (devices === undefined || conflict !== undefined || !hasDeviceClaims(info.pod)) {
      return "no new claims to deallocate";
    }
    const idle = reasons.has(notOnNode) ? devices.idleClaim(info, this.#state.nodes) : undefined;
    if (idle === undefined) return "still not schedulable";
    const failed = (error: unknown): void => this.#log.warn("a claim kept its devices", { for: info.key, error });
    this.#write(devices.deallocate(idle, signal).catch(failed));
    return "deallocation of ResourceClaim completed";
  }

  /** The pod is held meanwhile, so that it does not evict the same pods twice. */
  async #makeRoom(queued: QueuedPod, { pod, candidate, filters }: MakingRoom, signal: AbortSignal): Promise<void> {
    const { uid, priority } = queued.info;
    const { node, victims } = candidate;
    const displaced = this.#promises.on(node).filter((other) => other.priority < priority);
    let isDone = true;
    try {
      await Promise.all([
        ...displaced.map((other) => this.#acts.withdraw(other.pod, signal)),
        ...victims.map((victim) => this.#acts.evict(victim, { preemptor: pod, node }, signal)),
      ]);
    } catch (error) {
      isDone = false;
      if (!signal.aborted) this.#log.warn("pods could not be evicted", { for: queued.info.key, node, error });
    }
    const current = this.#latest(pod);
    if (signal.aborted || current === undefined || current.spec?.nodeName) return;
    const again = { ...queued, info: podInfo(current) };
    if (!isDone) return this.#queue.retry(again);
    this.#queue.failed(again, filters);
    // all victims are gone already, so no further event would wake the pod
    if (!victims.some((victim) => this.#state.isPlaced(victim.uid))) this.#queue.activate(uid);
  }

  #write(work: Promise<void>, among: Set<Promise<void>> = this.#writes): void {
    const writing = work.finally(() => among.delete(writing));
    among.add(writing);
  }

  /** The cached pod, if it is still the same one (by uid). */
  #latest({ metadata: { namespace = "", name, uid } }: Pod): Pod | undefined {
    const pod = this.informers.informer(Pod).indexer.get(`${namespace}/${name}`);
    return pod?.metadata.uid === uid ? pod : undefined;
  }

  async #bind(queued: QueuedPod, { nodeName, devices }: Place, signal: AbortSignal): Promise<void> {
    const { info } = queued;
    const { pod, uid, key } = info;
    try {
      const node = this.#state.node(nodeName)?.node;
      if (info.claims.length > 0 && node !== undefined) {
        await this.#volumes?.bind(info, node, () => this.#latest(pod) !== undefined, signal);
      }
      if (devices !== undefined) await this.#devices?.bind(info, devices, signal);
      await this.#acts.bind(info, nodeName, signal);
    } catch (error) {
      this.#state.forget(uid);
      if (devices !== undefined) await this.#devices?.release(info, devices, signal);
      this.#queue.onEvent({ type: "pod-removed", pod: info });
      if (signal.aborted || isNotFound(error)) return;
      this.#log.warn("a pod could not be bound", { pod: key, node: nodeName, error });
      this.#metrics.attempted("error", 0);
      const current = this.#latest(pod);
      if (current === undefined || current.spec?.nodeName || current.metadata.deletionTimestamp !== undefined) return;
      this.#queue.retry({ ...queued, info: podInfo(current) });
      // a conflict says that the pod has a node already, or is being deleted: the cache is behind, and will tell
      if (isConflict(error)) return;
      await this.#acts.report(current, { reason: "SchedulerError", message: messageOf(error), promised: "" }, signal);
    }
  }
}

/** The place that a pod is given. */
interface Place {
  readonly nodeName: string;
  readonly devices: DeviceReservation | undefined;
}

interface MakingRoom {
  readonly pod: Pod;
  readonly candidate: Candidate;
  readonly filters: ReadonlySet<string>;
}
