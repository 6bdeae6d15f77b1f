/** Writes of a key's last run that the caches do not show yet; the key's next run waits for them. */
import { compareRevisions, isRevision, type KubeObject, type ResourceType } from "../../api/index.js";
import { type Clock, systemClock } from "../../base/index.js";

/** A cache of one kind, e.g. an informer. */
export interface AwaitedCache {
  readonly type: Pick<ResourceType, "group" | "plural">;
  readonly indexer: {
    get(key: string): KubeObject | undefined;
    /** The revision up to which the cache shows all changes. */
    readonly lastStoreSyncResourceVersion: string;
  };
}

interface Awaited {
  /** The time at which the last of the writes was answered. */
  at: number;
  /** The highest written revision, by cache. */
  readonly revisions: Map<AwaitedCache, string>;
  /** A deletion gives no revision: it counts as seen when the object is gone or being deleted. */
  readonly deletions: { readonly cache: AwaitedCache; readonly key: string; readonly uid: string | undefined }[];
}

/** A write that a cache lacks after this time is assumed to be outside of its scope. */
const expiryMs = 5 * 60_000;
/** Above this number of records, those whose writes the caches show are dropped. */
const sweepAbove = 1_000;

/**
 * A run that counts objects, as those of workload controllers do, must not begin on caches older than the writes of the
 * run before: it would create or delete the same objects again. The overlay, which shows written objects at once, does
 * not help, because these runs read indexes of the informers.
 *
 * Invariant: a key has a record only while a cache may lack one of its writes; the first call of `behind` that finds
 * none lacking drops it.
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

  /** Notes that the run of `key` wrote an object with this revision. A revision that cannot be compared is not awaited. */
  wrote(key: string, cache: AwaitedCache, revision: string | undefined): void {
    if (revision === undefined || !isRevision(revision)) return;
    const { revisions } = this.#recordOf(key);
    const before = revisions.get(cache);
    if (before === undefined || compareRevisions(before, revision) < 0) revisions.set(cache, revision);
  }

  /** Notes that the run of `key` deleted the object that the cache had as `object`. */
  deleted(key: string, cache: AwaitedCache, object: { readonly key: string; readonly uid: string | undefined }): void {
    this.#recordOf(key).deletions.push({ cache, ...object });
  }

  /** The kind whose cache is behind; undefined if the caches show all writes of the key's runs. */
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
