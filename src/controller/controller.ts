/** One controller: a queue of requests, workers that run a reconciler, and the memory of what failed and what loops. */
import { type KubeObject, type ResourceType, splitMetaNamespaceKey } from "../api/index.js";
import {
  asError,
  type Clock,
  isAbortOf,
  type Logger,
  messageOf,
  operationOn,
  silentLogger,
  stackOf,
  systemClock,
  systemRandom,
} from "../base/index.js";
import type { HandlerRegistration } from "../informer/index.js";
import {
  type AddOptions,
  DelayingQueue,
  fairPriorityOrder,
  priorityOrder,
  type RateLimiter,
  type Reason,
  runWorkers,
  type SyncContext,
} from "../workqueue/index.js";
import type { ClusterCache } from "./cache/cluster-cache.js";
import { everyOf, specChanged } from "./intake/change.js";
import { callAuthor, checkedResult } from "./run/call.js";
import { RunContextOf, type RunEnvironment } from "./run/context.js";
import { describeLoop, HotLoopBreaker, type LoopReport } from "./history/hot-loop.js";
import type { ClusterAccess, ControllerHost, ControllerRunOptions, ControllerSnapshot } from "./host.js";
import { attachIntake } from "./intake/intake.js";
import type { JournalResult, RunOutcome } from "./history/journal.js";
import { requestKey } from "./intake/request-key.js";
import { Lru } from "./lru.js";
import { type ControllerMeter, controllerMeter } from "./metrics.js";
import { checkControllerOptions, type ControllerOptions, fairGroups, kindsOf, watchSpecsOf } from "./options.js";
import { type ReconcileResult, type Request, TerminalError } from "./reconcile.js";
import { RunsUnderWay } from "./run/under-way.js";
import { newWriterEnvironment, typesByKind, type WriterEnvironment } from "./run/client.js";
import { Retries, type Verdict, retryLimiter } from "./history/retries.js";
import { runSources } from "./intake/run-sources.js";

const defaults = { concurrency: 4, timeoutMs: 5 * 60_000, maxFailures: Number.POSITIVE_INFINITY } as const;

/**
 * From its making on it hears of changes and queues them; it reconciles only while it runs, and may run again after it stopped. A key is
 * reconciled by one worker at a time; a change while it is, is one more run. One key that fails or hangs keeps no other from running.
 */
export class Controller<T extends KubeObject> implements AsyncDisposable {
  readonly name: string;
  readonly options: ControllerOptions<T>;
  readonly #host: ControllerHost;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #queue: DelayingQueue<string>;
  readonly #retries: Retries;
  /** Of keys that ask to run again at once. */
  readonly #atOnce: RateLimiter;
  readonly #breaker: HotLoopBreaker;
  /** Of keys whose last run put the finalizer on the object: the revision of that. */
  readonly #finalizedAt = new Lru<string, string>(10_000);
  readonly #meter: ControllerMeter | undefined;
  readonly #environment: RunEnvironment;
  readonly #registrations: readonly HandlerRegistration[];
  readonly #type: ResourceType<T>;
  #signals: readonly AbortSignal[] = [];
  readonly #underWay: RunsUnderWay;
  #runs = 0;

