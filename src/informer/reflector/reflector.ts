/** Mirrors one collection of the server into a store: drives the steps of state.ts. */
import {
  abortable,
  type BackoffOptions,
  type Clock,
  type Logger,
  OutageLog,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
  turnsOf,
} from "../../base/index.js";
import type { EmptyCollection } from "../../client/index.js";
import type { Cacheable, ListerWatcher, SourceWatchOptions } from "../source/list-watch.js";
import { informerMetrics, type ReflectorMetrics } from "../metrics.js";
import { type ReflectorStore, WatchApplier } from "./apply.js";
import { defaultBackoff, reflectorBackoff, watchTimeoutSeconds } from "./backoff.js";
import { Episodes } from "./episodes.js";
import { isConnectionEnd, isExpiredOrGone, VeryShortWatchError } from "./failures.js";
import { OpenWatch, SilentWatchError } from "./open-watch.js";
import { wholeList } from "./pages.js";
import { every, ResyncTimer } from "./resync-timer.js";
import { noActivity, type ReflectorActivity, type ReflectorView } from "./view.js";
import {
  type Action,
  advanced,
  initialState,
  nextAction,
  type Outcome,
  type ReflectorRules,
  type ReflectorState,
  relisting,
  step,
} from "./state.js";

export interface ReflectorOptions<T> {
  readonly source: ListerWatcher<T>;
  readonly store: ReflectorStore<T>;
  /** For log and metrics, e.g. `pods`. */
  readonly name?: string;
  /** Objects of another kind are skipped and reported. */
  readonly expectedKind?: { readonly apiVersion: string; readonly kind: string } | undefined;
  /** Objects for which it is false are not mirrored. When its answers change, `relist` is to be called. */
  readonly keeps?: ((object: T) => boolean) | undefined;
  /** The interval of `shouldResync` calls, across watches, lists and failures, while a watch is open; 0 for never. */
  readonly resyncPeriodMs?: number;
  readonly shouldResync?: () => boolean;
  readonly useWatchList?: boolean;
  readonly pageSize?: number;
  readonly minWatchTimeoutMs?: number;
  readonly backoff?: Omit<BackoffOptions, "random">;
  /** After a bookmark was seen, a watch that is silent for this long is opened again. */
  readonly silenceMs?: number;
  /** Called for each failed attempt before the wait that follows. Must return quickly. */
  readonly onError?: WatchErrorHandler | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: ReflectorMetrics;
}

export type WatchErrorHandler = (error: unknown, reflector: ReflectorView) => void;

const slowListMs = 10_000;
const defaultSilenceMs = 150_000;

export class Reflector<T extends Cacheable> implements ReflectorView {
  readonly name: string;
  readonly #options: ReflectorOptions<T>;
  readonly #rules: ReflectorRules;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #metrics: ReflectorMetrics;
  readonly #applier: WatchApplier<T>;
  readonly #resync: ResyncTimer;
  readonly #outage: OutageLog;
  #state: ReflectorState;
  #open: OpenWatch<T> | undefined;
  readonly #episodes = new Episodes();
  #lastError: unknown;
  #phase: ReflectorView["phase"] = "idle";
  readonly #activity: { -readonly [K in keyof ReflectorActivity]: ReflectorActivity[K] } = { ...noActivity };

