/**
 * Workers on a queue: `serveQueue` takes keys and hands them on; `runWorkers` also forgets a key on success and retries
 * it on failure.
 */
import { isConflict, isNotFound, NoKindMatchError } from "../api/index.js";
import { defined } from "../base/defined.js";
import {
  abortable,
  checkNumbers,
  type Clock,
  cooperative,
  isAbortOf,
  linkedAbort,
  type Logger,
  messageOf,
  silentLogger,
  systemClock,
} from "../base/index.js";
import type { AddOptions, GetOptions, Work } from "./queue.js";
import type { Reasons } from "./reasons.js";

/** The part of a queue that workers need. */
export interface ServedQueue<K> {
  tryGet(): Work<K> | undefined;
  get(options: GetOptions): Promise<Work<K> | undefined>;
}

export interface ServeQueueOptions<K> {
  readonly queue: ServedQueue<K>;
  /** The number of keys that may be worked on at the same time; 1 by default. */
  readonly workers?: number;
  readonly signal: AbortSignal;
  /**
   * Works on a key. It must not throw: that ends all workers. Its signal aborts when the time for finishing after a
   * stop is over.
   */
  serve(work: Work<K>, signal: AbortSignal): Promise<void>;
  /** The time that work under way may take to finish after the stop; 10 s by default. */
  readonly graceMs?: number;
  readonly clock?: Clock;
}

/**
 * Runs until the signal aborts or the queue is shut down and empty. A key is held by one worker at a time. On abort no
 * more keys are taken, and work in flight may finish within `graceMs`; if it does not, its signal aborts and this
 * rejects with the keys. The queue is left as it is, so that workers can be started on it again.
 */
export async function serveQueue<K>(options: ServeQueueOptions<K>): Promise<void> {
  const { queue, workers = 1, signal, graceMs = 10_000, clock = systemClock } = options;
  checkNumbers("workers of a queue", options, { workers: { min: 1, whole: true }, graceMs: { endless: true } });
  const inFlight = new Set<Work<K>>();
  const cutOff = new AbortController();
  const slice = cooperative({ clock });

  let begun = 0;
  const worker = async (begin: () => void): Promise<void> => {
    while (!signal.aborted) {
      const work = queue.tryGet() ?? (await queue.get({ signal }));
      if (work === undefined) return;
      inFlight.add(work);
      try {
        const serving = options.serve(work, cutOff.signal);
        // most queues are never served by more than one: a worker begins when all others are busy
        if (inFlight.size === begun && begun < workers) begin();
        await serving;
      } finally {
        inFlight.delete(work);
        work.done();
      }
      if (slice.due()) await slice.pause();
    }
  };

  const all = new Promise<void>((resolve, reject) => {
    let ended = 0;
    const begin = (): void => {
      begun += 1;
      untilAborted(() => worker(begin), signal).then(() => ++ended === begun && resolve(), reject);
    };
    begin();
  });
  try {
    await abortable(all, signal);
    return;
  } catch (error) {
    if (!isAbortOf(signal, error)) throw error;
  }
  await finishWithin(all, { graceMs, clock });
  if (inFlight.size === 0) return;
  const late = [...inFlight].map(({ key }) => String(key)).join(", ");
  const error = new Error(`still running ${graceMs} ms after the stop: ${late}`);
  cutOff.abort(error);
  throw error;
}

async function untilAborted(worker: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await worker();
  } catch (error) {
    if (!isAbortOf(signal, error)) throw error;
  }
}

/** Resolves when the promise has settled or the time is over, whichever is first. */
async function finishWithin(
  promise: Promise<unknown>,
  { graceMs, clock }: { graceMs: number; clock: Clock },
): Promise<void> {
  const over = linkedAbort();
  await Promise.race([promise, clock.sleep(graceMs, over.signal)]);
  over.abort();
}

/** A queue that knows when a key that failed may run again. */
export interface WorkerQueue<K> extends ServedQueue<K> {
  addRateLimited(key: K, options?: AddOptions): void;
  forget(key: K): void;
  numRequeues(key: K): number;
}

/** The arguments of `sync` besides the key. */
export interface SyncContext extends Reasons {
  /** Aborts when the grace time after a stop is over. */
  readonly signal: AbortSignal;
  readonly priority: number;
}

export interface RunWorkersOptions<K> {
  readonly queue: WorkerQueue<K>;
  /** The number of keys that are synced at the same time; 1 by default. */
  readonly workers?: number;
  readonly signal: AbortSignal;
  /** Reconciles this key. A throw or rejection is logged, and the key is retried after a rate-limited delay. */
  sync(key: K, context: SyncContext): Promise<unknown> | void;
  /** The grace time for syncs that run when the stop comes; 10 s by default. */
  readonly graceMs?: number;
  readonly clock?: Clock;
  readonly log?: Logger;
}

/** Runs as `serveQueue` does. The least that a controller needs; `Controller` and `KeyLoop` remember and tell more. */
export async function runWorkers<K>(options: RunWorkersOptions<K>): Promise<void> {
  const { queue, log = silentLogger } = options;
  const serve = async (work: Work<K>, signal: AbortSignal): Promise<void> => {
    const { key, reasons, omittedReasons, priority } = work;
    try {
      await options.sync(key, { signal, reasons, omittedReasons, priority });
      queue.forget(key);
    } catch (error) {
      queue.addRateLimited(key, { priority, reason: { type: "retry", message: messageOf(error) } });
      const requeues = queue.numRequeues(key);
      log[isOrdinary(error, requeues) ? "debug" : "error"]("sync failed, will retry", { key, requeues, error });
    }
  };
  const { workers, signal, graceMs, clock } = options;
  await serveQueue({ queue, signal, serve, ...defined({ workers, graceMs, clock }) });
}

/** The number of failures after which a conflict, or an object that is gone, is no longer ordinary. */
const usualFailures = 5;
/** A kind that was installed a moment ago is known when discovery asks again: after a second, in which a key fails eight times. */
const failuresOfNewKinds = 10;

/**
 * True for the first few failures that usually pass by themselves: another client wrote or deleted the object first, or
 * the kind is new.
 */
export const isOrdinary = (error: unknown, failures: number): boolean =>
  error instanceof NoKindMatchError
    ? failures < failuresOfNewKinds
    : (isConflict(error) || isNotFound(error)) && failures < usualFailures;
