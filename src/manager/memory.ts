/** Estimates the cost of caches: the number of objects and their approximate bytes. */
import type { Clock, Logger } from "../base/index.js";
import type { Cluster } from "./cluster.js";

export interface CacheCost {
  readonly cluster: string;
  /** The kind and scope of the cache. */
  readonly cache: string;
  readonly objects: number;
  /** The estimated size of the objects on the heap. */
  readonly bytes: number;
}

export function costsOf(clusters: readonly Cluster[]): readonly CacheCost[] {
  const costs = clusters.flatMap(({ name, cache }) =>
    cache.kinds.flatMap((type) =>
      cache.informersOf(type).map((informer): CacheCost => {
        const { indexer, estimatedBytes: bytes } = informer;
        return { cluster: name, cache: informer.name, objects: indexer.size, bytes };
      }),
    ),
  );
  return costs.toSorted((a, b) => b.bytes - a.bytes);
}

/** The readiness problem if the process uses more memory than its budget; names the largest cache. */
export function overBudget(
  budgetBytes: number,
  costs: () => readonly CacheCost[],
  usedBytes: number = process.memoryUsage().rss,
): string | undefined {
  if (usedBytes <= budgetBytes) return undefined;
  const [dearest] = costs();
  const blame =
    dearest === undefined
      ? ""
      : `; the dearest cache is ${dearest.cache} with ${dearest.objects} objects and about ${megabytes(dearest.bytes)}`;
  return `${megabytes(usedBytes)} of memory are in use, more than the budget of ${megabytes(budgetBytes)}${blame}`;
}

export interface BudgetOptions {
  /** The problem, if the budget is exceeded now. */
  readonly problem: () => string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Checks periodically, and logs once each time that the budget becomes exceeded, so that a process that is killed for
 * it leaves a trace.
 */
export async function watchBudget({ problem, clock, log }: BudgetOptions, signal: AbortSignal): Promise<void> {
  for (let exceeded = false; ; ) {
    const now = problem();
    if (now !== undefined && !exceeded) log.warn(now);
    exceeded = now !== undefined;
    await clock.sleep(budgetCheckMs, signal);
  }
}

const budgetCheckMs = 10_000;

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** Logs the objects and bytes of each cache of a cluster, once, when all of them are filled. */
export async function tellCosts(cluster: Cluster, log: Logger, signal: AbortSignal): Promise<void> {
  try {
    await cluster.factory.waitForCacheSync({ signal });
  } catch {
    return;
  }
  for (const { cache, objects, bytes } of costsOf([cluster])) log.info("cache filled", { cache, objects, bytes });
}
