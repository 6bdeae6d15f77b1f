/** Decodes bytes into objects; informers bring decoders of their own, which decode less or later. */
import { hasNoNulls, withoutNullMembers } from "../../api/meta/nulls.js";
import type { KubeObject } from "../../api/object.js";
import { apiVersionOf, type ResourceType } from "../../api/resource-type.js";

/**
 * Makes an object of the JSON in `buffer[start, end)`. The bytes are valid during the call only: a decoder that keeps
 * them must copy them. Items of a built-in list come without kind and apiVersion; the decoder adds them if it promises
 * them. A throw ends the stream with that error.
 */
export type Decode<T> = (buffer: Buffer, start: number, end: number) => T;

/** Parses at once and puts kind and apiVersion first, as in an object that came alone. Removes null members of built-in kinds. */
export function decodeObject<T extends KubeObject>(type: Pick<ResourceType, "group" | "version" | "kind">): Decode<T> {
  const kind = type.kind;
  const apiVersion = apiVersionOf(type);
  return (buffer, start, end) => {
    const text = buffer.toString("utf8", start, end);
    const object = JSON.parse(text) as T & Partial<KubeObject>;
    const isComplete = object.kind !== undefined && object.apiVersion !== undefined;
    const whole = isComplete ? object : ({ kind, apiVersion, ...(object as object) } as T);
    return hasNoNulls(whole) ? withoutNullMembers(whole, text) : whole;
  };
}
