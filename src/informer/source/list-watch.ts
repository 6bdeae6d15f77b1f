/** The source of a reflector's objects: one list and one watch. Made from a client, or from any two functions. */
import type { ErrorEvent, KubeObject, WatchEvent } from "../../api/index.js";
import type { EmptyCollection } from "../../client/index.js";

export interface SourceListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Limits the objects to one shard, if the server supports shards. */
  readonly shardSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  readonly limit?: number;
  readonly continue?: string;
  readonly timeoutSeconds?: number;
}

export interface SourceWatchOptions extends Omit<SourceListOptions, "limit" | "continue"> {
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
}

/** One page of a list, as an API server answers it. */
export interface ListPage<T> {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: readonly T[];
}

/** An event of a source: it may give the server's ERROR as an event, as client-go's do, where the client throws it. */
export type SourceEvent<T> = WatchEvent<T> | ErrorEvent;

/** Events, as many at a time as arrived together. Returning the iterator, or aborting the signal, ends the watch. */
export type WatchBatches<T> = AsyncIterable<readonly SourceEvent<T>[]>;

/**
 * `watch` resolves once the server has accepted it and rejects if it refuses; then there is nothing to clean up. The
 * batches end when the server ends the watch; they throw a StatusError (or give an ERROR event) if the server gives a
 * reason, and any other error if the connection breaks. Both functions end soon after their signal aborts.
 */
export interface ListerWatcher<T> {
  list(options: SourceListOptions, signal: AbortSignal): Promise<ListPage<T>>;
  watch(options: SourceWatchOptions, signal: AbortSignal): Promise<WatchBatches<T>>;
  /** The collection, if it is known to have no objects now: the first list and watch then wait for one. */
  empty?(): EmptyCollection | undefined;
  /** The bytes of all objects that have come, as they were on the wire; absent if the source does not see them. */
  readonly bytes?: number | undefined;
  /** False if `watch` does not understand `sendInitialEvents`, as in fakes: it is then not tried. */
  readonly supportsWatchList?: boolean;
}

/** Changes the options of each list and watch, e.g. to add a selector. */
export type TweakListOptions = <O extends SourceListOptions>(options: O) => O;

/** Stands in place of an object that could not be decoded: it is skipped, counted and reported. */
export class Undecodable {
  readonly error: Error;

  constructor(error: Error) {
    this.error = error;
  }
}

/** The part of objects that reflectors need: the metadata that names them and their revision. */
export type Cacheable = Pick<KubeObject, "metadata">;
