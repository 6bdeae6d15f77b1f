/** Things that start one after the other and stop in the reverse order, within a deadline. Used by the manager. */
import type { Clock, Logger } from "../base/index.js";

/** Something else that runs with the manager: a server, a poller, a migration. Given by the program; run by the manager. */
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

/** One that fails to stop does not keep the others from being stopped; neither does one that takes too long, once the time is over. */
export class Stages {
  readonly #stages: { readonly name: string; readonly stop: () => unknown }[] = [];
  readonly #options: StageOptions;

  constructor(options: StageOptions) {
    this.#options = options;
  }

  /** The stage has started; this is how it stops. */
  started(name: string, stop: () => unknown): void {
    this.#options.log.debug("started", { stage: name });
    this.#stages.push({ name, stop });
  }

  /** Rejects with what failed, and with the stages that had not stopped when the time was over. */
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

/** When the time is over already, what stops at once still gets a turn to do so. */
function aborted(signal: AbortSignal): Promise<true> {
  return new Promise((resolve) => {
    const late = (): unknown => setImmediate(() => resolve(true));
    if (signal.aborted) late();
    else signal.addEventListener("abort", late, { once: true });
  });
}
