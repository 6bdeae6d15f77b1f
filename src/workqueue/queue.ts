/** Carries keys from event handlers to workers: each key waits at most once and runs at most once at a time. */
import { abortReason, type Clock, type MetricsRegistry, onAbort, systemClock } from "../base/index.js";
import { type QueueMeter, queueMeter } from "./metrics.js";
import { fifoOrder, type Order, type Queued } from "./order.js";
import { type Reason, type Reasons, recordReason } from "./reasons.js";
import { waitSignal } from "./trace.js";

export interface AddOptions {
  readonly reason?: Reason;
  /** 0 by default. Of several adds of a waiting key the greatest priority counts. Only some orders consider it. */
  readonly priority?: number;
}

export interface GetOptions {
  readonly signal: AbortSignal;
}

export interface QueueOptions<K> {
  /** Names the queue in metrics and snapshots. A queue without a name measures no times, and is faster for it. */
  readonly name?: string;
  readonly clock?: Clock;
  /** The registry for the metrics of a named queue. */
  readonly metrics?: MetricsRegistry;
  /** First in, first out by default. The queue must be its only user. */
  readonly order?: Order<K>;
}

/**
 * A key that a worker holds. No other worker gets the key until `done`; disposing is `done`, so `using work = …`
 * suffices. A second `done` has no effect.
 */
export interface Work<K> extends Disposable, Reasons {
  readonly key: K;
  readonly priority: number;
  /** The time that the key waited after it became ready; 0 in a queue without a name. */
  readonly waitedMs: number;
  done(): void;
}

/** A copy of the waiting and running keys, for people and tests. Times are 0 in a queue without a name. */
export interface QueueSnapshot<K> {
  readonly name: string;
  readonly shuttingDown: boolean;
  /** In the order of becoming ready, which need not be the order of coming out. */
  readonly ready: readonly (WaitingKey<K> & { readonly waitedMs: number })[];
  /** `again` is true if the key was added while it was held, and will run once more. */
  readonly held: readonly (WaitingKey<K> & { readonly heldMs: number; readonly again: boolean })[];
  readonly delayed: readonly DelayedKey<K>[];
}

export interface WaitingKey<K> extends Reasons {
  readonly key: K;
  readonly priority: number;
}

/** `requeues` is the number of failures that the rate limiter counts for the key. */
export interface DelayedKey<K> extends WaitingKey<K> {
  readonly dueInMs: number;
  readonly requeues: number;
}

/** A key of a queue as it stands there, uncopied: valid until the queue changes. */
export interface QueuedKey<K> extends WaitingKey<K> {
  readonly state: "waiting" | "held" | "over";
  /** True if the key was added while it was held, and will run once more. */
  readonly again: boolean;
  /** Monotonic times; 0 in a queue without a name. */
  readonly readyAt: number;
  readonly heldAt: number;
}

interface Waiter<K> {
  readonly resolve: (work: Work<K> | undefined) => void;
}

const nothing: AddOptions = {};
const noReasons: readonly Reason[] = [];

/** Details that most keys of a plain queue lack: reasons, and the times that only named queues measure. */
interface Details {
  reasons: Reason[] | undefined;
  omittedReasons: number;
  readyAt: number;
  heldAt: number;
}

/**
 * One wait and one run of a key. A key that is added while it is held gets a second entry behind the first. A busy
 * queue has hundreds of thousands of entries, so fields that most of them lack stand in `details`.
 */
class Entry<K> implements Work<K>, Queued<K>, QueuedKey<K> {
  readonly key: K;
  priority: number;
  sequence = 0;
  state: "waiting" | "held" | "over" = "waiting";
  /** While waiting, at the order's disposal; while held, the next run of the same key. */
  behind: Entry<K> | undefined = undefined;
  details: Details | undefined = undefined;
  readonly #release: (entry: Entry<K>) => void;

  constructor(key: K, priority: number, release: (entry: Entry<K>) => void) {
    this.key = key;
    this.priority = priority;
    this.#release = release;
  }

  get reasons(): readonly Reason[] {
    return this.details?.reasons ?? noReasons;
  }

  get omittedReasons(): number {
    return this.details?.omittedReasons ?? 0;
  }

  get waitedMs(): number {
    return this.details === undefined ? 0 : this.details.heldAt - this.details.readyAt;
  }

  get again(): boolean {
    return this.state === "held" && this.behind !== undefined;
  }

  get readyAt(): number {
    return this.details?.readyAt ?? 0;
  }

  get heldAt(): number {
    return this.details?.heldAt ?? 0;
  }

  done(): void {
    if (this.state === "held") this.#release(this);
  }

