/** A controller of users' managers: typed reconcilers, watches and sources, on a KeyLoop. */
import {
  isDeleting,
  type KubeObject,
  metaNamespaceKey,
  type ResourceType,
  splitMetaNamespaceKey,
} from "../api/index.js";
import { defined } from "../base/defined.js";
import {
  type Closable,
  isAbortOf,
  type Logger,
  Recent,
  silentLogger,
  systemClock,
  systemRandom,
} from "../base/index.js";
import { type AddOptions, fairPriorityOrder, lowPriority, priorityOrder, type Reason } from "../workqueue/index.js";
import { isPausedFor, pausedAnnotation, showPause } from "./authoring/pause.js";
import type { ClusterCache } from "./cache/cluster-cache.js";
import { describeLoop, type LoopReport } from "./history/hot-loop.js";
import type { ClusterAccess, ControllerHost } from "./host.js";
import { everyOf, specChanged } from "./intake/change.js";
import { attachIntake, type IntakeHandler } from "./intake/intake.js";
import { requestKey } from "./intake/request-key.js";
import { runSources } from "./intake/run-sources.js";
import { KeyLoop } from "./loop/key-loop.js";
import type { KeyPage, KeyQuery } from "./loop/key-query.js";
import type { KeyRun } from "./loop/key-run.js";
import type { ControllerFigures, ControllerRunOptions, ControllerSnapshot, SyncResult } from "./loop/options.js";
import { type ShardHolder, ShardKeys } from "./loop/shard-keys.js";
import {
  checkControllerOptions,
  type ControllerOptions,
  fairGroups,
  type KindUse,
  kindsOf,
  watchSpecsOf,
} from "./options.js";
import type { Request } from "./reconcile.js";
import { callAuthor, checkedResult } from "./run/call.js";
import { newWriterEnvironment, typesByKind, type WriterEnvironment } from "./run/client.js";
import { ReconcileContextOf, type ReconcileEnvironment } from "./run/context.js";

const defaults = { concurrency: 4, timeoutMs: 5 * 60_000 } as const;

/** Queues changes from its construction on. Its runs are those of its KeyLoop. */
export class Controller<T extends KubeObject> implements Closable {
  readonly name: string;
  readonly options: ControllerOptions<T>;
  readonly #host: ControllerHost;
  readonly #log: Logger;
  readonly #loop: KeyLoop;
  /** By key: the revision at which its last run added the finalizer to the object. */
  readonly #finalizedAt = new Recent<string, string>({ weight: 10_000 });
  readonly #environment: ReconcileEnvironment;
  readonly #handlers: readonly IntakeHandler[];
  readonly #type: ResourceType<T>;
  /** Set if this process shares the objects with others. */
  readonly #shardKeys: ShardKeys | undefined;
  /** The sources of pauses that hold; while there is one, nothing is reconciled. */
  readonly #pauses = new Set<string>();

