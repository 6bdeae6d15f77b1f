/** The queue between reflector and process loop: deltas in order of arrival. */
import type { ObjectEvent } from "../../api/index.js";
import { Ring } from "../../base/index.js";
import { type KeyFunction, cacheKey, resourceVersionOf } from "./key.js";
import { isOlderRevision } from "./staleness.js";

/**
 * An entry of the queue: an event of one object under its key, or a delta that concerns all objects. The store decides
 * whether an object is new when the delta is processed.
 */
export type Delta<T> = ObjectDelta<T> | WholeDelta<T>;

export interface ObjectDelta<T> extends ObjectEvent<T> {
  readonly key: string;
}

/** `Replaced` is a whole list, `Sync` asks to show everything again, `Bookmark` is the server's progress. */
export type WholeDelta<T> =
  | {
      readonly type: "Replaced";
      /** By their keys, if these are known. */
      readonly objects: readonly T[] | ReadonlyMap<string, T>;
      readonly resourceVersion: string;
    }
  | { readonly type: "Sync" }
  | { readonly type: "Bookmark"; readonly resourceVersion: string };

/** The deltas that are processed as one: either many changes of different objects, or one delta that concerns them all. */
export interface DeltaBatch<T> {
  readonly deltas: readonly Delta<T>[];
  /** True while the deltas of the first list (or the first event) are being handed out. */
  readonly isInInitialList: boolean;
}

/**
 * Changes an object before it is queued; may do so in place. Must be fast. Each object passes once, in the state that the
 * server sent.
 */
export type Transform<T> = (object: T) => T;

export interface DeltaFifoOptions<T> {
  readonly key?: KeyFunction<T>;
  readonly transform?: Transform<T> | undefined;
}

/** Limit on the deltas of one batch, so that one transaction stays short. */
export const maxBatch = 1000;

/** From this many queued deltas on, the producer must wait. */
export const highWaterMark: number = 2 * maxBatch;

/**
 * Strictly in order of arrival. Nothing is merged, except that a second deletion of a key whose deletion is still
 * queued replaces it if it is newer, and is dropped otherwise. There is one consumer: it takes a batch, processes it,
 * and calls `finished` before it takes the next.
 *
 * Invariants:
 * 1. `hasSynced` latches, and only when the population is complete and every delta of it has been *finished*.
 * 2. `#initialCount` counts the deltas of the initial population that are queued or being processed.
 * 3. `#pendingDeletes` holds exactly the keys whose last queued delta is a deletion.
 * 4. `#onFinished` has callbacks that wait for a number of finished deltas which is not reached.
 */
export class DeltaFifo<T> {
  readonly #keyOf: KeyFunction<T>;
  readonly #hasUsualKeys: boolean;
  readonly transform: Transform<T> | undefined;
  readonly #queue = new Ring<Delta<T>>();
  readonly #pendingDeletes = new Map<string, QueuedDelete<T>>();
  #populated = false;
  #initialCount = 0;
  #inFlight = 0;
  #closed = false;
  #synced = false;
  /** The numbers of deltas that were ever queued, and ever finished. */
  #pushed = 0;
  #finished = 0;
  readonly #onFinished = new Map<() => void, number>();
  /** Callbacks that wait for a delta, for room, and for the end of the initial population. */
  #consumer: (() => void) | undefined;
  readonly #wakeProducers = new Set<() => void>();
  readonly #onSynced = new Set<() => void>();

  constructor(options: DeltaFifoOptions<T> = {}) {
    this.#keyOf = options.key ?? (cacheKey as unknown as KeyFunction<T>);
    this.#hasUsualKeys = options.key === undefined;
    this.transform = options.transform;
  }

