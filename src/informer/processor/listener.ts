/** One handler's queue, and the loop that calls it. */
import { type Clock, type Logger, messageOf, Ring, turnsOf } from "../../base/index.js";
import {
  type ChangeHandler,
  type ChangeList,
  type Changes,
  type ObjectChange,
  type ResourceEventHandler,
  tell,
} from "./handlers.js";
import type { ListenerMetrics } from "../metrics.js";
import type { ResyncPlan } from "./resync.js";
import { SyncTracker } from "./sync-tracker.js";
import { eventFacts, eventPoint } from "./trace.js";

/** Changes that came together. All listeners share the list. */
interface Run<T> {
  readonly changes: ChangeList<T>;
  /** Whether resyncs are delivered. */
  readonly withSyncs: boolean;
  /** The time of its arrival, on the monotonic clock. */
  readonly cameAt: number;
}

export interface ListenerOptions<T> {
  readonly name: string;
  readonly handler: ResourceEventHandler<T> | ChangeHandler<T>;
  readonly resync: ResyncPlan;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ListenerMetrics;
}

/**
 * A longer queue is logged once its first change has waited for some time, and again each time that it has doubled.
 * Length alone says little: a large list fills every queue for a moment.
 */
const firstBacklogAlarm = 1024;
const alarmAfterMs = 10_000;

/**
 * The queue is unbounded: a slow handler costs memory, never the progress of others. `pending` shows its length.
 *
 * Invariants:
 * 1. `pending` is the number of changes in `#runs` from `#position` of the first run on.
 * 2. At most one call to the handler is under way.
 * 3. After `stop` nothing is queued and no call begins.
 */
export class ProcessorListener<T> {
  readonly name: string;
  readonly resync: ResyncPlan;
  readonly tracker: SyncTracker = new SyncTracker();
  readonly #options: ListenerOptions<T>;
  readonly #runs = new Ring<Run<T>>();
  #position = 0;
  #pending = 0;
  #backlogAlarm = firstBacklogAlarm;
  #stopped = false;
  #failures = 0;
  #lastFailure: string | undefined;
  /** Wakes the run that waits for changes. */
  #waiting: (() => void) | undefined;

  constructor(options: ListenerOptions<T>) {
    this.name = options.name;
    this.resync = options.resync;
    this.#options = options;
  }

  get pending(): number {
    return this.#pending;
  }

  /** The number of calls that threw. */
  get failures(): number {
    return this.#failures;
  }

  /** The message of the last call that threw. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  enqueue({ changes, initialAdds, syncs }: Changes<T>): void {
    if (this.#stopped || changes.length === 0) return;
    const withSyncs = this.resync.isSyncing;
    if (!withSyncs && syncs === changes.length) return;
    this.tracker.start(initialAdds);
    const cameAt = this.#options.clock.monotonic();
    this.#runs.push({ changes, withSyncs, cameAt });
    this.#pending += changes.length;
    this.#options.metrics.pending.set(this.#pending);
    const waitedMs = cameAt - (this.#runs.peek()?.cameAt ?? cameAt);
    if (this.#pending > this.#backlogAlarm && waitedMs >= alarmAfterMs) this.#alarm(waitedMs);
    this.#wake();
  }

  /** Drops waiting changes; the call under way goes on to its end. */
  stop(): void {
    this.#stopped = true;
    this.#runs.clear();
    this.#position = 0;
    this.#pending = 0;
    this.#options.metrics.pending.set(0);
    this.#wake();
  }

  /** Calls the handler with one change after another until `stop`; never rejects. */
  async run(): Promise<void> {
    const { clock, metrics } = this.#options;
    const turns = turnsOf(clock);
    // the caller that adds a handler gets its registration before the first call
    await Promise.resolve();
    let beganMs = clock.monotonic();
    for (;;) {
      if (this.#runs.length === 0 && !this.#stopped) {
        await this.#available();
        beganMs = clock.monotonic();
      }
      if (this.#stopped) return;
      const change = this.#next();
      if (change === undefined) continue;
      try {
        const result = eventPoint.aroundSync(
          () => eventFacts(this.name, change),
          () => tell(this.#options.handler, change),
        );
        if (isPromiseLike(result)) await result;
      } catch (error) {
        this.#report(error, change);
      }
      const endedMs = clock.monotonic();
      metrics.duration.observe((endedMs - beganMs) / 1000);
      beganMs = endedMs;
      if (change.type === "added" && change.initial) this.tracker.finished();
      if (!turns.due(endedMs)) continue;
      await turns.pause();
      beganMs = clock.monotonic();
    }
  }

  #next(): ObjectChange<T> | undefined {
    const run = this.#runs.peek();
    if (run === undefined) return undefined;
    const change = run.changes.at(this.#position) as ObjectChange<T>;
    this.#position += 1;
    this.#pending -= 1;
    if (this.#position === run.changes.length) {
      this.#runs.shift();
      this.#position = 0;
      this.#options.metrics.pending.set(this.#pending);
      if (this.#pending === 0) this.#backlogAlarm = firstBacklogAlarm;
    }
    return run.withSyncs || change.type !== "resync" ? change : undefined;
  }

  #report(error: unknown, change: ObjectChange<T>): void {
    this.#options.metrics.failures.inc();
    this.#failures += 1;
    this.#lastFailure = messageOf(error);
    this.#options.logger.error("event handler failed", { handler: this.name, event: change.type, error });
  }

  #alarm(waitedMs: number): void {
    this.#backlogAlarm = this.#pending * 2;
    const { name: handler } = this;
    this.#options.logger.warn("event handler is falling behind", { handler, pending: this.#pending, waitedMs });
  }

  #available(): Promise<void> {
    return new Promise((resolve) => void (this.#waiting = resolve));
  }

  #wake(): void {
    const wake = this.#waiting;
    this.#waiting = undefined;
    wake?.();
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as PromiseLike<unknown>).then === "function";
}
