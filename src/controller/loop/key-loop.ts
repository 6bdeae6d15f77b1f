/** The runtime of every controller: a queue of keys, workers that run `sync`, and the records of failures and loops. */
import { type KubeObject, metaNamespaceKey } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import {
  asError,
  type Closable,
  type Clock,
  type Logger,
  messageOf,
  type MetricsRegistry,
  operationOn,
  type Random,
  silentLogger,
  stackOf,
  systemClock,
  systemRandom,
} from "../../base/index.js";
import type { Client } from "../../client/index.js";
import type { FactoryInformer, HandlerRegistration, ObjectChange } from "../../informer/index.js";
import {
  type AddOptions,
  DelayingQueue,
  isOrdinary,
  type Order,
  type QueueSnapshot,
  type RateLimiter,
  type Reason,
  serveQueue,
  type Work,
} from "../../workqueue/index.js";
import { HotLoopBreaker, type LoopReport } from "../history/hot-loop.js";
import type { Journal, JournalResult, RunOutcome } from "../history/journal.js";
import { type DeadLetter, Retries, retryLimiter } from "../history/retries.js";
import { wakingReason } from "../intake/change.js";
import { type AwaitedCache, AwaitedWrites } from "../own-writes/awaited-writes.js";
import { TerminalError } from "../reconcile.js";
import { KeyRun, type RunEnvironment } from "./key-run.js";
import { type LoopMeter, loopMeter } from "./metrics.js";
import { type MissingPermission, Refusals } from "./refusals.js";
import { type OverdueRun, RunsUnderWay } from "./under-way.js";

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
  /** True if the key's object is gone: the key's history is then dropped. */
  readonly gone?: boolean;
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
  readonly failing: readonly { readonly key: string; readonly failures: number }[];
  readonly deadLetters: readonly DeadLetter[];
  readonly slowed: readonly string[];
  /** Runs that continue although their time is over. */
  readonly overdue: readonly OverdueRun[];
  /** Writes that were refused, and not allowed since. */
  readonly missingPermissions: readonly MissingPermission[];
}

/** Adds a key for the change that is being reported: now, or after a time. */
export type Wake = (key: string, afterMs?: number) => void;

/** The reason of a key that is added without one. */
const asked: Reason = { type: "manual" };

/** The wait for a cache that is behind. */
const behindMs = 20;

/**
 * Takes keys from its construction on, but runs them only while `run` is active; it may run again after a stop. A key
 * runs on one worker at a time; a wake during the run leads to one more run. A key that fails or hangs keeps no other
 * key from running.
 *
 * Invariants:
 * 1. A key that `#retries` counts as failing runs, or waits in the queue until its `retryAt` at the latest.
 * 2. A dead letter does not run; it may wait in the queue.
 * 3. A key in the queue runs, unless its reasons are settled, or are only retries of a failure that is over. If a cache
 *    is behind, it goes back into the queue with its reasons.
 */
export class KeyLoop implements Closable {
  readonly #options: KeyLoopOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #queue: DelayingQueue<string>;
  readonly #retries: Retries;
  /** For keys that ask to run again at once. */
  readonly #atOnce: RateLimiter;
  readonly #breaker: HotLoopBreaker;
  readonly #meter: LoopMeter | undefined;
  readonly #environment: RunEnvironment;
  readonly #underWay: RunsUnderWay;
  readonly #registrations: HandlerRegistration[] = [];
  #signals: readonly AbortSignal[] = [];
  #runs = 0;

  constructor(options: KeyLoopOptions) {
    const { name, host, workers, order, timeoutMs = Number.POSITIVE_INFINITY } = options;
    const { metrics, random = systemRandom } = host;
    this.#options = options;
    this.#clock = host.clock ?? systemClock;
    this.#log = (host.log ?? silentLogger).child({ controller: name });
    this.#queue = new DelayingQueue({ name, clock: this.#clock, ...defined({ order, metrics }) });
    const { limiter = retryLimiter(random), maxFailures = Number.POSITIVE_INFINITY } = options;
    this.#retries = new Retries({ limiter, maxFailures });
    this.#atOnce = retryLimiter(random);
    this.#breaker = new HotLoopBreaker({ writer: name });
    this.#meter = metrics && loopMeter(metrics, { controller: name, workers, state: () => this.#state() });
    this.#environment = {
      client: host.client,
      awaited: new AwaitedWrites(options.awaits ?? [], this.#clock),
      refusals: new Refusals(),
      log: this.#log,
      clock: this.#clock,
      random,
      timeoutMs,
    };
    this.#underWay = new RunsUnderWay({ clock: this.#clock, timeoutMs });
  }

