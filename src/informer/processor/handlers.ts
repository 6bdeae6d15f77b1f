/** What event handlers are, and what they are told. Taken from users by the processor. */
import type { Deleted } from "../store/key.js";

/**
 * Told of every change, after the cache has it. Calls to one handler come one at a time: a promise that it returns is
 * awaited before the next call. Per object the changes come in the order of their revisions; changes that happened
 * while nobody was watching are merged. No order between handlers; a slow one delays nobody but itself. A handler that
 * throws is reported and is called with the next change all the same. Objects are shared with the cache: never modify them.
 *
 * Identity is namespace and name: an object that was deleted and made again while nobody was watching shows up as one
 * update, with two different uids.
 */
export interface ResourceEventHandler<T> {
  /** `isInInitialList`: the object was there before the informer, or the handler, began. */
  readonly onAdd?: (object: T, isInInitialList: boolean) => unknown;
  /** Also called, with twice the same object, when a resync is due. */
  readonly onUpdate?: (previous: T, object: T) => unknown;
  /** A `DeletedFinalStateUnknown` if the deletion itself was missed. */
  readonly onDelete?: (object: Deleted<T>) => unknown;
}

export type Change<T> =
  | { readonly type: "add"; readonly object: T; readonly isInInitialList: boolean }
  /** `isSync`: both have the same revision, so only those who are due for a resync want to hear of it. */
  | { readonly type: "update"; readonly previous: T; readonly object: T; readonly isSync: boolean }
  | { readonly type: "delete"; readonly object: Deleted<T> };

/** Changes in their order. An array is one; a whole list makes each only when it is asked for. */
export interface ChangeList<T> {
  readonly length: number;
  at(index: number): Change<T> | undefined;
}

/** Changes that were applied together; the cache has all of them when the first is told. */
export interface Changes<T> {
  readonly changes: ChangeList<T>;
  /** How many of them are adds of the initial list. */
  readonly initialAdds: number;
  /** How many of them are updates without a change. */
  readonly syncs: number;
}

/**
 * Passes on what concerns objects that pass the filter: an update into the filter is an add (never an initial one), an
 * update out of it a delete of the old state. Tombstones are given to the filter as they are.
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

/** Tells a handler of a change; gives what it returned. */
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

/** For the log and the metrics, if the handler was not given a name: the names of its functions. */
export function handlerName(handler: ResourceEventHandler<never>): string {
  const names = [handler.onAdd, handler.onUpdate, handler.onDelete]
    .map((callback) => callback?.name.replace(/^bound /, "") ?? "")
    .filter((name) => name !== "" && !["onAdd", "onUpdate", "onDelete"].includes(name));
  if (names.length > 0) return [...new Set(names)].join("+");
  const constructed = handler.constructor?.name;
  return constructed === undefined || constructed === "Object" ? "handler" : constructed;
}
