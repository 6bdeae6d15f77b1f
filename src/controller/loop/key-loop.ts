/** The runtime of every controller: a queue of keys, workers that run `sync`, and the records of failures and loops. */
import { type KubeObject, metaNamespaceKey } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import {
  asError,
  type Closable,
  type Clock,
  type Logger,
  messageOf,
  operationOn,
  silentLogger,
  stackOf,
  systemClock,
  systemRandom,
  turnsOf,
} from "../../base/index.js";
import type { FactoryInformer, HandlerRegistration, ObjectChange } from "../../informer/index.js";
import {
  type AddOptions,
  DelayingQueue,
  isOrdinary,
  type RateLimiter,
  type Reason,
  serveQueue,
  type Work,
} from "../../workqueue/index.js";
import { HotLoopBreaker, type LoopReport } from "../history/hot-loop.js";
import type { JournalResult, RunOutcome } from "../history/journal.js";
import { Retries, retryLimiter } from "../history/retries.js";
import { wakingReason } from "../intake/change.js";
import { type AwaitedCache, AwaitedWrites } from "../own-writes/awaited-writes.js";
import { InterruptedError, TerminalError } from "../reconcile.js";
import { reconcilePoint } from "../trace.js";
import { type KeyPage, type KeyQuery, queryKeys } from "./key-query.js";
import { KeyRun, type RunEnvironment } from "./key-run.js";
import { type LoopMeter, loopMeter } from "./metrics.js";
import type {
  ControllerFigures,
  ControllerRunOptions,
  ControllerSnapshot,
  KeyLoopOptions,
  SyncResult,
  Wake,
} from "./options.js";
import { Refusals } from "./refusals.js";
import type { KeyPass } from "./shard-keys.js";
import { RunsUnderWay } from "./under-way.js";

/** The reason of a key that is added without one. */
const asked: Reason = { type: "manual" };

