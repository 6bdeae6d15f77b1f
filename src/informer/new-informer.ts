/** The smallest informer: one source, one handler, one cache. For small programs, and to show how informers work. */
import {
  checkNumbers,
  linkedAbort,
  type Logger,
  type Random,
  type Running,
  silentLogger,
  startRunning,
  systemClock,
} from "../base/index.js";
import {
  type ChangeHandler,
  type ChangeList,
  type ObjectChange,
  type ResourceEventHandler,
  tell,
} from "./processor/handlers.js";
import type { Cacheable, ListerWatcher } from "./source/list-watch.js";
import { noMetrics } from "./metrics.js";
import { processLoop } from "./processor/process.js";
import { Reflector, type ReflectorView, type WatchErrorHandler } from "./reflector/reflector.js";
import { DeltaFifo, type Transform } from "./store/delta-fifo.js";
import { freezes, type FreezingOptions, frozen } from "./store/freezing.js";
import { Indexer, type Indexers, type ReadonlyStore } from "./store/indexer.js";

export interface NewInformerOptions<T> extends FreezingOptions {
  readonly name?: string;
  /** The period in which the handler is shown everything again; 0 for never. */
  readonly resyncPeriodMs?: number;
  readonly indexers?: Indexers<T>;
  readonly transform?: Transform<T>;
  readonly onWatchError?: WatchErrorHandler;
  readonly useWatchList?: boolean;
  readonly random?: Random;
  readonly logger?: Logger;
}

/** Runs a small informer. */
export interface InformerController {
  readonly hasSynced: boolean;
  readonly lastSyncResourceVersion: string;
  readonly reflector: ReflectorView;
  /** Can be called once. A handler that throws ends the run: `done` rejects. */
  start(options?: { readonly signal?: AbortSignal }): Running;
}

/** The process loop itself calls the handler: a slow one holds up the cache, and the server's stream behind it. */
export function newInformer<T extends Cacheable>(
  source: ListerWatcher<T>,
  options: NewInformerOptions<T>,
  handler: ResourceEventHandler<T> | ChangeHandler<T>,
): { readonly store: ReadonlyStore<T>; readonly controller: InformerController } {
  const { clock = systemClock, logger = silentLogger, name = "informer" } = options;
  checkNumbers(name, options, { resyncPeriodMs: {} });
  const store = new Indexer<T>({ indexers: options.indexers ?? {} });
  const queue = new DeltaFifo<T>({
    transform: freezes(options, { detects: false }) ? frozen(options.transform) : options.transform,
  });
  const reflector = new Reflector<T>({
    source,
    store: queue,
    name,
    clock,
    logger,
    resyncPeriodMs: options.resyncPeriodMs ?? 0,
    onError: options.onWatchError,
    ...(options.useWatchList === undefined ? {} : { useWatchList: options.useWatchList }),
    ...(options.random === undefined ? {} : { random: options.random }),
  });
  let started = false;
  const run = async (signal: AbortSignal): Promise<void> => {
    using stop = linkedAbort(signal);
    const deliver = async ({ changes }: { readonly changes: ChangeList<T> }): Promise<void> => {
      for (let i = 0; i < changes.length; i++) await tell(handler, changes.at(i) as ObjectChange<T>);
    };
    const processing = processLoop(
      { queue, indexer: store, deliver, clock, logger, metrics: noMetrics, rethrow: true },
      stop.signal,
    );
    const reflecting = reflector.run(stop.signal);
    try {
      await Promise.race([reflecting, processing]);
    } finally {
      stop.abort();
      queue.close();
      await reflecting;
      await processing;
    }
  };
  return {
    store,
    controller: {
      get hasSynced() {
        return queue.hasSynced;
      },
      get lastSyncResourceVersion() {
        return reflector.lastSyncResourceVersion;
      },
      reflector,
      start({ signal } = {}) {
        if (started) throw new Error(`informer ${name} was started already`);
        started = true;
        return startRunning(run, signal);
      },
    },
  };
}
