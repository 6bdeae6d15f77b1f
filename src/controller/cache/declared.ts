/** A kind in the cache of a cluster: its informers, own writes and kept whole objects, joined to one store. */
import { type KubeObject, metaNamespaceKey, type ResourceType } from "../../api/index.js";
import type { Clock, MetricsRegistry } from "../../base/index.js";
import type { FactoryInformer, Transform } from "../../informer/index.js";
import { type OverlaidStore, Overlay } from "../own-writes/overlay.js";
import { bytesOf, type CacheOptions } from "./options.js";
import { projection } from "./projection.js";
import { RecentObjects } from "./recent-objects.js";

/** Whether the controllers that declare a kind can work without it. */
export type KindNeed = "needed" | "optional";

export interface Declared {
  readonly type: ResourceType;
  options: CacheOptions;
  /** Of `fields` and `metadataOnly`. */
  readonly projection: Transform<KubeObject> | undefined;
  /** The projection, which also keeps whole objects; its identity tells informers that they are the same. */
  readonly transform: Transform<KubeObject> | undefined;
  /** Whole objects beside the projected ones. */
  readonly recent: RecentObjects | undefined;
  readonly informers: Map<string, FactoryInformer<KubeObject>>;
  readonly overlay: Overlay<KubeObject>;
  /** All stores of the kind as one, for the overlay. */
  readonly store: OverlaidStore<KubeObject>;
  readonly onVanished: ((object: KubeObject) => void)[];
  /** "optional" if the server need not know the kind; undefined if no controller has said so far. */
  need: KindNeed | undefined;
  /** True if only the objects of this process's shards are cached. */
  isLimited: boolean;
}

/** A namespace was read whose objects another replica has. */
export class OtherShardError extends Error {
  override readonly name = "OtherShardError";

  constructor({ kind }: ResourceType, namespace: string) {
    super(
      `${kind} in namespace ${namespace} is not in the cache: it belongs to a shard of another replica. If reconcilers read ${kind} of other namespaces, declare manager.cache(${kind}, { allShards: true })`,
    );
  }
}

export function newDeclared(
  type: ResourceType,
  options: CacheOptions,
  { clock, need, isLimited }: Pick<Declared, "need" | "isLimited"> & { readonly clock: Clock },
): Declared {
  const { fields, metadataOnly = false, recent: limit } = options;
  const informers = new Map<string, FactoryInformer<KubeObject>>();
  const store = joined(informers);
  const projected = fields !== undefined || metadataOnly ? projection(type, fields ?? []) : undefined;
  const recent = limit === undefined ? undefined : new RecentObjects(bytesOf("recent", limit));
  // a metadata-only informer never sees a whole object
  const keeps = recent !== undefined && projected !== undefined && !metadataOnly;
  const transform = keeps ? keeping(recent, projected, { informers, store }) : projected;
  const overlay = new Overlay<KubeObject>(clock);
  const parts = { projection: projected, transform, recent, informers, overlay, store };
  return { type, options, ...parts, onVanished: [], need, isLimited };
}

/**
 * Keeps each whole object that is news before it is projected. A list repeats the objects that are known, and the first
 * list is news as a whole: it fills the room that there is, and drops nothing.
 */
function keeping(
  recent: RecentObjects,
  project: Transform<KubeObject>,
  { informers, store }: Pick<Declared, "informers" | "store">,
): Transform<KubeObject> {
  const isFilled = (): boolean => [...informers.values()].every(({ hasSynced }) => hasSynced);
  return (object) => {
    const key = metaNamespaceKey(object);
    const isNews = store.get(key)?.metadata.resourceVersion !== object.metadata.resourceVersion;
    if (isNews && (recent.hasRoom || isFilled())) recent.put(key, object);
    return project(object);
  };
}

/** A key is in the store of its namespace; a cluster-wide key, or any key of an unscoped cache, in the only store. */
function joined(informers: ReadonlyMap<string, FactoryInformer<KubeObject>>): OverlaidStore<KubeObject> {
  const storeOf = (key: string): FactoryInformer<KubeObject>["indexer"] | undefined => {
    const all = informers.get("");
    if (all !== undefined) return all.indexer;
    return informers.get(key.includes("/") ? key.slice(0, key.indexOf("/")) : "")?.indexer;
  };
  return {
    get: (key) => storeOf(key)?.get(key),
    revisionAt: (key) => storeOf(key)?.lastStoreSyncResourceVersion ?? "",
  };
}

/** Exposes the own writes and the kept whole objects of each kind. */
export function reportCaches(metrics: MetricsRegistry, kinds: ReadonlyMap<string, Declared>): void {
  const gauge = (name: string, help: string) => metrics.gauge({ name: `coxswain_${name}`, help, labels: ["kind"] });
  const entries = gauge("overlay_entries", "Own writes that the cache has not seen");
  const hits = gauge("overlay_reads", "Reads that own writes changed");
  const givenUp = gauge("overlay_given_up", "Own writes that never reached the cache");
  const kept = gauge("recent_objects", "Whole objects that are kept beside a cache of parts");
  const keptBytes = gauge("recent_bytes", "Memory of the whole objects that are kept beside a cache of parts");
  const limitBytes = gauge("recent_limit_bytes", "Memory that whole objects may take now");
  const found = gauge("recent_hits", "Reads of whole objects that memory answered");
  const missed = gauge("recent_misses", "Reads of whole objects that the server answered");
  metrics.beforeExpose(() => {
    for (const [kind, { overlay, recent }] of kinds) {
      entries.with({ kind }).set(overlay.size);
      hits.with({ kind }).set(overlay.hits);
      givenUp.with({ kind }).set(overlay.givenUp);
      if (recent === undefined) continue;
      kept.with({ kind }).set(recent.size);
      keptBytes.with({ kind }).set(recent.bytes);
      limitBytes.with({ kind }).set(recent.limitBytes);
      found.with({ kind }).set(recent.hits);
      missed.with({ kind }).set(recent.misses);
    }
  });
}
