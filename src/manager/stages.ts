/** Stages that start one after the other and stop in the reverse order, within a deadline. */
import type { Clock, Logger } from "../base/index.js";

/** Other work that runs with the manager: a server, a poller, a migration. */
export interface Runnable {
  readonly name: string;
  /** Runs until the signal aborts. Its failure stops the manager. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Runs on every replica, leader or not. */
  readonly withoutLease?: boolean;
}

export interface StageOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * A stage that fails to stop does not keep the others from being stopped; nor does one that takes too long, once the
 * time is over.
 */
export class Stages {
  readonly #stages: { readonly name: string; readonly stop: () => unknown }[] = [];
  readonly #options: StageOptions;

  constructor(options: StageOptions) {
    this.#options = options;
  }

  /** Records that a stage has started, and how to stop it. */
  started(name: string, stop: () => unknown): void {
    this.#options.log.debug("started", { stage: name });
    this.#stages.push({ name, stop });
  }

  /** Rejects with the failures, and with the names of stages that had not stopped when the time was over. */
  async stop(): Promise<void> {
    const { timeoutMs, clock, log } = this.#options;
    const over = new AbortController();
    const timer = clock.timer(timeoutMs, () => over.abort());
    const failures: unknown[] = [];
    for (const { name, stop } of this.#stages.splice(0).reverse()) {
      try {
        log.debug("stopping", { stage: name });
        const stopped = Promise.resolve(stop());
        const late = await Promise.race([stopped.then(() => false), aborted(over.signal)]);
        if (late) failures.push(new Error(`${name} had not stopped after ${timeoutMs} ms`));
      } catch (error) {
        failures.push(new Error(`stopping ${name} failed`, { cause: error }));
      }
    }
    timer[Symbol.dispose]();
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} parts did not stop well`);
  }
}

/** Resolves after an abort, one turn later, so that a stage that stops at once can still do so when the time is already over. */
function aborted(signal: AbortSignal): Promise<true> {
  return new Promise((resolve) => {
    const late = (): unknown => setImmediate(() => resolve(true));
    if (signal.aborted) late();
    else signal.addEventListener("abort", late, { once: true });
  });
}
