/** Starts the parts of a manager: each takes its place among the stages, and its failure is that of the manager. */
import type { Logger } from "../base/index.js";
import type { WebhookHost } from "../webhook/index.js";
import type { Cluster } from "./cluster.js";
import type { LeaderElector } from "./leader-election/index.js";
import { type MemoryKeeper, tellCosts } from "./memory.js";
import type { ShardCaches, Sharder } from "./sharding/index.js";
import type { Stages } from "./stages.js";
import type { ManagerWork, WorkOptions } from "./work.js";

export interface Starting extends Pick<WorkOptions, "watched"> {
  readonly stages: Stages;
}

export function startWebhooks(host: WebhookHost, { stages, watched }: Starting): void {
  const served = host.start();
  watched("webhooks", served.done);
  stages.started("webhooks", () => served.close());
}

/** The work leads in the terms of the elector by itself, and here in those of the first shard. */
export function startLeases(
  { elector, sharder }: { readonly elector: LeaderElector | undefined; readonly sharder: Sharder | undefined },
  work: ManagerWork,
  { stages, watched }: Starting,
): void {
  for (const lease of [elector, sharder]) {
    if (lease === undefined) continue;
    const held = lease.start();
    watched("the lease", held.done);
    stages.started("lease", () => held[Symbol.asyncDispose]());
  }
  if (sharder === undefined) return;
  const leading = work.leadWith(sharder);
  stages.started("leading shard", () => leading[Symbol.dispose]());
}

interface CachesOfManager {
  readonly clusters: readonly Cluster[];
  readonly shardCaches: ShardCaches | undefined;
  readonly memory: MemoryKeeper;
  readonly log: Logger;
}

/** The caches stop as a stage; the care for them stops with the controllers, at the signal. */
export function startCaches(parts: CachesOfManager, stop: AbortSignal, { stages, watched }: Starting): void {
  const { clusters, shardCaches, memory, log } = parts;
  for (const cluster of clusters) {
    const caches = cluster.start();
    watched("caches", caches.done);
    stages.started("caches", () => caches[Symbol.asyncDispose]());
    void tellCosts(cluster, log, stop);
  }
  void memory.run(stop).catch(() => {});
  if (shardCaches !== undefined) watched("caches of shards", shardCaches.run(stop));
}
