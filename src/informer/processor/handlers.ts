/** Event handlers, and the changes that they are called with. */
import type { Deleted } from "../store/key.js";

/**
 * Called for every change, after the cache has it. Calls to one handler come one at a time: a promise that it returns
 * is awaited before the next call. Per object the changes come in the order of their revisions; changes that happened
 * while no watch was open are merged. There is no order between handlers; a slow one delays only itself. A handler that
 * throws is reported and is called with the next change all the same. Objects are shared with the cache: never modify
 * them.
 *
 * Identity is namespace and name: an object that was deleted and created again while no watch was open shows up as one
 * update, with two different uids.
 */
export interface ResourceEventHandler<T> {
  /** `isInInitialList` is true if the object existed before the informer, or the handler, began. */
  readonly onAdd?: (object: T, isInInitialList: boolean) => unknown;
  /** Also called, twice with the same object, when a resync is due. */
  readonly onUpdate?: (previous: T, object: T) => unknown;
  /** A `DeletedFinalStateUnknown` if the deletion itself was missed. */
  readonly onDelete?: (object: Deleted<T>) => unknown;
}

export type Change<T> =
  | { readonly type: "add"; readonly object: T; readonly isInInitialList: boolean }
  /** `isSync` is true if both have the same revision, so that only handlers due for a resync are called. */
  | { readonly type: "update"; readonly previous: T; readonly object: T; readonly isSync: boolean }
  | { readonly type: "delete"; readonly object: Deleted<T> };

/** Changes in their order: an array, or a whole list that makes each change only on access. */
export interface ChangeList<T> {
  readonly length: number;
  at(index: number): Change<T> | undefined;
}

/** Changes that were applied together; the cache has all of them when the first is delivered. */
export interface Changes<T> {
  readonly changes: ChangeList<T>;
  /** The number of adds of the initial list among them. */
  readonly initialAdds: number;
  /** The number of updates without a change among them. */
  readonly syncs: number;
}

/**
 * Passes on the changes of objects that pass the filter: an update into the filter is an add (never an initial one), an
 * update out of it a delete of the old state. The filter gets tombstones as they are.
 */
export function filteringHandler<T>(
  filter: (object: Deleted<T>) => boolean,
  handler: ResourceEventHandler<T>,
): ResourceEventHandler<T> {
  return {
    onAdd: (object, isInInitialList) => (filter(object) ? handler.onAdd?.(object, isInInitialList) : undefined),
    onUpdate(previous, object) {
      const passed = filter(previous);
      const passes = filter(object);
      if (passed && passes) return handler.onUpdate?.(previous, object);
      if (passes) return handler.onAdd?.(object, false);
      if (passed) return handler.onDelete?.(previous);
      return undefined;
    },
    onDelete: (object) => (filter(object) ? handler.onDelete?.(object) : undefined),
  };
}

/** Calls a handler with a change; gives its result. */
export function tell<T>(handler: ResourceEventHandler<T>, change: Change<T>): unknown {
  switch (change.type) {
    case "add":
      return handler.onAdd?.(change.object, change.isInInitialList);
    case "update":
      return handler.onUpdate?.(change.previous, change.object);
    case "delete":
      return handler.onDelete?.(change.object);
  }
}

/** The name of a handler without one, for the log and the metrics: the names of its functions. */
export function handlerName(handler: ResourceEventHandler<never>): string {
  const names = [handler.onAdd, handler.onUpdate, handler.onDelete]
    .map((callback) => callback?.name.replace(/^bound /, "") ?? "")
    .filter((name) => name !== "" && !["onAdd", "onUpdate", "onDelete"].includes(name));
  if (names.length > 0) return [...new Set(names)].join("+");
  const constructed = handler.constructor?.name;
  return constructed === undefined || constructed === "Object" ? "handler" : constructed;
}
