/** A delaying queue that asks a rate limiter how long a failed key waits. */
import { DelayingQueue } from "./delaying.js";
import type { AddOptions, GetOptions, QueueOptions, QueueSnapshot, Work } from "./queue.js";
import { defaultControllerLimiter, type RateLimiter } from "./rate-limiters.js";

/** Forgetting a key only resets its backoff: it neither releases a held key nor cancels a delayed add. */
export class RateLimitingQueue<K = string> {
  readonly #queue: DelayingQueue<K>;
  readonly #limiter: RateLimiter;
  readonly #identify: (key: K) => unknown;

  constructor(limiter?: RateLimiter, options: QueueOptions<K> = {}) {
    this.#queue = new DelayingQueue(options);
    const { clock } = options;
    this.#limiter = limiter ?? defaultControllerLimiter(clock === undefined ? {} : { clock });
    this.#identify = options.identify ?? ((key) => key);
  }

  get length(): number {
    return this.#queue.length;
  }

  get shuttingDown(): boolean {
    return this.#queue.shuttingDown;
  }

  add(key: K, options?: AddOptions): void {
    this.#queue.add(key, options);
  }

  addAfter(key: K, ms: number, options?: AddOptions): boolean {
    return this.#queue.addAfter(key, ms, options);
  }

  /** Adds the key when the limiter says that it may run again. */
  addRateLimited(key: K, options?: AddOptions): void {
    if (this.#queue.shuttingDown) return;
    const id = this.#identify(key);
    if (!this.#queue.addAfter(key, this.#limiter.when(id), options)) this.#limiter.unused?.(id);
  }

  forget(key: K): void {
    this.#limiter.forget(this.#identify(key));
  }

  numRequeues(key: K): number {
    return this.#limiter.numRequeues(this.#identify(key));
  }

  dueIn(key: K): number | undefined {
    return this.#queue.dueIn(key);
  }

  tryGet(): Work<K> | undefined {
    return this.#queue.tryGet();
  }

  get(options: GetOptions): Promise<Work<K> | undefined> {
    return this.#queue.get(options);
  }

  shutDown(): void {
    this.#queue.shutDown();
  }

  shutDownWithDrain(options: GetOptions): Promise<void> {
    return this.#queue.shutDownWithDrain(options);
  }

  snapshot(): QueueSnapshot<K> {
    return this.#queue.snapshot((key) => this.numRequeues(key));
  }
}
