/** A queue to which keys can be added with a delay: they wait here by time, on one timer, and then go to the inner queue. */
import { type Clock, systemClock, type Timer } from "../base/index.js";
import { type DelayedDetails, DelayedKeys } from "./delayed-keys.js";
import { type AddOptions, type GetOptions, Queue, type QueueOptions, type QueueSnapshot, type Work } from "./queue.js";
import { recordReason } from "./reasons.js";

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
  readonly #delayed = new DelayedKeys<K>();
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

  get shuttingDown(): boolean {
    return this.#queue.shuttingDown;
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
    const known = this.#delayed.slotOf(key);
    if (known === undefined) {
      this.#delayed.add({ key, dueAt, details: options && detailsOf(options) });
    } else {
      this.#merge(known, options);
      if (dueAt >= this.#delayed.dueAt(known)) return false;
      this.#delayed.hasten(known, dueAt);
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
    const delayed = this.#delayed.list().map(({ key, dueAt, details }) => {
      const { priority, reasons, omittedReasons } = details ?? detailsOf({});
      return { key, dueInMs: dueAt - now, priority, requeues: requeues(key), reasons: [...reasons], omittedReasons };
    });
    return { ...this.#queue.snapshot(), delayed };
  }

  #merge(slot: number, options: AddOptions = {}): void {
    const { reason, priority = 0 } = options;
    const details = this.#delayed.details(slot) ?? detailsOf({});
    this.#delayed.setDetails(slot, details);
    details.priority = Math.max(details.priority, priority);
    if (reason !== undefined && !recordReason(details.reasons, reason)) details.omittedReasons += 1;
  }

  #promoteDue(): void {
    if (this.#delayed.size === 0) return;
    const now = this.#clock.monotonic();
    while (this.#delayed.nextDueAt <= now) {
      const { key, details } = this.#delayed.shift();
      if (details === undefined) this.#queue.add(key);
      else this.#promote(key, details);
    }
  }

  #promote(key: K, { priority, reasons }: DelayedDetails): void {
    if (reasons.length === 0) this.#queue.add(key, { priority });
    for (const reason of reasons) this.#queue.add(key, { priority, reason });
  }

  #arm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#timerDueAt = this.#delayed.nextDueAt;
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

function detailsOf({ reason, priority = 0 }: AddOptions): DelayedDetails {
  return { priority, reasons: reason === undefined ? [] : [reason], omittedReasons: 0 };
}
