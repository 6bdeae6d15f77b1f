/** The scheduler: keeps its picture of the cluster by informers, takes pods from its queue one by one, and binds them. */
import {
  Binding,
  deepEqual,
  findCondition,
  formatTime,
  isNotFound,
  Namespace,
  Node,
  Pod,
  type PodCondition,
  sameRevision,
} from "../../api/index.js";
import {
  type Clock,
  cooperative,
  type Histogram,
  type Counter,
  type Logger,
  MetricsRegistry,
  type Random,
  type Running,
  silentLogger,
  startRunning,
  systemClock,
  systemRandom,
} from "../../base/index.js";
import type { Client } from "../../client/index.js";
import { EventBroadcaster, type EventRecorder, eventsV1Sink, seriesCorrelation } from "../../controller/index.js";
import { type Deleted, deletedObject, SharedInformerFactory } from "../../informer/index.js";
import { choose, type Failure } from "./choose.js";
import { failureMessage } from "./failure-message.js";
import { defaultFilters } from "./filters/index.js";
import { assignedPodChanges, nodeChanges, waitingPodChanged } from "./node-changes.js";
import { type QueuedPod, SchedulingQueue } from "./queue.js";
import { ClusterState } from "./state/cluster-state.js";
import { podInfo } from "./state/pod-info.js";

export interface SchedulerOptions {
  readonly client: Client;
  /** Writes the events, e.g. at a limited rate; `client` if it is not given. */
  readonly eventClient?: Client;
  /** Places the pods that ask for this one; `default-scheduler` by default. */
  readonly schedulerName?: string;
  /** Informers to share with others in this process, who start them; own ones without it. */
  readonly informers?: SharedInformerFactory;
  /** How many bindings may be under way; 64 by default. */
  readonly bindings?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
}

export interface RunningScheduler extends Running {
  /** Resolves when the caches are filled and pods are being placed. */
  readonly started: Promise<void>;
}

/** Places pods until it is disposed; bindings that are under way then are waited for. */
export function startScheduler(options: SchedulerOptions, parent?: AbortSignal): RunningScheduler {
  let begun = (): void => {};
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const running = startRunning((signal) => new Scheduler(options).run(signal, begun), parent);
  return { ...running, started: Promise.race([started, running.done]) };
}