  [Symbol.dispose](): void {
    this.done();
  }
}

/**
 * The contract of all queues here (keys are compared as in a Map):
 * - A key is held by at most one worker.
 * - A key added while it waits is not added twice; a key added while held runs once more, after `done`, however often
 *   it was added.
 * - Nothing added is lost before the shutdown: `get` gives everything before it gives undefined; ShutDownWithDrain
 *   waits for what is in flight.
 * - `add` never waits. Waiting `get`s are served first come, first served, after the synchronous code that adds has
 *   ended, so that all keys that it adds take part in the order.
 *
 * Invariants:
 * 1. `#entries` has one entry for each key that waits or is held; an entry `behind` a held one is waiting, but not in
 *    `#order`.
 * 2. `#order` has exactly the waiting entries of `#entries`.
 * 3. `#heldCount` is the number of held entries.
 * 4. If neither `#waiters` nor `#order` is empty, a hand-over is due.
 */
export class Queue<K = string> {
  readonly #entries = new Map<K, Entry<K>>();
  readonly #order: Order<K>;
  readonly #waiters = new Set<Waiter<K>>();
  readonly #drainers = new Set<() => void>();
  readonly #name: string;
  readonly #clock: Clock;
  readonly #meter: QueueMeter | undefined;
  readonly #timed: boolean;
  readonly #release = (entry: Entry<K>): void => this.#finish(entry);
  #heldCount = 0;
  #sequence = 0;
  #shuttingDown = false;
  #handOverDue = false;

  constructor(options: QueueOptions<K> = {}) {
    this.#order = options.order ?? fifoOrder<K>();
    this.#name = options.name ?? "";
    this.#clock = options.clock ?? systemClock;
    this.#timed = this.#name !== "";
    this.#meter =
      options.metrics === undefined || !this.#timed
        ? undefined
        : queueMeter(options.metrics, {
            name: this.#name,
            prioritised: this.#order.prioritised,
            running: () => this.#runningTimes(),
          });
  }

  /** The number of ready keys, without held and delayed ones. */
  get length(): number {
    return this.#order.length;
  }

