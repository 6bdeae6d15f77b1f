/** Makes a list-watch from a client and a kind. */
import {
  apiVersionOf,
  type KubeObject,
  lazyDecoder,
  type LazyDecoderOptions,
  type ResourceType,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { Client, Decode, EmptyCollection, ResourceClient } from "../../client/index.js";
import { pageReader } from "../../client/stream/pager.js";
import {
  type ListerWatcher,
  type ListPage,
  type SourceListOptions,
  type SourceWatchOptions,
  type TweakListOptions,
  Undecodable,
  type WatchBatches,
} from "./list-watch.js";

/** Selects objects of a kind; all by default. */
export interface ListWatchScope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly shardSelector?: string;
  /** Has the last word on the options of every list and watch. */
  readonly tweak?: TweakListOptions;
  /** Whether only the metadata of the objects is requested. */
  readonly as?: "metadata";
}

/** The part of a client that is needed. */
export type ListWatchClient = Pick<Client, "resource" | "metadata"> &
  Partial<Pick<Client, "clock" | "freezeCaches" | "emptyCollection">>;

type Streams<T extends KubeObject> = Pick<ResourceClient<T>, "stream" | "watch" | "limits">;

export function listWatchOf<T extends KubeObject>(
  client: ListWatchClient,
  type: ResourceType<T>,
  options: ListWatchScope & { readonly decode?: Decode<T> } = {},
): ListerWatcher<T> {
  return new ClientListWatch(client, type, options);
}

class ClientListWatch<T extends KubeObject> implements ListerWatcher<T> {
  readonly #client: ListWatchClient;
  readonly #type: ResourceType<T>;
  readonly #tweak: TweakListOptions | undefined;
  readonly #selectors: Pick<ListWatchScope, "labelSelector" | "fieldSelector" | "shardSelector">;
  readonly #counted: CountingDecoder<T> | undefined;
  readonly #streams: Streams<T>;
  readonly #readPage: ReturnType<typeof pageReader<T>>;

  constructor(
    client: ListWatchClient,
    type: ResourceType<T>,
    options: ListWatchScope & { readonly decode?: Decode<T> },
  ) {
    const { namespace, labelSelector, fieldSelector, shardSelector } = options;
    this.#client = client;
    this.#type = type;
    this.#tweak = options.tweak;
    this.#selectors = defined({ labelSelector, fieldSelector, shardSelector });
    this.#counted = options.decode && countingDecoder(options.decode);
    const scope = defined({ namespace, decode: this.#counted?.decode });
    this.#streams =
      options.as === "metadata"
        ? (client.metadata(type, scope as never) as unknown as Streams<T>)
        : client.resource(type, scope);
    this.#readPage = pageReader(this.#streams);
  }

  get bytes(): number | undefined {
    return this.#counted?.bytes();
  }

  empty(): EmptyCollection | undefined {
    return this.#client.emptyCollection?.(this.#type);
  }

  list(asked: SourceListOptions, signal: AbortSignal): Promise<ListPage<T>> {
    return this.#readPage({ ...this.#complete(asked), signal });
  }

  async watch(asked: SourceWatchOptions, signal: AbortSignal): Promise<WatchBatches<T>> {
    // the reflector judges silence: it knows whether this server sends bookmarks
    const stream = this.#streams.watch({ ...this.#complete(asked), signal, idleTimeoutMs: 0 });
    await stream.open();
    return stream.batches();
  }

  #complete<O extends SourceListOptions | SourceWatchOptions>(asked: O): O {
    const selected = { ...this.#selectors, ...asked };
    return this.#tweak === undefined ? selected : this.#tweak(selected);
  }
}

interface CountingDecoder<T> {
  readonly decode: Decode<T>;
  bytes(): number;
}

function countingDecoder<T>(decode: Decode<T>): CountingDecoder<T> {
  let bytes = 0;
  return {
    decode(source, start, end) {
      bytes += end - start;
      return decode(source, start, end);
    },
    bytes: () => bytes,
  };
}

/**
 * Decodes for a cache: as late as possible, without managedFields, and not at all what `cached` gives at the same
 * revision. An object that is not JSON does not end the stream: an Undecodable stands in its place.
 */
export function cacheDecoder<T extends KubeObject>(
  type: Pick<ResourceType, "group" | "version" | "kind">,
  options: Omit<LazyDecoderOptions<T>, "kind" | "apiVersion"> = {},
): Decode<T> {
  const decode = lazyDecoder<T>({ ...options, kind: type.kind, apiVersion: apiVersionOf(type) });
  return (bytes, start, end) => {
    try {
      return decode(bytes, start, end);
    } catch (cause) {
      const message = `object cannot be decoded: ${bytes.toString("utf8", start, Math.min(end, start + 200))}`;
      return new Undecodable(new Error(message, { cause })) as unknown as T;
    }
  };
}
