/** How bytes become objects. From list and watch streams; the informer may bring its own, which decodes less or later. */
import { hasNoNulls, withoutNulls } from "../../api/meta/nulls.js";
import type { KubeObject } from "../../api/object.js";
import { apiVersionOf, type ResourceType } from "../../api/resource-type.js";

/**
 * Makes an object of the JSON in `buffer[start, end)`. The bytes are valid during the call only: whoever wants to keep them
 * copies them. Items of a built-in list come without kind and apiVersion; the decoder adds what it promises.
 * What it throws ends the stream with that error.
 */
export type Decode<T> = (buffer: Buffer, start: number, end: number) => T;

/**
 * Parses at once and sees to it that kind and apiVersion are there, first, as they are in an object that came alone. A null
 * member of a built-in kind is absent.
 */
export function decodeObject<T extends KubeObject>(type: Pick<ResourceType, "group" | "version" | "kind">): Decode<T> {
  const kind = type.kind;
  const apiVersion = apiVersionOf(type);
  return (buffer, start, end) => {
    const text = buffer.toString("utf8", start, end);
    const object = JSON.parse(text) as T & Partial<KubeObject>;
    const isComplete = object.kind !== undefined && object.apiVersion !== undefined;
    const whole = isComplete ? object : ({ kind, apiVersion, ...(object as object) } as T);
    return hasNoNulls(whole) ? withoutNulls(whole, text) : whole;
  };
}