  constructor(options: ReflectorOptions<T>) {
    this.name = options.name ?? "reflector";
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#logger = (options.logger ?? silentLogger).child({ reflector: this.name });
    this.#metrics = options.metrics ?? informerMetrics(undefined, this.name).reflector;
    this.#applier = new WatchApplier({
      store: options.store,
      expectedKind: options.expectedKind,
      keeps: options.keeps,
      onSkip: (error) => this.#skipped(error),
    });
    this.#rules = {
      useWatchList: (options.useWatchList ?? true) && options.source.supportsWatchList !== false,
      pageSize: options.pageSize ?? 0,
    };
    this.#outage = new OutageLog({
      logger: this.#logger,
      clock: this.#clock,
      failing: "list or watch failed, trying again",
      over: "list and watch work again",
    });
    const { store, shouldResync, resyncPeriodMs = 0 } = options;
    this.#resync = new ResyncTimer({
      clock: this.#clock,
      periodMs: resyncPeriodMs,
      resync: () => {
        if (shouldResync === undefined || shouldResync()) store.resync();
      },
    });
    this.#state = initialState(this.#rules);
  }

  get lastSyncResourceVersion(): string {
    return this.#state.lastSyncResourceVersion;
  }

  get isWatching(): boolean {
    return this.#phase === "watch" || this.#phase === "follow";
  }

  get lastError(): unknown {
    return this.#lastError;
  }

  get phase(): ReflectorView["phase"] {
    return this.#phase;
  }

  get activity(): ReflectorActivity {
    return this.#activity;
  }

  /** Lists anew, at once. Resolves when the store has been given a list that began after the call. */
  relist(signal: AbortSignal): Promise<void> {
    return this.#episodes.relist(signal);
  }

  /** Mirrors until the signal aborts; then resolves. Never rejects: failures are reported and retried. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#episodes.run(signal, async (episode) => {
      try {
        await this.#mirror(episode);
      } finally {
        this.#close();
        this.#state = relisting(this.#state, this.#rules);
      }
    });
    this.#phase = "stopped";
  }

  async #mirror(signal: AbortSignal): Promise<void> {
    const backoff = reflectorBackoff(this.#options.backoff ?? defaultBackoff, {
      clock: this.#clock,
      random: this.#random,
    });
    const empty = this.#options.source.empty?.();
    if (empty !== undefined) await this.#awaitFirst(empty, signal);
    while (!signal.aborted) {
      const timeout = watchTimeoutSeconds(this.#options.minWatchTimeoutMs ?? 0, this.#random);
      const action = nextAction(this.#state, this.#rules, timeout);
      if (action.afterBackoff) {
        this.#phase = "waiting";
        await this.#clock.sleep(backoff.next(), signal);
      }
      this.#phase = action.type;
      this.#settle(await this.#perform(action, signal));
    }
  }

  /** An empty list, and a watch from its revision that is opened when it has something to tell. */
  async #awaitFirst({ resourceVersion, filled }: EmptyCollection, signal: AbortSignal): Promise<void> {
    this.#phase = "watch";
    this.#options.store.replace([], resourceVersion);
    this.#listed(0, this.#clock.monotonic());
    this.#settle({ type: "listed", resourceVersion, paginated: false });
    await filled(signal);
  }

  #settle(outcome: Outcome): void {
    const { state, report } = step(this.#state, outcome, this.#rules);
    this.#state = state;
    if (outcome.type === "listed" || outcome.type === "streamed") {
      this.#episodes.listed();
      this.#lastError = undefined;
      this.#outage.worked();
    } else if (outcome.error !== undefined) this.#failed(outcome.error, report !== undefined);
  }

  #failed(error: unknown, isReported: boolean): void {
    this.#lastError = error;
    this.#activity.failures += 1;
    this.#metrics.errors.inc();
    if (isReported && this.#options.onError !== undefined) {
      this.#outage.failedElsewhere();
      this.#tell(this.#options.onError, error);
    }
    // an expired revision is the ordinary fate of a watch on a busy server
    else if (isExpiredOrGone(error)) this.#logger.debug("revision expired, listing again", { error });
    else this.#outage.failed({ error });
  }

  #tell(onError: WatchErrorHandler, error: unknown): void {
    try {
      onError(error, this);
    } catch (thrown) {
      this.#logger.error("watch error handler failed", { error: thrown, about: error });
    }
  }

  async #perform(action: Action, signal: AbortSignal): Promise<Outcome> {
    switch (action.type) {
      case "list":
        return this.#list(action.options, signal);
      case "watch-list":
        return this.#watchList(action.options, signal);
      case "watch": {
        const refusal = await this.#dial(action.options, signal);
        return refusal ?? this.#follow(signal);
      }
      case "follow":
        return this.#follow(signal);
    }
  }

  async #list(options: Parameters<typeof wholeList>[1], signal: AbortSignal): Promise<Outcome> {
    const began = this.#clock.monotonic();
    try {
      const list = await abortable(wholeList(this.#options.source, options, signal), signal);
      const items = await this.#prepared(list.items);
      this.#options.store.replace(items, list.resourceVersion);
      this.#listed(items.length, began);
      return { type: "listed", resourceVersion: list.resourceVersion, paginated: list.paginated };
    } catch (error) {
      if (signal.aborted) throw error;
      return { type: "refused", error };
    }
  }

  /** The list after checks and transformation, in slices; a transformation that fails fails the list. */
  async #prepared(items: readonly T[]): Promise<readonly T[]> {
    const { transform } = this.#options.store;
    const turns = turnsOf(this.#clock);
    const prepared: T[] = [];
    for (const item of items) {
      if (!this.#applier.accepts(item) || !this.#applier.keeps(item)) continue;
      prepared.push(transform === undefined ? item : transform(item));
      if (prepared.length % 64 === 0 && turns.due()) await turns.pause();
    }
    return prepared;
  }

  async #watchList(options: SourceWatchOptions, signal: AbortSignal): Promise<Outcome> {
    const began = this.#clock.monotonic();
    const refusal = await this.#dial(options, signal);
    if (refusal !== undefined) return refusal;
    const watch = this.#open as OpenWatch<T>;
    using _ = every(this.#clock, slowListMs, () => {
      const waitedMs = Math.round(this.#clock.monotonic() - began);
      this.#logger.warn("the server has not yet said that the initial objects are complete", { waitedMs });
    });
    try {
      const initial = this.#applier.collectInitial();
      for (;;) {
        const events = await watch.next();
        if (events === undefined) return this.#ended(watch);
        watch.events += events.length;
        const end = initial.apply(events);
        if (end === undefined) continue;
        watch.pushBack(events.slice(end.index + 1));
        const { objects } = initial;
        const { store } = this.#options;
        if (store.replaceByKey !== undefined) store.replaceByKey(objects, end.resourceVersion);
        else store.replace([...objects.values()], end.resourceVersion);
        this.#listed(objects.size, began);
        return { type: "streamed", resourceVersion: end.resourceVersion };
      }
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#ended(watch, error);
    }
  }

  /** Opens a watch into `#open`, or gives the outcome of the failure. */
  async #dial(options: SourceWatchOptions, signal: AbortSignal): Promise<Outcome | undefined> {
    this.#close();
    try {
      this.#open = await OpenWatch.open(this.#options.source, options, {
        clock: this.#clock,
        signal,
        silenceMs: this.#options.silenceMs ?? defaultSilenceMs,
      });
      this.#metrics.watches.inc();
      this.#activity.watches += 1;
      return undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      return { type: "refused", error };
    }
  }

  async #follow(signal: AbortSignal): Promise<Outcome> {
    const watch = this.#open as OpenWatch<T>;
    this.#lastError = undefined;
    let resyncFailed: unknown;
    using _ = this.#resync.during((error) => {
      resyncFailed = error;
      this.#close();
    });
    // initial objects replayed as ADDED come in no particular order, so their revisions mean no progress
    let mayAdvance = watch.startedFrom !== "" && watch.startedFrom !== "0";
    mayAdvance ||= this.#state.next === "follow";
    try {
      for (;;) {
        const events = await watch.next();
        if (events === undefined) return this.#ended(watch);
        this.#outage.worked();
        this.#heard(watch, events.length);
        let reached: string | undefined;
        try {
          for (const event of events) {
            if (event.type === "BOOKMARK") this.#bookmarked(watch);
            if (event.type !== "ADDED") mayAdvance = true;
            const resourceVersion = this.#applier.apply(event);
            if (mayAdvance && resourceVersion !== undefined) reached = resourceVersion;
          }
        } finally {
          if (reached !== undefined) this.#state = advanced(this.#state, reached);
        }
        // two batches behind: reading on would only move the backlog from the server's memory into ours
        if (this.#options.store.isFull === true)
          await abortable(this.#options.store.room?.() ?? Promise.resolve(), signal);
      }
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#ended(watch, resyncFailed ?? error);
    }
  }

  #heard(watch: OpenWatch<T>, events: number): void {
    watch.events += events;
    this.#activity.events += events;
    this.#activity.bytes = this.#options.source.bytes;
    this.#activity.lastEventAt = this.#clock.now();
  }

  #bookmarked(watch: OpenWatch<T>): void {
    watch.bookmarkSeen();
    this.#activity.lastBookmarkAt = this.#clock.now();
  }

  #ended(watch: OpenWatch<T>, error?: unknown): Outcome {
    const brief = watch.isBrief;
    const veryShort = brief && watch.events === 0 && (error === undefined || isConnectionEnd(error));
    this.#metrics.watchDuration.observe(watch.durationMs / 1000);
    this.#metrics.itemsPerWatch.observe(watch.events);
    this.#close();
    if (veryShort) {
      this.#metrics.shortWatches.inc();
      return { type: "ended", error: new VeryShortWatchError(this.name), veryShort, brief };
    }
    // a broken connection is a clean end: everything read is valid, and the next watch continues there
    if (error === undefined || isConnectionEnd(error) || error instanceof SilentWatchError) {
      if (error !== undefined) this.#logger.info("watch ended early, dialling again", { error });
      return { type: "ended", veryShort, brief };
    }
    return { type: "ended", error, veryShort, brief };
  }

  #close(): void {
    this.#open?.[Symbol.dispose]();
    this.#open = undefined;
  }

  #listed(count: number, beganMs: number): void {
    const tookMs = this.#clock.monotonic() - beganMs;
    this.#metrics.lists.inc();
    this.#activity.lists += 1;
    this.#activity.bytes = this.#options.source.bytes;
    this.#metrics.listDuration.observe(tookMs / 1000);
    this.#metrics.itemsPerList.observe(count);
    if (tookMs > slowListMs) this.#logger.warn("slow list", { objects: count, tookMs: Math.round(tookMs) });
  }

  #skipped(error: unknown): void {
    this.#metrics.skipped.inc();
    this.#logger.error("object skipped", { error });
  }
}
