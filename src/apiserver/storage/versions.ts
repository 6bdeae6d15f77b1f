/**
 * The state of a store: takes transactions, gives the versions of all keys at all uncompacted revisions. Synchronous,
 * without clock or disk.
 */
import { getOrMake } from "../../base/containers/recent.js";
import { deepFreeze } from "../../api/index.js";
import { type Batch, EventLog, type Stretch } from "./event-log.js";
import { KeyOrder } from "./key-order.js";
import {
  type StoreWrite,
  ExpectationError,
  type Page,
  type Range,
  RevisionError,
  type Stored,
  TooLargeError,
} from "./contract.js";
import { type Identity, StoredVersion, VersionMemory } from "./stored-version.js";
import { VersionEvent } from "./version-event.js";

interface Collection {
  readonly keys: KeyOrder;
  readonly log: EventLog;
  /** The number of keys with a live head. */
  live: number;
}

/** A version as a file has it. Its bytes are good for the moment only. */
export interface Recorded extends Identity {
  readonly bytes: Uint8Array;
}

/** One entry of a key in the log: a new version, or its end. */
export type RecordedChange =
  | { readonly type: "put"; readonly recorded: Recorded }
  | { readonly type: "delete"; readonly collection: string; readonly key: string };

/** All objects as they were at one revision, whatever happens meanwhile. */
export interface Pinned extends Disposable {
  readonly revision: number;
  /** In order, a few at a time or none. */
  slices(): Iterable<readonly Stored[]>;
}

/** A portion ends with the object or the key that reaches one of these limits; both are a fraction of a millisecond's work. */
const sliceBytes = 256 * 1024;
const sliceKeys = 512;

/**
 * 1. In a key's chain revisions fall strictly; the last version of the chain is the newest that is not after
 *    `compacted`, or the first ever, or one that a fork shares.
 * 2. Every version after `compacted` has exactly one event in its collection's log, and the logs hold no others.
 * 3. `#events` and `#historyBytes` are the number of events in all logs, and the bytes of their previous versions; of
 *    deletions also those of the last state under the deletion's revision, which watchers ask for. `#liveBytes` are
 *    those of all heads.
 * 4. A version that is in no chain and in no event has been released, unless a fork shares it.
 * 5. `#compacted` is not after the revision of any of `#pins`, unless it was when that was pinned.
 * 6. `revision` is that of the newest version anywhere; `#highest` ≥ `revision` is the highest ever given out.
 * 7. Versions and events up to `#sharedThrough` may be those of a fork as well: they are neither released nor changed.
 */
export class Versions {
  readonly #collections = new Map<string, Collection>();
  readonly #pins = new Set<Pinned>();
  readonly #memory: VersionMemory;
  readonly #freeze: boolean;
  #revision: number;
  #highest: number;
  #compacted: number;
  #events = 0;
  #historyBytes = 0;
  #liveBytes = 0;
  #sharedThrough = 0;

  constructor(
    options: { readonly revision: number; readonly freeze: boolean },
    memory: VersionMemory = new VersionMemory(),
  ) {
    this.#memory = memory;
    this.#revision = options.revision;
    this.#highest = options.revision;
    this.#compacted = options.revision;
    this.#freeze = options.freeze;
  }

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  /** The number of events in the history. */
  get events(): number {
    return this.#events;
  }

  /** The bytes of versions that only the history still holds. */
  get historyBytes(): number {
    return this.#historyBytes;
  }

  /** The bytes of all current objects. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  collections(): readonly string[] {
    return [...this.#collections].filter(([, { live }]) => live > 0).map(([name]) => name);
  }

  count(collection: string): number {
    return this.#collections.get(collection)?.live ?? 0;
  }

  /** The memory that is reserved for the bytes of all versions. */
  get reservedBytes(): number {
    return this.#memory.slabs.reserved;
  }

  get(collection: string, key: string): StoredVersion | undefined {
    return this.#collections.get(collection)?.keys.get(key);
  }