  constructor(options: ControllerOptions<T>, host: ControllerHost) {
    checkControllerOptions(options);
    const { name, maxFailures = defaults.maxFailures, concurrency = defaults.concurrency } = options;
    this.name = name;
    this.options = options;
    this.#host = host;
    this.#type = options.for;
    this.#clock = host.clock ?? systemClock;
    this.#log = (host.log ?? silentLogger).child({ controller: name });
    this.#queue = new DelayingQueue({
      name,
      clock: this.#clock,
      order:
        options.fairBy === undefined
          ? priorityOrder()
          : fairPriorityOrder({ groupOf: fairGroups(options.fairBy, this.#log) }),
      ...(host.metrics === undefined ? {} : { metrics: host.metrics }),
    });
    const limiter = options.limiter ?? retryLimiter(host.random);
    this.#retries = new Retries({ limiter, maxFailures });
    this.#atOnce = retryLimiter(host.random);
    this.#breaker = new HotLoopBreaker({ writer: name });
    this.#meter =
      host.metrics &&
      controllerMeter(host.metrics, { controller: name, workers: concurrency, state: () => this.#state() });
    const kinds = kindsOf(options);
    const types = typesByKind(kinds.map(({ type }) => type));
    const writerOf = ({ client, cache }: ClusterAccess): WriterEnvironment =>
      newWriterEnvironment({
        client,
        cache,
        fieldManager: name,
        types,
        onMutation: (kind, key) => this.#mutated(kind, key),
      });
    const clusters = new Map(Array.from(host.clusters ?? [], ([cluster, access]) => [cluster, writerOf(access)]));
    this.#environment = {
      writer: writerOf(host),
      clusters,
      events: host.events,
      log: this.#log,
      clock: this.#clock,
      timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
    };
    this.#underWay = new RunsUnderWay({ clock: this.#clock, timeoutMs: this.#environment.timeoutMs });
    const cacheOf = (cluster: string): ClusterCache => this.#cacheOf(cluster);
    for (const { type, use, cluster } of kinds) {
      if (use === "owns") cacheOf(cluster).declareOwned(type);
      else if (use !== "writes") cacheOf(cluster).declare(type, use === "for" ? ((options.cache ?? {}) as object) : {});
    }
    this.#registrations = attachIntake({
      controller: name,
      type: this.#type,
      cache: host.cache,
      cacheOf,
      specs: watchSpecsOf(options),
      wakes: everyOf(options.predicates ?? [specChanged]),
      seen: (cluster, type, object) => this.#seen(cluster, type, object),
      enqueue: (key, why) => this.#enqueue(key, why),
      log: this.#log,
    });
  }