class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #client: Client;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #state: ClusterState;
  readonly #queue: SchedulingQueue;
  readonly #informers: SharedInformerFactory;
  readonly #events: EventBroadcaster;
  readonly #recorder: EventRecorder;
  readonly #attempts: Counter<"result" | "profile">;
  readonly #seconds: Histogram<"result" | "profile">;
  /** Writes under way; the loop waits while there are too many. */
  readonly #writes = new Set<Promise<void>>();
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
    this.#informers = options.informers ?? new SharedInformerFactory(client, { clock, random, logger: log, metrics });
    const namespaces = this.#informers.informer(Namespace).indexer;
    this.#state = new ClusterState({ namespaceLabels: (name) => namespaces.get(name)?.metadata.labels });
    this.#queue = new SchedulingQueue({ clock, filters: defaultFilters, onReady: () => this.#wake() });
    this.#events = new EventBroadcaster({ clock, random, log, metrics, queueLimit: 50_000, flushMs: 1_000 });
    this.#recorder = this.#events.newRecorder({ component: this.#name });
    const labels = ["result", "profile"] as const;
    this.#attempts = metrics.counter({
      name: "scheduler_schedule_attempts_total",
      help: "Attempts to place a pod, by what came of them.",
      labels,
    });
    this.#seconds = metrics.histogram({
      name: "scheduler_scheduling_attempt_duration_seconds",
      help: "Time from taking a pod from the queue to the decision.",
      labels,
    });
  }

  async run(signal: AbortSignal, onStarted: () => void): Promise<void> {
    const sink = seriesCorrelation(eventsV1Sink(this.#options.eventClient ?? this.#client));
    await using _sink = this.#events.startRecordingToSink(sink);
    const own = this.#options.informers === undefined;
    const registered = [this.#followNodes(), this.#followPods()];
    try {
      await using _informers = own ? this.#informers.start({ signal }) : { [Symbol.asyncDispose]: async () => {} };
      await Promise.all(registered.map((handler) => handler.waitForSync({ signal })));
      onStarted();
      await this.#loop(signal);
    } finally {
      this.#queue.stop();
      for (const handler of registered) handler[Symbol.dispose]();
      await Promise.all(this.#writes);
    }
  }

  #followNodes(): ReturnType<ReturnType<SharedInformerFactory["informer"]>["addEventHandler"]> {
    return this.#informers.informer(Node).addEventHandler({
      onAdd: (node) => {
        this.#state.setNode(node);
        this.#queue.onEvent("node-added");
      },
      onUpdate: (previous, node) => {
        if (sameRevision(previous, node)) return;
        this.#state.setNode(node);
        for (const change of nodeChanges(previous, node)) this.#queue.onEvent(change);
      },
      onDelete: (gone) => this.#state.removeNode(deletedName(gone)),
    });
  }

  #followPods(): ReturnType<ReturnType<SharedInformerFactory["informer"]>["addEventHandler"]> {
    return this.#informers.informer(Pod).addEventHandler({
      onAdd: (pod) => this.#onPod(undefined, pod),
      onUpdate: (previous, pod) => {
        if (sameRevision(previous, pod)) return;
        const same = previous.metadata.uid === pod.metadata.uid;
        if (!same) this.#onPodGone(previous);
        this.#onPod(same ? previous : undefined, pod);
      },
      onDelete: (gone) => {
        const pod = deletedObject(gone);
        if (pod !== undefined) this.#onPodGone(pod);
      },
    });
  }

  #onPod(previous: Pod | undefined, pod: Pod): void {
    const { uid = "" } = pod.metadata;
    if (pod.spec?.nodeName) {
      this.#queue.remove(uid);
      if (isTerminal(pod)) {
        this.#onPodGone(pod);
        return;
      }
      if (previous === undefined || !isSameToScheduler(previous, pod) || !this.#state.isConfirmed(uid)) {
        this.#state.setPod(pod);
      }
      if (previous?.spec?.nodeName) for (const change of assignedPodChanges(previous, pod)) this.#queue.onEvent(change);
      else this.#queue.onEvent("pod-added");
    } else if (isTerminal(pod) || pod.spec?.schedulerName !== this.#name) {
      this.#queue.remove(uid);
    } else if (!this.#state.isPlaced(uid)) {
      const matters = previous === undefined || waitingPodChanged(previous, pod);
      // what the loop holds comes back to the queue by itself
      if (previous === undefined || matters || this.#queue.has(uid)) this.#queue.set(podInfo(pod), { matters });
    }
  }

  #onPodGone(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    this.#queue.remove(uid);
    if (!this.#state.isPlaced(uid)) return;
    this.#state.removePod(uid);
    this.#queue.onEvent("pod-removed");
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const slice = cooperative({ clock: this.#clock });
    const { bindings = 64 } = this.#options;
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
      if (this.#writes.size >= bindings) await Promise.race([...this.#writes, stopped]);
      if (slice.due()) await slice.pause();
    }
  }

  /** Decides, and begins to write what was decided. */
  #place(queued: QueuedPod, signal: AbortSignal): void {
    const { info } = queued;
    const pod = this.#latest(info.pod);
    if (pod === undefined || pod.spec?.nodeName || this.#state.isPlaced(info.uid)) return;
    if (pod.metadata.deletionTimestamp !== undefined) {
      const message = `skip schedule deleting pod: ${info.key}`;
      this.#recorder.warning(pod, "FailedScheduling", message, { action: "Scheduling" });
      return;
    }
    const beganAt = this.#clock.monotonic();
    const decision = choose(info, this.#state, { random: this.#random, startAt: this.#startAt });
    const result = decision.type === "chosen" ? "scheduled" : "unschedulable";
    this.#count(result, beganAt);
    if (decision.type === "none") {
      this.#queue.failed(queued, decision.failure.filters);
      this.#write(this.#tellFailure(pod, decision.failure, signal));
      return;
    }
    this.#startAt = (this.#startAt + decision.looked) % Math.max(1, this.#state.nodes.length);
    this.#state.assume(info, decision.node);
    this.#write(this.#bind(queued, decision.node, signal));
  }

  #count(result: string, beganAt: number): void {
    const labels = { result, profile: this.#name };
    this.#attempts.with(labels).inc();
    this.#seconds.with(labels).observe((this.#clock.monotonic() - beganAt) / 1_000);
  }

  #write(work: Promise<void>): void {
    const writing = work.finally(() => this.#writes.delete(writing));
    this.#writes.add(writing);
  }

  /** The cache's pod, if it is still the same one. */
  #latest({ metadata: { namespace = "", name, uid } }: Pod): Pod | undefined {
    const pod = this.#informers.informer(Pod).indexer.get(`${namespace}/${name}`);
    return pod?.metadata.uid === uid ? pod : undefined;
  }

  async #bind(queued: QueuedPod, nodeName: string, signal: AbortSignal): Promise<void> {
    const { info } = queued;
    const { pod, uid, key } = info;
    const { name, namespace = "" } = pod.metadata;
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, ...(uid === "" ? {} : { uid }) },
      target: { kind: "Node", name: nodeName },
    } satisfies Binding;
    try {
      await this.#client.resource(Pod).subresource("binding").create(pod.metadata, binding, { signal });
      const message = `Successfully assigned ${key} to ${nodeName}`;
      this.#recorder.normal(pod, "Scheduled", message, { action: "Binding" });
    } catch (error) {
      this.#state.forget(uid);
      this.#queue.onEvent("pod-removed");
      if (signal.aborted || isNotFound(error)) return;
      this.#log.warn("a pod could not be bound", { pod: key, node: nodeName, error });
      this.#count("error", this.#clock.monotonic());
      const current = this.#latest(pod);
      if (current === undefined || current.spec?.nodeName || current.metadata.deletionTimestamp !== undefined) return;
      this.#queue.retry({ ...queued, info: podInfo(current) });
      await this.#report(current, { reason: "SchedulerError", message: messageOf(error) }, signal);
    }
  }

  async #tellFailure(pod: Pod, failure: Failure, signal: AbortSignal): Promise<void> {
    const message = failureMessage(failure);
    await this.#report(pod, { reason: "Unschedulable", message }, signal);
  }

  /** The event each time; the condition when it changes. */
  async #report(
    pod: Pod,
    { reason, message }: { readonly reason: string; readonly message: string },
    signal: AbortSignal,
  ): Promise<void> {
    this.#recorder.warning(pod, "FailedScheduling", message, { action: "Scheduling" });
    const known = findCondition(pod.status?.conditions, "PodScheduled");
    const wanted = { type: "PodScheduled", status: "False", reason, message } as const;
    if (known !== undefined && deepEqual({ ...known, ...wanted }, known)) return;
    const lastTransitionTime = known?.status === "False" ? known.lastTransitionTime : undefined;
    const condition: PodCondition = {
      ...wanted,
      lastTransitionTime: lastTransitionTime ?? formatTime(this.#clock.now()),
    };
    const strategic = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } };
    try {
      await this.#client.resource(Pod).status.patch(pod.metadata, { strategic }, { signal });
    } catch (error) {
      if (!signal.aborted && !isNotFound(error)) {
        this.#log.warn("a pod's condition could not be written", { pod: pod.metadata.name, error });
      }
    }
  }
}

const isTerminal = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

/** Servers number the changes of a spec; without a number, anything may have changed. */
const isSameToScheduler = ({ metadata: before }: Pod, { metadata: after }: Pod): boolean =>
  before.generation !== undefined &&
  before.generation === after.generation &&
  before.deletionTimestamp === after.deletionTimestamp &&
  deepEqual(before.labels, after.labels);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const deletedName = (gone: Deleted<Node>): string =>
  deletedObject(gone)?.metadata.name ?? (gone as { readonly key?: string }).key ?? "";
