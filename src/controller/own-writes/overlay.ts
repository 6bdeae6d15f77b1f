/** A controller's own writes, overlaid on a cache until the cache has caught up. */
import { compareRevisions, isRevision, type KubeObject, metaNamespaceKey } from "../../api/index.js";
import type { Clock } from "../../base/index.js";

/** The cache below the overlay. */
export interface OverlaidStore<T> {
  get(key: string): T | undefined;
  /** The revision up to which the cache knows this key. */
  revisionAt(key: string): string;
}

type Written<T> =
  | { readonly type: "object"; readonly object: T; readonly at: number }
  /** Deleted by us, after this revision of it: a cached state of that revision or older is before the deletion. */
  | { readonly type: "deleted"; readonly uid: string; readonly revision: string | undefined; readonly at: number };

/** A write that the cache still lacks after this time is assumed to be outside its scope. */
const expiryMs = 5 * 60_000;
/** Limit on the writes that the cache has not seen; beyond it the oldest are given up. */
const limit = 10_000;

/**
 * A read through the overlay is never older than the last write through it.
 *
 * Invariant: an entry exists only while the cache may be older than it; a read that finds another one removes it.
 */
export class Overlay<T extends KubeObject> {
  readonly #entries = new Map<string, Written<T>>();
  /** Written objects that the cache, now as new as the write, does not have. */
  #vanished: T[] = [];
  readonly #clock: Clock;
  /** The number of reads that the overlay answered, and of writes that it gave up. */
  hits = 0;
  givenUp = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Takes the server's answer to a create, update, patch or apply. */
  wrote(object: T): void {
    const key = metaNamespaceKey(object);
    const known = this.#entries.get(key);
    // two writes of one reconcile may be answered in any order
    if (known?.type === "object" && !isNewer(object, known.object)) return;
    this.#put(key, { type: "object", object, at: this.#clock.monotonic() });
  }

  /** Called when the server reported that this object is gone. */
  deleted(object: T): void {
    const { uid = "", resourceVersion } = object.metadata;
    const key = metaNamespaceKey(object);
    const known = this.#entries.get(key);
    const newest = known?.type === "object" && isNewer(known.object, object) ? known.object : object;
    const revision = newest.metadata.resourceVersion ?? resourceVersion;
    this.#put(key, { type: "deleted", uid, revision, at: this.#clock.monotonic() });
  }

  /** The object as the cache would show it if it had seen our writes. */
  get(key: string, store: OverlaidStore<T>): T | undefined {
    const cached = store.get(key);
    if (this.#entries.size === 0) return cached;
    const entry = this.#live(key, cached, store);
    if (entry === undefined) return cached;
    this.hits += 1;
    return entry.type === "object" ? entry.object : undefined;
  }

  /**
   * Written objects that are gone by now. The cache may have told of their deletion, or have seen neither the write nor
   * the deletion, because it listed anew in between: then nobody else tells of it. Each is given once.
   */
  takeVanished(store: OverlaidStore<T>): readonly T[] {
    this.prune(store);
    const vanished = this.#vanished;
    this.#vanished = [];
    return vanished;
  }

  /** Drops the entries that the cache has seen meanwhile. */
  prune(store: OverlaidStore<T>): void {
    for (const key of this.#entries.keys()) this.#live(key, store.get(key), store);
  }

  /** `objects` of the cache with our writes in their places; objects that we created are added if `belongs` accepts them. */
  list(objects: T[], store: OverlaidStore<T>, belongs: (object: T) => boolean): T[] {
    if (this.#entries.size === 0) return objects;
    const live = new Map<string, Written<T>>();
    for (const key of this.#entries.keys()) {
      const entry = this.#live(key, store.get(key), store);
      if (entry !== undefined) live.set(key, entry);
    }
    if (live.size === 0) return objects;
    this.hits += 1;
    const kept = objects.filter((object) => !live.has(metaNamespaceKey(object)));
    for (const entry of live.values()) if (entry.type === "object" && belongs(entry.object)) kept.push(entry.object);
    return kept;
  }

  #live(key: string, cached: T | undefined, store: OverlaidStore<T>): Written<T> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (!hasCaughtUp(entry, cached, store.revisionAt(key))) {
      if (this.#clock.monotonic() - entry.at < expiryMs) return entry;
      this.givenUp += 1;
    } else if (entry.type === "object" && cached === undefined && this.#vanished.length < limit) {
      this.#vanished.push(entry.object);
    }
    this.#entries.delete(key);
    return undefined;
  }

  #put(key: string, entry: Written<T>): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= limit) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done === true) return;
    this.#entries.delete(oldest.value);
    this.givenUp += 1;
  }
}

/** `known` is the revision of the cache. */
function hasCaughtUp<T extends KubeObject>(entry: Written<T>, cached: T | undefined, known: string): boolean {
  if (entry.type === "deleted") {
    if (cached === undefined) return isAtLeast(known, entry.revision);
    return cached.metadata.uid !== entry.uid && isAtLeast(cached.metadata.resourceVersion, entry.revision);
  }
  const { object } = entry;
  if (cached !== undefined && !isNewer(object, cached)) return true;
  return isAtLeast(known, object.metadata.resourceVersion);
}

/** Versions that cannot be compared are never newer: then the cache wins. */
function isNewer(a: KubeObject, b: KubeObject): boolean {
  return !isAtLeast(b.metadata.resourceVersion, a.metadata.resourceVersion);
}

function isAtLeast(revision: string | undefined, wanted: string | undefined): boolean {
  if (wanted === undefined || !isRevision(wanted)) return true;
  return revision !== undefined && isRevision(revision) && compareRevisions(revision, wanted) >= 0;
}
