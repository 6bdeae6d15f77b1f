/** The process loop: applies deltas to the cache and delivers the changes. */
import { type Clock, type Logger, type Turns, turnsOf } from "../../base/index.js";
import type { Changes, ObjectChange } from "./handlers.js";
import { changeOf, ReplacedChanges } from "./replaced-changes.js";
import { type InformerMetrics, revisionGauge } from "../metrics.js";
import { type DeltaBatch, type DeltaFifo, type ObjectDelta, type WholeDelta } from "../store/delta-fifo.js";
import type { Indexer } from "../store/indexer.js";
import { resourceVersionOf } from "../store/key.js";
import { Staleness } from "../store/staleness.js";

export interface ProcessOptions<T> {
  readonly queue: DeltaFifo<T>;
  readonly indexer: Indexer<T>;
  readonly deliver: (changes: Changes<T>) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: InformerMetrics;
}

/** Ends when the queue is closed and the signal aborted; deltas that are then still queued are not processed. */
export async function processLoop<T>(options: ProcessOptions<T>, signal: AbortSignal): Promise<void> {
  const { queue, clock, metrics } = options;
  const turns = turnsOf(clock);
  const applier = new DeltaApplier(options, turns);
  while (!signal.aborted) {
    const batch = queue.take();
    if (batch === undefined) {
      if (queue.closed) return;
      await new Promise<void>((resolve) => queue.onAvailable(resolve));
      continue;
    }
    const began = clock.monotonic();
    try {
      // nothing may come between the change of the cache and its delivery: a handler that joined there would be told
      // twice
      options.deliver(applier.applyNow(batch) ?? (await applier.prepareInSlices(batch))());
    } catch (error) {
      options.logger.error("deltas could not be processed", { error });
    }
    queue.finished();
    measure(options, (clock.monotonic() - began) / 1000);
    if (turns.due()) await turns.pause();
  }
  metrics.queued.set(0);
}

function measure<T>({ queue, indexer, metrics }: ProcessOptions<T>, seconds: number): void {
  metrics.processing.observe(seconds);
  metrics.queued.set(queue.length);
  metrics.storeObjects.set(indexer.size);
  metrics.storeResourceVersion.set(revisionGauge(indexer.lastStoreSyncResourceVersion));
}

/** Lists longer than this are applied in slices, so that the event loop stays free. */
const sliceableLength = 500;

class DeltaApplier<T> {
  readonly #options: ProcessOptions<T>;
  readonly #turns: Turns;
  readonly #staleness = new Staleness();

  constructor(options: ProcessOptions<T>, turns: Turns) {
    this.#options = options;
    this.#turns = turns;
  }

  /** Applies a batch at once; undefined, with nothing done, if it is so large that it must be sliced. */
  applyNow({ deltas, isInInitialList }: DeltaBatch<T>): Changes<T> | undefined {
    const { indexer } = this.#options;
    const changes: ObjectChange<T>[] = [];
    for (const delta of deltas) {
      switch (delta.type) {
        case "Bookmark":
          indexer.bookmark(delta.resourceVersion);
          break;
        case "Sync":
          if (indexer.size > sliceableLength) return undefined;
          for (const { object } of indexer.entries()) changes.push(syncOf(object));
          break;
        case "Replaced": {
          if (Math.max(countOf(delta.objects), indexer.size) > sliceableLength) return undefined;
          const replacing = this.#replacing(delta, isInInitialList);
          while (replacing.step() !== "ready");
          return replacing.commit();
        }
        default: {
          const change = this.#applyObject(delta, isInInitialList);
          if (change !== undefined) changes.push(change);
        }
      }
    }
    return counted(changes, isInInitialList);
  }

