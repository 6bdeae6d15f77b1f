/** A codec turns the bytes of one media type into objects, and objects into bytes. */
import type { GroupVersionKind, KubeObject } from "../../api/index.js";

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
