/** One run of a reconciler: collects what it reads and writes, for the journal and the loop breaker. */
import type { KubeObject, ResourceType } from "../../api/index.js";
import type { CacheIndex, CacheListOptions, CacheReader, ClusterCache, ObjectPlace } from "../cache/cluster-cache.js";
import type { LoopWrite } from "../history/hot-loop.js";
import type { JournalRead, JournalWrite } from "../history/journal.js";

/** A run that reads a whole namespace one by one is not worth remembering in full. */
const limit = 32;

const none: readonly never[] = [];

/** What a run did; nothing is allocated for one that did nothing. */
export interface RunTrace {
  readonly reads: readonly JournalRead[];
  readonly writes: readonly JournalWrite[];
  readonly loopWrites: readonly LoopWrite[];
  readonly omitted: number;
}

export const emptyTrace: RunTrace = { reads: none, writes: none, loopWrites: none, omitted: 0 };

export class RunRecord implements RunTrace {
  readonly reads: JournalRead[] = [];
  readonly writes: JournalWrite[] = [];
  readonly loopWrites: LoopWrite[] = [];
  omitted = 0;

  read(read: JournalRead): void {
    if (this.reads.length < limit) this.reads.push(read);
    else this.omitted += 1;
  }

  wrote(write: JournalWrite, loop?: LoopWrite): void {
    if (this.writes.length < limit) this.writes.push(write);
    else this.omitted += 1;
    if (loop !== undefined && this.loopWrites.length < limit) this.loopWrites.push(loop);
  }
}

/** The cache as a reconciler sees it: the same reads, remembered. */
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

  #listed<T extends KubeObject>(type: ResourceType<T>, objects: readonly T[], what: string): readonly T[] {
    const key = what === "" ? `(${objects.length})` : `${what} (${objects.length})`;
    this.#record.read({ kind: type.kind, key, revision: this.#cache.revisionOf(type) });
    return objects;
  }
}
