/**
 * Keeps the store's watchers by collection and namespace. Takes the news that a collection changed; gives each watcher
 * the events since its last delivery, as many as the watcher accepts.
 */
import { getOrMake } from "../../base/containers/recent.js";
import { type Clock, trackLeak } from "../../base/index.js";
import type { Batch, Stretch } from "./event-log.js";
import { RevisionError, type WatchLost, type WatchRange, type WatchSink } from "./contract.js";

interface Watcher {
  readonly group: Group;
  readonly sink: WatchSink;
  readonly lost: WatchLost | undefined;
  /** The last revision that was delivered to this watcher, or from which it started. */
  seen: number;
  /** True if the watcher takes no more for now. */
  full: boolean;
  /** The time when the watcher last took events, or asked for more. */
  tookAt: number;
}

/** The watchers of one collection and prefix (either "" or `namespace/`). */
interface Group {
  readonly collection: string;
  readonly prefix: string;
  readonly watchers: Set<Watcher>;
}

/** The batches of a group in one delivery, by the revision after which they begin: nearly all watchers have the same. */
type Batches = Map<number, Batch>;

type History = (collection: string, stretch: Stretch) => Batch;

/** The approximate size of one delivery to a watcher. */
const batchBytes = 256 * 1024;
/**
 * The approximate bytes of one turn, where each served watcher counts extra: its write to a socket takes about as long
 * as those bytes. A turn is short, so that a request that comes meanwhile does not wait for all watchers.
 */
const turnCost = 2 * 1024 * 1024;
const watcherCost = 64 * 1024;
/** A watcher that is behind and has taken nothing for this long is not waited for. */
const patienceMs = 60_000;

export interface WatchersOptions {
  readonly clock: Clock;
  readonly history: History;
}

/**
 * An event visits only the groups that it may concern, and watchers of a group with the same position get the same
 * array.
 * Invariants:
 * 1. Each watcher has got exactly the events of its range up to `seen`.
 * 2. `#behind` holds every watcher that had not got all events at the last delivery.
 * 3. `#due` holds the watchers of `#behind` that are not full, in the order in which they are served.
 */
export class Watchers {
  readonly #groups = new Map<string, Map<string, Group>>();
  /** Collections with settled events, or new watchers, that were not delivered yet. */
  readonly #dirty = new Set<string>();
  readonly #behind = new Set<Watcher>();
  readonly #due = new Set<Watcher>();
  readonly #clock: Clock;
  readonly #history: History;
  #size = 0;

  /** The number of watchers. */
  get size(): number {
    return this.#size;
  }

  /** True if there may be events for a watcher that can take them. */
  get isDue(): boolean {
    return this.#dirty.size > 0 || this.#due.size > 0;
  }

  constructor({ clock, history }: WatchersOptions) {
    this.#clock = clock;
    this.#history = history;
  }

  add({ collection, prefix, after }: WatchRange, sink: WatchSink, lost: WatchLost | undefined): WatchHandle {
    const prefixes = getOrMake(this.#groups, collection, () => new Map());
    const group = getOrMake(prefixes, prefix, () => ({ collection, prefix, watchers: new Set() }));
    const watcher: Watcher = { group, sink, lost, seen: after, full: false, tookAt: this.#clock.monotonic() };
    group.watchers.add(watcher);
    this.#size++;
    this.#dirty.add(collection);
    const open = trackLeak("subscription", () => `a watch of ${collection} ${prefix}`);
    return {
      resume: () => this.#resume(watcher),
      catchUp: (through) => {
        if (!watcher.full) this.#deliver(watcher, through, new Map());
        return Math.min(watcher.seen, through);
      },
      [Symbol.dispose]: () => {
        open[Symbol.dispose]();
        this.#remove(watcher);
      },
    };
  }

  /** True if a delivery is needed. */
  changed(collection: string): boolean {
    if (!this.#groups.has(collection)) return false;
    this.#dirty.add(collection);
    return true;
  }

  /**
   * Delivers the events up to the revision to the watchers of changed collections and to watchers that were behind. The
   * cost grows with bytes and watchers, so one turn may serve only some watchers, longest waiting first; `isDue` tells
   * if any are left.
   */
  deliver(through: number): void {
    for (const collection of this.#dirty) {
      for (const { watchers } of this.#groups.get(collection)?.values() ?? []) {
        for (const watcher of watchers) this.#await(watcher, through);
      }
    }
    this.#dirty.clear();
    const batches = new Map<Group, Batches>();
    let cost = 0;
    for (const watcher of this.#due) {
      if (cost >= turnCost) break;
      const ofGroup = getOrMake(batches, watcher.group, () => new Map());
      cost += watcherCost + this.#deliver(watcher, through, ofGroup);
    }
  }

  /** The revision after which history is still being taken; infinity if all events have been delivered. */
  neededAfter(): number {
    const since = this.#clock.monotonic() - patienceMs;
    let needed = Number.POSITIVE_INFINITY;
    for (const { seen, full, tookAt } of this.#behind) {
      if (!full || tookAt >= since) needed = Math.min(needed, seen);
    }
    return needed;
  }

  /** Called before history up to the revision is dropped. A watcher that still needs events of it is told so, and removed. */
  forget(through: number): void {
    for (const watcher of this.#behind) {
      const { seen, group, lost } = watcher;
      if (seen >= through) continue;
      const { events } = this.#history(group.collection, { prefix: group.prefix, after: seen, through, bytes: 1 });
      if (events.length === 0) {
        watcher.seen = through;
        continue;
      }
      this.#remove(watcher);
      lost?.(new RevisionError("compacted", seen, through));
    }
  }

  /** Marks the watcher as behind if there may be events for it up to the revision. */
  #await(watcher: Watcher, through: number): void {
    if (watcher.seen >= through) return;
    this.#behind.add(watcher);
    if (!watcher.full) this.#due.add(watcher);
  }

  /** Gives the number of delivered bytes. */
  #deliver(watcher: Watcher, through: number, batches: Batches): number {
    const { group, seen, sink } = watcher;
    this.#due.delete(watcher);
    this.#behind.delete(watcher);
    if (seen >= through) return 0;
    let batch = batches.get(seen);
    if (batch === undefined) {
      batch = this.#history(group.collection, { prefix: group.prefix, after: seen, through, bytes: batchBytes });
      batches.set(seen, batch);
    }
    watcher.seen = batch.through;
    if (batch.events.length > 0) {
      watcher.tookAt = this.#clock.monotonic();
      watcher.full = sink(batch.events) === false;
    }
    if (group.watchers.has(watcher)) this.#await(watcher, through);
    return batch.bytes;
  }

  #resume(watcher: Watcher): void {
    watcher.full = false;
    watcher.tookAt = this.#clock.monotonic();
    if (this.#behind.has(watcher)) this.#due.add(watcher);
  }

  #remove(watcher: Watcher): void {
    const { group } = watcher;
    if (!group.watchers.delete(watcher)) return;
    this.#size--;
    this.#behind.delete(watcher);
    this.#due.delete(watcher);
    if (group.watchers.size > 0) return;
    const prefixes = this.#groups.get(group.collection);
    if (prefixes?.get(group.prefix) !== group) return;
    prefixes.delete(group.prefix);
    if (prefixes.size === 0) this.#groups.delete(group.collection);
  }
}

export interface WatchHandle extends Disposable {
  resume(): void;
  /** Gives the revision up to which all events have been delivered to the watcher, at most `through`. */
  catchUp(through: number): number;
}
