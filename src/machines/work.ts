/** The work of one part of the simulated nodes: a queue of keys, and the workers that sync them. */
import { itemExponentialFailure, RateLimitingQueue, runWorkers } from "../workqueue/index.js";
import type { NodeContext } from "./context.js";

export interface NodeWorkOptions {
  /** The name of the queue, for metrics. */
  readonly name: string;
  /** The name of the part, for the log. */
  readonly part: string;
  /** The first delay of a key that failed, and the longest. */
  readonly baseMs: number;
  readonly maxMs: number;
}

export class NodeWork {
  readonly queue: RateLimitingQueue<string>;
  readonly #context: NodeContext;
  readonly #part: string;

  constructor(context: NodeContext, { name, part, baseMs, maxMs }: NodeWorkOptions) {
    this.#context = context;
    this.#part = part;
    this.queue = new RateLimitingQueue(itemExponentialFailure({ baseMs, maxMs }), { name, clock: context.clock });
  }

  /** Syncs keys until the signal aborts; then the queue is shut down. */
  async run(
    sync: (key: string, signal: AbortSignal) => Promise<void>,
    { workers, signal }: { readonly workers: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const { queue } = this;
    const { clock, log } = this.#context;
    const part = log.child({ part: this.#part });
    try {
      await runWorkers({ queue, workers, signal, clock, log: part, sync: (key, run) => sync(key, run.signal) });
    } finally {
      queue.shutDown();
    }
  }
}
