/** The memory of a manager's caches: the cost of each, and the order in which they give way when their budget is spent. */
import type { Clock, Logger, MetricsRegistry } from "../base/index.js";
import { bytesOf } from "../controller/cache/options.js";
import type { RecentObjects } from "../controller/cache/recent-objects.js";
import type { IndexSize } from "../informer/index.js";
import type { Cluster } from "./cluster.js";
import type { ManagerOptions } from "./options.js";

/** Estimates, from a sample of each cache's objects and as if no text were shared; the process takes more than its caches. */
export interface ManagerMemory {
  /** The sum of all caches, their indices and the kept whole objects. */
  readonly bytes: number;
  /** The budget of `cacheMemory`, if there is one. */
  readonly budgetBytes: number | undefined;
  /** The largest first. */
  readonly caches: readonly CacheCost[];
  /** Whole objects beside caches of parts. */
  readonly recent: readonly RecentCost[];
}

export interface CacheCost {
  /** "" for the manager's own cluster. */
  readonly cluster: string;
  /** The kind and scope of the cache. */
  readonly cache: string;
  readonly objects: number;
  /** Of the objects and the indices. */
  readonly bytes: number;
  readonly indices: readonly IndexSize[];
}

export interface RecentCost {
  readonly cluster: string;
  readonly kind: string;
  readonly objects: number;
  readonly bytes: number;
  /** The limit that holds now; less than the declared one if the budget is short. */
  readonly limitBytes: number;
  /** Reads that memory answered, and reads that went to the server. */
  readonly hits: number;
  readonly misses: number;
}

/** The caches of a cluster. */
type NamedCache = Pick<Cluster, "name" | "cache">;

export interface MemoryKeeperOptions extends Pick<ManagerOptions, "cacheMemory" | "memoryBudgetBytes"> {
  readonly clusters: () => readonly NamedCache[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

const checkMs = 10_000;

/**
 * Caches give way in this order: first the kept whole objects, least recently used first and of all kinds in proportion,
 * until none is left and each read of a whole object goes to the server; then the manager is not ready, and names the
 * cache to make smaller. An object that synchronous reads can see is never dropped, because they would lie.
 */
export class MemoryKeeper {
  readonly #options: MemoryKeeperOptions;
  readonly #budgetBytes: number | undefined;
  /** The state at the last check. */
  #problem: string | undefined;
  #share = 1;

  constructor(options: MemoryKeeperOptions) {
    this.#options = options;
    const { cacheMemory, metrics } = options;
    this.#budgetBytes = cacheMemory === undefined ? undefined : bytesOf("manager: cacheMemory", cacheMemory);
    const gauge = (name: string, help: string) => metrics.gauge({ name, help, labels: [] }).with({});
    const used = gauge("coxswain_cache_memory_bytes", "Memory of all caches, estimated");
    const limit = gauge("coxswain_cache_memory_limit_bytes", "The budget of all caches; 0 if there is none");
    limit.set(this.#budgetBytes ?? 0);
    metrics.beforeExpose(() => used.set(this.memory().bytes));
  }

  memory(): ManagerMemory {
    const clusters = this.#options.clusters();
    const caches = clusters.flatMap(costsOf).toSorted((a, b) => b.bytes - a.bytes);
    const recent = clusters.flatMap(({ name: cluster, cache }) =>
      Array.from(cache.recents, ([kind, { size, bytes, limitBytes, hits, misses }]): RecentCost => {
        return { cluster, kind, objects: size, bytes, limitBytes, hits, misses };
      }),
    );
    return { bytes: sum(caches) + sum(recent), budgetBytes: this.#budgetBytes, caches, recent };
  }

  /** The readiness problems of the two budgets: that of the caches as last checked, that of the process as it is now. */
  problems(): readonly string[] {
    const { memoryBudgetBytes } = this.#options;
    const process = memoryBudgetBytes === undefined ? undefined : this.#processProblem(memoryBudgetBytes);
    return [this.#problem ?? [], process ?? []].flat();
  }

  /** Checks the budgets until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { memoryBudgetBytes, clock, log } = this.#options;
    if (this.#budgetBytes === undefined && memoryBudgetBytes === undefined) return;
    for (let told: readonly string[] = []; ; ) {
      this.check();
      const problems = this.problems();
      // once each time, so that a process that is killed for it leaves a trace
      if (problems.length > told.length) for (const problem of problems) log.warn(problem);
      told = problems;
      await clock.sleep(checkMs, signal);
    }
  }

  /** Gives the kept whole objects the memory that the caches leave of the budget. */
  check(): void {
    const budget = this.#budgetBytes;
    if (budget === undefined) return;
    const { clusters, log } = this.#options;
    const { caches } = this.memory();
    const fixed = sum(caches);
    const recents = clusters().flatMap(({ cache }): RecentObjects[] => [...cache.recents.values()]);
    const declared = recents.reduce((bytes, { declaredBytes }) => bytes + declaredBytes, 0);
    const share = declared === 0 ? 1 : Math.max(0, Math.min(1, (budget - fixed) / declared));
    for (const recent of recents) recent.limitBytes = Math.floor(recent.declaredBytes * share);
    if (share < 1 !== this.#share < 1)
      log.info(share < 1 ? "caches are short of memory: fewer whole objects are kept" : "caches have memory again", {
        cacheMemory: megabytes(budget),
        caches: megabytes(fixed),
        recent: megabytes(declared * share),
      });
    this.#share = share;
    this.#problem =
      fixed <= budget
        ? undefined
        : `the caches take about ${megabytes(fixed)}, more than cacheMemory allows (${megabytes(budget)})${blame(caches)}; ` +
          "select fewer objects of it, or cache it in part: namespaces, labelSelector, fields or metadataOnly";
  }

  #processProblem(budget: number): string | undefined {
    const used = process.memoryUsage().rss;
    if (used <= budget) return undefined;
    return `${megabytes(used)} of memory are in use, more than the budget of ${megabytes(budget)}${blame(this.memory().caches)}`;
  }
}

function blame([dearest]: readonly CacheCost[]): string {
  if (dearest === undefined) return "";
  const { cache, objects, bytes } = dearest;
  return `; the dearest cache is ${cache} with ${objects} objects and about ${megabytes(bytes)}`;
}

function costsOf({ name: cluster, cache }: NamedCache): readonly CacheCost[] {
  return cache.kinds.flatMap((type) =>
    cache.informersOf(type).map(({ name, indexer: { size, indexSizes: indices }, estimatedBytes }): CacheCost => {
      return { cluster, cache: name, objects: size, bytes: estimatedBytes + sum(indices), indices };
    }),
  );
}

function sum(parts: readonly { readonly bytes: number }[]): number {
  return parts.reduce((total, { bytes }) => total + bytes, 0);
}

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
  for (const { cache, objects, bytes } of costsOf(cluster)) log.info("cache filled", { cache, objects, bytes });
}
