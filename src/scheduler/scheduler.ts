/** The scheduler: follows the cluster by informers, takes pods from its queue one by one, and binds them. */
import { isConflict, isNotFound, type KubeObject, Namespace, Pod, PodDisruptionBudget, Service } from "../api/index.js";
import { defined } from "../base/defined.js";
import {
  type Clock,
  cooperative,
  Lifetime,
  type Logger,
  messageOf,
  MetricsRegistry,
  type Random,
  runWithin,
  silentLogger,
  systemClock,
  systemRandom,
} from "../base/index.js";
import { aborted } from "../base/abort.js";
import type { Client } from "../client/index.js";
import { EventBroadcaster, eventsV1Sink, seriesCorrelation } from "../controller/index.js";
import { namespaceIndex, type ReadonlyStore, SharedInformerFactory } from "../informer/index.js";
import { indexByDeviceClaim } from "../placement/device-claims.js";
import { choose, type ChooseOptions, type Decision, type PlacementFailure } from "./decide/choose.js";
import { type Deallocation, failureMessage } from "./decide/failure-message.js";
import { bestCandidate, type Candidate, preempt, type Preemption } from "./decide/preemption.js";
import { DeviceClaims, type DeviceReservation } from "./devices/device-claims.js";
import { hasDeviceClaims, notOnNode } from "./devices/device-filter.js";
import { bindWith } from "./extenders/bind.js";
import { candidatesWith, chooseWith, type ExtendersAtWork } from "./extenders/decide.js";
import { Extender } from "./extenders/extender.js";
import { FilterError } from "./filters/filter.js";
import { Follower } from "./follower.js";
import { configurationOf, type SchedulerOptions } from "./options.js";
import { type PlacementProfile, profileOf } from "./profiles/profile.js";
import { type QueuedPod, SchedulingQueue } from "./queue.js";
import { type SchedulerMetrics, schedulerMetrics } from "./scheduler-metrics.js";
import { ClusterState } from "./state/cluster-state.js";
import { type PodInfo, podInfo } from "./state/pod-info.js";
import { Promises } from "./state/promises.js";
import { VolumeBinder } from "./volumes/volume-binder.js";
import { SchedulerWrites } from "./writes.js";

