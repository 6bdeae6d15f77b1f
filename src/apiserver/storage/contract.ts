/**
 * The storage contract: the interface `Store`, its data, and its errors. The suite in test/contracts/storage.ts holds
 * every store to it.
 */
import type { KubeObject, Labels } from "../../api/index.js";
import type { Closable } from "../../base/index.js";

/**
 * One version of one object. `object` and `bytes` are two forms of the same thing: `bytes` is the JSON with `kind` and
 * `apiVersion` first and `metadata.resourceVersion` set to `revision`, made once; every get, list, watcher and the log
 * are given a view of the same memory. `object` is at hand for a while after the write, and read from the bytes again
 * when it is needed later. Neither may ever be modified.
 */
export interface Stored {
  readonly collection: string;
  readonly key: string;
  /** The revision that wrote this version. */
  readonly revision: number;
  readonly object: KubeObject;
  readonly bytes: Uint8Array;
  /** The length of `bytes`. */
  readonly size: number;
  /** The object's labels, available without parsing the object. */
  readonly labels: Labels | undefined;
  /** The wall time after which the store deletes the object by itself. */
  readonly expiresAt?: number;
}

/** One step of a transaction. `expected` is the revision that the current version must have; 0 for "must not exist". */
export type StoreWrite =
  | {
      readonly type: "put";
      readonly collection: string;
      readonly key: string;
      readonly expected: number;
      readonly object: KubeObject;
      readonly ttlMs?: number;
    }
  | { readonly type: "delete"; readonly collection: string; readonly key: string; readonly expected: number };

/**
 * The result of a committed transaction. `stored` has the new version of each put and, for a delete, the state before it
 * under the deletion's revision.
 */
export interface Committed {
  readonly revision: number;
  readonly stored: readonly Stored[];
}

/**
 * A change as a watcher sees it: `previous` is the state before, `current` the state after; a deletion's `current` is
 * undefined.
 */
export interface StoreEvent {
  readonly revision: number;
  readonly collection: string;
  readonly key: string;
  readonly previous: Stored | undefined;
  readonly current: Stored | undefined;
  /**
   * The state before under this event's revision, for watchers that see the object go. Undefined for a creation; made
   * when it is first read.
   */
  readonly departed: Stored | undefined;
}

export interface Range {
  readonly collection: string;
  /** Only keys with this prefix; `ns/` for one namespace, "" for all. */
  readonly prefix: string;
  /** First key, inclusive; "" for the beginning. */
  readonly from: string;
  /** Limit on the objects of the page; undefined for all. */
  readonly limit?: number;
  /** The state as of this revision; undefined for now. */
  readonly revision?: number;
}

export interface Page {
  /** The revision at which all these items were current. */
  readonly revision: number;
  readonly items: readonly Stored[];
  /** True if there are objects in the range after the last item. */
  readonly more: boolean;
  /** The number of objects after the last item. */
  readonly remaining: number;
}

export interface WatchRange {
  readonly collection: string;
  readonly prefix: string;
  /** Events with a greater revision are delivered. */
  readonly after: number;
}

/**
 * Takes settled events in revision order, a turn's worth at a time. After it gives false, it is called no more before
 * `resume`. Must not throw.
 */
export type WatchSink = (events: readonly StoreEvent[]) => unknown;

/** Called if history that a sink has not taken had to be dropped: the sink is called no more. Must not throw. */
export type WatchLost = (error: RevisionError) => void;

export interface StoreWatch extends Disposable {
  /** Tells that the sink takes events again. */
  resume(): void;
  /** Delivers due events if the watch takes any now, and gives the revision up to which all its events have been delivered. */
  catchUp(): number;
}

/** A revision cannot be served: it was compacted, or it has not happened yet. */
export class RevisionError extends Error {
  override readonly name = "RevisionError";
  readonly failure: "compacted" | "future";
  readonly revision: number;
  /** The oldest revision that can be served, or the current one. */
  readonly bound: number;

  constructor(failure: "compacted" | "future", revision: number, bound: number) {
    super(`revision ${revision} is ${failure === "compacted" ? "older than" : "newer than"} ${bound}`);
    this.failure = failure;
    this.revision = revision;
    this.bound = bound;
  }
}

/** A change's `expected` revision is not that of the current version. Nothing of the transaction was done. */
export class ExpectationError extends Error {
  override readonly name = "ExpectationError";
  readonly change: StoreWrite;
  readonly current: Stored | undefined;

  constructor(change: StoreWrite, current: Stored | undefined) {
    super(`${change.collection} ${change.key}: expected revision ${change.expected}, found ${current?.revision ?? 0}`);
    this.change = change;
    this.current = current;
  }
}

/** A version is larger than the store accepts. Nothing of the transaction was done. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";

  constructor({ collection, key, size }: Stored) {
    super(`${collection} ${key}: ${size} bytes are more than the store takes`);
  }
}

/** The journal could not take the write (disk full, read-only, …): nothing of it remains, and reads go on. */
export class JournalError extends Error {
  override readonly name = "JournalError";
}

/**
 * The storage contract: one global revision; every write is atomic and ordered; a list at R followed by a watch from R
 * loses and repeats nothing; revisions never go back, also after a restart. In detail:
 *
 * 1. Every successful transaction increases `revision` by one; all its changes share that revision. It happens whole or
 *    not at all.
 * 2. Revisions never go back. A revision that was visible outside is never given to another write, also after a
 *    restart.
 * 3. `commit` changes the state synchronously and a later read sees it; the write may be acknowledged, and anything
 *    read may be shown to the outside, only when `settled(its revision)` has resolved. If the journal refuses a write,
 *    `settled` rejects with JournalError and the store is as if the write, and all later ones, had never been; nobody
 *    outside has seen them.
 * 4. `list` at revision R followed by `watch` after R loses and repeats nothing. Events of a watch come in revision
 *    order, each once, only when settled; all changes of a transaction come in one batch. For a watch that pauses, the
 *    store keeps the history that it has not taken: as long as it goes on taking, within the store's bounds.
 * 5. Any revision from `compacted` on can be listed and watched from; an older one gives RevisionError "compacted", one
 *    that has not happened gives "future" (a watch from the future just waits).
 * 6. `collection` and `key` are opaque; keys sort bytewise.
 */
export interface Store extends Closable {
  readonly revision: number;
  readonly settledRevision: number;
  readonly compacted: number;
  get(collection: string, key: string): Stored | undefined;
  list(range: Range): Page;
  /** The number of objects in a collection now. */
  count(collection: string): number;
  collections(): readonly string[];
  commit(changes: readonly StoreWrite[]): Committed;
  settled(revision: number): Promise<void>;
  /**
   * Why the store takes no writes: the journal is closed for good, or has refused the latest batch. Undefined while it
   * takes them.
   */
  readonly refusal: string | undefined;
  /** Delivers history since `after` first, then new events. Throws RevisionError "compacted" at once. */
  watch(range: WatchRange, sink: WatchSink, lost?: WatchLost): StoreWatch;
  /** Drops history before the revision, but none that is not settled, or that a watch is still taking. */
  compact(revision: number): void;
}

/** The objects of a collection, or of one namespace of it. Cheap in the usual case that there are none at all. */
export function objectsIn<T extends KubeObject>(
  store: Pick<Store, "count" | "list">,
  collection: string,
  namespace = "",
): readonly T[] {
  if (store.count(collection) === 0) return [];
  const { items } = store.list({ collection, prefix: namespace === "" ? "" : `${namespace}/`, from: "" });
  return items.map(({ object }) => object as T);
}
