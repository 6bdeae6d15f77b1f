/** A binary heap whose items can be found, replaced and removed by key. */

export interface HeapOptions<T, K> {
  /** Negative if `a` comes out before `b`. Items that compare equal come out in no particular order. */
  compare(a: T, b: T): number;
  key(item: T): K;
}

/** An item with its place in the heap, so that a move writes one number instead of a map entry. */
interface Node<T, K> {
  item: T;
  readonly key: K;
  index: number;
}

/**
 * Invariants:
 * 1. `#nodes[i].index === i`.
 * 2. `#byKey` holds exactly the nodes of `#nodes`, each under its key.
 * 3. No node compares before its parent, `#nodes[(i - 1) >> 1]`.
 */
export class Heap<T, K> {
  readonly #nodes: Node<T, K>[] = [];
  readonly #byKey = new Map<K, Node<T, K>>();
  readonly #compare: (a: T, b: T) => number;
  readonly #key: (item: T) => K;

  constructor(options: HeapOptions<T, K>) {
    this.#compare = options.compare;
    this.#key = options.key;
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** Adds the item; it replaces an item with the same key. O(log n). */
  push(item: T): void {
    const key = this.#key(item);
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.item = item;
      this.#restore(known);
      return;
    }
    const node: Node<T, K> = { item, key, index: this.#nodes.length };
    this.#nodes.push(node);
    this.#byKey.set(key, node);
    this.#siftUp(node);
  }

  /** The item that `pop` would give. */
  peek(): T | undefined {
    return this.#nodes[0]?.item;
  }

  pop(): T | undefined {
    const first = this.#nodes[0];
    if (first === undefined) return undefined;
    this.#take(first);
    return first.item;
  }

  get(key: K): T | undefined {
    return this.#byKey.get(key)?.item;
  }

  has(key: K): boolean {
    return this.#byKey.has(key);
  }

  /** Removes the item with this key wherever it stands, and gives it. O(log n). */
  remove(key: K): T | undefined {
    const node = this.#byKey.get(key);
    if (node === undefined) return undefined;
    this.#take(node);
    return node.item;
  }

  clear(): void {
    this.#nodes.length = 0;
    this.#byKey.clear();
  }

  /** All items, in no particular order. The heap must not change meanwhile. */
  *values(): IterableIterator<T> {
    for (const node of this.#nodes) yield node.item;
  }

  #take(node: Node<T, K>): void {
    this.#byKey.delete(node.key);
    const last = this.#nodes.pop();
    if (last === undefined || last === node) return;
    last.index = node.index;
    this.#nodes[node.index] = last;
    this.#restore(last);
  }

  #restore(node: Node<T, K>): void {
    const before = node.index;
    this.#siftUp(node);
    if (node.index === before) this.#siftDown(node);
  }

  #siftUp(node: Node<T, K>): void {
    const nodes = this.#nodes;
    let index = node.index;
    while (index > 0) {
      const parent = nodes[(index - 1) >> 1] as Node<T, K>;
      if (this.#compare(node.item, parent.item) >= 0) break;
      nodes[index] = parent;
      const parentIndex = parent.index;
      parent.index = index;
      index = parentIndex;
    }
    nodes[index] = node;
    node.index = index;
  }

  #siftDown(node: Node<T, K>): void {
    const nodes = this.#nodes;
    const size = nodes.length;
    let index = node.index;
    for (let left = 2 * index + 1; left < size; left = 2 * index + 1) {
      let child = nodes[left] as Node<T, K>;
      const right = nodes[left + 1];
      if (right !== undefined && this.#compare(right.item, child.item) < 0) child = right;
      if (this.#compare(child.item, node.item) >= 0) break;
      nodes[index] = child;
      const childIndex = child.index;
      child.index = index;
      index = childIndex;
    }
    nodes[index] = node;
    node.index = index;
  }
}
