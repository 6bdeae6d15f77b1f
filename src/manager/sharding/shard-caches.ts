/** Keeps the caches of a process to the objects of its shards: lists anew when shards come and go, and knows which of them the caches show whole. */
import { type ResourceType, resourceKey } from "../../api/index.js";
import { abortable, type Clock, isAbortOf } from "../../base/index.js";
import { type ClusterCache, type ControllerKinds, kindsOf, type ShardHolder } from "../../controller/index.js";
import type { Acquisitions } from "./holds.js";
import type { Sharder } from "./sharder.js";

/** Objects of lost shards stay in memory for this long, so that shards which go one after the other cost one list. */
const dropAfterMs = 2_000;

export interface ShardCachesOptions {
  readonly sharder: Pick<Sharder, "acquisitions" | "onAcquired" | "onLost">;
  /** The shards, as controllers would see them if every process cached all objects. */
  readonly holder: ShardHolder;
  readonly cache: Pick<ClusterCache, "kinds" | "isLimited" | "isMissing" | "relist">;
  readonly clock: Clock;
}

/**
 * Invariants:
 * 1. `#shown` has, for each kind, the acquisitions whose objects its cache has had in whole since a list of the cache that
 *    began after the acquisition. An acquisition that has ended never comes again, so it may stay there for a while.
 */
export class ShardCaches {
  readonly #options: ShardCachesOptions;
  readonly #shown = new Map<string, Acquisitions>();
  readonly #listeners = new Set<() => void>();

  constructor(options: ShardCachesOptions) {
    this.#options = options;
  }

  /** Lets the caches follow the shards until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { cache } = this.#options;
    const limited = cache.kinds.filter((type) => cache.isLimited(type));
    try {
      await Promise.all(limited.map((type) => this.#follow(type, signal)));
    } catch (error) {
      if (!isAbortOf(signal, error)) throw error;
    }
  }

  /** The shards for a controller: it enters one only when the caches of all its kinds show the shard's objects. */
  holderFor(controller: ControllerKinds): ShardHolder {
    const { holder } = this.#options;
    const kinds = kindsOf(controller).flatMap(({ type, use, cluster }) =>
      use === "writes" || cluster !== "" ? [] : type,
    );
    const isShown = (shard: number): boolean => kinds.every((type) => this.#isShown(type, shard));
    return {
      ...holder,
      enter: (shard) => (isShown(shard) ? holder.enter(shard) : undefined),
      onAcquired: (tell) => this.#onShown(isShown, tell),
    };
  }

  #isShown(type: ResourceType, shard: number): boolean {
    const { sharder, cache } = this.#options;
    if (!cache.isLimited(type) || cache.isMissing(type)) return true;
    const acquisition = sharder.acquisitions.get(shard);
    return acquisition !== undefined && this.#shown.get(resourceKey(type))?.get(shard) === acquisition;
  }

  /** Tells of each acquisition once, when its shard is shown. */
  #onShown(isShown: (shard: number) => boolean, tell: (has: (shard: number) => boolean) => void): Disposable {
    const { sharder } = this.#options;
    let told: Acquisitions = new Map();
    const look = (): void => {
      const shown = new Map([...sharder.acquisitions].filter(([shard]) => isShown(shard)));
      const news = new Set([...shown.keys()].filter((shard) => told.get(shard) !== shown.get(shard)));
      told = shown;
      if (news.size > 0) tell((shard) => news.has(shard));
    };
    this.#listeners.add(look);
    const acquiring = sharder.onAcquired(look);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(look);
        acquiring[Symbol.dispose]();
      },
    };
  }

  async #follow(type: ResourceType, signal: AbortSignal): Promise<void> {
    const { sharder, cache, clock } = this.#options;
    let wake = (): void => {};
    using _acquiring = sharder.onAcquired(() => wake());
    using _losing = sharder.onLost(() => wake());
    let lostAt: number | undefined;
    for (;;) {
      const need = this.#need(type);
      const now = clock.monotonic();
      const waitMs = need === "lost" ? (lostAt ??= now) + dropAfterMs - now : 0;
      if (need === undefined || waitMs > 0) {
        using _timer = need === undefined ? undefined : clock.timer(waitMs, () => wake());
        await abortable(new Promise<void>((resolve) => void (wake = resolve)), signal);
        continue;
      }
      lostAt = undefined;
      // the shards of this moment: one that is won while the list is under way may miss objects
      const asked = sharder.acquisitions;
      await cache.relist(type, { signal });
      this.#shown.set(resourceKey(type), asked);
      for (const look of this.#listeners) look();
    }
  }

  /** Whether the cache lacks a shard that was won, or else has one that was lost. */
  #need(type: ResourceType): "won" | "lost" | undefined {
    const shown: Acquisitions = this.#shown.get(resourceKey(type)) ?? new Map();
    const held = this.#options.sharder.acquisitions;
    if ([...held].some(([shard, acquisition]) => shown.get(shard) !== acquisition)) return "won";
    return [...shown.keys()].some((shard) => !held.has(shard)) ? "lost" : undefined;
  }
}
