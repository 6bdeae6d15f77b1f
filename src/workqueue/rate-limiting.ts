/** A delaying queue that asks a rate limiter how long a failed key waits. */
import { DelayingQueue } from "./delaying.js";
import type { AddOptions, QueueOptions, QueueSnapshot } from "./queue.js";
import { defaultControllerLimiter, type RateLimiter } from "./rate-limiters.js";
import { defined } from "../base/defined.js";

/** Forgetting a key only resets its backoff: it neither releases a held key nor cancels a delayed add. */
export class RateLimitingQueue<K = string> extends DelayingQueue<K> {
  readonly #limiter: RateLimiter;

  constructor(limiter?: RateLimiter, options: QueueOptions<K> = {}) {
    super(options);
    this.#limiter = limiter ?? defaultControllerLimiter(defined({ clock: options.clock }));
  }

  /** Adds the key when the limiter says that it may run again. */
  addRateLimited(key: K, options?: AddOptions): void {
    if (this.shuttingDown) return;
    if (!this.addAfter(key, this.#limiter.when(key), options)) this.#limiter.unused?.(key);
  }

  forget(key: K): void {
    this.#limiter.forget(key);
  }

  numRequeues(key: K): number {
    return this.#limiter.numRequeues(key);
  }

  override snapshot(): QueueSnapshot<K> {
    return super.snapshot((key) => this.numRequeues(key));
  }
}
