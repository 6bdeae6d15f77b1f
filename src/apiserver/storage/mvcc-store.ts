/**
 * A Store over a state, a journal and a clock: makes commits durable before they are shown, delivers them to watchers,
 * and ages history.
 */
import { type Clock, Heap, messageOf, type Timer } from "../../base/index.js";
import type { Batch, Stretch } from "./event-log.js";
import type { Journal, Transaction } from "./journal.js";
import { Versions } from "./versions.js";
import {
  type StoreWrite,
  type Committed,
  JournalError,
  type Page,
  type Range,
  RevisionError,
  type Store,
  type Stored,
  type StoreWatch,
  type WatchLost,
  type WatchRange,
  type WatchSink,
} from "./contract.js";
import { Watchers } from "./watchers.js";

export interface StoreOptions {
  readonly clock: Clock;
  /** Absent for a store in memory only. */
  readonly journal?: Journal;
  /** The initial state, from a journal. */
  readonly state?: Versions;
  /** The objects of that state that have an end. */
  readonly expiring?: readonly Stored[];
  /** Limit on the events in history, whatever their age. */
  readonly historyEvents?: number;
  /** Limit on the bytes of superseded versions, unless the current ones are more. */
  readonly historyBytes?: number;
  /** Whether a version is small enough; a larger one is refused with TooLargeError. By default all are. */
  fits?(stored: Stored): boolean;
  /** Freezes stored objects deeply: for tests, to find code that modifies one. */
  readonly freeze?: boolean;
}

/** Older history is dropped. */
const historyMs = 300_000;

const defaults = { historyEvents: 100_000, historyBytes: 16 * 1024 * 1024, freeze: false } as const;

/**
 * For watchers that are behind but go on reading, history may exceed its bounds: to this many times the events, and by
 * this many bytes.
 */
const keptEventsFactor = 4;
const keptBytes = 256 * 1024 * 1024;

const maxDeliveryTurns = 4;

/** Compaction forgets this many revisions in one turn of the event loop. */
const compactedATurn = 1000;

interface Expiry {
  readonly id: string;
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  readonly expiresAt: number;
}

