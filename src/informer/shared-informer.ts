/** One cache and any number of handlers for one kind: joins list-watch → reflector → queue → cache → handlers. */
import { estimatedBytes } from "../api/index.js";
import { defined } from "../base/defined.js";
import {
  abortable,
  type BackoffOptions,
  checkNumbers,
  type Clock,
  type Logger,
  type MetricsRegistry,
  type Random,
  type Running,
  silentLogger,
  startRunning,
  systemClock,
} from "../base/index.js";
import {
  type ChangeHandler,
  checkHandler,
  handlerName,
  type HandlerState,
  type ResourceEventHandler,
} from "./processor/handlers.js";
import type { Cacheable, ListerWatcher } from "./source/list-watch.js";
import { type InformerMetrics, informerMetrics } from "./metrics.js";
import { processLoop } from "./processor/process.js";
import { ProcessorListener } from "./processor/listener.js";
import { SharedProcessor } from "./processor/processor.js";
import { ReplacedChanges } from "./processor/replaced-changes.js";
import { checkPeriodAfter, ResyncPlan } from "./processor/resync.js";
import { Reflector, type WatchErrorHandler } from "./reflector/reflector.js";
import type { ReflectorView } from "./reflector/view.js";
import { DeltaFifo, type Transform } from "./store/delta-fifo.js";
import { freezes, type FreezingOptions, frozen } from "./store/freezing.js";
import { Indexer, type Indexers, type ReadonlyStore } from "./store/indexer.js";
import type { KeyFunction } from "./store/key.js";

export interface InformerOptions<T> extends FreezingOptions {
  readonly source: ListerWatcher<T>;
  /** For log and metrics, e.g. `pods`. */
  readonly name?: string;
  readonly expectedKind?: { readonly apiVersion: string; readonly kind: string };
  /**
   * The period in which handlers are shown everything again, unless they ask for another; 0 means never, even for
   * handlers that ask.
   */
  readonly resyncPeriodMs?: number;
  readonly indexers?: Indexers<T>;
  /** Objects for which it is false are not cached. When its answers change, `relist` is to be called. */
  readonly keeps?: (object: T) => boolean;
  readonly transform?: Transform<T>;
  readonly key?: KeyFunction<T>;
  readonly onWatchError?: WatchErrorHandler;
  readonly useWatchList?: boolean;
  readonly pageSize?: number;
  readonly minWatchTimeoutMs?: number;
  readonly silenceMs?: number;
  readonly backoff?: Omit<BackoffOptions, "random">;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: MetricsRegistry;
}

export interface HandlerOptions {
  readonly name?: string;
  /** Rounded up to the informer's check period; never if the informer's own period is 0. */
  readonly resyncPeriodMs?: number;
}

const numberRules = {
  resyncPeriodMs: {},
  pageSize: { whole: true },
  minWatchTimeoutMs: {},
  silenceMs: {},
};

/** Objects of one kind are much alike, so this many give the size of all. */
const sampledObjects = 100;

/** A handler's registration at an informer. `remove`, or disposing, removes the handler; a second time does nothing. */
export interface HandlerRegistration extends Disposable {
  readonly name: string;
  /** True if the informer has synced, and the handler has *finished* with every object of its initial list. */
  readonly hasSynced: boolean;
  /** The number of changes that wait for the handler. */
  readonly pending: number;
  /** Resolves when `hasSynced` becomes true; rejects with the signal's reason. */
  waitForSync(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Drops waiting changes; resolves when the call under way has ended. The handler itself must not await it. */
  remove(): Promise<void>;
}

/**
 * The informer contract: the cache is eventually equal to the server; per object, handlers see changes in revision
 * order, one at a time, possibly merged; every object seen as added is later seen as deleted if it goes (perhaps with
 * its last known state: `DeletedFinalStateUnknown`); a slow handler delays nobody but itself. Handlers are called after
 * the cache and all its indices have changed, so they may see a cache that is newer than their event. An informer
 * starts once and stops once.
 *
 * Invariants:
 * 1. `#queue` and `#reflector` exist exactly from the start on.
 * 2. The check period changes only before the start.
 */
export class SharedIndexInformer<T extends Cacheable> {
  readonly name: string;
  readonly #options: InformerOptions<T>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: InformerMetrics;
  readonly #indexer: Indexer<T>;
  readonly #processor = new SharedProcessor<T>();
  readonly #syncWaiters = new Set<() => void>();
  #resyncCheckMs: number;
  #queue: DeltaFifo<T> | undefined;
  #reflector: Reflector<T> | undefined;
  #stopped = false;

