/** A queue of keys and the workers on it: what is between the event handlers of a controller and its sync. */
import { type KubeObject, metaNamespaceKey, type ResourceType } from "../../api/index.js";
import type { Counter } from "../../base/index.js";
import { StaleCacheError } from "../../controller/consistency.js";
import { deletedObject, type FactoryInformer } from "../../informer/index.js";
import {
  type RateLimiter,
  RateLimitingQueue,
  type Reason,
  runWorkers,
  type SyncContext,
} from "../../workqueue/index.js";
import type { BuiltInController, ControllerContext, InspectableQueue } from "./context.js";

/** How long a cache that is behind is given to catch up. */
const behindMs = 20;

export interface KeyLoopOptions {
  readonly context: ControllerContext;
  /** The queue's name in metrics, e.g. `deployment`. */
  readonly name: string;
  readonly workers: number;
  readonly limiter?: RateLimiter;
  /** After so many failures in a row the key is dropped until the next event; without it, it is tried for ever. */
  readonly maxRetries?: number;
  /** Counts syncs that a cache behind held up, as `<subsystem>_stale_sync_skips_total`; by the names of the ConsistencyStore. */
  readonly staleSyncs?: { readonly subsystem: string; readonly resources: Readonly<Record<string, ResourceKind>> };
  sync(key: string, context: SyncContext): Promise<SyncOutcome | void>;
}

type ResourceKind = Pick<ResourceType, "group" | "plural">;

export interface SyncOutcome {
  readonly requeueAfterMs?: number;
}

export class KeyLoop implements BuiltInController {
  readonly #options: KeyLoopOptions;
  readonly #queue: RateLimitingQueue<string>;
  readonly #staleSyncs: Counter<"group" | "resource"> | undefined;

  constructor(options: KeyLoopOptions) {
    this.#options = options;
    const { clock, metrics } = options.context;
    this.#staleSyncs =
      options.staleSyncs &&
      metrics.counter({
        name: `${options.staleSyncs.subsystem}_stale_sync_skips_total`,
        help: "Syncs that waited because a cache had not seen the controller's own writes",
        labels: ["group", "resource"],
      });
    this.#queue = new RateLimitingQueue<string>(options.limiter, { name: options.name, clock, metrics });
  }

  get queues(): readonly InspectableQueue[] {
    return [{ name: this.#options.name, snapshot: () => this.#queue.snapshot() }];
  }

  add(key: string, reason?: Reason): void {
    this.#queue.add(key, reason === undefined ? {} : { reason });
  }

  addAfter(key: string, ms: number): void {
    this.#queue.addAfter(key, ms);
  }

  addRateLimited(key: string): void {
    this.#queue.addRateLimited(key);
  }

  /** The usual handler body: the key of the object itself. */
  readonly enqueue = (object: Pick<KubeObject, "metadata">): void => this.add(metaNamespaceKey(object));

  /** Every change of an object of this kind, its end included, is work for the object's own key. */
  follow<T extends KubeObject>(informer: FactoryInformer<T>): void {
    informer.addEventHandler(
      {
        onAdd: this.enqueue,
        onUpdate: (_previous, object) => this.enqueue(object),
        onDelete: (gone) => {
          const object = deletedObject(gone);
          if (object !== undefined) this.enqueue(object);
        },
      },
      { name: this.#options.name },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { context, name, workers } = this.#options;
    try {
      await runWorkers<string>({
        queue: this.#queue,
        workers: context.workers ?? workers,
        signal,
        clock: context.clock,
        log: context.log.child({ controller: name }),
        sync: (key, syncContext) => this.#sync(key, syncContext),
      });
    } finally {
      this.#queue.shutDown();
    }
  }

  async #sync(key: string, syncContext: SyncContext): Promise<void> {
    const { maxRetries, context, name } = this.#options;
    try {
      const outcome = await this.#options.sync(key, syncContext);
      if (outcome?.requeueAfterMs !== undefined) this.#queue.addAfter(key, outcome.requeueAfterMs);
    } catch (error) {
      // the cache is behind our own writes: that is no failure, and must not use up the rate of those that are
      if (error instanceof StaleCacheError) {
        const { group = "", plural = error.resource } = this.#options.staleSyncs?.resources[error.resource] ?? {};
        this.#staleSyncs?.with({ group, resource: plural }).inc();
        this.#queue.addAfter(key, behindMs);
        return;
      }
      if (maxRetries === undefined || this.#queue.numRequeues(key) < maxRetries) throw error;
      context.log.warn("dropping a key that keeps failing until it changes", { controller: name, key, error });
    }
  }
}