  get name(): string {
    return this.#options.name;
  }

  /** Runs the key when its turn comes, or after a time. A dead letter is tried again; a key that loops waits a little longer. */
  add(key: string, options: AddOptions = {}, afterMs = 0): void {
    // without a reason of its own it would be taken for the retry with which the queue merges it
    const why = options.reason === undefined ? { ...options, reason: asked } : options;
    const delayMs = Math.max(afterMs, this.#loopDelay(key));
    if (delayMs > 0) this.#queue.addAfter(key, delayMs, why);
    else this.#queue.add(key, why);
  }

  /** Calls `hear` with each change of the informer's objects; the keys that it wakes carry the change as their reason. */
  watch<T extends KubeObject>(informer: FactoryInformer<T>, hear: (change: ObjectChange<T>, wake: Wake) => void): void {
    const tell = (change: ObjectChange<T>): void => {
      let why: AddOptions | undefined;
      hear(change, (key, afterMs) => this.add(key, (why ??= { reason: wakingReason(change) }), afterMs));
    };
    this.#registrations.push(informer.addEventHandler(tell, { name: this.name }));
  }

  /** Enqueues the object's own key on every change of an object of this kind, including its deletion. */
  follow<T extends KubeObject>(informer: FactoryInformer<T>): void {
    this.watch(informer, ({ object }, wake) => wake(metaNamespaceKey(object)));
  }

  snapshot(): ControllerSnapshot {
    return {
      name: this.name,
      kind: this.#options.kind,
      concurrency: this.#options.workers,
      queue: this.#queue.snapshot((key) => this.#retries.failures(key)),
      failing: this.#retries.failing,
      deadLetters: this.#retries.deadLetters,
      slowed: this.#breaker.slowed(this.#clock.monotonic()),
      overdue: this.#underWay.overdue(),
      missingPermissions: this.#environment.refusals.missing,
    };
  }

  /** Runs keys until the signal aborts and the runs in flight have ended, or `graceMs` have passed. */
  async run({ signal, abort, graceMs = 10_000 }: ControllerRunOptions): Promise<void> {
    try {
      await serveQueue<string>({
        queue: this.#queue,
        workers: this.#options.workers,
        signal,
        graceMs,
        clock: this.#clock,
        serve: (work, cutOff) => this.#serve(work, this.#signalsOf(cutOff, abort)),
      });
    } finally {
      this.#underWay[Symbol.dispose]();
    }
  }

  /** Ends for good: removes its handlers, and forgets the keys that wait. Call it only when it does not run. */
  async close(): Promise<void> {
    this.#queue.shutDown();
    this.#meter?.end();
    await Promise.all(this.#registrations.map((registration) => registration.remove()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(
    { key, reasons, omittedReasons, priority }: Work<string>,
    signals: readonly AbortSignal[],
  ): Promise<void> {
    if (this.#options.isSettled?.(key, reasons)) return;
    // the failure for which this retry was planned is over
    if (reasons.every(({ type }) => type === "retry") && !this.#retries.isFailing(key)) return;
    const behind = this.#environment.awaited.behind(key);
    if (behind !== undefined) return this.#putBack({ key, reasons, priority }, behind);
    this.#retries.revive(key);
    const startedAt = this.#clock.now();
    const begin = this.#clock.monotonic();
    using operation = this.#options.holdsClock === true ? operationOn(this.#clock) : undefined;
    using run = new KeyRun(this.#environment, {
      run: ++this.#runs,
      key,
      reasons,
      omittedReasons,
      priority,
      failures: this.#retries.failures(key),
      suspected: this.#breaker.suspects(key),
      operation,
      signals,
    });
    const tell = (result: JournalResult, durationMs: number): void =>
      this.#tell(run, startedAt, { result, durationMs });
    const underWay = this.#underWay.begin({
      key,
      run: run.facts.run,
      onOverdue: (ms) => this.#overdue(key, ms, tell),
    });
    const result = await this.#outcomeOf(run);
    underWay[Symbol.dispose]();
    const now = this.#clock.monotonic();
    const isRequeued = result.type === "done" && result.requeueAfterMs !== undefined;
    this.#meter?.ended(isRequeued ? "requeued" : result.type, now - begin);
    tell(result, now - begin);
    const loop = this.#breaker.ran(key, { reasons, writes: run.trace.loopWrites, startedAt: begin, now });
    if (loop !== undefined) this.#reportLoop(loop);
  }

  /** A cache that is behind is no failure of the key, and must not raise its backoff. */
  #putBack(
    { key, reasons, priority }: Pick<Work<string>, "key" | "reasons" | "priority">,
    behind: AwaitedCache["type"],
  ): void {
    this.#options.onBehind?.(behind);
    for (const reason of reasons) this.#queue.addAfter(key, behindMs, { priority, reason });
  }

