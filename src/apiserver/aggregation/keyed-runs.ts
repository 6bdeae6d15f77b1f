/** Runs a function for each key again and again: when the key is woken, and some time after its last run. */
import {
  type Backoff,
  type Clock,
  exponentialBackoff,
  type LinkedAbort,
  linkedAbort,
  type Logger,
  type Timer,
} from "../../base/index.js";

export interface KeyedRunsOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly stopping: AbortSignal;
  /** Whether the run succeeded; a rejection is a failure, too. */
  run(key: string, signal: AbortSignal): Promise<boolean>;
  /** The delay until the next run after a success. */
  readonly everyMs: number;
  /** The first delay after a failure; it doubles with each further one, up to `everyMs`. */
  readonly retryMs: number;
}

interface State {
  readonly stop: LinkedAbort;
  /** The run under way. */
  running: Promise<void> | undefined;
  /** Woken during the run. */
  again: boolean;
  readonly retries: Backoff;
  timer: Timer | undefined;
}

/**
 * Invariants:
 * 1. A key has at most one run under way.
 * 2. A key that is woken during its run runs once more afterwards.
 * 3. A timer is armed only for a key without a run.
 */
export class KeyedRuns implements AsyncDisposable {
  readonly #options: KeyedRunsOptions;
  readonly #states = new Map<string, State>();
  readonly #ending = new Set<Promise<void>>();

  constructor(options: KeyedRunsOptions) {
    this.#options = options;
  }

  wake(key: string): void {
    const { stopping, retryMs, everyMs } = this.#options;
    if (stopping.aborted) return;
    let state = this.#states.get(key);
    if (state === undefined) {
      const retries = exponentialBackoff({ baseMs: retryMs, capMs: everyMs });
      state = { stop: linkedAbort(stopping), running: undefined, again: false, retries, timer: undefined };
      this.#states.set(key, state);
    }
    if (state.running !== undefined) state.again = true;
    else this.#begin(key, state);
  }

  /** Ends the run of a key that is under way, and forgets the key. */
  drop(key: string): void {
    const state = this.#states.get(key);
    if (state === undefined) return;
    this.#states.delete(key);
    state.timer?.[Symbol.dispose]();
    state.stop.abort(new Error("the work is no longer wanted"));
    const { running } = state;
    if (running === undefined) {
      state.stop[Symbol.dispose]();
      return;
    }
    const ended = running.then(() => {
      this.#ending.delete(ended);
      state.stop[Symbol.dispose]();
    });
    this.#ending.add(ended);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const key of this.#states.keys()) this.drop(key);
    await Promise.all(this.#ending);
  }

  #begin(key: string, state: State): void {
    state.timer?.[Symbol.dispose]();
    state.timer = undefined;
    state.again = false;
    state.running = this.#run(key, state).then((delay) => {
      state.running = undefined;
      if (state.stop.signal.aborted) return;
      if (state.again) this.#begin(key, state);
      else state.timer = this.#options.clock.timer(delay, () => this.#begin(key, state));
    });
  }

  /** Gives the delay until the next run. */
  async #run(key: string, { stop: { signal }, retries }: State): Promise<number> {
    const { run, everyMs, log } = this.#options;
    try {
      if (await run(key, signal)) {
        retries.reset();
        return everyMs;
      }
    } catch (error) {
      if (!signal.aborted) log.error("a run failed", { key, error });
    }
    return retries.next();
  }
}
