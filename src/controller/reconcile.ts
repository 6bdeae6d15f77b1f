/** The contract between the framework and a reconciler: what it is given, what it may return, how it may fail. */
import type { KubeObject } from "../api/index.js";
import type { Clock, Logger } from "../base/index.js";
import type { Reason, Reasons } from "../workqueue/index.js";
import type { CacheReader, ObjectPlace } from "./cache/cluster-cache.js";
import type { EventRecorder } from "./events/index.js";
import type { ReconcileClient } from "./reconcile-client.js";

/** Which object to reconcile: the name, never a state, because the state may be newer when its turn comes. */
export interface Request extends ObjectPlace {}

/** What every call gets. */
export interface RunContext extends Reasons {
  readonly request: Request;
  /** Reads declared kinds; never older than this controller's own last write. */
  readonly cache: CacheReader;
  /** Writes, and remembers what it wrote: for reads, for the journal, and to skip what changes nothing. */
  readonly client: ReconcileClient;
  /** The same two for another cluster of the manager. */
  readonly cluster: (name: string) => { readonly cache: CacheReader; readonly client: ReconcileClient };
  readonly events: EventRecorder;
  /** The manager's: what asks it the time can be tested on a virtual one. */
  readonly clock: Clock;
  /** Carries controller, key and run in its fields. */
  readonly log: Logger;
  /** Aborts when the time for this run is over, the lease is lost, or the manager stops and its patience ends. */
  readonly signal: AbortSignal;
  /** Why the key was queued. For telling people: deciding by it is how controllers become wrong. */
  readonly reasons: readonly Reason[];
  /** Failures of this key since its last success. */
  readonly failures: number;
}

/**
 * Level-triggered: the reconciler looks at the world as it is now and makes it match. It is called again after every change, perhaps once
 * for many changes, and never twice at the same time for one key.
 */
export interface ReconcileContext<T extends KubeObject> extends RunContext {
  /** As the cache has it, with our own writes laid over. Shared: never modify it. */
  readonly object: T;
}

/** Nothing, or when to come again although nothing changed. The only way to ask for that. */
export interface ReconcileResult {
  /** From 0 on. 0 is at once, and a little later each time in a row. Not to come again is to leave it out. */
  readonly requeueAfterMs?: number;
}

/**
 * The contract of reconciling: level-triggered; a throw or rejection is retried with per-key backoff; a return forgets the backoff;
 * `TerminalError` is not retried until something changes.
 */
export type Reconcile<T extends KubeObject> = (context: ReconcileContext<T>) => Promise<ReconcileResult | void>;

/** Trying again would not help: the object itself must change. It is reported, and shown as a dead letter until then. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}