  /** Readers see the old contents until the result is called, then the new ones. */
  async prepareInSlices({ deltas, isInInitialList }: DeltaBatch<T>): Promise<() => Changes<T>> {
    const [delta] = deltas;
    if (delta?.type === "Replaced") {
      const replacing = this.#replacing(delta, isInInitialList);
      while (replacing.step() !== "ready") if (this.#turns.due()) await this.#turns.pause();
      return () => replacing.commit();
    }
    const changes: ObjectChange<T>[] = [];
    for (const { object } of this.#options.indexer.entries()) {
      changes.push(syncOf(object));
      if (changes.length % sliceableLength === 0 && this.#turns.due()) await this.#turns.pause();
    }
    return () => counted(changes, false);
  }

  /** The cache decides whether it is an add or an update, not the server's event type. */
  #applyObject(delta: ObjectDelta<T>, isInInitialList: boolean): ObjectChange<T> | undefined {
    const { indexer, logger, metrics } = this.#options;
    const { key } = delta;
    const cached = indexer.get(key);
    const cachedRevision = cached === undefined ? undefined : resourceVersionOf(cached);
    const revision = resourceVersionOf(delta.object);
    if (delta.type === "DELETED") {
      if (this.#staleness.isStaleDelete(key, revision, cachedRevision)) return this.#stale();
      indexer.delete(key, delta.object);
      this.#staleness.deleted(key, revision);
      return { type: "deleted", object: delta.object, key, missed: false };
    }
    if (this.#staleness.isStale(key, revision, cachedRevision)) return this.#stale();
    try {
      indexer.put(delta.object, key);
    } catch (error) {
      metrics.reflector.skipped.inc();
      logger.error("object skipped", { key, error });
      return undefined;
    }
    return cached === undefined
      ? { type: "added", object: delta.object, initial: isInInitialList }
      : changeOf(cached, delta.object);
  }

  #stale(): undefined {
    this.#options.metrics.stale.inc();
    return undefined;
  }

  /** First prepares all contents, then commits them as one; deletions are delivered first, then the list in its order. */
  #replacing(
    { objects, resourceVersion }: WholeDelta<T> & { type: "Replaced" },
    isInInitialList: boolean,
  ): Replacing<T> {
    const { indexer, logger, metrics } = this.#options;
    const replacement = indexer.beginReplace();
    const changes = new ReplacedChanges<T>(isInInitialList);
    const before = indexer.entries();
    const listed = keyed(objects);
    let isListed = false;
    const put = (object: T, known: string | undefined): void => {
      try {
        const key = known ?? indexer.keyOf(object);
        const previous = replacement.put(key, object) ?? indexer.get(key);
        changes.put(previous, object);
      } catch (error) {
        metrics.reflector.skipped.inc();
        logger.error("object skipped", { error });
      }
    };
    return {
      step() {
        for (let i = 0; i < stepLength && !isListed; i++) {
          const { value, done } = listed.next();
          if (done === true) isListed = true;
          else put(value[1], value[0]);
        }
        if (!isListed) return "more";
        for (let i = 0; i < stepLength; i++) {
          const { value: entry, done } = before.next();
          if (done === true) return "ready";
          if (!replacement.has(entry.key)) changes.delete(entry.key, entry.object);
        }
        return "more";
      },
      commit: () => {
        this.#staleness.replaced(resourceVersion, indexer.lastStoreSyncResourceVersion);
        for (const { key } of changes.deleted) this.#staleness.deleted(key, resourceVersion);
        replacement.commit(resourceVersion);
        return { changes, initialAdds: changes.initialAdds, syncs: changes.syncs };
      },
    };
  }
}

/** Takes a fraction of a millisecond; long enough that reading the clock in between costs nothing. */
const stepLength = 200;

interface Replacing<T> {
  step(): "more" | "ready";
  commit(): Changes<T>;
}

function countOf<T>(objects: readonly T[] | ReadonlyMap<string, T>): number {
  return Array.isArray(objects) ? objects.length : (objects as ReadonlyMap<string, T>).size;
}

type Keyed<T> = readonly [key: string | undefined, object: T];

/** The objects of a list one after the other, with their keys if known. */
function keyed<T>(objects: readonly T[] | ReadonlyMap<string, T>): Iterator<Keyed<T>, unknown> {
  if (!Array.isArray(objects)) return (objects as ReadonlyMap<string, T>).entries();
  return unkeyed(objects as readonly T[]);
}

function* unkeyed<T>(objects: readonly T[]): Generator<Keyed<T>, void, undefined> {
  for (const object of objects) yield [undefined, object];
}

function syncOf<T>(object: T): ObjectChange<T> {
  return { type: "resync", object, previous: object };
}

function counted<T>(changes: readonly ObjectChange<T>[], isInInitialList: boolean): Changes<T> {
  let adds = 0;
  let syncs = 0;
  for (const change of changes) {
    if (change.type === "added") adds += 1;
    else if (change.type === "resync") syncs += 1;
  }
  return { changes, initialAdds: isInInitialList ? adds : 0, syncs };
}
