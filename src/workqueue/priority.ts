/** Priority, then ready time, then age; and a turn for the neglected, so that nothing starves. An order for a queue. */
import { Heap } from "../base/index.js";
import type { Queued, RemovableOrder } from "./order.js";

/** Work at the start (the initial list) and from resyncs: below what happens now. */
export const lowPriority = -100;

export interface PriorityOrderOptions<K> {
  /**
   * Every so many pops one goes to the level that was neglected longest, whatever its priority. With L levels waiting, the
   * n-th item of any level runs within n × L × `turnEvery` pops. 0: strict priority, and starvation is accepted.
   */
  readonly turnEvery?: number;
  /** The order inside a level; by default the time of becoming ready. `fairOrder` here gives fairness below priority. */
  readonly within?: () => RemovableOrder<K>;
}

interface Level<K> {
  readonly priority: number;
  readonly order: RemovableOrder<K>;
  /** The pop that served this level last, or after which it came into being: the smaller, the better its claim to a turn. */
  servedAt: number;
}

/**
 * Invariants:
 * 1. `levels` is sorted by descending priority and has no empty level.
 * 2. `length` is the sum of the levels' lengths.
 */
export function priorityOrder<K>(options: PriorityOrderOptions<K> = {}): RemovableOrder<K> {
  const turnEvery = options.turnEvery ?? 8;
  const within = options.within ?? (() => readyOrder<K>());
  const levels: Level<K>[] = [];
  let length = 0;
  let pops = 0;

  /** Index of the level of this priority, or of the place where it belongs. */
  const indexOf = (priority: number): number => {
    let low = 0;
    let high = levels.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((levels[middle] as Level<K>).priority > priority) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const drop = (index: number): void => {
    if (levels[index]?.order.length === 0) levels.splice(index, 1);
  };
  const next = (): number => {
    if (turnEvery === 0 || pops % turnEvery !== 0) return 0;
    let neglected = 0;
    for (let i = 1; i < levels.length; i++) {
      if ((levels[i] as Level<K>).servedAt < (levels[neglected] as Level<K>).servedAt) neglected = i;
    }
    return neglected;
  };

  return {
    prioritised: true,
    get length() {
      return length;
    },
    push(item) {
      const index = indexOf(item.priority);
      let level = levels[index];
      if (level?.priority !== item.priority) {
        level = { priority: item.priority, order: within(), servedAt: pops };
        levels.splice(index, 0, level);
      }
      level.order.push(item);
      length += 1;
    },
    pop() {
      if (length === 0) return undefined;
      pops += 1;
      const index = next();
      const level = levels[index] as Level<K>;
      level.servedAt = pops;
      const item = level.order.pop();
      length -= 1;
      drop(index);
      return item;
    },
    raise(item, priority) {
      this.remove(item);
      item.priority = priority;
      this.push(item);
    },
    remove(item) {
      const index = indexOf(item.priority);
      levels[index]?.order.remove(item);
      length -= 1;
      drop(index);
    },
  };
}

/** By the time of becoming ready, wherever an item is inserted. */
export function readyOrder<K>(): RemovableOrder<K> {
  const heap = new Heap<Queued<K>, number>({
    compare: (a, b) => a.sequence - b.sequence,
    key: (item) => item.sequence,
  });
  return {
    prioritised: false,
    get length() {
      return heap.size;
    },
    push: (item) => heap.push(item),
    pop: () => heap.pop(),
    raise(item, priority) {
      item.priority = priority;
    },
    remove: (item) => void heap.remove(item.sequence),
  };
}