  /** Reconciles an object as soon as its turn comes, whatever has changed. */
  enqueue(request: Request, message?: string): void {
    const key = requestKey(this.#type, request);
    this.#retries.revive(key);
    this.#queue.add(key, { reason: { type: "manual", ...(message === undefined ? {} : { message }) } });
  }

  snapshot(): ControllerSnapshot {
    return {
      name: this.name,
      kind: this.#type.kind,
      concurrency: this.options.concurrency ?? defaults.concurrency,
      queue: this.#queue.snapshot(),
      failing: this.#retries.failing,
      deadLetters: this.#retries.deadLetters,
      slowed: this.#breaker.slowed(this.#clock.monotonic()),
      overdue: this.#underWay.overdue(),
      missingPermissions: [this.#environment.writer, ...this.#environment.clusters.values()].flatMap(
        ({ refusals }) => refusals.missing,
      ),
    };
  }

  /** True once every handler has seen the initial list. */
  get hasSynced(): boolean {
    return this.#registrations.every(({ hasSynced }) => hasSynced);
  }

  /** Waits for its caches, then reconciles until the signal aborts and what is in flight has ended, or `graceMs` have passed. */
  async run({ signal, abort, graceMs = 10_000 }: ControllerRunOptions): Promise<void> {
    try {
      await Promise.all(this.#registrations.map((registration) => registration.waitForSync({ signal })));
    } catch (error) {
      if (isAbortOf(signal, error)) return;
      throw error;
    }
    this.#log.info("controller starts", { workers: this.options.concurrency ?? defaults.concurrency });
    const sources = runSources(this.options.sources ?? [], {
      type: this.#type,
      wake: (key, reason) => this.#enqueue(key, { reason }),
      tools: { signal, cache: this.#host.cache, clock: this.#clock },
      log: this.#log,
    });
    const queue = this.#queue;
    try {
      await runWorkers<string>({
        queue: {
          tryGet: () => queue.tryGet(),
          get: (options) => queue.get(options),
          // failures are this class's business: sync does not throw
          addRateLimited: (key, options) => void queue.addAfter(key, 1000, options),
          forget: () => {},
          numRequeues: (key) => this.#retries.failures(key),
        },
        workers: this.options.concurrency ?? defaults.concurrency,
        signal,
        graceMs,
        clock: this.#clock,
        log: this.#log,
        sync: (key, context) => this.#sync(key, context, abort),
      });
      await sources;
    } finally {
      this.#underWay[Symbol.dispose]();
    }
    this.#log.info("controller stopped");
  }

  /** For good: hears of nothing more, and forgets what waits. To be called when it does not run. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#queue.shutDown();
    await Promise.all(this.#registrations.map((registration) => registration.remove()));
  }

  #cacheOf(cluster: string): ClusterCache {
    if (cluster === "") return this.#host.cache;
    const access = this.#host.clusters?.get(cluster);
    if (access !== undefined) return access.cache;
    const names = [...(this.#host.clusters?.keys() ?? [])].join(", ") || "none";
    throw new Error(
      `controller ${this.name} names the cluster ${cluster}, which the manager does not have. It has: ${names}`,
    );
  }

  /** Every state of its own kind is remembered: a run begins with it. Of other kinds, that of the objects that it writes. */
  #seen(cluster: string, type: ResourceType, object: KubeObject): void {
    const writer = cluster === "" ? this.#environment.writer : this.#environment.clusters.get(cluster);
    if (cluster === "" && type === this.#type) writer?.serverState.learn(type, object);
    else writer?.serverState.follow(type, object);
  }

  #mutated(kind: string, key: string): void {
    this.#meter?.mutated();
    const hint =
      "it is shared with all readers: make a new one, { ...object, spec: { ...object.spec, … } }, or set freeze to find the line";
    this.#log.error("the reconciler changed an object of the cache", { kind, key, hint });
  }

  #enqueue(key: string, why: AddOptions): void {
    this.#retries.revive(key);
    const delayMs = this.#loopDelay(key);
    const { resyncSpreadMs = 0, random = systemRandom } = this.#host;
    const spreadMs = why.reason?.type === "resync" ? random.next() * resyncSpreadMs : 0;
    if (delayMs + spreadMs > 0) this.#queue.addAfter(key, Math.max(delayMs, spreadMs), why);
    else this.#queue.add(key, why);
  }

  async #sync(key: string, context: SyncContext, abort: AbortSignal | undefined): Promise<void> {
    const { reasons, omittedReasons } = context;
    if (this.#isOwnFinalizer(key, reasons)) return;
    // the failure that this retry was for is over
    if (reasons.length > 0 && reasons.every(({ type }) => type === "retry") && !this.#retries.isFailing(key)) return;
    const request = splitMetaNamespaceKey(key);
    const object = this.#host.cache.get(this.#type, request);
    const run = ++this.#runs;
    const startedAt = this.#clock.now();
    const begin = this.#clock.monotonic();
    using operation = operationOn(this.#clock);
    const running = new RunContextOf<T>(this.#environment, {
      run,
      key,
      request,
      object: object as T,
      reasons,
      omittedReasons,
      failures: this.#retries.failures(key),
      suspected: this.#breaker.suspects(key),
      operation,
      signals: this.#signalsOf(context.signal, abort),
    });
    const tell = (result: JournalResult, durationMs: number): void => {
      const { reads, writes, omitted } = running.trace;
      // a run that has not ended goes on to record its reads and writes
      const soFar = result.type === "overdue" ? { reads: [...reads], writes: [...writes] } : { reads, writes };
      const happened = { ...soFar, omitted, result };
      const why = { reasons, omittedReasons };
      this.#host.journal.add({ run, controller: this.name, key, startedAt, durationMs, ...why, ...happened });
    };
    const underWay = this.#underWay.begin({ key, run, onOverdue: (ms) => this.#overdue(key, ms, tell) });
    const result = await this.#outcomeOf(key, object, running, context.priority);
    underWay[Symbol.dispose]();
    if (running.finalizedAt !== undefined) this.#finalizedAt.set(key, running.finalizedAt);
    running[Symbol.dispose]();
    const now = this.#clock.monotonic();
    const { loopWrites } = running.trace;
    const isRequeued = result.type === "done" && result.requeueAfterMs !== undefined;
    this.#meter?.ended(isRequeued ? "requeued" : result.type, now - begin);
    tell(result, now - begin);
    const loop = this.#breaker.ran(key, { reasons, writes: loopWrites, startedAt: begin, now });
    if (loop !== undefined) this.#reportLoop(loop, running.object);
  }

  #overdue(key: string, runningMs: number, tell: (result: JournalResult, durationMs: number) => void): void {
    const { timeoutMs } = this.#environment;
    const hint = "it does not heed its signal, and holds a worker until it ends";
    this.#log.error("a reconcile goes on though its time is over", { key, runningMs, timeoutMs, hint });
    tell({ type: "overdue" }, runningMs);
  }

  /** Whether the only change is that we put our finalizer on the object: the run that did so has reconciled the object as well. */
  #isOwnFinalizer(key: string, reasons: readonly Reason[]): boolean {
    const revision = this.#finalizedAt.get(key);
    if (revision === undefined) return false;
    this.#finalizedAt.delete(key);
    const { kind } = this.#type;
    const isEcho = (reason: Reason): boolean =>
      reason.type === "updated" && reason.kind === kind && reason.key === key && reason.revision === revision;
    return reasons.length > 0 && reasons.every(isEcho);
  }

