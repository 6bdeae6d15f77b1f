/** In which order waiting keys come out: the seam between the queue, which holds the state, and a policy. */

/** A key that waits, as an order sees it. */
export interface Queued<K> {
  readonly key: K;
  /** Greater runs earlier, if the order looks at it. Changed only by `Order.raise`. */
  priority: number;
  /** Place in the order of becoming ready; unique in a queue, so it decides every tie. */
  readonly sequence: number;
  /** For the order's own use while it has the item: a list needs no memory of its own then. */
  behind: Queued<K> | undefined;
}

/**
 * A policy. The queue guarantees that a key is pushed only while it is not in the order, and is raised only while it is.
 * An order that loses, repeats or invents an item breaks the queue.
 */
export interface Order<K> {
  readonly length: number;
  /** True if the order looks at priorities; metrics then tell them apart. */
  readonly prioritised: boolean;
  push(item: Queued<K>): void;
  pop(): Queued<K> | undefined;
  /** An item in the order was added again with a greater priority: sets it and moves the item as the policy wants. */
  raise(item: Queued<K>, priority: number): void;
}

/** An order from which any item can be taken; orders made of orders need that of their parts. */
export interface RemovableOrder<K> extends Order<K> {
  remove(item: Queued<K>): void;
}

/** First ready, first out. Priorities are carried but do not matter. */
export function fifoOrder<K>(): Order<K> {
  let first: Queued<K> | undefined;
  let last: Queued<K> | undefined;
  let length = 0;
  return {
    prioritised: false,
    get length() {
      return length;
    },
    push(item) {
      if (last === undefined) first = item;
      else last.behind = item;
      last = item;
      length += 1;
    },
    pop() {
      const item = first;
      if (item === undefined) return undefined;
      first = item.behind;
      if (first === undefined) last = undefined;
      item.behind = undefined;
      length -= 1;
      return item;
    },
    raise(item, priority) {
      item.priority = priority;
    },
  };
}