  constructor(options: ControllerOptions<T>, host: ControllerHost) {
    checkControllerOptions(options);
    const { name, limiter, maxFailures, slowHotLoops, fairBy } = options;
    this.name = name;
    // the author may change the given object later
    this.options = { ...options };
    this.#host = host;
    this.#type = options.for;
    this.#log = (host.log ?? silentLogger).child({ controller: name });
    this.#shardKeys = host.shards && this.#newShardKeys(host.shards);
    const { client: _written, cache: _cache, clusters: _clusters, events: _events, ...loopHost } = host;
    this.#loop = new KeyLoop({
      name,
      kind: options.for.kind,
      host: loopHost,
      workers: options.concurrency ?? defaults.concurrency,
      timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
      order: fairBy === undefined ? priorityOrder() : fairPriorityOrder({ groupOf: fairGroups(fairBy, this.#log) }),
      holdsClock: true,
      ...defined({ limiter, maxFailures, slowHotLoops }),
      isSettled: (key, reasons) => (this.isPaused && this.#loop.resting.has(key)) || this.#isOwnFinalizer(key, reasons),
      ...(this.#shardKeys && { enter: (key: string) => this.#shardKeys?.enter(key) }),
      onLoop: (report) => this.#reportLoop(report),
      sync: (run) => this.#sync(run),
    });
    const kinds = kindsOf(options);
    const types = typesByKind(kinds.map(({ type }) => type));
    const onMutation = this.#mutationReporter();
    const writerOf = ({ client, cache }: ClusterAccess): WriterEnvironment =>
      newWriterEnvironment({ client, cache, fieldManager: name, types, onMutation });
    const clusters = new Map(Array.from(host.clusters ?? [], ([cluster, access]) => [cluster, writerOf(access)]));
    this.#environment = { writer: writerOf(host), clusters, events: host.events };
    const cacheOf = (cluster: string): ClusterCache => this.#cacheOf(cluster);
    for (const { type, use, cluster, need } of kinds) {
      if (use === "owns") cacheOf(cluster).declareOwned(type, need);
      else if (use !== "writes")
        cacheOf(cluster).declare(type, use === "for" ? ((options.cache ?? {}) as object) : {}, need);
      // a controller that takes no shards reconciles the objects of all
      if (host.shards === undefined && use !== "writes") cacheOf(cluster).cacheAllShards(type);
    }
    this.#handlers = attachIntake({
      controller: name,
      type: this.#type,
      cache: host.cache,
      cacheOf,
      specs: watchSpecsOf(options),
      wakes: everyOf(options.predicates ?? [specChanged]),
      isTurn: (change) =>
        change.type === "updated" && isPausedFor(change.object, name) !== isPausedFor(change.previous, name),
      seen: (cluster, type, object, previous) => this.#seen(cluster, type, object, previous),
      enqueue: (key, why) => this.#enqueue(key, why),
      log: this.#log,
    });
  }

  /** Reconciles an object when its turn comes, whether or not it has changed. */
  enqueue(request: Request, message?: string): void {
    this.#loop.add(requestKey(this.#type, request), { reason: { type: "manual", ...defined({ message }) } });
  }

  /** True while at least one pause holds. */
  get isPaused(): boolean {
    return this.#pauses.size > 0;
  }

  /**
   * Reconciles nothing until `resume`: neither changes nor deletions. Runs in flight end as usual. Pauses from several
   * sources are told apart by `by`, and the controller goes on when the last one is over.
   */
  pause(by = "the program"): void {
    if (this.#pauses.has(by)) return;
    this.#pauses.add(by);
    this.#log.info("controller paused", { by });
  }

  /** Ends the pause of this source; the keys that were left alone meanwhile are reconciled. */
  resume(by = "the program"): void {
    if (!this.#pauses.delete(by)) return;
    this.#log.info("controller resumed", { by, isPaused: this.isPaused });
    if (this.isPaused) return;
    for (const key of this.#loop.resting) this.#loop.add(key, { reason: { type: "manual", message: "resumed" } });
  }

  snapshot(): ControllerSnapshot {
    const { writer, clusters } = this.#environment;
    const missingPermissions = [writer, ...clusters.values()].flatMap(({ refusals }) => refusals.missing);
    return { ...this.#loop.snapshot(), missingPermissions };
  }

  figures(): ControllerFigures {
    return this.#loop.figures();
  }

  keys(query: KeyQuery, signal?: AbortSignal): Promise<KeyPage> {
    return this.#loop.keys(query, signal);
  }

  /** True once every handler has seen the initial list, except for optional kinds that the server does not know. */
  get hasSynced(): boolean {
    return this.#handlers.every(
      ({ type, cluster, registration }) => registration.hasSynced || this.#cacheOf(cluster).isMissing(type),
    );
  }

  /**
   * Waits for its caches, then reconciles until the signal aborts and the runs in flight have ended, or `graceMs` have
   * passed.
   */
  async run(options: ControllerRunOptions): Promise<void> {
    const { signal } = options;
    let latecomers: readonly KindUse[];
    try {
      latecomers = await this.#waitForCaches(signal);
    } catch (error) {
      if (isAbortOf(signal, error)) return;
      throw error;
    }
    for (const use of latecomers) void this.#welcome(use, signal);
    this.#log.info("controller starts", { workers: this.options.concurrency ?? defaults.concurrency });
    const sources = runSources(this.options.sources ?? [], {
      type: this.#type,
      wake: (key, reason) => this.#enqueue(key, { reason }),
      tools: { signal, cache: this.#host.cache, clock: this.#host.clock ?? systemClock },
      log: this.#log,
    });
    await this.#loop.run(options);
    await sources;
    this.#log.info("controller stopped");
  }

  /** Waits until every kind is cached, or is optional and unknown to the server; gives the unknown ones. */
  async #waitForCaches(signal: AbortSignal): Promise<readonly KindUse[]> {
    const cached = kindsOf(this.options).filter(({ use }) => use !== "writes");
    const missing: KindUse[] = [];
    await Promise.all(
      cached.map(async (use) => {
        const { type, cluster, need } = use;
        const cache = this.#cacheOf(cluster);
        if (need === "needed") await cache.waitForSync(type, { signal });
        else if (!(await cache.waitForWord(type, { signal }))) missing.push(use);
      }),
    );
    const isHere = (handler: IntakeHandler): boolean =>
      !missing.some(({ type, cluster }) => type === handler.type && cluster === handler.cluster);
    await Promise.all(this.#handlers.filter(isHere).map(({ registration }) => registration.waitForSync({ signal })));
    return missing;
  }

  /** When the server knows an optional kind at last, every object may have use for it. */
  async #welcome({ type, cluster }: KindUse, signal: AbortSignal): Promise<void> {
    try {
      await this.#cacheOf(cluster).waitForSync(type, { signal });
    } catch {
      return;
    }
    this.#log.info("an optional kind is served now", { kind: type.kind });
    const reason = { type: "source", message: `the server knows ${type.kind} now` } as const;
    for (const { metadata } of this.#host.cache.list(this.#type))
      this.#loop.add(requestKey(this.#type, metadata), { reason, priority: lowPriority });
  }

  /** Ends for good: removes its handlers, and forgets the keys that wait. Call it only when it does not run. */
  async close(): Promise<void> {
    this.#shardKeys?.[Symbol.dispose]();
    await this.#loop.close();
    await Promise.all(this.#handlers.map(({ registration }) => registration.remove()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #newShardKeys(shards: ShardHolder): ShardKeys {
    const type: ResourceType<T> = this.options.for;
    const { cache, clock = systemClock } = this.#host;
    return new ShardKeys({
      type,
      shards,
      clock,
      objectOf: (place) => cache.get(type, place),
      keys: () => cache.list(type).map(metaNamespaceKey),
      wake: (key, message, afterMs) =>
        this.#loop.add(key, { reason: { type: "source", message }, priority: lowPriority }, afterMs),
    });
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

  /**
   * Remembers every state of the controller's own kind, with which a run begins; of other kinds, the states of objects
   * that it writes.
   */
  #seen(cluster: string, type: ResourceType, object: KubeObject, previous?: KubeObject): void {
    if (cluster === "" && type === this.#type) this.#shardKeys?.changed(metaNamespaceKey(object), previous, object);
    const writer = cluster === "" ? this.#environment.writer : this.#environment.clusters.get(cluster);
    if (cluster === "" && type === this.#type) writer?.serverState.learn(type, object);
    else writer?.serverState.follow(type, object);
  }

  /** Counts and reports cached objects that a reconciler changed. */
  #mutationReporter(): (kind: string, key: string) => void {
    const mutations = this.#host.metrics
      ?.counter({
        name: "coxswain_cache_mutations_total",
        help: "Cached objects that were found changed by a reconciler",
        labels: ["controller"],
      })
      .with({ controller: this.name });
    const hint =
      "it is shared with all readers: make a new one, { ...object, spec: { ...object.spec, … } }, or set freeze to find the line";
    return (kind, key) => {
      mutations?.inc();
      this.#log.error("the reconciler changed an object of the cache", { kind, key, hint });
    };
  }

  #enqueue(key: string, why: AddOptions): void {
    const { resyncSpreadMs = 0, random = systemRandom } = this.#host;
    this.#loop.add(key, why, why.reason?.type === "resync" ? random.next() * resyncSpreadMs : 0);
  }

  async #sync(run: KeyRun): Promise<SyncResult | undefined> {
    const { key } = run;
    const request = splitMetaNamespaceKey(key);
    let object = this.#host.cache.get(this.#type, request);
    if (this.isPaused) return { paused: `the controller is paused by ${[...this.#pauses].join(" and by ")}` };
    const context = new ReconcileContextOf<T>(this.#environment, run, { request, object: object as T });
    if (this.#host.cache.keepsWhole(this.#type)) object = await context.client.whole(this.#type, request);
    if (object === undefined) {
      const result = checkedResult(await this.options.deleted?.(context), { controller: this.name, key });
      return { ...result, gone: true };
    }
    // a deletion is the user's last word, and a namespace would wait for it in vain
    const isPaused = !isDeleting(object) && isPausedFor(object, this.name);
    const clock = this.#host.clock ?? systemClock;
    context.object = await showPause(context.client, { type: this.#type, object, isPaused }, clock);
    if (isPaused) return { paused: `${pausedAnnotation} is set` };
    try {
      return await callAuthor(this.options, context);
    } finally {
      if (context.finalizedAt !== undefined) this.#finalizedAt.set(key, context.finalizedAt);
    }
  }

  /** True if the only change is our own finalizer: the run that added it has reconciled the object as well. */
  #isOwnFinalizer(key: string, reasons: readonly Reason[]): boolean {
    const revision = this.#finalizedAt.get(key);
    if (revision === undefined) return false;
    this.#finalizedAt.delete(key);
    const { kind } = this.#type;
    const isEcho = (reason: Reason): boolean =>
      reason.type === "updated" && reason.kind === kind && reason.key === key && reason.revision === revision;
    return reasons.length > 0 && reasons.every(isEcho);
  }

  #reportLoop(report: LoopReport): void {
    const [object] = this.#host.cache.informersOf(this.#type).flatMap(({ indexer }) => indexer.get(report.key) ?? []);
    if (object !== undefined) this.#host.events.warning(object, "HotLoop", describeLoop(report));
  }
}
