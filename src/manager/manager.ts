/** A program of controllers: caches, clients, a lease, controllers and a server for probes, started and stopped in order. */
import { LeaseCandidate } from "../api/generated/coordination-v1beta1.js";
import { type ClusterRole, isConvertible, type KubeObject, Lease, type ResourceType } from "../api/index.js";
import { defined } from "../base/defined.js";
import {
  abortReason,
  asError,
  type Clock,
  linkedAbort,
  onAbort,
  type Logger,
  MetricsRegistry,
  type Running,
  settledOn,
  silentLogger,
  startRunning,
  systemClock,
  systemRandom,
} from "../base/index.js";
import {
  type CacheIndex,
  type CacheOptions,
  checkControllerOptions,
  Controller,
  type ControllerOptions,
  type ControllerSnapshot,
  EventBroadcaster,
  Journal,
  isPausedFor,
  kindsOf,
  refuseSharedFinalizer,
  Refusals,
} from "../controller/index.js";
import type { Client } from "../client/index.js";
import type { IndexFunction } from "../informer/index.js";
import { WebhookHost, type WebhookOptions } from "../webhook/index.js";
import { meterProcess } from "./process-metrics.js";
import { accessOf, eventsThrough } from "./access.js";
import { type CheckedOptions, checkedOptions, type ManagerOptions, refuseUnknownPauses } from "./options.js";
import { type Cluster, clustersOf } from "./cluster.js";
import { addHandler, type HttpHandler } from "./http/http-server.js";
import { startPages } from "./http/page.js";
import { type ClusterProvider, Fleet } from "./fleet/fleet.js";
import { memberOptions } from "./fleet/member-options.js";
import { clusterTurns } from "./fleet/cluster-turns.js";
import { electorOf } from "./leader-election/elector-of.js";
import type { LeaderElector, LeaderTerm } from "./leader-election/index.js";
import { type ManagerMemory, MemoryKeeper } from "./memory.js";
import {
  controllerProblems,
  leaseProblems,
  shardProblems,
  missingPermissions,
  permissionProblem,
  reportPermissions,
  reviewProblems,
} from "./problems.js";
import { type Declarations, type ManagerNeeds, needsOf, permissionsOf } from "./needs/needs.js";
import { clusterRole } from "./needs/rbac.js";
import { ShardCaches, type Sharder, type Sharding, shardingOf } from "./sharding/index.js";
import { type Runnable, Stages } from "./stages.js";
import { type Starting, startCaches, startLeases, startWebhooks } from "./start-parts.js";
import { ManagerWork } from "./work.js";

/** The clusters of a fleet, and the controllers that each of them gets. */
export interface FleetDeclaration {
  /** Tells of clusters as they come and go; a program may also call the fleet's `add` and `remove` itself. */
  readonly provider?: ClusterProvider;
  /** Declares controllers, caches and indices on the manager of one cluster. Called each time that a cluster is started. */
  readonly engage: (manager: Manager, cluster: { readonly name: string; readonly client: Client }) => void;
}

/**
 * The manager's contract: starts leases → caches → controllers, stops in the reverse order within a deadline; a second
 * signal exits at once (see signals.ts). Several managers may live in one process: nothing is global. Losing the lease
 * pauses the controllers; caches stay, and the manager can lead again later.
 */
export class Manager {
  readonly journal: Journal;
  readonly metrics: MetricsRegistry;
  readonly events: EventBroadcaster;
  readonly elector: LeaderElector | undefined;
  readonly #sharding: Sharding | undefined;
  readonly #shardCaches: ShardCaches | undefined;
  readonly #options: CheckedOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #own: Cluster;
  readonly #clusters: ReadonlyMap<string, Cluster>;
  /** The manager's own cluster and the others. */
  readonly #all: readonly [own: Cluster, ...others: Cluster[]];
  readonly #controllers = new Map<string, Controller<KubeObject>>();
  readonly #runnables: Runnable[] = [];
  readonly #fleets: Fleet[] = [];
  readonly #handlers = new Map<string, HttpHandler>();
  readonly #eventRefusals = new Refusals();
  readonly #webhooks: WebhookHost | undefined;
  readonly #memory: MemoryKeeper;
  /** There from the start on. */
  #work: ManagerWork | undefined;
  #started = false;
  #url: string | undefined;

  /** Asynchronous, so that a manager may one day ask the server something first. */
  static create(options: ManagerOptions): Promise<Manager> {
    return Promise.resolve(new Manager(options));
  }