/** The wait for a cache that is behind. */
const behindMs = 20;
/** The wait of a key whose run found out that the lease is lost. */
const interruptedMs = 1_000;

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
  readonly #resting = new Set<string>();
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
    this.#meter = metrics && loopMeter(metrics, { controller: name, workers, state: () => this.figures() });
    this.#environment = {
      controller: name,
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

  /** The keys that were left alone by their last run because of a pause. */
  get resting(): ReadonlySet<string> {
    return this.#resting;
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
      paused: [...this.#resting],
      overdue: this.#underWay.overdue(),
      missingPermissions: this.#environment.refusals.missing,
    };
  }

  figures(): ControllerFigures {
    return {
      name: this.name,
      kind: this.#options.kind,
      concurrency: this.#options.workers,
      ready: this.#queue.length,
      delayed: this.#queue.delayedCount,
      active: this.#underWay.count,
      failing: this.#retries.failingCount,
      dead: this.#retries.deadCount,
      slowed: this.#breaker.slowed(this.#clock.monotonic()).length,
      paused: this.#resting.size,
      overdue: this.#underWay.overdue().length,
      runs: this.#runs,
    };
  }

  /** The keys in a state, one page at a time; works in slices, while `snapshot` gives all keys in one go. */
  keys(query: KeyQuery, signal?: AbortSignal): Promise<KeyPage> {
    const places = { queue: this.#queue, retries: this.#retries, breaker: this.#breaker, resting: this.#resting };
    const pace = { turns: turnsOf(this.#clock), signal };
    return queryKeys({ ...places, now: this.#clock.monotonic() }, query, pace);
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
      this.#forgetFailures();
    }
  }

  /**
   * A failure counts as long as this process works on the key. After the loss of a lease the key is another's, and a
   * next term begins with it at once, as a new process would.
   */
  #forgetFailures(): void {
    for (const { key } of this.#retries.failing) {
      this.#retries.succeeded(key);
      this.#queue.add(key, { reason: { type: "requeue", message: "interrupted" } });
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

  /** Runs the key, unless that has become needless, comes too early, or is for another process to do. */
  async #serve(work: Work<string>, signals: readonly AbortSignal[]): Promise<void> {
    const { key, reasons } = work;
    if (this.#options.isSettled?.(key, reasons)) return;
    // the failure for which this retry was planned is over
    if (reasons.every(({ type }) => type === "retry") && !this.#retries.isFailing(key)) return;
    const behind = this.#environment.awaited.behind(key);
    if (behind !== undefined) return this.#putBack(work, behind);
    this.#retries.revive(key);
    using pass = this.#options.enter?.(key);
    if (pass === undefined && this.#options.enter !== undefined) return this.#forget(key);
    await this.#runOnce(work, pass, pass === undefined ? signals : [...signals, pass.lost]);
  }

  async #runOnce(
    { key, reasons, omittedReasons, priority, waitedMs }: Work<string>,
    pass: KeyPass | undefined,
    signals: readonly AbortSignal[],
  ): Promise<void> {
    const startedAt = this.#clock.now();
    const begin = this.#clock.monotonic();
    using operation = this.#options.holdsClock === true ? operationOn(this.#clock) : undefined;
    using run = new KeyRun(this.#environment, {
      run: ++this.#runs,
      key,
      reasons,
      omittedReasons,
      priority,
      waitedMs,
      failures: this.#retries.failures(key),
      suspected: this.#breaker.suspects(key),
      operation,
      pass,
      signals,
    });
    const tell = (result: JournalResult, durationMs: number): void =>
      this.#tell(run, startedAt, { result, durationMs });
    const underWay = this.#underWay.begin({
      key,
      run: run.facts.run,
      onOverdue: (ms) => this.#overdue(key, ms, tell),
    });
    const { name: controller, kind } = this.#options;
    const result = await reconcilePoint.around(
      () => ({ controller, kind, key, run: run.facts.run, reasons, failures: run.facts.failures, waitedMs }),
      () => this.#outcomeOf(run),
    );
    underWay[Symbol.dispose]();
    const now = this.#clock.monotonic();
    const isRequeued = result.type === "done" && result.requeueAfterMs !== undefined;
    this.#meter?.ended(isRequeued ? "requeued" : result.type, now - begin);
    tell(result, now - begin);
    const loop = this.#breaker.ran(key, { reasons, writes: run.trace.loopWrites, startedAt: begin, now });
    if (loop !== undefined) this.#reportLoop(loop);
  }

  /** The key is another process's: its failures and its pause are that one's to count. */
  #forget(key: string): void {
    this.#retries.succeeded(key);
    this.#resting.delete(key);
  }

  /** A cache that is behind is no failure of the key, and must not raise its backoff. */
  #putBack({ key, reasons, priority }: Work<string>, behind: AwaitedCache["type"]): void {
    this.#options.onBehind?.(behind);
    for (const reason of reasons) this.#queue.addAfter(key, behindMs, { priority, reason });
  }

  #tell(run: KeyRun, startedAt: number, ended: { readonly result: JournalResult; readonly durationMs: number }): void {
    const { reads, writes, omitted } = run.trace;
    const { key, reasons, omittedReasons, facts } = run;
    const { result, durationMs } = ended;
    // a run that has not ended continues to record its reads and writes
    const isOver = result.type !== "overdue";
    this.#options.host.journal.add({
      run: facts.run,
      controller: this.name,
      key,
      startedAt,
      durationMs,
      waitedMs: facts.waitedMs,
      reasons,
      omittedReasons,
      reads: isOver ? reads : [...reads],
      writes: isOver ? writes : [...writes],
      omitted,
      result,
    });
  }

  async #outcomeOf(run: KeyRun): Promise<RunOutcome> {
    const { key } = run;
    try {
      const result = (await this.#options.sync(run)) ?? {};
      this.#retries.succeeded(key);
      this.#requeue(run, result);
      const { paused } = result;
      if (paused !== undefined) this.#resting.add(key);
      else this.#resting.delete(key);
      if (paused !== undefined) return { type: "paused", why: paused };
      if (result.gone === true) return { type: "gone" };
      const { requeueAfterMs } = result;
      return requeueAfterMs === undefined ? { type: "done" } : { type: "done", requeueAfterMs };
    } catch (error) {
      const isNoFailure = run.interrupted || error instanceof InterruptedError;
      return isNoFailure ? this.#interrupted(run, error) : this.#failed(run, error);
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
    const wait = ms < 10_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`;
    this.#queue.addAfter(key, delayMs, { priority, reason: { type: "requeue", message: `after ${wait}` } });
  }

  #loopDelay(key: string): number {
    return this.#options.slowHotLoops === false ? 0 : this.#breaker.delayMs(key, this.#clock.monotonic());
  }

  /**
   * For a run that the loss of the lease or the stop of the manager ended: it is no failure of the key, which is queued
   * again.
   */
  #interrupted({ key, interrupted, facts: { priority } }: KeyRun, error: unknown): RunOutcome {
    // the loss may be known before the loop is stopped: at once, the key would run again and again until then
    const delayMs = interrupted ? 0 : interruptedMs;
    this.#queue.addAfter(key, delayMs, { priority, reason: { type: "requeue", message: "interrupted" } });
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
}
