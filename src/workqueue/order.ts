/** The order in which waiting keys come out: the interface between the queue, which holds the state, and a policy. */

/** A waiting key, as an order sees it. */
export interface Queued<K> {
  readonly key: K;
  /** A greater priority runs earlier, if the order considers it. Changed only by `Order.raise`. */
  priority: number;
  /** The number of becoming ready; unique in a queue, so it decides every tie. */
  readonly sequence: number;
  /** At the order's disposal while the item is in it, so that a linked list needs no memory of its own. */
  behind: Queued<K> | undefined;
}

/**
 * A policy. The queue guarantees that an item is pushed only while it is not in the order, and raised only while it is.
 * An order that loses, repeats or invents an item breaks the queue.
 */
export interface Order<K> {
  readonly length: number;
  /** True if the order considers priorities; metrics then report them separately. */
  readonly prioritised: boolean;
  push(item: Queued<K>): void;
  pop(): Queued<K> | undefined;
  /** Called when an item in the order was added again with a greater priority: sets it and moves the item as the policy wants. */
  raise(item: Queued<K>, priority: number): void;
}

/** An order from which any item can be removed; orders that are composed of orders require it of their parts. */
export interface RemovableOrder<K> extends Order<K> {
  remove(item: Queued<K>): void;
}

/** First ready, first out. Priorities are carried but have no effect. */
export function fifoOrder<K>(): Order<K> {
  return new Fifo<K>();
}

/** A class and not a closure: all queues share its methods, so the engine can inline them. */
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
