/** Pure modules that the HTTP layer is wired from: codecs, discovery and OpenAPI documents, tables. Built in codec/, discovery/, openapi/, table/. */
import type { GroupVersionKind, KubeObject } from "../../api/index.js";
import type { ServedResource, ServedSubresource } from "../../api/schema/index.js";

export type { ServedResource, ServedSubresource };

/** All that is served now, in the order in which discovery lists it (group priority, then version priority). */
export interface ServedGroup {
  readonly group: string;
  /** Most preferred first. */
  readonly versions: readonly { readonly version: string; readonly resources: readonly ServedResource[] }[];
}

export interface Decoded {
  /** With apiVersion and kind; fields that the kind's schema does not know are gone. */
  readonly object: KubeObject;
  /** What strict validation objects to, as upstream words it: `unknown field "spec.foo"`, `duplicate field "data.x"`. */
  readonly problems: readonly string[];
}

/**
 * Bytes of one media type to and from an object. `decode` throws a 400 StatusError for bytes that are not of the format or
 * whose values have the wrong type; a missing apiVersion or kind is taken from `expected` if that is given. The kind in the body is
 * otherwise reported as it is: the caller compares it.
 */
export interface Codec {
  readonly mediaType: string;
  decode(bytes: Uint8Array, expected: GroupVersionKind | undefined): Decoded;
  encode(object: KubeObject): Uint8Array;
  /** A long list in pieces, so that no turn of the loop takes long; absent where it is made in another way. */
  encodeList?(
    list: { readonly apiVersion: string; readonly kind: string; readonly metadata: object },
    items: Iterable<KubeObject>,
  ): AsyncIterable<Uint8Array>;
  /** One frame of a watch stream: `{"type":…,"object":…}\n` in JSON, length-delimited in protobuf. */
  encodeWatchEvent(type: string, object: Uint8Array): Uint8Array;
}

export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** How kubectl shows a kind. `cells` has one value per column; ages are counted to `now` (milliseconds of wall time). */
export interface TableRenderer {
  readonly columns: readonly ColumnDefinition[];
  cells(object: KubeObject, now: number): readonly unknown[];
  /** What a row says of itself besides its cells. */
  conditions?(object: KubeObject): readonly object[] | undefined;
  /** The order of rows, where it is not that of the list. */
  compare?(a: KubeObject, b: KubeObject): number;
}

/** A document that is made once and served with an ETag. */
export interface Document {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly etag: string;
}