  constructor(options: InformerOptions<T>) {
    this.name = options.name ?? options.expectedKind?.kind ?? "informer";
    checkNumbers(`informer ${this.name}`, options, numberRules);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = (options.logger ?? silentLogger).child({ informer: this.name });
    this.#metrics = informerMetrics(options.metrics, this.name);
    this.#resyncCheckMs = options.resyncPeriodMs ?? 0;
    this.#indexer = new Indexer<T>({
      ...defined({ key: options.key, indexers: options.indexers }),
      onIndexError: (error, index) => this.#logger.error("index function failed", { index, error }),
    });
  }

  /** The cache: readable at any time, empty at first. */
  get indexer(): ReadonlyStore<T> {
    return this.#indexer;
  }

  /** True once the first list has been applied and passed to all handlers' queues. Never true if stopped before. */
  get hasSynced(): boolean {
    return this.#queue?.hasSynced ?? false;
  }

  get isStarted(): boolean {
    return this.#queue !== undefined;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** The revision up to which the reflector has read; the cache may be a little behind it. */
  get lastSyncResourceVersion(): string {
    return this.#reflector?.lastSyncResourceVersion ?? "";
  }

  get lastStoreSyncResourceVersion(): string {
    return this.#indexer.lastStoreSyncResourceVersion;
  }

  /** If there is one, cached objects are not the server's, but the results of this transform. */
  get transform(): Transform<T> | undefined {
    return this.#options.transform;
  }

  /** The state of the reflector; undefined before the start. */
  get reflector(): ReflectorView | undefined {
    return this.#reflector;
  }

  /** The approximate memory of the cached objects, from a sample. */
  get estimatedBytes(): number {
    const { size } = this.#indexer;
    const stride = Math.max(1, Math.floor(size / sampledObjects));
    let sampled = 0;
    let bytes = 0;
    let i = 0;
    for (const { object } of this.#indexer.entries()) {
      if (i++ % stride !== 0) continue;
      bytes += estimatedBytes(object);
      sampled += 1;
    }
    return sampled === 0 ? 0 : Math.round((bytes / sampled) * size);
  }

  /** The number of deltas that were read and not yet applied. */
  get queued(): number {
    return this.#queue?.length ?? 0;
  }

  get handlers(): readonly HandlerState[] {
    return Array.from(this.#processor.listeners, ({ name, pending, tracker, failures, lastFailure }) => {
      const state = { name, pending, hasSynced: tracker.hasSynced, failures };
      return lastFailure === undefined ? state : { ...state, lastFailure };
    });
  }

  /**
   * May be called at any time before the stop, with a function of changes or with an object that has a function for
   * each type of change. A handler that joins late is told of every cached object as an initial add, then of each
   * change, with neither gap nor repetition.
   */
  addEventHandler(
    handler: ResourceEventHandler<T> | ChangeHandler<T>,
    options: HandlerOptions = {},
  ): HandlerRegistration {
    if (this.#stopped) throw new Error(`informer ${this.name} was stopped: handlers can no longer be added`);
    const listener = this.#listenerFor(handler, options);
    if (this.isStarted) {
      const changes = new ReplacedChanges<T>(true);
      for (const { object } of this.#indexer.entries()) changes.put(undefined, object);
      listener.enqueue({ changes, initialAdds: changes.length, syncs: 0 });
    }
    this.#processor.add(listener);
    if (this.hasSynced) listener.tracker.upstreamHasSynced();
    return new Registration(listener, this.#processor);
  }

  /** May be called while running: the cached objects are indexed at once. Adding an index again does nothing. */
  addIndexers(indexers: Indexers<T>): void {
    if (this.#stopped) throw new Error(`informer ${this.name} was stopped: indexers can no longer be added`);
    this.#indexer.addIndexers(indexers);
  }

  /**
   * Can be called once. Disposing stops reading, then the handlers (waiting changes are dropped), and waits for their
   * last calls.
   */
  start(options: { readonly signal?: AbortSignal } = {}): Running {
    if (this.isStarted) throw new Error(`informer ${this.name} was started already`);
    const { key, transform } = this.#options;
    const queue = new DeltaFifo<T>({
      ...defined({ key }),
      transform: freezes(this.#options) ? frozen(transform) : transform,
    });
    this.#queue = queue;
    this.#reflector = this.#createReflector(queue);
    queue.onSynced(() => this.#synced());
    return startRunning((signal) => this.#run(queue, signal), options.signal);
  }

  /** Resolves when the first list has been applied; rejects with the signal's reason, or if the informer is stopped before. */
  async waitForSync({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (!this.hasSynced && !this.#stopped) await called((wake) => subscribed(this.#syncWaiters, wake), signal);
    if (!this.hasSynced) throw new Error(`informer ${this.name} was stopped before it had synced`);
  }

  /** Lists anew, at once. Resolves when the cache shows a list that began after the call; only after the start. */
  async relist({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (this.#reflector === undefined || this.#queue === undefined)
      throw new Error(`informer ${this.name} was not started: it cannot list anew`);
    await this.#reflector.relist(signal);
    await abortable(this.#queue.caughtUp(), signal);
  }

  async #run(queue: DeltaFifo<T>, signal: AbortSignal): Promise<void> {
    this.#processor.start();
    using _measuring = this.#metrics.measureBytes(() => this.estimatedBytes);
    const processing = processLoop(
      {
        queue,
        indexer: this.#indexer,
        clock: this.#clock,
        logger: this.#logger,
        metrics: this.#metrics,
        deliver: (changes) => this.#processor.distribute(changes),
      },
      signal,
    );
    try {
      await (this.#reflector as Reflector<T>).run(signal);
    } finally {
      queue.close();
      await processing;
      this.#stopped = true;
      this.#wakeSyncWaiters();
      await this.#processor.stop();
    }
  }

  #synced(): void {
    for (const { tracker } of this.#processor.listeners) tracker.upstreamHasSynced();
    this.#wakeSyncWaiters();
  }

  #wakeSyncWaiters(): void {
    const waiters = [...this.#syncWaiters];
    this.#syncWaiters.clear();
    for (const waiter of waiters) waiter();
  }

  #createReflector(queue: DeltaFifo<T>): Reflector<T> {
    const { key: _, indexers: _i, transform: _t, freeze: _f, onWatchError, ...options } = this.#options;
    return new Reflector<T>({
      ...options,
      store: queue,
      name: this.name,
      onError: onWatchError,
      resyncPeriodMs: this.#resyncCheckMs,
      shouldResync: () => this.#processor.shouldResync(this.#clock.monotonic()),
      clock: this.#clock,
      logger: this.#logger,
      metrics: this.#metrics.reflector,
    });
  }

  #listenerFor(handler: ResourceEventHandler<T> | ChangeHandler<T>, options: HandlerOptions): ProcessorListener<T> {
    const of = `a handler of informer ${this.name}`;
    checkHandler(of, handler);
    checkNumbers(of, options, { resyncPeriodMs: {} });
    const requestedMs = options.resyncPeriodMs ?? this.#options.resyncPeriodMs ?? 0;
    const name = options.name ?? handlerName(handler);
    if (requestedMs > 0 && this.#resyncCheckMs === 0)
      this.#logger.warn("the informer does not resync, so its handlers do not either", { handler: name });
    const checkMs = checkPeriodAfter(requestedMs, this.#resyncCheckMs, this.isStarted);
    if (checkMs !== this.#resyncCheckMs) {
      this.#resyncCheckMs = checkMs;
      this.#processor.checkPeriodChanged(checkMs);
    }
    return new ProcessorListener({
      name,
      handler,
      resync: new ResyncPlan(requestedMs, checkMs, this.#clock.monotonic()),
      clock: this.#clock,
      logger: this.#logger,
      metrics: this.#metrics.listener(name),
    });
  }
}

class Registration<T> implements HandlerRegistration {
  readonly #listener: ProcessorListener<T>;
  readonly #processor: SharedProcessor<T>;

  constructor(listener: ProcessorListener<T>, processor: SharedProcessor<T>) {
    this.#listener = listener;
    this.#processor = processor;
  }

  get name(): string {
    return this.#listener.name;
  }

  get hasSynced(): boolean {
    return this.#listener.tracker.hasSynced;
  }

  get pending(): number {
    return this.#listener.pending;
  }

  waitForSync({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    return called((wake) => this.#listener.tracker.onSynced(wake), signal);
  }

  remove(): Promise<void> {
    return this.#processor.remove(this.#listener);
  }

  [Symbol.dispose](): void {
    void this.remove();
  }
}

function subscribed(waiters: Set<() => void>, wake: () => void): () => void {
  waiters.add(wake);
  return () => void waiters.delete(wake);
}

/** Waits until the subscription calls back, and unsubscribes in any case. */
async function called(subscribe: (wake: () => void) => () => void, signal: AbortSignal): Promise<void> {
  let leave = (): void => {};
  try {
    const woken = new Promise<void>((wake) => void (leave = subscribe(wake)));
    await abortable(woken, signal);
  } finally {
    leave();
  }
}