  /** The same two for all runs between a start and a stop. */
  #signalsOf(cutOff: AbortSignal, abort: AbortSignal | undefined): readonly AbortSignal[] {
    if (this.#signals[0] !== cutOff || this.#signals[1] !== abort)
      this.#signals = abort === undefined ? [cutOff] : [cutOff, abort];
    return this.#signals;
  }

  async #outcomeOf(
    key: string,
    object: T | undefined,
    context: RunContextOf<T>,
    priority: number,
  ): Promise<RunOutcome> {
    try {
      if (object === undefined) {
        const returned = await this.options.deleted?.(context);
        const result = checkedResult(returned, { controller: this.name, key });
        this.#retries.forget(key);
        this.#requeue(key, result, priority);
        return { type: "gone" };
      }
      const result = await callAuthor(this.options, context);
      this.#retries.succeeded(key);
      this.#requeue(key, result, priority);
      const requeueAfterMs = result?.requeueAfterMs;
      return requeueAfterMs === undefined ? { type: "done" } : { type: "done", requeueAfterMs };
    } catch (error) {
      if (context.interrupted) return this.#interrupted(key, error, priority);
      return this.#failed(key, error, priority);
    }
  }

  /** 0 is at once, but each time in a row a little later than the last: a key that asks for it without end would keep a worker busy. */
  #requeue(key: string, result: ReconcileResult | undefined, priority: number): void {
    const ms = result?.requeueAfterMs;
    if (ms !== 0) this.#atOnce.forget(key);
    if (ms === undefined) return;
    const delayMs = Math.max(ms === 0 ? this.#atOnce.when(key) : ms, this.#loopDelay(key));
    this.#queue.addAfter(key, delayMs, { priority, reason: { type: "requeue", message: `after ${ms} ms` } });
  }

  #loopDelay(key: string): number {
    return this.options.slowHotLoops === false ? 0 : this.#breaker.delayMs(key, this.#clock.monotonic());
  }

  /** By the end of the lease or of the manager's patience: not the key's failure, and the next leader's, or our own, first task. */
  #interrupted(key: string, error: unknown, priority: number): RunOutcome {
    this.#queue.add(key, { priority, reason: { type: "requeue", message: "interrupted" } });
    const message = messageOf(error);
    return { type: "failed", error: `interrupted: ${message}`, stack: [], failures: this.#retries.failures(key) };
  }

  #failed(key: string, error: unknown, priority: number): RunOutcome {
    const message = messageOf(error);
    const now = { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
    const verdict: Verdict =
      error instanceof TerminalError
        ? this.#retries.terminal(key, error, now.wall)
        : this.#retries.failed(key, error, now);
    const { failures } = verdict;
    const stack = stackOf(error, { folded: true });
    this.#log.error("reconcile failed", { key, failures, verdict: verdict.type, error: asError(error) });
    switch (verdict.type) {
      case "dead":
        return { type: "dead", error: message, stack, failures };
      case "pending":
        return { type: "failed", error: message, stack, failures };
      case "retry":
        this.#queue.addAfter(key, verdict.delayMs, { priority, reason: { type: "retry", message } });
        return { type: "failed", error: message, stack, failures, retryInMs: verdict.delayMs };
    }
  }

  #reportLoop(report: LoopReport, object: T | undefined): void {
    this.#meter?.looped();
    this.#log.warn("a key reconciles in a loop and is slowed down", { ...report });
    if (object !== undefined) this.#host.events.warning(object, "HotLoop", describeLoop(report));
  }

  #state(): ReturnType<Parameters<typeof controllerMeter>[1]["state"]> {
    return {
      active: this.#underWay.count,
      overdue: this.#underWay.overdue().length,
      failing: this.#retries.failing.length,
      dead: this.#retries.deadCount,
      slowed: this.#breaker.slowed(this.#clock.monotonic()).length,
    };
  }
}