  #tell(run: KeyRun, startedAt: number, ended: { readonly result: JournalResult; readonly durationMs: number }): void {
    const { reads, writes, omitted } = run.trace;
    const { key, reasons, omittedReasons, facts } = run;
    // a run that has not ended continues to record its reads and writes
    const soFar = ended.result.type === "overdue" ? { reads: [...reads], writes: [...writes] } : { reads, writes };
    const what = { run: facts.run, controller: this.name, key, startedAt, reasons, omittedReasons, omitted };
    this.#options.host.journal.add({ ...what, ...soFar, ...ended });
  }

  async #outcomeOf(run: KeyRun): Promise<RunOutcome> {
    const { key } = run;
    try {
      const result = (await this.#options.sync(run)) ?? {};
      this.#retries.succeeded(key);
      this.#requeue(run, result);
      if (result.gone === true) return { type: "gone" };
      const { requeueAfterMs } = result;
      return requeueAfterMs === undefined ? { type: "done" } : { type: "done", requeueAfterMs };
    } catch (error) {
      return run.interrupted ? this.#interrupted(run, error) : this.#failed(run, error);
    }
  }

  /**
   * 0 means at once, but each time in a row a little later than the last: otherwise a key could keep a worker busy
   * without end.
   */
  #requeue({ key, facts: { priority } }: KeyRun, { requeueAfterMs: ms }: SyncResult): void {
    if (ms !== 0) this.#atOnce.forget(key);
    if (ms === undefined) return;
    const delayMs = Math.max(ms === 0 ? this.#atOnce.when(key) : ms, this.#loopDelay(key));
    this.#queue.addAfter(key, delayMs, { priority, reason: { type: "requeue", message: `after ${ms} ms` } });
  }

  #loopDelay(key: string): number {
    return this.#options.slowHotLoops === false ? 0 : this.#breaker.delayMs(key, this.#clock.monotonic());
  }

  /**
   * For a run that the loss of the lease or the stop of the manager ended: it is no failure of the key, which is queued
   * again.
   */
  #interrupted({ key, facts: { priority } }: KeyRun, error: unknown): RunOutcome {
    this.#queue.add(key, { priority, reason: { type: "requeue", message: "interrupted" } });
    const message = messageOf(error);
    return { type: "failed", error: `interrupted: ${message}`, stack: [], failures: this.#retries.failures(key) };
  }

  #failed({ key, facts: { priority } }: KeyRun, error: unknown): RunOutcome {
    const message = messageOf(error);
    const now = { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
    const verdict =
      error instanceof TerminalError
        ? this.#retries.terminal(key, error, now.wall)
        : this.#retries.failed(key, error, now);
    const { failures } = verdict;
    const stack = stackOf(error, { folded: true });
    const level = isOrdinary(error, failures) ? "debug" : "error";
    this.#log[level]("reconcile failed", { key, failures, verdict: verdict.type, error: asError(error) });
    if (verdict.type === "dead") return { type: "dead", error: message, stack, failures };
    this.#queue.addAfter(key, verdict.delayMs, { priority, reason: { type: "retry", message } });
    return { type: "failed", error: message, stack, failures, retryInMs: verdict.delayMs };
  }

  #overdue(key: string, runningMs: number, tell: (result: JournalResult, durationMs: number) => void): void {
    const { timeoutMs } = this.#environment;
    const hint = "it does not heed its signal, and holds a worker until it ends";
    this.#log.error("a reconcile goes on though its time is over", { key, runningMs, timeoutMs, hint });
    tell({ type: "overdue" }, runningMs);
  }

  #reportLoop(report: LoopReport): void {
    this.#meter?.looped();
    this.#log.warn("a key reconciles in a loop and is slowed down", { ...report });
    this.#options.onLoop?.(report);
  }

  /** The same array for all runs between a start and a stop. */
  #signalsOf(cutOff: AbortSignal, abort: AbortSignal | undefined): readonly AbortSignal[] {
    if (this.#signals[0] !== cutOff || this.#signals[1] !== abort)
      this.#signals = abort === undefined ? [cutOff] : [cutOff, abort];
    return this.#signals;
  }

  #state(): ReturnType<Parameters<typeof loopMeter>[1]["state"]> {
    return {
      active: this.#underWay.count,
      overdue: this.#underWay.overdue().length,
      failing: this.#retries.failing.length,
      dead: this.#retries.deadCount,
      slowed: this.#breaker.slowed(this.#clock.monotonic()).length,
    };
  }
}
