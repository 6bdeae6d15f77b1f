/** The state of a store: takes transactions, gives the versions of all keys at all uncompacted revisions. Synchronous, without clock or disk. */
import type { KubeObject } from "../../api/index.js";
import { type Batch, EventLog, type Stretch } from "./event-log.js";
import { type Cell, KeyOrder, type Version } from "./key-order.js";
import {
  type Change,
  ExpectationError,
  type Page,
  type Range,
  RevisionError,
  type Stored,
  type StoreEvent,
  TooLargeError,
} from "./contract.js";
import { StoredVersion } from "./stored-version.js";

interface Collection {
  readonly keys: KeyOrder;
  readonly log: EventLog;
  /** How many keys have a live head. */
  live: number;
}

/** All objects as they were at one revision, whatever happens meanwhile. */
export interface Pinned extends Disposable {
  readonly revision: number;
  /** In order, a few at a time or none. */
  slices(): Iterable<readonly Stored[]>;
}

/** A portion ends with the object or the key that reaches one of these; both are a fraction of a millisecond's work. */
const sliceBytes = 256 * 1024;
const sliceKeys = 1024;

/**
 * 1. In a cell's chain revisions fall strictly; the last version of the chain is the newest that is not after `compacted`, or the first ever.
 * 2. Every version after `compacted` has exactly one event in its collection's log, and the logs hold no others.
 * 3. `#events` and `#historyBytes` are the number of events in all logs, and the bytes of their previous versions; of deletions also
 *    those of the last state under the deletion's revision, which watchers ask for. `#liveBytes` are those of all heads.
 * 4. `#compacted` is not after the revision of any of `#pins`, unless it was when that was pinned.
 * 5. `revision` is that of the newest version anywhere; `#highest` ≥ `revision` is the highest ever given out.
 */
export class Versions {
  readonly #collections = new Map<string, Collection>();
  readonly #pins = new Set<Pinned>();
  readonly #freeze: boolean;
  #revision: number;
  #highest: number;
  #compacted: number;
  #events = 0;
  #historyBytes = 0;
  #liveBytes = 0;

