/** The options of a KeyLoop, the results of its runs, and the state that it shows. */
import type { Clock, Logger, MetricsRegistry, Random } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import type { Order, QueueSnapshot, RateLimiter, Reason } from "../../workqueue/index.js";
import type { LoopReport } from "../history/hot-loop.js";
import type { Journal } from "../history/journal.js";
import type { DeadLetter, FailingKey } from "../history/retries.js";
import type { AwaitedCache } from "../own-writes/awaited-writes.js";
import type { KeyRun } from "./key-run.js";
import type { KeyPass } from "./shard-keys.js";
import type { MissingPermission } from "./refusals.js";
import type { OverdueRun } from "./under-way.js";

/** The parts that a loop shares with others. */
export interface KeyLoopHost {
  /** For runs that write through `run.client`. */
  readonly client?: Pick<Client, "during">;
  readonly journal: Journal;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
  readonly random?: Random;
}

export interface KeyLoopOptions {
  /** The name in the journal, logs and metrics; also the field manager that tells the loop's own writes from those of others. */
  readonly name: string;
  /** The kind of the objects that the keys name, for messages. */
  readonly kind: string;
  readonly host: KeyLoopHost;
  /** The number of keys that run at the same time. */
  readonly workers: number;
  /**
   * Makes the world match for a key. Level-triggered: it must not depend on the event. If it throws, the key is retried
   * with its own backoff; if it returns, that backoff is forgotten. A `TerminalError` is not retried until something
   * wakes the key.
   */
  sync(run: KeyRun): Promise<SyncResult | void>;
  /** True if these reasons need no run: the key is then skipped. */
  isSettled?(key: string, reasons: readonly Reason[]): boolean;
  /** Admits a run of the key; undefined if the key is another process's, and is dropped here. */
  enter?(key: string): KeyPass | undefined;
  /** Caches that must show the writes of a key's run before the key runs again. */
  readonly awaits?: readonly AwaitedCache[];
  /** Called for each run that a stale cache delayed. */
  onBehind?(type: AwaitedCache["type"]): void;
  /** Called for a key that runs for ever, and is slowed down. */
  onLoop?(report: LoopReport): void;
  /** The time after which a run's signal aborts; by default there is no limit. */
  readonly timeoutMs?: number;
  /** The delays after failures of one key; by default 5 ms to five minutes, doubling. */
  readonly limiter?: RateLimiter;
  /** After this number of failures in a row the key is a dead letter until something wakes it; by default never. */
  readonly maxFailures?: number;
  readonly order?: Order<string>;
  /** False if the loop breaker only reports, and slows nothing down. */
  readonly slowHotLoops?: boolean;
  /** True if virtual time waits for a run. Only for a sync that announces when it waits for the clock. */
  readonly holdsClock?: boolean;
}

/** The result of a sync: nothing, or the time after which the key runs again although nothing changed. */
export interface SyncResult {
  /** 0 means at once, and a little later each time in a row. */
  readonly requeueAfterMs?: number | undefined;
  /** True if the key's object is gone, for the journal. */
  readonly gone?: boolean;
  /** The reason if nothing was done because of a pause: the key is then among `resting`. */
  readonly paused?: string;
}

export interface ControllerRunOptions {
  /** Ends the taking of keys; runs in flight may finish. */
  readonly signal: AbortSignal;
  /** Ends the runs in flight too, because the lease is lost. */
  readonly abort?: AbortSignal;
  readonly graceMs?: number;
}

/** The state of a controller: its keys that wait, run, fail, were given up or are slowed, and the permissions that it lacks. */
export interface ControllerSnapshot {
  readonly name: string;
  readonly kind: string;
  readonly concurrency: number;
  readonly queue: QueueSnapshot<string>;
  readonly failing: readonly FailingKey[];
  readonly deadLetters: readonly DeadLetter[];
  readonly slowed: readonly string[];
  /** Keys that were left alone by their last run because of a pause. */
  readonly paused: readonly string[];
  /** Runs that continue although their time is over. */
  readonly overdue: readonly OverdueRun[];
  /** Writes that were refused, and not allowed since. */
  readonly missingPermissions: readonly MissingPermission[];
}

/** The state of a controller in numbers, which cost the same however many keys there are. */
export interface ControllerFigures extends Pick<ControllerSnapshot, "name" | "kind" | "concurrency"> {
  readonly ready: number;
  readonly delayed: number;
  readonly active: number;
  readonly failing: number;
  readonly dead: number;
  readonly slowed: number;
  readonly paused: number;
  readonly overdue: number;
  /** The number of runs since the start. */
  readonly runs: number;
}

/** Adds a key for the change that is being reported: now, or after a time. */
export type Wake = (key: string, afterMs?: number) => void;
