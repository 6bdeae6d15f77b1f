/** The types between a manager and its controllers: the host and the options that a controller takes, the snapshot that it gives. */
import type { Clock, Logger, MetricsRegistry, Random } from "../base/index.js";
import type { Client } from "../client/index.js";
import type { QueueSnapshot } from "../workqueue/index.js";
import type { ClusterCache } from "./cache/cluster-cache.js";
import type { EventRecorder } from "./events/index.js";
import type { Journal } from "./history/journal.js";
import type { DeadLetter } from "./history/retries.js";
import type { MissingPermission } from "./run/refusals.js";
import type { OverdueRun } from "./run/under-way.js";

/** Another cluster than the manager's own. */
export interface ClusterAccess {
  readonly client: Pick<Client, "resource">;
  readonly cache: ClusterCache;
}

/** The dependencies of a controller, which its manager provides. */
export interface ControllerHost {
  readonly client: Pick<Client, "resource">;
  readonly cache: ClusterCache;
  /** Other clusters, by name. */
  readonly clusters?: ReadonlyMap<string, ClusterAccess>;
  readonly events: EventRecorder;
  readonly journal: Journal;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
  readonly random?: Random;
  /** The requests of a resync are spread over this time, so that they are no burst. */
  readonly resyncSpreadMs?: number;
}

export interface ControllerRunOptions {
  /** Stops taking requests; runs in flight may finish. */
  readonly signal: AbortSignal;
  /** Ends the runs in flight too: the lease is lost. */
  readonly abort?: AbortSignal;
  readonly graceMs?: number;
}

/** The state of a controller: its keys that wait, run, fail, were given up or are slowed, and the permissions that it lacks. */
export interface ControllerSnapshot {
  readonly name: string;
  readonly kind: string;
  readonly concurrency: number;
  readonly queue: QueueSnapshot<string>;
  readonly failing: readonly { readonly key: string; readonly failures: number }[];
  readonly deadLetters: readonly DeadLetter[];
  readonly slowed: readonly string[];
  /** Runs that go on though their time is over. */
  readonly overdue: readonly OverdueRun[];
  /** Writes that were refused, and not allowed since. */
  readonly missingPermissions: readonly MissingPermission[];
}
