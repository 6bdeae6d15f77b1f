/** Failing keys, the times of their retries, and keys that were given up. Pure bookkeeping for a controller. */
import { messageOf, type Random, systemRandom } from "../../base/index.js";
import { itemExponentialFailure, type RateLimiter } from "../../workqueue/index.js";

/** A key that is not retried: it runs again when something wakes it. */
export interface DeadLetter {
  readonly key: string;
  readonly failures: number;
  readonly error: string;
  /** A TerminalError, or one failure too many. */
  readonly why: "terminal" | "retry limit";
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface RetriesOptions {
  readonly limiter: RateLimiter;
  /** After this many failures in a row the key is given up. */
  readonly maxFailures: number;
}

/** The default: from 5 ms to 5 minutes. */
export function retryLimiter(random: Random = systemRandom): RateLimiter {
  return itemExponentialFailure({ baseMs: 5, maxMs: 300_000, jitter: 0.1, random });
}

/** A key whose last run failed, and that will be tried again. */
export interface FailingKey {
  readonly key: string;
  readonly failures: number;
  readonly error: string;
}

interface Failing {
  readonly failures: number;
  readonly error: string;
  /** The due time of the scheduled attempt, by the monotonic clock. */
  readonly retryAt: number;
}

/** The consequence of a failure. `delayMs` is the time until the scheduled attempt, which may have been scheduled before. */
export type Verdict =
  | { readonly type: "retry"; readonly delayMs: number; readonly failures: number }
  | { readonly type: "dead"; readonly failures: number };

/**
 * Failures are counted per scheduled attempt. A failed run that had another trigger before the attempt was due neither
 * counts nor moves the attempt, so that an object with many triggers does not back off to minutes within a second.
 *
 * Invariants:
 * 1. A key is failing, dead, or neither, but never both: a dead key is revived before it runs.
 * 2. The limiter has a backoff only for failing keys.
 */
export class Retries {
  readonly #failing = new Map<string, Failing>();
  readonly #dead = new Map<string, DeadLetter>();
  readonly #options: RetriesOptions;

  constructor(options: RetriesOptions) {
    this.#options = options;
  }

  failures(key: string): number {
    return this.#failing.get(key)?.failures ?? 0;
  }

  isFailing(key: string): boolean {
    return this.#failing.has(key);
  }

  get failing(): readonly FailingKey[] {
    return Array.from(this.#failing, ([key, { failures, error }]) => ({ key, failures, error }));
  }

  get failingCount(): number {
    return this.#failing.size;
  }

  errorOf(key: string): string | undefined {
    return this.#failing.get(key)?.error;
  }

  get deadLetters(): readonly DeadLetter[] {
    return [...this.#dead.values()];
  }

  get deadCount(): number {
    return this.#dead.size;
  }

  /** Call it before the key runs: the reason for giving it up may be gone. */
  revive(key: string): void {
    if (this.#dead.size > 0) this.#dead.delete(key);
  }

  succeeded(key: string): void {
    if (this.#failing.delete(key)) this.#options.limiter.forget(key);
  }

  failed(key: string, error: unknown, now: { readonly monotonic: number; readonly wall: number }): Verdict {
    const known = this.#failing.get(key);
    // queued anew: the queue may have merged the attempt with a wake that was due earlier, and given both to this run
    if (known !== undefined && now.monotonic < known.retryAt)
      return { type: "retry", delayMs: known.retryAt - now.monotonic, failures: known.failures };
    const failures = (known?.failures ?? 0) + 1;
    if (failures >= this.#options.maxFailures)
      return this.#bury(key, { failures, error, why: "retry limit", since: now.wall });
    const delayMs = this.#options.limiter.when(key);
    this.#failing.set(key, { failures, error: messageOf(error), retryAt: now.monotonic + delayMs });
    return { type: "retry", delayMs, failures };
  }

  terminal(key: string, error: unknown, wall: number): Verdict {
    return this.#bury(key, { failures: this.failures(key) + 1, error, why: "terminal", since: wall });
  }

  #bury(key: string, { error, ...letter }: Omit<DeadLetter, "key" | "error"> & { readonly error: unknown }): Verdict {
    if (this.#failing.delete(key)) this.#options.limiter.forget(key);
    this.#dead.set(key, { key, error: messageOf(error), ...letter });
    return { type: "dead", failures: letter.failures };
  }
}
