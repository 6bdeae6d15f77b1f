/** A queue to which keys can be added later: they wait here by time, on one timer, and then go to the queue inside. */
import { type Clock, Heap, systemClock, type Timer } from "../base/index.js";
import { type AddOptions, type GetOptions, Queue, type QueueOptions, type QueueSnapshot, type Work } from "./queue.js";
import { defaultReasonLimit, type Reason, recordReason } from "./reasons.js";

/** A key with a time. Of several delayed adds of a key it has the earliest time, the greatest priority, and all reasons. */
interface Delayed<K> {
  readonly id: unknown;
  readonly key: K;
  dueAt: number;
  /** Decides between equal times. */
  readonly sequence: number;
  priority: number;
  /** Undefined if nobody gave one: most delayed keys of a plain queue have none. */
  reasons: Reason[] | undefined;
  omittedReasons: number;
}

/**
 * Times are those of the monotonic clock: setting the wall clock changes nothing. Keys become ready in the order of their times,
 * before anything that is added or taken after that time, even if the timer fires late. What still waits at a shutdown is dropped.
 *
 * Invariants:
 * 1. `#delayed` has at most one entry for a key.
 * 2. If it is not empty, `#timer` is set to fire at the earliest time or before it.
 */
export class DelayingQueue<K = string> {
  readonly #queue: Queue<K>;
  readonly #clock: Clock;
  readonly #identify: ((key: K) => unknown) | undefined;
  readonly #reasonLimit: number;
  readonly #delayed = new Heap<Delayed<K>, unknown>({
    compare: (a, b) => a.dueAt - b.dueAt || a.sequence - b.sequence,
    key: ({ id }) => id,
  });
  #sequence = 0;
  #timer: Timer | undefined;
  #timerDueAt = Number.POSITIVE_INFINITY;

  constructor(options: QueueOptions<K> = {}) {
    this.#queue = new Queue(options);
    this.#clock = options.clock ?? systemClock;
    this.#identify = options.identify;
    this.#reasonLimit = options.reasonLimit ?? defaultReasonLimit;
  }

  /** Keys that are ready: neither held nor delayed ones. */
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
   * Gives false if this time will not be used: it is not the earliest, or the queue is shut down.
   */
  addAfter(key: K, ms: number, options: AddOptions = {}): boolean {
    if (this.#queue.shuttingDown) return false;
    this.#queue.countRetry();
    if (!(ms > 0)) {
      this.add(key, options);
      return true;
    }
    const id = this.#identify === undefined ? key : this.#identify(key);
    const dueAt = this.#clock.monotonic() + ms;
    const known = this.#delayed.get(id);
    if (known !== undefined) return this.#advance(known, dueAt, options);
    const { reason, priority = 0 } = options;
    const reasons = reason === undefined ? undefined : [reason];
    this.#delayed.push({ id, key, dueAt, sequence: this.#sequence++, priority, reasons, omittedReasons: 0 });
    if (dueAt < this.#timerDueAt) this.#arm();
    return true;
  }

  /** When a delayed add of the key is due, in milliseconds from now; undefined if there is none. */
  dueIn(key: K): number | undefined {
    this.#promoteDue();
    const delayed = this.#delayed.get(this.#identify === undefined ? key : this.#identify(key));
    return delayed === undefined ? undefined : delayed.dueAt - this.#clock.monotonic();
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
      .sort((a, b) => a.dueAt - b.dueAt || a.sequence - b.sequence)
      .map(({ key, dueAt, priority, reasons, omittedReasons }) => {
        return {
          key,
          dueInMs: dueAt - now,
          priority,
          requeues: requeues(key),
          reasons: [...(reasons ?? [])],
          omittedReasons,
        };
      });
    return { ...this.#queue.snapshot(), delayed };
  }

  #advance(known: Delayed<K>, dueAt: number, { reason, priority = 0 }: AddOptions): boolean {
    if (reason !== undefined) {
      known.reasons ??= [];
      if (!recordReason(known.reasons, reason, this.#reasonLimit)) known.omittedReasons += 1;
    }
    known.priority = Math.max(known.priority, priority);
    if (dueAt >= known.dueAt) return false;
    known.dueAt = dueAt;
    this.#delayed.push(known);
    if (dueAt < this.#timerDueAt) this.#arm();
    return true;
  }

  #promoteDue(): void {
    if (this.#delayed.size === 0) return;
    const now = this.#clock.monotonic();
    for (let next = this.#delayed.peek(); next !== undefined && next.dueAt <= now; next = this.#delayed.peek()) {
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
    // what is due by now was added before the shutdown, even if the timer is late
    this.#promoteDue();
    this.#delayed.clear();
    this.#arm();
  }
}
