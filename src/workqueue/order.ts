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
  return new Fifo<K>();
}

/** A class and not a closure: its methods are the same for all queues, so the engine compiles them into the queue's own. */
class Fifo<K> implements Order<K> {
  readonly prioritised = false;
  length = 0;
  #first: Queued<K> | undefined;
  #last: Queued<K> | undefined;

  push(item: Queued<K>): void {
    if (this.#last === undefined) this.#first = item;
    else this.#last.behind = item;
    this.#last = item;
    this.length += 1;
  }

  pop(): Queued<K> | undefined {
    const item = this.#first;
    if (item === undefined) return undefined;
    this.#first = item.behind;
    if (this.#first === undefined) this.#last = undefined;
    item.behind = undefined;
    this.length -= 1;
    return item;
  }

  raise(item: Queued<K>, priority: number): void {
    item.priority = priority;
  }
}
