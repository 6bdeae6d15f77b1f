/** The cache as a reconciler sees it: the same reads, noted in the record of its run. */
import type { KubeObject, ResourceType } from "../../api/index.js";
import type { CacheIndex, CacheReader, ClusterCache, ObjectPlace } from "../cache/cluster-cache.js";
import type { CacheListOptions } from "../cache/options.js";
import type { RunRecord } from "../loop/record.js";

export class RecordingReader implements CacheReader {
  readonly #cache: ClusterCache;
  readonly #record: RunRecord;

  constructor(cache: ClusterCache, record: RunRecord) {
    this.#cache = cache;
    this.#record = record;
  }

  get<T extends KubeObject>(type: ResourceType<T>, place: ObjectPlace): T | undefined {
    const object = this.#cache.get(type, place);
    const key = place.namespace ? `${place.namespace}/${place.name}` : place.name;
    this.#record.read({ kind: type.kind, key, revision: object?.metadata.resourceVersion ?? "" });
    return object;
  }

  list<T extends KubeObject>(type: ResourceType<T>, options: CacheListOptions = {}): readonly T[] {
    return this.#listed(type, this.#cache.list(type, options), options.namespace ?? "");
  }

  byIndex<T extends KubeObject>(index: CacheIndex<T>, value: string): readonly T[] {
    return this.#listed(index.type, this.#cache.byIndex(index, value), `${index.name}=${value}`);
  }

  ownedBy<T extends KubeObject>(type: ResourceType<T>, owner: KubeObject): readonly T[] {
    return this.#listed(type, this.#cache.ownedBy(type, owner), `of ${owner.kind} ${owner.metadata.name}`);
  }

  serves(type: ResourceType): boolean {
    return this.#cache.serves(type);
  }

  #listed<T extends KubeObject>(type: ResourceType<T>, objects: readonly T[], what: string): readonly T[] {
    const key = what === "" ? `(${objects.length})` : `${what} (${objects.length})`;
    this.#record.read({ kind: type.kind, key, revision: this.#cache.revisionOf(type) });
    return objects;
  }
}
