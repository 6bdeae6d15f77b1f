/** Workers between a queue and a `sync` function: take a key, sync it, forget it on success, retry it on failure. */
import { isConflict, isNotFound } from "../api/index.js";
import {
  abortable,
  checkNumbers,
  type Clock,
  cooperative,
  isAbortOf,
  type Logger,
  messageOf,
  silentLogger,
  systemClock,
} from "../base/index.js";
import type { AddOptions, GetOptions, Work } from "./queue.js";
import type { Reasons } from "./reasons.js";

/** What workers need of a queue. */
export interface WorkerQueue<K> {
  tryGet(): Work<K> | undefined;
  get(options: GetOptions): Promise<Work<K> | undefined>;
  addRateLimited(key: K, options?: AddOptions): void;
  forget(key: K): void;
  numRequeues(key: K): number;
}

/** What `sync` is told besides the key. */
export interface SyncContext extends Reasons {
  /** Aborts when the time for finishing after a stop is over. */
  readonly signal: AbortSignal;
  readonly priority: number;
}

export interface RunWorkersOptions<K> {
  readonly queue: WorkerQueue<K>;
  /** How many keys may be synced at the same time; 1 by default. */
  readonly workers?: number;
  readonly signal: AbortSignal;
  /** Makes the world match for this key. A throw or rejection is reported and retried after a rate-limited delay. */
  sync(key: K, context: SyncContext): Promise<unknown> | void;
  /** Told of each failure; by default it is logged. */
  onError?(error: unknown, failed: { readonly key: K; readonly requeues: number }): void;
  /** How long syncs that run at the time of the stop may go on; 10 s by default. */
  readonly graceMs?: number;
  readonly clock?: Clock;
  readonly log?: Logger;
}

/**
 * Runs until the signal aborts or the queue is shut down and empty. A key is held by one worker at a time. On abort nothing more
 * is taken, and what is in flight may finish within `graceMs`; if it does not, its signal aborts and this rejects with the keys.
 * The queue is left as it is, so that workers can be started on it again.
 */
export async function runWorkers<K>(options: RunWorkersOptions<K>): Promise<void> {
  const { queue, workers = 1, signal, graceMs = 10_000, clock = systemClock, log = silentLogger } = options;
  checkNumbers("workers of a queue", options, { workers: { min: 1, whole: true }, graceMs: { endless: true } });
  const inFlight = new Set<Work<K>>();
  const cutOff = new AbortController();
  const slice = cooperative({ clock });
  const onError =
    options.onError ??
    ((error: unknown, { key, requeues }: { key: K; requeues: number }) =>
      log[isOrdinary(error, requeues) ? "debug" : "error"]("sync failed, will retry", { key, requeues, error }));

  const syncOne = async (work: Work<K>): Promise<void> => {
    inFlight.add(work);
    try {
      const { key, reasons, omittedReasons, priority } = work;
      await options.sync(key, { signal: cutOff.signal, reasons, omittedReasons, priority });
      queue.forget(key);
    } catch (error) {
      queue.addRateLimited(work.key, {
        priority: work.priority,
        reason: { type: "retry", message: messageOf(error) },
      });
      reportTo(onError, log, error, { key: work.key, requeues: queue.numRequeues(work.key) });
    } finally {
      inFlight.delete(work);
      work.done();
    }
  };
  const worker = async (): Promise<void> => {
    while (!signal.aborted) {
      const work = queue.tryGet() ?? (await queue.get({ signal }));
      if (work === undefined) return;
      await syncOne(work);
      if (slice.due()) await slice.pause();
    }
  };

  const all = Promise.all(Array.from({ length: workers }, () => untilAborted(worker, signal)));
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

/** Somebody wrote or deleted it first: the next try, on what is there then, mostly succeeds. */
const isOrdinary = (error: unknown, requeues: number): boolean =>
  (isConflict(error) || isNotFound(error)) && requeues < 5;

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
  const over = new AbortController();
  await Promise.race([promise, clock.sleep(graceMs, over.signal)]);
  over.abort();
}

/** A reporter that throws must not take a worker with it. */
function reportTo<T>(onError: (error: unknown, failed: T) => void, log: Logger, error: unknown, failed: T): void {
  try {
    onError(error, failed);
  } catch (reporting) {
    log.error("the error handler of a worker failed", { error: reporting });
  }
}
