/** Writes of a key's last run that the caches do not show yet. From the clients of runs; asked before the next run of the key. */
import { compareRevisions, isRevision, type KubeObject, type ResourceType } from "../../api/index.js";
import { type Clock, systemClock } from "../../base/index.js";

/** A cache of one kind, e.g. an informer. */
export interface AwaitedCache {
  readonly type: Pick<ResourceType, "group" | "plural">;
  readonly indexer: {
    get(key: string): KubeObject | undefined;
    /** The revision up to which the cache knows what happened. */
    readonly lastStoreSyncResourceVersion: string;
  };
}

interface Awaited {
  /** When the last of the writes was answered. */
  at: number;
  /** The highest revision that was written, by cache. */
  readonly revisions: Map<AwaitedCache, string>;
  /** Deletions give no revision: the object itself must go, or be told to. */
  readonly deletions: { readonly cache: AwaitedCache; readonly key: string; readonly uid: string | undefined }[];
}

/** A write that a cache lacks after this time is believed to be outside of what it caches. */
const expiryMs = 5 * 60_000;
/** With more records than this, those that the caches have seen meanwhile are looked for and dropped. */
const sweepAbove = 1_000;

/**
 * A run that counts objects, as those of workloads do, must not begin on caches older than the writes of the run
 * before: it would make or delete the same again. The overlay, which shows written objects at once, cannot serve them:
 * they read indexes of the informers.
 *
 * Invariant: a key has a record only while a cache may lack one of its writes; whoever finds that none does drops it.
 */
export class AwaitedWrites {
  readonly #caches: ReadonlyMap<string, AwaitedCache>;
  readonly #clock: Clock;
  readonly #awaited = new Map<string, Awaited>();

  constructor(caches: readonly AwaitedCache[], clock: Clock = systemClock) {
    this.#caches = new Map(caches.map((cache) => [idOf(cache.type), cache]));
    this.#clock = clock;
  }

  /** The cache in which writes of the kind are awaited. */
  cacheOf(type: AwaitedCache["type"]): AwaitedCache | undefined {
    return this.#caches.size === 0 ? undefined : this.#caches.get(idOf(type));
  }

  /** The run of `key` wrote an object, which now has this revision. One that cannot be compared is not awaited. */
  wrote(key: string, cache: AwaitedCache, revision: string | undefined): void {
    if (revision === undefined || !isRevision(revision)) return;
    const { revisions } = this.#recordOf(key);
    const before = revisions.get(cache);
    if (before === undefined || compareRevisions(before, revision) < 0) revisions.set(cache, revision);
  }

  /** The run of `key` deleted the object that the cache had as `object`. */
  deleted(key: string, cache: AwaitedCache, object: { readonly key: string; readonly uid: string | undefined }): void {
    this.#recordOf(key).deletions.push({ cache, ...object });
  }

  /** The kind whose cache is behind; undefined if the caches show all that the key's runs wrote. */
  behind(key: string): AwaitedCache["type"] | undefined {
    const awaited = this.#awaited.get(key);
    if (awaited === undefined) return undefined;
    const behind = this.#clock.monotonic() - awaited.at > expiryMs ? undefined : cacheBehind(awaited);
    if (behind === undefined) this.#awaited.delete(key);
    return behind?.type;
  }

  #recordOf(key: string): Awaited {
    let awaited = this.#awaited.get(key);
    if (awaited === undefined) {
      if (this.#awaited.size >= sweepAbove) for (const known of this.#awaited.keys()) this.behind(known);
      awaited = { at: 0, revisions: new Map(), deletions: [] };
      this.#awaited.set(key, awaited);
    }
    awaited.at = this.#clock.monotonic();
    return awaited;
  }
}

function cacheBehind({ revisions, deletions }: Awaited): AwaitedCache | undefined {
  for (const [cache, written] of revisions) {
    const read = cache.indexer.lastStoreSyncResourceVersion;
    if (isRevision(read) && compareRevisions(read, written) < 0) return cache;
  }
  return deletions.find(({ cache, key, uid }) => {
    const metadata = cache.indexer.get(key)?.metadata;
    return metadata !== undefined && metadata.uid === uid && metadata.deletionTimestamp === undefined;
  })?.cache;
}

const idOf = ({ group, plural }: AwaitedCache["type"]): string => `${plural}.${group}`;