  constructor(options: { readonly revision: number; readonly freeze: boolean }) {
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

  /** How many events the history holds. */
  get events(): number {
    return this.#events;
  }

  /** The bytes of versions that only the history still holds. */
  get historyBytes(): number {
    return this.#historyBytes;
  }

  /** The bytes of all objects that there are now. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  collections(): readonly string[] {
    return [...this.#collections].filter(([, { live }]) => live > 0).map(([name]) => name);
  }

  count(collection: string): number {
    return this.#collections.get(collection)?.live ?? 0;
  }

  get(collection: string, key: string): Stored | undefined {
    return this.#collections.get(collection)?.keys.get(key)?.head.stored;
  }

  list({ collection, prefix, from, limit = Number.POSITIVE_INFINITY, revision = this.#revision }: Range): Page {
    if (revision > this.#revision) throw new RevisionError("future", revision, this.#revision);
    if (revision < this.#compacted) throw new RevisionError("compacted", revision, this.#compacted);
    const found = this.#collections.get(collection);
    const items: Stored[] = [];
    if (found === undefined) return { revision, items, more: false, remaining: 0 };
    const { keys, live } = found;
    // where every key has a live object now, what remains need not be walked to be counted
    const dense = revision === this.#revision && keys.size === live;
    let remaining = 0;
    keys.scan(from, prefix, ({ head }) => {
      const stored = head.revision <= revision ? head.stored : versionAt(head, revision)?.stored;
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
  commit(changes: readonly Change[], now: number, fits: (stored: Stored) => boolean): readonly StoreEvent[] {
    for (const change of changes) {
      const current = this.get(change.collection, change.key);
      if ((current?.revision ?? 0) !== change.expected) throw new ExpectationError(change, current);
    }
    const revision = this.#highest + 1;
    const events = changes.map((change) => this.#eventOf(change, revision, now));
    for (const { current } of events) if (current !== undefined && !fits(current)) throw new TooLargeError(current);
    for (const event of events) this.record(event);
    return events;
  }

  /** Makes an event part of the state; also the way the log is replayed. */
  record(event: StoreEvent): void {
    const collection = this.#collection(event.collection);
    const cell = collection.keys.get(event.key);
    const version: Version = { revision: event.revision, stored: event.current, previous: cell?.head };
    if (cell === undefined) collection.keys.add({ key: event.key, head: version });
    else cell.head = version;
    collection.live += (event.current ? 1 : 0) - (event.previous ? 1 : 0);
    this.#liveBytes += (event.current?.bytes.length ?? 0) - (event.previous?.bytes.length ?? 0);
    collection.log.push(event);
    this.#count(event, 1);
    this.#revision = event.revision;
    this.#highest = Math.max(this.#highest, event.revision);
  }

  /** Puts an object in place without an event: the way a snapshot is loaded. Its revision must not be after `compacted`. */
  restore(stored: Stored): void {
    const collection = this.#collection(stored.collection);
    collection.keys.add({ key: stored.key, head: { revision: stored.revision, stored, previous: undefined } });
    collection.live++;
    this.#liveBytes += stored.bytes.length;
  }

  /** Keeps a revision that is not compacted readable until it is disposed of. */
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
        this.#collections.get(name)?.keys.scan(from, "", ({ key, head }) => {
          if (bytes >= sliceBytes || ++keys > sliceKeys) {
            next = key;
            return false;
          }
          const stored = versionAt(head, revision)?.stored;
          if (stored === undefined) return true;
          objects.push(stored);
          bytes += stored.bytes.length;
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

  /** How far history can be forgotten now, if it may be up to this revision. */
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
        const cell = keys.get(event.key);
        if (cell !== undefined) this.#trim(keys, cell);
      }
      if (keys.size === 0) this.#collections.delete(name);
    }
  }

  /** Takes back all that happened after the revision. The revisions taken back are not given out again. */
  rollback(revision: number): void {
    for (const collection of this.#collections.values()) {
      for (const event of collection.log.dropAfter(revision)) {
        this.#count(event, -1);
        const cell = collection.keys.get(event.key) as Cell;
        if (cell.head.previous === undefined) collection.keys.remove(event.key);
        else cell.head = cell.head.previous;
        collection.live -= (event.current ? 1 : 0) - (event.previous ? 1 : 0);
        this.#liveBytes -= (event.current?.bytes.length ?? 0) - (event.previous?.bytes.length ?? 0);
      }
    }
    this.#revision = Math.min(this.#revision, revision);
  }

  #count({ previous, current }: StoreEvent, sign: 1 | -1): void {
    this.#events += sign;
    this.#historyBytes += sign * (previous?.bytes.length ?? 0) * (current === undefined ? 2 : 1);
  }

  #trim(keys: KeyOrder, cell: Cell): void {
    const oldest = versionAt(cell.head, this.#compacted);
    if (oldest === undefined) return;
    oldest.previous = undefined;
    if (oldest === cell.head && oldest.stored === undefined) keys.remove(cell.key);
  }

  #collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (collection === undefined) {
      collection = { keys: new KeyOrder(), log: new EventLog(), live: 0 };
      this.#collections.set(name, collection);
    }
    return collection;
  }

  #eventOf(change: Change, revision: number, now: number): StoreEvent {
    const { collection, key } = change;
    const previous = this.get(collection, key);
    if (change.type === "delete") return deletionOf(previous as Stored, revision);
    const identity = {
      collection,
      key,
      revision,
      ...(change.ttlMs === undefined ? {} : { expiresAt: now + change.ttlMs }),
    };
    const current = StoredVersion.ofObject(identity, change.object);
    if (this.#freeze) deepFreeze(current.object);
    return { revision, collection, key, previous, current, deleted: undefined };
  }
}

/** The event that a deletion is; the last state is made under the deletion's revision when a watcher first asks for it. */
export function deletionOf(previous: Stored, revision: number): StoreEvent {
  const { collection, key } = previous;
  let deleted: Stored | undefined;
  return {
    revision,
    collection,
    key,
    previous,
    current: undefined,
    get deleted(): Stored {
      deleted ??= StoredVersion.ofObject({ collection, key, revision }, previous.object);
      return deleted;
    },
  };
}

function versionAt(head: Version, revision: number): Version | undefined {
  let version: Version | undefined = head;
  while (version !== undefined && version.revision > revision) version = version.previous;
  return version;
}

function deepFreeze(value: KubeObject | object): void {
  if (Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) if (typeof part === "object" && part !== null) deepFreeze(part as object);
}
