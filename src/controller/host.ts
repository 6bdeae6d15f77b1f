/** What a controller is given by its manager, and what it tells it. */
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

/** What a controller is given by its manager. */
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
  /** What a resync brings is spread over this time, so that it is no burst. */
  readonly resyncSpreadMs?: number;
}

export interface ControllerRunOptions {
  /** Stops taking requests; what is in flight may finish. */
  readonly signal: AbortSignal;
  /** Ends what is in flight too: the lease is lost. */
  readonly abort?: AbortSignal;
  readonly graceMs?: number;
}

/** What waits, runs, fails and was given up. */
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