  list({ collection, prefix, from, limit = Number.POSITIVE_INFINITY, revision = this.#revision }: Range): Page {
    if (revision > this.#revision) throw new RevisionError("future", revision, this.#revision);
    if (revision < this.#compacted) throw new RevisionError("compacted", revision, this.#compacted);
    const found = this.#collections.get(collection);
    const items: Stored[] = [];
    if (found === undefined) return { revision, items, more: false, remaining: 0 };
    const { keys, live } = found;
    // if every key has a live object, the rest need not be walked to be counted
    const dense = revision === this.#revision && keys.size === live;
    let remaining = 0;
    keys.scan({ from, prefix, revision }, (stored) => {
      if (stored === undefined) return true;
      if (items.length < limit) items.push(stored);
      else if (dense) return false;
      else remaining++;
      return true;
    });
    if (dense && items.length === limit) {
      remaining = keys.rank(`${prefix}\uffff`) - keys.rank(from > prefix ? from : prefix) - items.length;
    }
    return { revision, items, more: remaining > 0, remaining };
  }

  /** All or nothing: expectations and sizes are checked before the first change is made. */
  commit(changes: readonly StoreWrite[], now: number, fits: (stored: Stored) => boolean): readonly VersionEvent[] {
    for (const change of changes) {
      const current = this.get(change.collection, change.key);
      if ((current?.revision ?? 0) !== change.expected) throw new ExpectationError(change, current);
    }
    const revision = this.#highest + 1;
    const events = changes.map((change) => this.#eventOf(change, revision, now));
    const tooLarge = events.find(({ current }) => current !== undefined && !fits(current))?.current;
    if (tooLarge !== undefined) {
      for (const event of events) event.takeBack();
      throw new TooLargeError(tooLarge);
    }
    for (const event of events) this.#record(event);
    return events;
  }

  /** Repeats a change that the log tells of. Its revision must not be before the state's. */
  redo(change: RecordedChange, revision: number): void {
    const identity = change.type === "put" ? change.recorded : change;
    const { collection, key } = identity;
    const previous = this.get(collection, key);
    if (change.type === "delete" && previous === undefined) return;
    const current = change.type === "put" ? this.#versionOf(change.recorded) : undefined;
    this.#record(new VersionEvent({ revision, collection, key }, { previous, current }, this.#memory));
  }

  #record(event: VersionEvent): void {
    const collection = this.#collection(event.collection);
    collection.keys.put(event.key, event.revision, event.current);
    collection.live += (event.current ? 1 : 0) - (event.previous ? 1 : 0);
    this.#liveBytes += (event.current?.size ?? 0) - (event.previous?.size ?? 0);
    if (event.previous !== undefined && event.previous.revision > this.#sharedThrough) event.previous.replaced();
    collection.log.push(event);
    this.#count(event, 1);
    this.#revision = event.revision;
    this.#highest = Math.max(this.#highest, event.revision);
  }

  /** Puts an object in place without an event, when a snapshot is loaded. Its revision must not be after `compacted`. */
  restore(recorded: Recorded): void {
    const stored = this.#versionOf(recorded);
    const collection = this.#collection(stored.collection);
    collection.keys.put(stored.key, stored.revision, stored);
    collection.live++;
    this.#liveBytes += stored.size;
  }

  #versionOf(recorded: Recorded): StoredVersion {
    return StoredVersion.ofBytes(recorded, recorded.bytes, this.#memory);
  }

  /**
   * A state of its own with the same revisions. It costs the same whatever the number of objects: both share all of
   * them until they change.
   */
  fork(): Versions {
    // shared versions keep the memory in which they were made: their objects are read once for both
    const fork = new Versions({ revision: this.#revision, freeze: this.#freeze });
    this.#sharedThrough = this.#highest;
    fork.#sharedThrough = this.#highest;
    fork.#highest = this.#highest;
    fork.#compacted = this.#compacted;
    fork.#events = this.#events;
    fork.#historyBytes = this.#historyBytes;
    fork.#liveBytes = this.#liveBytes;
    for (const [name, { keys, log, live }] of this.#collections)
      fork.#collections.set(name, { keys: keys.fork(), log: log.fork(), live });
    return fork;
  }

  /** Keeps a revision that is not compacted readable until the result is disposed. */
  pin(revision: number): Pinned {
    const names = [...this.#collections.keys()];
    const pinned: Pinned = {
      revision,
      slices: () => this.#slices(names, revision),
      [Symbol.dispose]: () => this.#pins.delete(pinned),
    };
    this.#pins.add(pinned);
    return pinned;
  }

  *#slices(names: readonly string[], revision: number): Generator<readonly Stored[]> {
    for (const name of names) {
      for (let from: string | undefined = ""; from !== undefined; ) {
        const objects: Stored[] = [];
        let bytes = 0;
        let keys = 0;
        let next: string | undefined;
        this.#collections.get(name)?.keys.scan({ from, prefix: "", revision }, (stored, key) => {
          if (bytes >= sliceBytes || ++keys > sliceKeys) {
            next = key;
            return false;
          }
          if (stored === undefined) return true;
          objects.push(stored);
          bytes += stored.size;
          return true;
        });
        from = next;
        yield objects;
      }
    }
  }

  read(collection: string, stretch: Stretch): Batch {
    const { after, through } = stretch;
    if (after < this.#compacted) throw new RevisionError("compacted", after, this.#compacted);
    return this.#collections.get(collection)?.log.read(stretch) ?? { events: [], through, bytes: 0 };
  }

  /** The revision up to which history can be dropped now, at most the given one. */
  compactable(revision: number): number {
    let through = Math.min(revision, this.#revision);
    for (const pinned of this.#pins) through = Math.min(through, pinned.revision);
    return through;
  }

  compact(revision: number): void {
    const through = this.compactable(revision);
    if (through <= this.#compacted) return;
    this.#compacted = through;
    for (const [name, { keys, log }] of this.#collections) {
      for (const event of log.dropThrough(this.#compacted)) {
        this.#count(event, -1);
        if ((event.previous?.revision ?? 0) > this.#sharedThrough) event.forget();
        keys.trim(event.key, through, this.#sharedThrough);
      }
      if (keys.size === 0) this.#collections.delete(name);
    }
  }

  /** Undoes everything after the revision. The undone revisions are not given out again. */
  rollback(revision: number): void {
    for (const collection of this.#collections.values()) {
      for (const event of collection.log.dropAfter(revision)) {
        this.#count(event, -1);
        event.takeBack();
        collection.keys.undo(event.key);
        collection.live -= (event.current ? 1 : 0) - (event.previous ? 1 : 0);
        this.#liveBytes -= (event.current?.size ?? 0) - (event.previous?.size ?? 0);
      }
    }
    this.#revision = Math.min(this.#revision, revision);
  }

  #count({ previous, current }: VersionEvent, sign: 1 | -1): void {
    this.#events += sign;
    this.#historyBytes += sign * (previous?.size ?? 0) * (current === undefined ? 2 : 1);
  }

  #collection(name: string): Collection {
    return getOrMake(this.#collections, name, () => ({ keys: new KeyOrder(), log: new EventLog(), live: 0 }));
  }

  #eventOf(change: StoreWrite, revision: number, now: number): VersionEvent {
    const { collection, key } = change;
    const previous = this.get(collection, key);
    const at = { revision, collection, key };
    if (change.type === "delete") return new VersionEvent(at, { previous, current: undefined }, this.#memory);
    const identity = change.ttlMs === undefined ? at : { expiresAt: now + change.ttlMs, ...at };
    const current = StoredVersion.ofObject(identity, change.object, this.#memory, previous);
    if (this.#freeze) deepFreeze(current.object);
    return new VersionEvent(at, { previous, current }, this.#memory);
  }
}
