/** Object keys: `namespace/name`, or `name` for objects without a namespace. */

import { objectKey } from "../../api/index.js";

/** The part of an object that names it. */
export interface NamedObject {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/** Gives an object's key; throws if it has none. */
export type KeyFunction<T> = (object: T) => string;

/** Thrown for an object whose key cannot be computed. */
export class KeyError extends Error {
  override readonly name = "KeyError";
  readonly object: unknown;

  constructor(object: unknown, options?: ErrorOptions) {
    const why = options?.cause instanceof Error ? `: ${options.cause.message}` : "";
    super(`couldn't create key for object${why}`, options);
    this.object = object;
  }
}

/**
 * Passed to delete handlers when the object vanished while no watch was open. Only `key` is certain: `object` is the
 * last state of the cache, perhaps stale, perhaps absent.
 */
export class DeletedFinalStateUnknown<T> {
  readonly key: string;
  readonly object: T | undefined;

  constructor(key: string, object: T | undefined) {
    this.key = key;
    this.object = object;
  }
}

/** The argument of delete handlers. */
export type Deleted<T> = T | DeletedFinalStateUnknown<T>;

/** `namespace/name`, or `name`. An object without metadata or without a name has no key. */
export function cacheKey(object: NamedObject): string {
  const metadata = object?.metadata as NamedObject["metadata"] | undefined;
  if (typeof metadata?.name !== "string" || metadata.name === "")
    throw new KeyError(object, { cause: new Error("object has no metadata.name") });
  return objectKey(metadata as { readonly name: string; readonly namespace?: string });
}

/** As `cacheKey`, also for the argument of a delete handler: a tombstone knows its key. */
export function deletionHandlingKey<T extends NamedObject>(object: Deleted<T>): string {
  return object instanceof DeletedFinalStateUnknown ? object.key : cacheKey(object);
}

/** The object in the argument of a delete handler, if there is one. */
export function deletedObject<T>(object: Deleted<T>): T | undefined {
  return object instanceof DeletedFinalStateUnknown ? object.object : object;
}

/** The revision of a value that has one, "" if it is not text; a tombstone or a transformed value may have none. */
export function resourceVersionOf(object: unknown): string | undefined {
  const metadata = (object as { readonly metadata?: { readonly resourceVersion?: unknown } } | undefined | null)
    ?.metadata;
  if (metadata === undefined || metadata === null || typeof metadata !== "object") return undefined;
  return typeof metadata.resourceVersion === "string" ? metadata.resourceVersion : "";
}

/** True if both are known and equal: nothing was written in between. A value without a revision is always new. */
export function isSameRevision(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && a !== "" && a === b;
}
