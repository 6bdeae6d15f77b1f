/** Changes of the objects in a cache, and the handlers that are called with them. */
import { shown } from "../../base/index.js";
import { type Deleted, DeletedFinalStateUnknown } from "../store/key.js";

/** One change of one object in a cache, as the process loop, handlers, predicates and mappings all name it. */
export type ObjectChange<T> =
  /** `initial`: the object was there before the informer, or the handler, began. */
  | { readonly type: "added"; readonly object: T; readonly initial: boolean }
  | { readonly type: "updated"; readonly object: T; readonly previous: T }
  /** Both states have the same revision: nothing happened, it is time to look again. */
  | { readonly type: "resync"; readonly object: T; readonly previous: T }
  /** The last known state. `missed`: the deletion itself was not seen, so the object may have changed before it went. */
  | { readonly type: "deleted"; readonly object: T; readonly key: string; readonly missed: boolean };

/** A handler that takes changes as they are. The promises of `ResourceEventHandler` hold for it too. */
export type ChangeHandler<T> = (change: ObjectChange<T>) => unknown;

/**
 * The handler that client-go's readers know, with one function for each type of change. Called for every change, after
 * the cache has it. Calls to one handler come one at a time: a promise that it returns is awaited before the next call.
 * Per object the changes come in the order of their revisions; changes that happened while no watch was open are
 * merged. There is no order between handlers; a slow one delays only itself. A handler that throws is reported and is
 * called with the next change all the same. Objects are shared with the cache: never modify them.
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

/** Changes in their order: an array, or a whole list that makes each change only on access. */
export interface ChangeList<T> {
  readonly length: number;
  at(index: number): ObjectChange<T> | undefined;
}

/** Changes that were applied together; the cache has all of them when the first is delivered. */
export interface Changes<T> {
  readonly changes: ChangeList<T>;
  /** The number of adds of the initial list among them. */
  readonly initialAdds: number;
  /** The number of resyncs among them. */
  readonly syncs: number;
}

const functionsOfHandlers = ["onAdd", "onUpdate", "onDelete"] as const;

/** Throws unless it is a function, or an object whose members can be meant: a misspelt one would never be called. */
export function checkHandler(of: string, handler: unknown): void {
  if (typeof handler === "function") return;
  const given = Object(handler) as Readonly<Record<string, unknown>>;
  const members = functionsOfHandlers.filter((name) => given[name] !== undefined);
  const isEmpty = given === handler && Object.keys(given).length === 0;
  if (members.length === 0 && !isEmpty)
    throw new TypeError(`${of}: ${shown(handler)} has none of ${functionsOfHandlers.join(", ")}, and is no function`);
  for (const name of members)
    if (typeof given[name] !== "function")
      throw new TypeError(`${of}: ${name} must be a function, not ${shown(given[name])}`);
}

/** Calls a handler with a change; gives its result. */
export function tell<T>(handler: ResourceEventHandler<T> | ChangeHandler<T>, change: ObjectChange<T>): unknown {
  if (typeof handler === "function") return handler(change);
  const { type, object } = change;
  switch (type) {
    case "added":
      return handler.onAdd?.(object, change.initial);
    case "updated":
    case "resync":
      return handler.onUpdate?.(change.previous, object);
    case "deleted":
      return handler.onDelete?.(change.missed ? new DeletedFinalStateUnknown(change.key, object) : object);
  }
}

/** The name of a handler without one, for the log and the metrics: the names of its functions. */
export function handlerName(handler: ResourceEventHandler<never> | ChangeHandler<never>): string {
  if (typeof handler === "function") return handler.name === "" ? "handler" : handler.name;
  const names = functionsOfHandlers
    .map((own) => handler[own]?.name.replace(/^bound /, "") ?? "")
    .filter((name) => name !== "" && !functionsOfHandlers.some((own) => own === name));
  if (names.length > 0) return [...new Set(names)].join("+");
  const constructed = handler.constructor?.name;
  return constructed === undefined || constructed === "Object" ? "handler" : constructed;
}

/** The state of a handler, for people. */
export interface HandlerState {
  readonly name: string;
  /** Changes that wait for it. */
  readonly pending: number;
  /** True once it has seen the initial list. */
  readonly hasSynced: boolean;
  /** Calls that threw: those changes were not told again. */
  readonly failures: number;
  /** The message of the last call that threw. */
  readonly lastFailure?: string;
}