interface Waiter {
  readonly revision: number;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Invariants:
 * 1. The transactions after `#settled` are, in order, the batch that the journal is writing and then those in
 *    `#unsettled`; without a journal there are none. `#flushing` is set exactly while there are any, and settles when
 *    there are none left.
 * 2. Watchers get only settled events.
 * 3. `#marks` ascend in time and revision, one for each tenth of `historyMs`. History begins, after a compaction by
 *    age, at the newest mark that is at least `historyMs` old; the marks up to it are then dropped.
 */
export class MvccStore implements Store {
  readonly #options: StoreOptions;
  readonly #state: Versions;
  readonly #clock: Clock;
  readonly #journal: Journal | undefined;
  readonly #watchers: Watchers;
  readonly #fits = (stored: Stored): boolean => this.#options.fits?.(stored) ?? true;
  readonly #historyEvents: number;
  readonly #historyBytes: number;
  readonly #expiries = new Heap<Expiry, string>({
    compare: (a, b) => a.expiresAt - b.expiresAt,
    key: ({ id }) => id,
  });
  #expiryTimer: { readonly at: number; readonly timer: Timer } | undefined;
  #compaction: Timer | undefined;
  #marks: { readonly at: number; readonly revision: number }[] = [];
  #settled: number;
  #unsettled: Transaction[] = [];
  #waiters: Waiter[] = [];
  #flushing: Promise<void> | undefined;
  /** Why the journal refused its latest batch, if it did. */
  #refusal: string | undefined;
  #deliveryDue = false;
  /** While a watcher still takes the history that is too long, compaction is not tried again before this revision. */
  #compactAgainAt = 0;
  #closed = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#journal = options.journal;
    this.#historyEvents = options.historyEvents ?? defaults.historyEvents;
    this.#historyBytes = options.historyBytes ?? defaults.historyBytes;
    this.#state = options.state ?? new Versions({ revision: 0, freeze: options.freeze ?? defaults.freeze });
    this.#settled = this.#state.revision;
    this.#watchers = new Watchers({ clock: options.clock, history: (...about) => this.#historyFor(...about) });
    for (const stored of options.expiring ?? []) this.#expect(stored);
  }

  /**
   * A store of its own on another clock, with the same objects, revisions and history; a write to one of the two stores
   * is not seen in the other. It costs the same whatever the number of objects. Watches are not taken along. Throws if there
   * is a journal.
   */
  fork(clock: Clock): MvccStore {
    if (this.#journal !== undefined) throw new Error("a store with a journal cannot be forked");
    const expiring: Stored[] = [];
    for (const { collection, key, revision } of this.#expiries.values()) {
      const stored = this.get(collection, key);
      if (stored?.revision === revision) expiring.push(stored);
    }
    const fork = new MvccStore({ ...this.#options, clock, expiring, state: this.#state.fork() });
    fork.#marks = [...this.#marks];
    if (fork.compacted < fork.revision) fork.#armCompaction();
    return fork;
  }

  get refusal(): string | undefined {
    return this.#journal?.broken?.message ?? this.#refusal;
  }

  get revision(): number {
    return this.#state.revision;
  }

  get settledRevision(): number {
    return this.#settled;
  }

  get compacted(): number {
    return this.#state.compacted;
  }

  get(collection: string, key: string): Stored | undefined {
    return this.#state.get(collection, key);
  }

  list(range: Range): Page {
    return this.#state.list(range);
  }

  count(collection: string): number {
    return this.#state.count(collection);
  }

  collections(): readonly string[] {
    return this.#state.collections();
  }

  commit(changes: readonly StoreWrite[]): Committed {
    if (this.#closed) throw new JournalError("the store is closed");
    const events = this.#state.commit(changes, this.#clock.now(), this.#fits);
    const revision = this.#state.revision;
    for (const { current } of events) if (current !== undefined) this.#expect(current);
    if (this.#journal === undefined) this.#settle({ revision, events });
    else {
      this.#unsettled.push({ revision, events });
      this.#flushing ??= this.#flush(this.#journal);
    }
    this.#armCompaction();
    return { revision, stored: events.map((event) => (event.current ?? event.departed) as Stored) };
  }

  settled(revision: number): Promise<void> {
    if (revision <= this.#settled) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ revision, resolve, reject }));
  }

  watch(range: WatchRange, sink: WatchSink, lost?: WatchLost): StoreWatch {
    if (range.after < this.#state.compacted) throw new RevisionError("compacted", range.after, this.#state.compacted);
    const watching = this.#watchers.add(range, sink, lost);
    this.#scheduleDelivery();
    return {
      [Symbol.dispose]: () => watching[Symbol.dispose](),
      resume: () => {
        watching.resume();
        if (this.#watchers.isDue) this.#scheduleDelivery(0);
      },
      catchUp: () => watching.catchUp(this.#settled),
    };
  }

  compact(revision: number): void {
    this.#compact(revision, "keep what is being taken");
  }

  #compact(revision: number, needed: "keep what is being taken" | "forget it"): void {
    const possible = this.#state.compactable(Math.min(revision, this.#settled));
    if (possible <= this.#state.compacted) return;
    // watchers that have not got this history yet get it now
    this.#watchers.deliver(this.#settled);
    const kept = needed === "forget it" ? Number.POSITIVE_INFINITY : this.#watchers.neededAfter();
    const through = Math.min(possible, kept);
    if (through <= this.#state.compacted) return;
    this.#watchers.forget(through);
    this.#state.compact(through);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#expiryTimer?.timer[Symbol.dispose]();
    this.#compaction?.[Symbol.dispose]();
    await this.#flushing;
    await this.#journal?.close();
  }

  /** Group commit: the transactions that gather while one batch is being written make the next one. */
  async #flush(journal: Journal): Promise<void> {
    // commits of the same turn share the first batch
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#unsettled.length > 0) {
      const batch = this.#unsettled;
      this.#unsettled = [];
      try {
        await journal.append(batch);
        this.#refusal = undefined;
      } catch (cause) {
        this.#refusal = messageOf(cause);
        this.#takeBack(cause);
        continue;
      }
      for (const transaction of batch) this.#settle(transaction);
      journal.settled?.(this.#settled);
    }
    this.#flushing = undefined;
  }

  #settle({ revision, events }: Transaction): void {
    this.#settled = revision;
    let watched = false;
    for (const { collection } of events) if (this.#watchers.changed(collection)) watched = true;
    if (watched) this.#scheduleDelivery();
    if (this.#waiters.length === 0) return;
    const waiting = this.#waiters;
    this.#waiters = waiting.filter((waiter) => waiter.revision > revision);
    for (const waiter of waiting) if (waiter.revision <= revision) waiter.resolve();
  }

  /** The journal refused: undoes the changes that were applied but are not on disk, and all that were built on them. */
  #takeBack(cause: unknown): void {
    this.#unsettled = [];
    this.#state.rollback(this.#settled);
    const waiting = this.#waiters;
    this.#waiters = [];
    const reason = messageOf(cause);
    for (const { reject } of waiting) reject(new JournalError(`the write could not be stored: ${reason}`, { cause }));
  }

  /**
   * Each watcher costs a write to its socket, whatever is in it. With many watchers, a few turns of the loop pass
   * first, so that writes of other clients gather; on an idle server these turns take no time.
   */
  #scheduleDelivery(turns = Math.min(this.#watchers.size >> 5, maxDeliveryTurns)): void {
    if (this.#deliveryDue) return;
    this.#deliveryDue = true;
    const turn = (left: number): void => {
      setImmediate(() => {
        if (left > 0) return turn(left - 1);
        this.#deliveryDue = false;
        if (this.#closed) return;
        this.#watchers.deliver(this.#settled);
        if (this.#watchers.isDue) this.#scheduleDelivery(0);
      });
    };
    turn(turns);
  }

  /**
   * A watcher of a collection that was quiet for long may have seen nothing since a revision that is compacted: it has
   * missed nothing.
   */
  #historyFor(collection: string, stretch: Stretch): Batch {
    return this.#state.read(collection, { ...stretch, after: Math.max(stretch.after, this.#state.compacted) });
  }

  #expect(stored: Stored): void {
    if (stored.expiresAt === undefined) return;
    const { collection, key, revision, expiresAt } = stored;
    this.#expiries.push({ id: `${collection} ${key}`, collection, key, revision, expiresAt });
    this.#armExpiry();
  }

  #armExpiry(): void {
    const next = this.#expiries.peek();
    if (next === undefined || this.#closed) return;
    if (this.#expiryTimer !== undefined && this.#expiryTimer.at <= next.expiresAt) return;
    this.#expiryTimer?.timer[Symbol.dispose]();
    const timer = this.#clock.timer(Math.max(next.expiresAt - this.#clock.now(), 0), () => this.#expire());
    this.#expiryTimer = { at: next.expiresAt, timer };
  }

  #expire(): void {
    this.#expiryTimer = undefined;
    const now = this.#clock.now();
    for (let next = this.#expiries.peek(); next !== undefined && next.expiresAt <= now; next = this.#expiries.peek()) {
      this.#expiries.pop();
      const { collection, key, revision } = next;
      const current = this.get(collection, key);
      // an expiry that the disk refuses is tried again with the object's next write or at the next start
      if (current?.revision === revision) this.commit([{ type: "delete", collection, key, expected: revision }]);
    }
    this.#armExpiry();
  }

  #compactBySize(): void {
    const { events, historyBytes, liveBytes, revision, compacted } = this.#state;
    const bytes = Math.max(this.#historyBytes, liveBytes);
    if (events <= this.#historyEvents && historyBytes <= bytes) return;
    const isFarTooMuch = events > this.#historyEvents * keptEventsFactor || historyBytes > bytes + keptBytes;
    if (revision < this.#compactAgainAt && !isFarTooMuch) return;
    // removes more than the excess, so that it is not needed at every write
    const step = Math.min(Math.ceil(events * 0.1), compactedATurn);
    this.#compact(revision - events + step, isFarTooMuch ? "forget it" : "keep what is being taken");
    if (this.#state.compacted === compacted) this.#compactAgainAt = revision + Math.ceil(step / 10);
  }

  /** Half a minute of writes is forgotten at a time, which may be many: other work runs between portions of it. */
  #compactInTurns(revision: number): void {
    if (this.#closed) return;
    const { compacted } = this.#state;
    this.compact(Math.min(revision, compacted + compactedATurn));
    if (this.#state.compacted > compacted && this.#state.compacted < revision) {
      setImmediate(() => this.#compactInTurns(revision));
    }
  }

  /** Age is counted in steps: a mark every tenth of the period records the revision at that time. */
  #armCompaction(): void {
    this.#compactBySize();
    if (this.#compaction !== undefined) return;
    this.#compaction = this.#clock.timer(historyMs / 10, () => {
      this.#compaction = undefined;
      if (this.#closed) return;
      const now = this.#clock.now();
      this.#marks.push({ at: now, revision: this.#settled });
      const old = this.#marks.findLast(({ at }) => now - at >= historyMs);
      if (old !== undefined) {
        this.#compactInTurns(old.revision);
        this.#marks = this.#marks.filter(({ at }) => at > old.at);
      }
      if (this.#state.compacted < this.#state.revision) this.#armCompaction();
    });
  }
}