  get length(): number {
    return this.#queue.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** True once the initial population has been handed out and finished. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  /** True while producers should pause: the consumer is two batches behind. */
  get isFull(): boolean {
    return this.#queue.length >= highWaterMark && !this.#closed;
  }

  /** A deletion is queued even for unknown keys: delete handlers are then told of an object never seen. */
  push({ type, object: sent }: ObjectEvent<T>): void {
    const object = this.transform === undefined ? sent : this.transform(sent);
    const key = this.#keyOf(object);
    this.#populate(0);
    if (type === "DELETED") return this.#pushDelete(key, object);
    if (this.#pendingDeletes.size > 0) this.#pendingDeletes.delete(key);
    this.#push({ type, key, object });
  }

  /** A whole list as one delta, even if it is empty. Its objects are transformed already. */
  replace(objects: readonly T[], resourceVersion: string): void {
    this.#replace(objects, resourceVersion);
  }

  /** As `replace`, by the `namespace/name` that the objects had before. The map must not change afterwards. */
  replaceByKey(objects: ReadonlyMap<string, T>, resourceVersion: string): void {
    const keepTheirKeys = this.#hasUsualKeys && this.transform === undefined;
    this.#replace(keepTheirKeys ? objects : [...objects.values()], resourceVersion);
  }

  #replace(objects: readonly T[] | ReadonlyMap<string, T>, resourceVersion: string): void {
    this.#populate(this.#queue.length + 1);
    this.#pendingDeletes.clear();
    this.#push({ type: "Replaced", objects, resourceVersion });
  }

  /** Shows everything in the store again, as it is when this delta is processed. */
  resync(): void {
    this.#push({ type: "Sync" });
  }

  bookmark(resourceVersion: string): void {
    this.#push({ type: "Bookmark", resourceVersion });
  }

  /**
   * Takes the next batch; undefined if nothing is queued. A batch ends before a second delta of one key (so that each
   * change is seen with the state before it), at the end of the initial population, and at 1000 deltas.
   */
  take(): DeltaBatch<T> | undefined {
    const first = this.#queue.shift();
    if (first === undefined) return undefined;
    const isInInitialList = !this.#synced;
    const deltas: Delta<T>[] = [first];
    if ("key" in first) {
      this.#forgetDelete(first);
      const limit = this.#initialCount > 0 ? Math.min(this.#initialCount, maxBatch) : maxBatch;
      const keys = new Set([first.key]);
      while (deltas.length < limit) {
        const next = this.#queue.peek();
        if (next === undefined || !("key" in next) || keys.has(next.key)) break;
        keys.add(next.key);
        deltas.push(next);
        this.#forgetDelete(next);
        this.#queue.shift();
      }
    }
    this.#inFlight = deltas.length;
    return { deltas, isInInitialList };
  }

  /** Called when the batch taken last has been processed and delivered. */
  finished(): void {
    this.#initialCount = Math.max(0, this.#initialCount - this.#inFlight);
    this.#finished += this.#inFlight;
    this.#inFlight = 0;
    this.#checkSynced();
    for (const [callback, wanted] of this.#onFinished) {
      if (this.#finished < wanted) continue;
      this.#onFinished.delete(callback);
      callback();
    }
    if (!this.isFull) this.#wakeAll(this.#wakeProducers);
  }

  /** Ends all waiting: the consumer gets the queued deltas and then the end; producers are never held up again. */
  close(): void {
    this.#closed = true;
    this.#wakeConsumer();
    this.#wakeAll(this.#wakeProducers);
  }

  /** Calls back once when a delta is queued or the queue is closed; at once if it already is. For the one consumer. */
  onAvailable(callback: () => void): void {
    if (this.#queue.length > 0 || this.#closed) callback();
    else this.#consumer = callback;
  }

  /** Resolves when there is room again. */
  room(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise((resolve) => void this.#wakeProducers.add(resolve));
  }

  /** Calls back once when the initial population has been processed; at once if it has. */
  onSynced(callback: () => void): void {
    if (this.#synced) callback();
    else this.#onSynced.add(callback);
  }

  /** Resolves when all deltas that are queued now have been processed; never if the queue is closed before. */
  caughtUp(): Promise<void> {
    const wanted = this.#pushed;
    if (this.#finished >= wanted) return Promise.resolve();
    return new Promise((resolve) => void this.#onFinished.set(resolve, wanted));
  }

  /** Throws if an invariant does not hold. For tests. */
  assertSound(): void {
    if (this.#synced && (this.#initialCount > 0 || !this.#populated)) throw new Error("invariant 1: synced too early");
    if (this.#initialCount > this.#queue.length + this.#inFlight) throw new Error("invariant 2: counts what is gone");
    const last = new Map<string, boolean>();
    for (const delta of this.#queue) {
      if (delta.type === "Replaced") last.clear();
      else if ("key" in delta) last.set(delta.key, delta.type === "DELETED");
    }
    const deleted = [...last].filter(([, isDeleted]) => isDeleted).map(([key]) => key);
    if (deleted.length !== this.#pendingDeletes.size || !deleted.every((key) => this.#pendingDeletes.has(key)))
      throw new Error("invariant 3: pending deletes");
  }

  #pushDelete(key: string, object: T): void {
    const pending = this.#pendingDeletes.get(key);
    if (pending === undefined) {
      const delta: QueuedDelete<T> = { type: "DELETED", key, object };
      this.#pendingDeletes.set(key, delta);
      this.#push(delta);
    } else if (isOlder(pending.object, object)) {
      // the earlier report came late, from an earlier life of the object
      pending.object = object;
    }
  }

  /** Called with the first change or list, which gives the number of deltas of the initial population. */
  #populate(initialCount: number): void {
    if (this.#populated) return;
    this.#populated = true;
    this.#initialCount = initialCount;
    this.#checkSynced();
  }

  #checkSynced(): void {
    if (this.#synced || !this.#populated || this.#initialCount > 0) return;
    this.#synced = true;
    this.#wakeAll(this.#onSynced);
  }

  #push(delta: Delta<T>): void {
    this.#pushed += 1;
    this.#queue.push(delta);
    this.#wakeConsumer();
  }

  #forgetDelete(delta: ObjectDelta<T>): void {
    if (delta.type === "DELETED" && this.#pendingDeletes.get(delta.key) === delta)
      this.#pendingDeletes.delete(delta.key);
  }

  #wakeConsumer(): void {
    const callback = this.#consumer;
    this.#consumer = undefined;
    callback?.();
  }

  #wakeAll(waiting: Set<() => void>): void {
    const callbacks = [...waiting];
    waiting.clear();
    for (const callback of callbacks) callback();
  }
}

function isOlder(a: unknown, b: unknown): boolean {
  return isOlderRevision(resourceVersionOf(a), resourceVersionOf(b));
}

/** A deletion that is still queued: a later report may know a newer state of the object. */
interface QueuedDelete<T> {
  readonly type: "DELETED";
  readonly key: string;
  object: T;
}