  constructor(options: ManagerOptions) {
    this.#options = checkedOptions(options);
    this.#clock = options.clock ?? options.client.clock ?? systemClock;
    this.#log = options.log ?? silentLogger;
    this.metrics = options.metrics ?? new MetricsRegistry();
    this.journal = options.journal ?? new Journal();
    reportPermissions(this.metrics, () => [
      ...this.#eventRefusals.missing,
      ...missingPermissions(this.controllers, this.#all, [
        { error: this.elector?.failure ?? this.sharder?.failure, type: Lease },
        { error: this.elector?.candidacyFailure, type: LeaseCandidate },
      ]),
    ]);
    const random = options.random ?? systemRandom;
    const shared = { clock: this.#clock, random, log: this.#log, metrics: this.metrics };
    this.events = new EventBroadcaster(shared);
    const { leaderElection, sharding, webhooks: server, client, cacheMemory, memoryBudgetBytes } = this.#options;
    const onLease = (lease: Lease): void => this.#pauseBy(lease);
    this.#sharding = sharding && shardingOf(sharding, { ...shared, client, onLease });
    this.#all = clustersOf(options, { ...shared, ...defined({ caches: this.#sharding?.caches }) });
    [this.#own] = this.#all;
    this.#shardCaches = this.#sharding && new ShardCaches({ ...shared, ...this.#sharding, cache: this.#own.cache });
    this.#clusters = new Map(this.#all.slice(1).map((cluster) => [cluster.name, cluster]));
    this.#memory = new MemoryKeeper({
      ...shared,
      ...defined({ cacheMemory, memoryBudgetBytes }),
      clusters: () => [...this.#all, ...this.#fleets.flatMap(({ caches }) => caches)],
    });
    this.#webhooks =
      server && new WebhookHost({ client, server, clock: this.#clock, log: this.#log, metrics: this.metrics });
    const leading = { events: this.events, onLease, onStartedLeading: (term: LeaderTerm) => this.#led(term) };
    this.elector = leaderElection && electorOf(leaderElection, { ...shared, client, ...leading });
  }

  /** This process as a member of a sharded group. */
  get sharder(): Sharder | undefined {
    return this.#sharding?.sharder;
  }

  /** Adds a controller; only before the start. */
  controller<T extends KubeObject>(options: ControllerOptions<T>): Controller<T> {
    checkControllerOptions(options);
    this.#refuseLate(`controller ${options.name}`);
    if (this.#controllers.has(options.name)) throw new Error(`there is already a controller named ${options.name}`);
    const others = Array.from(this.#controllers.values(), (other) => other.options);
    refuseSharedFinalizer(options, others);
    // a controller that runs without the lease also writes without it
    const isLeased = options.withoutLease !== true;
    const leader = isLeased ? (this.sharder ?? this.elector) : undefined;
    const shards = isLeased ? this.#shardCaches?.holderFor(options) : undefined;
    const access = { leader, clock: this.#clock, log: this.#log.child({ controller: options.name }) };
    const controller = new Controller(options, {
      client: accessOf(this.#options.client, access),
      cache: this.#own.cache,
      clusters: new Map(
        Array.from(this.#clusters, ([name, { client, cache }]) => [name, { client: accessOf(client, access), cache }]),
      ),
      events: this.events.newRecorder({ component: options.name }),
      journal: this.journal,
      clock: this.#clock,
      log: this.#log,
      metrics: this.metrics,
      ...defined({ random: this.#options.random, shards }),
      // the requests of a resync are spread over a tenth of its period
      resyncSpreadMs: (this.#options.resyncPeriodMs ?? 0) / 10,
    });
    if (isConvertible(options.for)) this.#webhooks?.converts(options.for);
    if (this.#options.paused?.some((name) => name === "*" || name === options.name)) controller.pause();
    this.#controllers.set(options.name, controller as unknown as Controller<KubeObject>);
    return controller;
  }

  /** Pauses the controllers that the annotation of the Lease names, and resumes the others. */
  #pauseBy(lease: Lease): void {
    for (const controller of this.#controllers.values()) {
      if (isPausedFor(lease, controller.name)) controller.pause("the lease");
      else controller.resume("the lease");
    }
  }

  /** Judges or fills in objects of a kind before the server stores them; only before the start, and with the `webhooks` option. */
  webhook<T extends KubeObject>(options: WebhookOptions<T>): void {
    this.#refuseLate("a webhook");
    const host = this.#webhooks;
    if (host === undefined) throw new Error("a webhook cannot be served: the manager has no webhooks option");
    host.add(options);
    if (isConvertible(options.for)) host.converts(options.for);
  }

  /** Adds other work that runs while the manager does. */
  add(runnable: Runnable): void {
    this.#refuseLate(runnable.name);
    this.#runnables.push(runnable);
  }

  /**
   * Runs controllers on clusters that come and go: `engage` declares them on the manager that each cluster gets. Only
   * before the start. With leader election on the replica that leads; with sharding the replicas share the clusters.
   */
  fleet({ provider, engage }: FleetDeclaration): Fleet {
    this.#refuseLate("a fleet");
    const host = { clock: this.#clock, log: this.#log };
    const fleet = new Fleet({
      ...host,
      journal: this.journal,
      metrics: this.metrics,
      ...defined({ provider }),
      turns: this.sharder && clusterTurns(this.sharder),
      engage: (name, { leader = this.elector, ...parts }) => {
        const manager = new Manager(memberOptions(this.#options, { ...host, ...parts, leader, name }));
        engage(manager, { name, client: parts.client });
        return manager;
      },
    });
    this.#fleets.push(fleet);
    this.add(fleet);
    return fleet;
  }

  /** Serves another path beside the probes, e.g. a webhook; only before the start, and with the `http` option. */
  serve(path: string, handler: HttpHandler): void {
    this.#refuseLate(`the handler of ${path}`);
    if (this.#options.http === undefined) throw new Error(`${path} cannot be served: the manager has no http option`);
    addHandler(this.#handlers, path, handler);
  }

  /** Declares the cache of a kind, with its scope and transform, before a controller does. */
  cache<T extends KubeObject>(type: ResourceType<T>, options: CacheOptions<T>): void {
    this.#refuseLate(`the cache of ${type.kind}`);
    this.#own.cache.declare(type, options);
  }

  /** Indexes objects by the values that the function gives; `cache.byIndex(result, value)` finds them. Only before the start. */
  index<T extends KubeObject>(type: ResourceType<T>, valuesOf: IndexFunction<T>): CacheIndex<T> {
    this.#refuseLate(`an index of ${type.kind}`);
    return this.#own.cache.index(type, valuesOf);
  }

  #refuseLate(what: string): void {
    if (this.#started) throw new Error(`the manager runs already: ${what} comes too late`);
  }

  /** Reads from the caches of the manager's own cluster. */
  get reader(): Cluster["cache"] {
    return this.#own.cache;
  }

  /** The address of the probes, once they are served. */
  get url(): string | undefined {
    return this.#url;
  }

  get controllers(): readonly ControllerSnapshot[] {
    return Array.from(this.#controllers.values(), (controller) => controller.snapshot());
  }

  /** The reasons why the manager does not work as it should; empty if it does. */
  problems(): readonly string[] {
    return [
      ...leaseProblems(this.elector),
      ...shardProblems(this.sharder),
      ...[this.#webhooks?.problem() ?? []].flat(),
      ...this.#all.flatMap((cluster) => cluster.problems()),
      ...this.controllers.flatMap(controllerProblems),
      ...this.#eventRefusals.missing.map((missing) => permissionProblem("the manager", missing)),
      ...this.#memory.problems(),
    ];
  }

  /** The cost of each cache: objects, bytes, indices, kept whole objects. Estimated from a sample, in milliseconds. */
  memory(): ManagerMemory {
    return this.#memory.memory();
  }

  /** The history of an object, for people. */
  explain(key: string, filter: { readonly controller?: string } = {}): string {
    return this.journal.explain(key, filter);
  }

  /** The permissions that this manager's controllers need, as one role for the whole cluster. */
  clusterRole(name: string): ClusterRole {
    return clusterRole(name, permissionsOf(this.#declared));
  }

  /** The definitions, rules and webhooks that the manager's own cluster must have; `coxswain manifests` makes objects of them. */
  needs(): ManagerNeeds {
    return needsOf(this.#declared);
  }

  get #declared(): Declarations {
    const uses = Array.from(this.#controllers.values()).flatMap(({ options }) => kindsOf(options));
    return { uses, cache: this.#own.cache, webhooks: this.#webhooks, options: this.#options };
  }

  /** Runs until the signal aborts and everything has stopped; rejects if a part fails or stops too late. `abort` ends reconciles in flight. */
  async run(options: { readonly signal: AbortSignal; readonly abort?: AbortSignal }): Promise<void> {
    const { signal, abort } = Object(options) as typeof options;
    if (signal === undefined) throw new TypeError("manager.run takes { signal }; without one it would never stop");
    await this.start(signal, abort).done;
  }

  /** Can be called once. Disposing stops everything in order and waits for it. */
  start(parent?: AbortSignal, abort?: AbortSignal): Running {
    if (this.#started) throw new Error("the manager was started already");
    refuseUnknownPauses(this.#options.paused ?? [], [...this.#controllers.keys()]);
    this.#started = true;
    return startRunning((signal) => this.#run(signal, abort), parent);
  }

  async #run(signal: AbortSignal, abort?: AbortSignal): Promise<void> {
    const { stopTimeoutMs = 30_000 } = this.#options;
    const stages = new Stages({ timeoutMs: stopTimeoutMs, clock: this.#clock, log: this.#log });
    const failure = linkedAbort(signal);
    const watched = (name: string, run: Promise<void>): void =>
      void run.catch((error: unknown) => failure.abort(new Error(`${name} failed`, { cause: error })));
    let failed: Error | undefined;
    try {
      await this.#start({ stages, watched }, { graceMs: stopTimeoutMs / 2, abort });
      await new Promise<void>((resolve) => void onAbort(failure.signal, () => resolve()));
      if (!signal.aborted) failed = abortReason(failure.signal);
    } catch (error) {
      failed = asError(error);
    }
    failure[Symbol.dispose]();
    this.#log.info("manager stops", failed === undefined ? {} : { error: failed });
    // the failure that caused the stop says more than a failure during the stop
    await settledOn(this.#clock, stages.stop()).catch((error: unknown) => {
      failed ??= asError(error);
    });
    if (failed !== undefined) throw failed;
  }

  async #led(term: LeaderTerm): Promise<void> {
    await this.#work?.lead(term);
  }

  async #start(
    starting: Starting,
    { graceMs, abort }: { readonly graceMs: number; readonly abort: AbortSignal | undefined },
  ): Promise<void> {
    const { sharder, elector } = this;
    this.#url = await this.#startPages(starting);
    if (this.#webhooks?.isNeeded) startWebhooks(this.#webhooks, starting);
    const { client, events: api = "v1" } = this.#options;
    const correlation = eventsThrough(client, { api, clock: this.#clock, refusals: this.#eventRefusals });
    const sink = this.events.startRecordingToSink(correlation);
    starting.stages.started("events", () => sink[Symbol.asyncDispose]());
    const stop = new AbortController();
    const work = new ManagerWork({
      controllers: () => this.#controllers.values(),
      runnables: this.#runnables,
      isSharded: sharder !== undefined,
      watched: starting.watched,
      stop: stop.signal,
      graceMs,
    });
    this.#work = work;
    startLeases({ elector, sharder }, work, starting);
    const caches = { clusters: this.#all, shardCaches: this.#shardCaches, memory: this.#memory, log: this.#log };
    startCaches(caches, stop.signal, starting);
    work.runAlways();
    if (elector === undefined && sharder === undefined) void work.lead(abort && { signal: abort });
    starting.stages.started("controllers", async () => {
      stop.abort(new Error("the manager stops"));
      await work.ended();
      await Promise.all(Array.from(this.#controllers.values(), (controller) => controller[Symbol.asyncDispose]()));
    });
    this.#log.info("manager started", { controllers: [...this.#controllers.keys()], ...defined({ url: this.#url }) });
  }

  /** Gives the address of the probes; undefined without the `http` option. */
  async #startPages({ stages }: Starting): Promise<string | undefined> {
    const { http } = this.#options;
    if (http === undefined) return undefined;
    const parts = { clusters: this.#all, controllers: this.#controllers, clock: this.#clock, log: this.#log };
    const reviews = (): readonly string[] | undefined => reviewProblems(this.#webhooks, this.#own);
    const server = await startPages(http, { ...parts, manager: this, handlers: this.#handlers, reviews });
    stages.started("http server", () => server[Symbol.asyncDispose]());
    const measured = meterProcess(this.metrics, this.#clock);
    stages.started("process metrics", () => measured[Symbol.dispose]());
    return server.url;
  }
}