  /** The number of keys that workers hold. */
  get heldCount(): number {
    return this.#heldCount;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** The waiting and held keys. A key that comes or goes while they are read is among them or not; one that comes back, twice. */
  keys(): Iterable<QueuedKey<K>> {
    return this.#entries.values();
  }

  /** Queues the key unless it is waiting already. Ignored after a shutdown. */
  add(key: K, options: AddOptions = nothing): void {
    if (this.#shuttingDown) return;
    const known = this.#entries.get(key);
    if (known === undefined) {
      const entry = this.#newEntry(key, options);
      this.#entries.set(key, entry);
      this.#makeReady(entry);
    } else if (known.state === "waiting") {
      if (options !== nothing || known.priority < 0) this.#merge(known, options, true);
    } else if (known.behind === undefined) {
      known.behind = this.#newEntry(key, options);
    } else if (options !== nothing || known.behind.priority < 0) {
      this.#merge(known.behind, options, false);
    }
  }

  /** Takes the next key if one is ready. */
  tryGet(): Work<K> | undefined {
    const entry = this.#order.pop() as Entry<K> | undefined;
    if (entry === undefined) return undefined;
    entry.state = "held";
    this.#heldCount += 1;
    if (this.#timed && entry.details !== undefined) entry.details.heldAt = this.#clock.monotonic();
    this.#meter?.taken(entry.priority, entry.waitedMs);
    waitSignal.tell(() => ({ queue: this.#name, key: entry.key, waitedMs: entry.waitedMs, reasons: entry.reasons }));
    return entry;
  }

  /**
   * Takes the next key, or waits for one; undefined means that the queue is shut down and empty. Rejects when the
   * signal aborts. The caller must call `done` on the result.
   */
  async get({ signal }: GetOptions): Promise<Work<K> | undefined> {
    if (signal.aborted) throw abortReason(signal);
    // callers that are waiting already come first
    const work = this.#waiters.size === 0 ? this.tryGet() : undefined;
    if (work !== undefined) return work;
    if (this.#shuttingDown && this.#order.length === 0) return undefined;
    return new Promise((resolve, reject) => {
      const waiter: Waiter<K> = {
        resolve(given) {
          aborting[Symbol.dispose]();
          resolve(given);
        },
      };
      const aborting = onAbort(signal, (reason) => {
        this.#waiters.delete(waiter);
        reject(reason);
      });
      this.#waiters.add(waiter);
    });
  }

  /**
   * Accepts no more keys. Queued keys, and held keys that were added again, are still given out; then `get` gives
   * undefined. Ends the waiting of an earlier `shutDownWithDrain`.
   */
  shutDown(): void {
    this.#shutDown();
    this.#endDrain();
  }

  /**
   * As `shutDown`, and resolves when no key is held and no held key that was added again is left. It does not wait for
   * keys that no worker has begun; with no key held it resolves at once.
   */
  async shutDownWithDrain({ signal }: GetOptions): Promise<void> {
    this.#shutDown();
    if (this.#heldCount === 0) return;
    await new Promise<void>((resolve, reject) => {
      const drained = (): void => {
        aborting[Symbol.dispose]();
        resolve();
      };
      const aborting = onAbort(signal, (reason) => {
        this.#drainers.delete(drained);
        reject(reason);
      });
      if (!signal.aborted) this.#drainers.add(drained);
    });
  }

  /** Counts a delayed add in the metrics. */
  countRetry(): void {
    this.#meter?.retried();
  }

  snapshot(): QueueSnapshot<K> {
    const now = this.#timed ? this.#clock.monotonic() : 0;
    const entries = [...this.#entries.values()].sort((a, b) => a.sequence - b.sequence);
    const shown = ({ key, priority, reasons, omittedReasons }: Entry<K>): WaitingKey<K> => {
      return { key, priority, reasons: [...reasons], omittedReasons };
    };
    return {
      name: this.#name,
      shuttingDown: this.#shuttingDown,
      ready: entries
        .filter(({ state }) => state === "waiting")
        .map((entry) => ({ ...shown(entry), waitedMs: now - entry.readyAt })),
      held: entries
        .filter(({ state }) => state === "held")
        .map((entry) => ({
          ...shown(entry),
          heldMs: now - entry.heldAt,
          again: entry.again,
        })),
      delayed: [],
    };
  }

  #newEntry(key: K, options: AddOptions): Entry<K> {
    const entry = new Entry(key, options.priority ?? 0, this.#release);
    if (this.#timed || options.reason !== undefined) entry.details = this.#detailsOf(options.reason);
    this.#meter?.added(entry.priority);
    return entry;
  }

  #detailsOf(reason: Reason | undefined): Details {
    const reasons = reason === undefined ? undefined : [reason];
    return { reasons, omittedReasons: 0, readyAt: this.#timed ? this.#clock.monotonic() : 0, heldAt: 0 };
  }

  #merge(entry: Entry<K>, { reason, priority = 0 }: AddOptions, ordered: boolean): void {
    if (reason !== undefined) {
      const details = (entry.details ??= this.#detailsOf(undefined));
      details.reasons ??= [];
      if (!recordReason(details.reasons, reason)) details.omittedReasons += 1;
    }
    if (priority <= entry.priority) return;
    this.#meter?.raised(entry.priority, priority);
    if (ordered) this.#order.raise(entry, priority);
    else entry.priority = priority;
  }

  #makeReady(entry: Entry<K>): void {
    entry.sequence = this.#sequence;
    this.#sequence += 1;
    this.#order.push(entry);
    if (this.#waiters.size > 0) this.#handOverSoon();
  }

  #finish(entry: Entry<K>): void {
    entry.state = "over";
    this.#heldCount -= 1;
    if (this.#meter !== undefined) this.#meter.finished(this.#clock.monotonic() - (entry.details?.heldAt ?? 0));
    const { key, behind: again } = entry;
    if (again !== undefined) {
      entry.behind = undefined;
      this.#entries.set(key, again);
      this.#makeReady(again);
      return;
    }
    this.#entries.delete(key);
    if (this.#heldCount === 0 && this.#drainers.size > 0) this.#endDrain();
  }

  /** In a microtask, so that all adds of one synchronous section take part in the order before any of them is given out. */
  #handOverSoon(): void {
    if (this.#handOverDue) return;
    this.#handOverDue = true;
    queueMicrotask(() => {
      this.#handOverDue = false;
      this.#handOver();
    });
  }

  #handOver(): void {
    for (const waiter of this.#waiters) {
      const work = this.tryGet();
      if (work === undefined && !this.#shuttingDown) return;
      this.#waiters.delete(waiter);
      waiter.resolve(work);
    }
  }

  #shutDown(): void {
    this.#shuttingDown = true;
    this.#meter?.end();
    if (this.#waiters.size > 0) this.#handOverSoon();
  }

  #endDrain(): void {
    for (const drained of this.#drainers) drained();
    this.#drainers.clear();
  }

  *#runningTimes(): Iterable<number> {
    if (this.#heldCount === 0) return;
    const now = this.#clock.monotonic();
    for (const entry of this.#entries.values()) {
      if (entry.state === "held") yield now - (entry.details?.heldAt ?? now);
    }
  }
}
