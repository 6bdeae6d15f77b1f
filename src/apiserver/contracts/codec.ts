/** A codec turns the bytes of one media type into objects, and objects into bytes. */
import type { GroupVersionKind, KubeObject } from "../../api/index.js";
import type { Steps } from "../../base/index.js";

/**
 * Bodies with more parts (members, objects and lists; messages in protobuf) are refused, because the work for an object
 * grows with its parts. An object that fits into the storage limit has fewer, its managedFields included.
 */
export const maxParts = 300_000;

export interface Decoded {
  /** With apiVersion and kind, and without fields that the kind's schema does not know. */
  readonly object: KubeObject;
  /** The complaints of strict validation, in upstream's words: `unknown field "spec.foo"`, `duplicate field "data.x"`. */
  readonly problems: readonly string[];
}

/**
 * Converts objects from and to the bytes of one media type. `decode` throws a 400 StatusError for bytes that are not of
 * the format or whose values have the wrong type. It takes a missing apiVersion or kind from `expected`, if given; it
 * does not compare a kind in the body, which is the caller's task.
 */
export interface Codec {
  readonly mediaType: string;
  /** In steps, because a body of very many fields takes long. */
  decode(bytes: Uint8Array, expected: GroupVersionKind | undefined): Steps<Decoded>;
  encode(object: KubeObject): Uint8Array;
  /** Encodes a long list in pieces, so that no turn of the event loop takes long; absent for a media type without this form. */
  encodeList?(
    list: { readonly apiVersion: string; readonly kind: string; readonly metadata: object },
    items: Iterable<KubeObject>,
  ): AsyncIterable<Uint8Array>;
  /** One frame of a watch stream: `{"type":…,"object":…}\n` in JSON, length-delimited in protobuf. */
  encodeWatchEvent(type: string, object: Uint8Array): Uint8Array;
}
