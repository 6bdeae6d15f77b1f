/** The parts that a manager gives to its controllers. */
import type { Clock, Logger, MetricsRegistry, Random } from "../base/index.js";
import type { Client } from "../client/index.js";
import type { ClusterCache } from "./cache/cluster-cache.js";
import type { EventRecorder } from "./events/index.js";
import type { Journal } from "./history/journal.js";
import type { ShardHolder } from "./loop/shard-keys.js";

/** A cluster other than the manager's own. */
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
  /** The shards of this process, if it shares the objects with others. */
  readonly shards?: ShardHolder;
  /** The requests of a resync are spread over this time, to avoid a burst. */
  readonly resyncSpreadMs?: number;
}
