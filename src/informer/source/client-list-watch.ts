/** Makes a list-watch from a client and a kind. */
import {
  apiVersionOf,
  type KubeObject,
  lazyDecoder,
  type LazyDecoderOptions,
  type ResourceType,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { Client, Decode, ResourceClient } from "../../client/index.js";
import { pageReader } from "../../client/stream/pager.js";
import {
  type ListerWatcher,
  type SourceListOptions,
  type TweakListOptions,
  Undecodable,
  type SourceWatchOptions,
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
  const { namespace, tweak } = options;
  const counted = options.decode && countingDecoder(options.decode);
  const scope = defined({ namespace, decode: counted?.decode });
  const streams =
    options.as === "metadata"
      ? (client.metadata(type, scope as never) as unknown as Streams<T>)
      : client.resource(type, scope);
  const complete = <O extends SourceListOptions | SourceWatchOptions>(asked: O): O => {
    const selected = { ...selectors, ...asked };
    return tweak === undefined ? selected : tweak(selected);
  };
  const { labelSelector, fieldSelector, shardSelector } = options;
  const selectors = defined({ labelSelector, fieldSelector, shardSelector });
  const readPage = pageReader(streams);
  return {
    get bytes() {
      return counted?.bytes();
    },
    empty: () => client.emptyCollection?.(type),
    list: (asked, signal) => readPage({ ...complete(asked), signal }),
    async watch(asked, signal) {
      // the reflector judges silence: it knows whether this server sends bookmarks
      const stream = streams.watch({ ...complete(asked), signal, idleTimeoutMs: 0 });
      await stream.open();
      return stream.batches();
    },
  };
}

function countingDecoder<T>(decode: Decode<T>): { readonly decode: Decode<T>; bytes(): number } {
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
