/** The contract between the framework and a reconciler: its arguments, its results, its failures. */
import type { KubeObject } from "../api/index.js";
import type { Clock, Logger } from "../base/index.js";
import type { Reason, Reasons } from "../workqueue/index.js";
import type { CacheReader, ObjectPlace } from "./cache/cluster-cache.js";
import type { EventRecorder } from "./events/index.js";
import type { ReconcileClient } from "./reconcile-client.js";

/** The name of the object to reconcile; never a state, because the state may be newer when its turn comes. */
export interface Request extends ObjectPlace {}

/** The arguments of every call. */
export interface RunContext extends Reasons {
  readonly request: Request;
  /** Reads declared kinds; never older than this controller's own last write. */
  readonly cache: CacheReader;
  /** Writes, and remembers its writes: for reads, for the journal, and to skip writes that change nothing. */
  readonly client: ReconcileClient;
  /** Cache and client of another cluster of the manager. */
  readonly cluster: (name: string) => { readonly cache: CacheReader; readonly client: ReconcileClient };
  readonly events: EventRecorder;
  /** The manager's clock: code that reads the time from it can be tested on a virtual one. */
  readonly clock: Clock;
  /** Carries controller, key and run in its fields. */
  readonly log: Logger;
  /** Aborts when the time limit of this run is over, the lease is lost, or the manager stops and its grace period ends. */
  readonly signal: AbortSignal;
  /** The reasons why the key was queued. For people: a controller that decides by them becomes wrong. */
  readonly reasons: readonly Reason[];
  /** Failures of this key since its last success. */
  readonly failures: number;
}

/**
 * Level-triggered: the reconciler reads the present state and makes it match. It is called again after every change,
 * perhaps once for many changes, and never twice at the same time for one key.
 */
export interface ReconcileContext<T extends KubeObject> extends RunContext {
  /** The cached object, with our own writes applied. Shared: never modify it. */
  readonly object: T;
}

/** Nothing, or the time after which to come again although nothing changed. There is no other way to ask for it. */
export interface ReconcileResult {
  /** At least 0. 0 means at once, and a little later each time in a row. Leave it out not to come again. */
  readonly requeueAfterMs?: number;
}

/**
 * The contract of reconciling: level-triggered; a throw or rejection is retried with per-key backoff; a return forgets
 * the backoff; `TerminalError` is not retried until something changes.
 */
export type Reconcile<T extends KubeObject> = (context: ReconcileContext<T>) => Promise<ReconcileResult | void>;

/** The run may not go on here, which is no failure of its key: another process has the work now, or will have it. */
export class InterruptedError extends Error {
  override readonly name: string = "InterruptedError";
}

/**
 * A retry would not help, because the object itself must change. The error is reported, and shown as a dead letter
 * until then.
 */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}
