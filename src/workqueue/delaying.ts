/** A queue to which keys can be added with a delay: they wait here by time, on one timer, and then go to the inner queue. */
import { type Clock, Heap, systemClock, type Timer } from "../base/index.js";
import {
  type AddOptions,
  type GetOptions,
  Queue,
  type QueuedKey,
  type QueueOptions,
  type QueueSnapshot,
  type Work,
} from "./queue.js";
import { type Reason, recordReason } from "./reasons.js";

/** A key that waits for its time. */
interface Delayed<K> {
  readonly key: K;
  dueAt: number;
  /** Of two keys with the same time, the one added first becomes ready first. */
  readonly sequence: number;
  priority: number;
  reasons: Reason[] | undefined;
  omittedReasons: number;
}

/** A delayed key as it stands in the queue, uncopied: valid until the queue changes. */
export type WaitingDelayed<K> = Readonly<Pick<Delayed<K>, "key" | "dueAt" | "priority" | "reasons" | "omittedReasons">>;

const byTime = <K>(a: Delayed<K>, b: Delayed<K>): number => a.dueAt - b.dueAt || a.sequence - b.sequence;

/**
 * Times are those of the monotonic clock, so setting the wall clock changes nothing. Of several delayed adds of a key,
 * the earliest time, the greatest priority and all reasons count. Keys become ready in the order of their times, before
 * any key that is added or taken after that time, even if the timer fires late. Keys that still wait at a shutdown are
 * dropped.
 *
 * Invariants:
 * 1. `#delayed` has at most one entry for a key.
 * 2. If `#delayed` is not empty, `#timer` is set to fire at the earliest time or before it.
 */
export class DelayingQueue<K = string> {
  readonly #queue: Queue<K>;
  readonly #clock: Clock;
  readonly #delayed = new Heap<Delayed<K>, K>({ compare: byTime, key: ({ key }) => key });
  #sequence = 0;
  #timer: Timer | undefined;
  #timerDueAt = Number.POSITIVE_INFINITY;

  constructor(options: QueueOptions<K> = {}) {
    this.#queue = new Queue(options);
    this.#clock = options.clock ?? systemClock;
  }

  /** The number of ready keys, without held and delayed ones. */
  get length(): number {
    this.#promoteDue();
    return this.#queue.length;
  }

  get heldCount(): number {
    return this.#queue.heldCount;
  }

  get delayedCount(): number {
    this.#promoteDue();
    return this.#delayed.size;
  }

  get shuttingDown(): boolean {
    return this.#queue.shuttingDown;
  }

  /** The waiting and held keys. A key that comes or goes while they are read is among them or not; one that comes back, twice. */
  keys(): Iterable<QueuedKey<K>> {
    this.#promoteDue();
    return this.#queue.keys();
  }

  /** The delayed keys with the monotonic times when they are due, in no order; to be read before anything is awaited. */
  delayedKeys(): Iterable<WaitingDelayed<K>> {
    this.#promoteDue();
    return this.#delayed.values();
  }

  /** Adds the key now. A delayed add of the same key stays. */
  add(key: K, options?: AddOptions): void {
    this.#promoteDue();
    this.#queue.add(key, options);
  }

  /**
   * Adds the key after `ms`; at once if that is not positive. If the key is delayed already, the earlier time counts.
   * Gives false if this time will not be used, because it is not the earliest or the queue is shut down.
   */
  addAfter(key: K, ms: number, options?: AddOptions): boolean {
    if (Number.isNaN(ms)) throw new RangeError(`a key cannot be added after ${ms} ms`);
    if (this.#queue.shuttingDown) return false;
    this.#queue.countRetry();
    if (!(ms > 0)) {
      this.add(key, options);
      return true;
    }
    const dueAt = this.#clock.monotonic() + ms;
    const known = this.#delayed.get(key);
    if (known === undefined) {
      const { reason, priority = 0 } = options ?? nothing;
      const reasons = reason && [reason];
      this.#delayed.push({ key, dueAt, sequence: this.#sequence++, priority, reasons, omittedReasons: 0 });
    } else {
      merge(known, options ?? nothing);
      if (dueAt >= known.dueAt) return false;
      known.dueAt = dueAt;
      this.#delayed.push(known);
    }
    if (dueAt < this.#timerDueAt) this.#arm();
    return true;
  }

  tryGet(): Work<K> | undefined {
    this.#promoteDue();
    return this.#queue.tryGet();
  }

  get(options: GetOptions): Promise<Work<K> | undefined> {
    this.#promoteDue();
    return this.#queue.get(options);
  }

  shutDown(): void {
    this.#dropDelayed();
    this.#queue.shutDown();
  }

  shutDownWithDrain(options: GetOptions): Promise<void> {
    this.#dropDelayed();
    return this.#queue.shutDownWithDrain(options);
  }

  snapshot(requeues: (key: K) => number = () => 0): QueueSnapshot<K> {
    this.#promoteDue();
    const now = this.#clock.monotonic();
    const delayed = [...this.#delayed.values()]
      .sort(byTime)
      .map(({ key, dueAt, priority, reasons = [], omittedReasons }) => {
        return { key, dueInMs: dueAt - now, priority, requeues: requeues(key), reasons: [...reasons], omittedReasons };
      });
    return { ...this.#queue.snapshot(), delayed };
  }

  #promoteDue(): void {
    let next = this.#delayed.peek();
    if (next === undefined) return;
    const now = this.#clock.monotonic();
    for (; next !== undefined && next.dueAt <= now; next = this.#delayed.peek()) {
      this.#delayed.pop();
      const { key, priority, reasons } = next;
      if (reasons === undefined) this.#queue.add(key, { priority });
      else for (const reason of reasons) this.#queue.add(key, { priority, reason });
    }
  }

  #arm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#timerDueAt = this.#delayed.peek()?.dueAt ?? Number.POSITIVE_INFINITY;
    if (this.#timerDueAt === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.timer(this.#timerDueAt - this.#clock.monotonic(), () => {
      this.#promoteDue();
      this.#arm();
    });
  }

  #dropDelayed(): void {
    // keys that are due by now were added before the shutdown, even if the timer is late
    this.#promoteDue();
    this.#delayed.clear();
    this.#arm();
  }
}

const nothing: AddOptions = {};

function merge<K>(known: Delayed<K>, { reason, priority = 0 }: AddOptions): void {
  known.priority = Math.max(known.priority, priority);
  if (reason === undefined) return;
  known.reasons ??= [];
  if (!recordReason(known.reasons, reason)) known.omittedReasons += 1;
}