/** The number of writes that may be under way, besides writes that wait for volumes. */
const maxWrites = 64;

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #state: ClusterState;
  readonly #queue: SchedulingQueue;
  readonly #follower: Follower;
  readonly informers: SharedInformerFactory;
  readonly #events: EventBroadcaster;
  readonly #volumes: VolumeBinder | undefined;
  readonly #devices: DeviceClaims | undefined;
  readonly #profiles: ReadonlyMap<string, ProfileAtWork>;
  readonly #extenders: readonly Extender[];
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
    const configuration = configurationOf(options);
    const metrics = options.metrics ?? new MetricsRegistry();
    this.#client = client;
    this.#clock = clock;
    this.#random = random;
    this.#log = log.child({ part: "scheduler" });
    const informers = options.informers ?? new SharedInformerFactory(client, { clock, random, logger: log, metrics });
    this.informers = informers;
    const namespaces = informers.informer(Namespace).indexer;
    const services = informers.informer(Service).indexer;
    this.#budgets = informers.informer(PodDisruptionBudget).indexer;
    this.#state = new ClusterState({
      namespaceLabels: (name) => namespaces.get(name)?.metadata.labels,
      serviceSelectors: (name) => services.byIndex(namespaceIndex, name).map(({ spec }) => spec?.selector ?? {}),
    });
    this.#volumes = options.ignoresVolumes ? undefined : new VolumeBinder({ client, informers, clock });
    const { deviceSelector: selector } = options;
    if (selector !== undefined) indexByDeviceClaim(informers.informer(Pod));
    this.#devices = selector && new DeviceClaims({ client, informers, clock, random: random.fork("shares"), selector });
    const views = { volumes: this.#volumes?.view, devices: this.#devices?.view };
    this.#events = new EventBroadcaster({ clock, random, log, metrics, queueLimit: 50_000, flushMs: 1_000 });
    this.#profiles = new Map(
      configuration.profiles.map((configured) => {
        const profile = profileOf(configured, { configuration, views });
        const recorder = this.#events.newRecorder({ component: profile.name });
        return [profile.name, { ...profile, acts: new SchedulerWrites({ client, recorder, clock, log: this.#log }) }];
      }),
    );
    this.#extenders = configuration.extenders.map((extender) => new Extender(extender, clock));
    this.#queue = new SchedulingQueue({
      clock,
      filters: (pod) => this.#profileOf(pod)?.filters ?? [],
      namespaceLabels: (name) => this.#state.namespaceLabels(name),
      isHeld: (pod) => this.#isHeld(pod),
      onReady: () => this.#wake(),
      backoff: {
        firstMs: configuration.podInitialBackoffSeconds * 1_000,
        longestMs: configuration.podMaxBackoffSeconds * 1_000,
      },
    });
    const parts = { informers, state: this.#state, queue: this.#queue, promises: this.#promises };
    const isOurs = (pod: Pod): boolean => this.#profileOf(pod) !== undefined;
    this.#follower = new Follower({ ...parts, volumes: this.#volumes, isOurs });
    this.#metrics = schedulerMetrics(metrics, this.#queue);
  }

  #profileOf({ spec }: Pod): ProfileAtWork | undefined {
    return this.#profiles.get(spec?.schedulerName ?? "");
  }

  /** Whether a pod is not even tried: it has gates, or its claims of devices are not there yet. */
  #isHeld(pod: Pod): boolean {
    const profile = this.#profileOf(pod);
    if (profile?.holdsGated && (pod.spec?.schedulingGates?.length ?? 0) > 0) return true;
    return Boolean(profile?.holdsForClaims) && hasDeviceClaims(pod) && this.#devices?.whyHeld(pod) !== undefined;
  }

  async run(signal: AbortSignal, onStarted: () => void): Promise<void> {
    using _metrics = this.#metrics;
    const sink = seriesCorrelation(eventsV1Sink(this.#options.eventClient ?? this.#client));
    await using _sink = this.#events.startRecordingToSink(sink);
    const own = this.#options.informers === undefined;
    const volumes = this.#volumes?.follow((event) => this.#queue.onEvent(event)) ?? [];
    const devices = this.#devices?.follow((event) => this.#follower.onDevices(event)) ?? [];
    const registered = [...this.#follower.follow(), ...volumes, ...devices];
    try {
      await using extenders = new Lifetime();
      for (const extender of this.#extenders) extenders.use(extender);
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

  async #loop(signal: AbortSignal): Promise<void> {
    const slice = cooperative({ clock: this.#clock });
    const stopped = aborted(signal);
    while (!signal.aborted) {
      const ready = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const queued = this.#queue.pop();
      if (queued === undefined) {
        await Promise.race([ready, stopped]);
        continue;
      }
      const { pod, uid } = queued.info;
      const judging = hasDeviceClaims(pod) ? this.#devices?.judge(pod) : undefined;
      if (judging !== undefined) await runWithin(slice, judging);
      // the pod may have changed while devices were judged
      if (judging !== undefined && this.#queue.has(uid)) continue;
      const waiting = this.#place(queued, signal);
      if (waiting !== undefined) await waiting;
      if (this.#writes.size >= maxWrites) await Promise.race([...this.#writes, stopped]);
      if (slice.due()) await slice.pause();
    }
  }

  /** Decides, and begins to write the decision. Waits for extenders alone. */
  #place(queued: QueuedPod, signal: AbortSignal): Promise<void> | undefined {
    const { info } = queued;
    const pod = this.#latest(info.pod);
    const profile = this.#profileOf(info.pod);
    if (pod === undefined || profile === undefined) return undefined;
    if (pod.spec?.nodeName || this.#state.isPlaced(info.uid)) return undefined;
    if (pod.metadata.deletionTimestamp !== undefined) {
      profile.acts.skipped(pod, `skip schedule deleting pod: ${info.key}`);
      return undefined;
    }
    const attempt: Attempt = { queued, pod, profile, beganAt: this.#clock.monotonic(), signal };
    const { filters, scores, percentage, answers } = profile;
    const search = { random: this.#random, filters, scores, percentage, answers, promised: this.#promises.on };
    const options = { startAt: this.#startAt, ...search };
    const extenders = this.#extenders.filter((extender) => extender.isInterested(pod));
    if (extenders.length > 0) {
      return this.#placeWith(attempt, { ...options, extenders, log: this.#log, signal });
    }
    try {
      const decided = choose(info, this.#state, options);
      if (decided.type === "chosen") this.#onChosen(attempt, decided);
      else this.#onFailure(attempt, decided.failure);
    } catch (error) {
      this.#onError(attempt, error);
    }
    return undefined;
  }

  async #placeWith(attempt: Attempt, options: ChooseOptions & ExtendersAtWork): Promise<void> {
    const { queued, signal } = attempt;
    try {
      const decided = await chooseWith(queued.info, this.#state, options);
      if (!this.#isStillOpen(attempt)) return;
      if (decided.type === "chosen") return this.#onChosen(attempt, decided);
      const found = this.#roomFor(attempt, decided.failure);
      if (found?.type !== "found") return this.#onNoRoom(attempt, decided.failure, found);
      const { candidates } = found;
      const left = await candidatesWith(attempt.pod, candidates, { ...options, view: this.#state });
      if (!this.#isStillOpen(attempt)) return;
      if (typeof left === "string") this.#onNoRoom(attempt, decided.failure, left);
      else if (left.length > 0) this.#onRoom(attempt, decided.failure, left);
      else this.#onNoRoom(attempt, decided.failure, noCandidate);
    } catch (error) {
      if (!signal.aborted && this.#isStillOpen(attempt)) this.#onError(attempt, error);
    }
  }

  /** False if the pod has gone, or is placed or queued again, since the attempt began. */
  #isStillOpen({ queued: { info } }: Attempt): boolean {
    const pod = this.#latest(info.pod);
    return pod !== undefined && !pod.spec?.nodeName && !this.#state.isPlaced(info.uid) && !this.#queue.has(info.uid);
  }

  #onError({ queued, pod, profile, signal }: Attempt, error: unknown): void {
    if (!(error instanceof FilterError)) throw error;
    this.#queue.retry(queued);
    this.#write(profile.acts.report(pod, { reason: "SchedulerError", message: error.message }, signal));
  }

  #onChosen(attempt: Attempt, { node: nodeName, looked }: Extract<Decision, { readonly type: "chosen" }>): void {
    const { queued, profile, beganAt } = attempt;
    const { info } = queued;
    this.#metrics.attempted("scheduled", { profile: profile.name, ms: this.#clock.monotonic() - beganAt });
    this.#startAt = (this.#startAt + looked) % Math.max(1, this.#state.nodes.length);
    const place = this.#state.node(nodeName);
    const devices = place?.node && this.#devices?.reserve(info, { node: place.node, info: place });
    this.#state.assume(info, nodeName);
    this.#promises.remove(info.uid);
    const mayWait = info.claims.length > 0 || devices !== undefined;
    this.#write(this.#bind(attempt, { nodeName, devices }), mayWait ? this.#waits : this.#writes);
  }

  /** Tries to make room by preemption; if that does not help, the pod waits. */
  #onFailure(attempt: Attempt, failure: PlacementFailure): void {
    const found = this.#roomFor(attempt, failure);
    if (found?.type === "found") this.#onRoom(attempt, failure, found.candidates);
    else this.#onNoRoom(attempt, failure, found);
  }

  /** Undefined if preemption is not tried: there is no node, or the profile does not want it. */
  #roomFor({ queued, profile, beganAt }: Attempt, failure: PlacementFailure): Preemption | undefined {
    const { name, filters, preemption: enough } = profile;
    this.#metrics.attempted("unschedulable", { profile: name, ms: this.#clock.monotonic() - beganAt });
    if (failure.nodes === 0 || enough === undefined) return undefined;
    const search = { failure, budgets: this.#budgets.list(), filters, random: this.#random };
    return preempt(queued.info, this.#state, { ...search, enough, promised: this.#promises.on });
  }

  /** `found` is the outcome of a preemption, or the error that ended it. */
  #onNoRoom(attempt: Attempt, failure: PlacementFailure, found?: NoPreemption | string): void {
    const { queued, pod, profile, signal } = attempt;
    const { info } = queued;
    const error = typeof found === "string" ? found : undefined;
    const refusal = typeof found === "string" ? undefined : found;
    const keepsPromise = refusal?.keepsPromise ?? false;
    if (found !== undefined) this.#metrics.preempted(0);
    if (!keepsPromise && failure.nodes > 0) this.#promises.remove(info.uid);
    this.#queue.failed(queued, failure.filters);
    const isTried = failure.nodes > 0 && profile.deallocates && error === undefined;
    const deallocation = isTried ? this.#deallocate(info, failure, signal) : undefined;
    const message = failureMessage(failure, defined({ deallocation, preemption: refusal?.message, error }));
    const report = { reason: "Unschedulable", message, ...(keepsPromise ? {} : { promised: "" }) } as const;
    this.#write(profile.acts.report(pod, report, signal));
  }

  #onRoom(attempt: Attempt, failure: PlacementFailure, candidates: readonly Candidate[]): void {
    const { queued, pod, profile, signal } = attempt;
    const candidate = bestCandidate(candidates) as Candidate;
    this.#metrics.preempted(candidate.victims.length);
    this.#promises.set(queued.info, candidate.node);
    const report = { reason: "Unschedulable", message: failureMessage(failure), promised: candidate.node } as const;
    this.#write(profile.acts.report(pod, report, signal));
    this.#write(this.#makeRoom(attempt, candidate, failure.filters));
  }

  /** Begins to free devices that keep a pod from the nodes that would fit. */
  #deallocate(info: PodInfo, { conflict, reasons }: PlacementFailure, signal: AbortSignal): Deallocation {
    const devices = this.#devices;
    if (devices === undefined || conflict !== undefined || !devices.concern(info)) return "no new claims to deallocate";
    const failed = (error: unknown): void => this.#log.warn("a claim kept its devices", { for: info.key, error });
    const idle = reasons.has(notOnNode) ? devices.idleClaim(info, this.#state.nodes) : undefined;
    if (idle !== undefined) {
      this.#write(devices.deallocate(idle, signal).catch(failed));
      return "deallocation of ResourceClaim completed";
    }
    const stale = devices.staleClaim(info);
    if (stale === undefined) return "still not schedulable";
    this.#write(devices.delete(stale, signal).catch(failed));
    return "deletion of ResourceClaim completed";
  }

  /** The pod is held meanwhile, so that it does not evict the same pods twice. */
  async #makeRoom(attempt: Attempt, { node, victims }: Candidate, filters: ReadonlySet<string>): Promise<void> {
    const { queued, pod, profile, signal } = attempt;
    const { uid, priority } = queued.info;
    const displaced = this.#promises.on(node).filter((other) => other.priority < priority);
    let isDone = true;
    try {
      await Promise.all([
        ...displaced.map((other) => profile.acts.withdraw(other.pod, signal)),
        ...victims.map((victim) => profile.acts.evict(victim, { preemptor: pod, node }, signal)),
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

  async #bind({ queued, profile, signal }: Attempt, { nodeName, devices }: Place): Promise<void> {
    const { info } = queued;
    const { pod, uid, key } = info;
    try {
      const node = this.#state.node(nodeName)?.node;
      if (info.claims.length > 0 && node !== undefined) {
        const isThere = (): boolean => this.#latest(pod) !== undefined;
        await this.#volumes?.bind(info, node, { isThere, timeoutMs: profile.volumeTimeoutMs }, signal);
      }
      if (devices !== undefined) {
        await this.#devices?.bind(info, { reserved: devices, timeoutMs: profile.deviceTimeoutMs }, signal);
      }
      await bindWith(this.#extenders, pod, { nodeName, acts: profile.acts, log: this.#log, signal });
    } catch (error) {
      this.#state.forget(uid);
      if (devices !== undefined) await this.#devices?.release(info, devices, signal);
      this.#queue.onEvent({ type: "pod-removed", pod: info });
      if (signal.aborted || isNotFound(error)) return;
      this.#log.warn("a pod could not be bound", { pod: key, node: nodeName, error });
      this.#metrics.attempted("error", { profile: profile.name, ms: 0 });
      const current = this.#latest(pod);
      if (current === undefined || current.spec?.nodeName || current.metadata.deletionTimestamp !== undefined) return;
      this.#queue.retry({ ...queued, info: podInfo(current) });
      // a conflict says that the pod has a node already, or is being deleted: the cache is behind, and will tell
      if (isConflict(error)) return;
      const report = { reason: "SchedulerError", message: messageOf(error), promised: "" } as const;
      await profile.acts.report(current, report, signal);
    }
  }
}

/** A profile with the writes that it causes, under its name. */
interface ProfileAtWork extends PlacementProfile {
  readonly acts: SchedulerWrites;
}

type NoPreemption = Extract<Preemption, { readonly type: "none" }>;

/** Extenders left no candidate. */
const noCandidate: NoPreemption = { type: "none", message: "no candidate node for preemption", keepsPromise: false };

/** One attempt to place a pod. */
interface Attempt {
  readonly queued: QueuedPod;
  /** The pod as the cache has it. */
  readonly pod: Pod;
  readonly profile: ProfileAtWork;
  readonly beganAt: number;
  readonly signal: AbortSignal;
}

/** The place that a pod is given. */
interface Place {
  readonly nodeName: string;
  readonly devices: DeviceReservation | undefined;
}
