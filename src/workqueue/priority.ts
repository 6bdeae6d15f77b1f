/** An order by priority, then by the time of becoming ready; neglected priorities get a turn, so that nothing starves. */
import { checkNumbers, Heap } from "../base/index.js";
import type { Queued, RemovableOrder } from "./order.js";

/** The priority of the initial list and of resyncs: below that of current changes. */
export const lowPriority = -100;

export interface PriorityOrderOptions<K> {
  /**
   * Every `turnEvery`-th pop goes to the level that was neglected longest, whatever its priority. With L levels
   * waiting, the n-th item of any level runs within n × L × `turnEvery` pops. 0 means strict priority, which can starve
   * levels.
   */
  readonly turnEvery?: number;
  /** The order inside a level; by default the time of becoming ready. Use `fairOrder` for fairness within a priority. */
  readonly within?: () => RemovableOrder<K>;
}

interface Level<K> {
  readonly priority: number;
  readonly order: RemovableOrder<K>;
  /** The number of the pop that last served this level, or after which it was created: the smaller, the sooner its turn. */
  servedAt: number;
}

export function priorityOrder<K>(options: PriorityOrderOptions<K> = {}): RemovableOrder<K> {
  checkNumbers("a priority order", options, { turnEvery: { whole: true } });
  return new PriorityOrder(options);
}

/**
 * Invariants:
 * 1. `#levels` is sorted by descending priority and has no empty level.
 * 2. `length` is the sum of the levels' lengths.
 */
class PriorityOrder<K> implements RemovableOrder<K> {
  readonly prioritised = true;
  length = 0;
  readonly #turnEvery: number;
  readonly #within: () => RemovableOrder<K>;
  readonly #levels: Level<K>[] = [];
  #pops = 0;

  constructor({ turnEvery = 8, within = () => readyOrder<K>() }: PriorityOrderOptions<K>) {
    this.#turnEvery = turnEvery;
    this.#within = within;
  }

  push(item: Queued<K>): void {
    const index = this.#indexOf(item.priority);
    let level = this.#levels[index];
    if (level?.priority !== item.priority) {
      level = { priority: item.priority, order: this.#within(), servedAt: this.#pops };
      this.#levels.splice(index, 0, level);
    }
    level.order.push(item);
    this.length += 1;
  }

  pop(): Queued<K> | undefined {
    if (this.length === 0) return undefined;
    this.#pops += 1;
    const index = this.#next();
    const level = this.#levels[index] as Level<K>;
    level.servedAt = this.#pops;
    const item = level.order.pop();
    this.length -= 1;
    this.#drop(index);
    return item;
  }

  raise(item: Queued<K>, priority: number): void {
    this.remove(item);
    item.priority = priority;
    this.push(item);
  }

  remove(item: Queued<K>): void {
    const index = this.#indexOf(item.priority);
    this.#levels[index]?.order.remove(item);
    this.length -= 1;
    this.#drop(index);
  }

  /** The index of the level of this priority, or the index where it must be inserted. */
  #indexOf(priority: number): number {
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#levels[middle] as Level<K>).priority > priority) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #drop(index: number): void {
    if (this.#levels[index]?.order.length === 0) this.#levels.splice(index, 1);
  }

  /** The index of the level that is served next. */
  #next(): number {
    if (this.#turnEvery === 0 || this.#pops % this.#turnEvery !== 0) return 0;
    const levels = this.#levels;
    let neglected = 0;
    for (let i = 1; i < levels.length; i++) {
      if ((levels[i] as Level<K>).servedAt < (levels[neglected] as Level<K>).servedAt) neglected = i;
    }
    return neglected;
  }
}

/** Orders by the time of becoming ready, also for items that are inserted late. */
export function readyOrder<K>(): RemovableOrder<K> {
  return new ReadyOrder<K>();
}

/**
 * Items arrive in the order of their sequence, except items that are raised from another level. So there is a line, to
 * whose end most items go, and a heap for the few latecomers.
 *
 * Invariants:
 * 1. `#line` from `#head` on is sorted by sequence. A removed item stays in the line and is in `#removed`; the item at
 *    `#head` is never a removed one.
 * 2. Every item that is not removed is in exactly one of line and heap.
 */
class ReadyOrder<K> implements RemovableOrder<K> {
  readonly prioritised = false;
  length = 0;
  #line: (Queued<K> | undefined)[] = [];
  #head = 0;
  readonly #removed = new Set<Queued<K>>();
  /** The sequence of the last item that joined the line. */
  #last = -1;
  #late: Heap<Queued<K>, number> | undefined;

  push(item: Queued<K>): void {
    this.length += 1;
    if (item.sequence > this.#last) {
      this.#last = item.sequence;
      this.#line.push(item);
      return;
    }
    this.#late ??= new Heap({ compare: (a, b) => a.sequence - b.sequence, key: ({ sequence }) => sequence });
    this.#late.push(item);
  }

  pop(): Queued<K> | undefined {
    if (this.length === 0) return undefined;
    this.length -= 1;
    const first = this.#line[this.#head];
    const late = this.#late?.peek();
    if (late !== undefined && (first === undefined || late.sequence < first.sequence)) return this.#late?.pop();
    this.#advance();
    return first;
  }

  raise(item: Queued<K>, priority: number): void {
    item.priority = priority;
  }

  remove(item: Queued<K>): void {
    this.length -= 1;
    if (this.#late?.remove(item.sequence) !== undefined) return;
    if (item === this.#line[this.#head]) this.#advance();
    else this.#removed.add(item);
  }

  /** Moves to the next item in line that is not removed; the slots before it are released in large pieces. */
  #advance(): void {
    const line = this.#line;
    do line[this.#head++] = undefined;
    while (this.#removed.size > 0 && this.#removed.delete(line[this.#head] as Queued<K>));
    if (this.#head < line.length && (this.#head < 1024 || this.#head < line.length / 2)) return;
    line.splice(0, this.#head);
    this.#head = 0;
  }
}
