/**
 * A delaying queue's work: 10,000 waiting items, of which some are moved or dropped by key. Compares the heap with a
 * sorted array.
 */
import { Heap, seededRandom } from "../src/base/index.js";
import { measure, type Run } from "./harness.js";

interface Item {
  readonly key: number;
  readonly dueMs: number;
}

/** The obvious alternative: kept sorted by binary insertion, searched from end to end by key. */
class SortedArray {
  readonly #items: Item[] = [];

  push(item: Item): void {
    this.remove(item.key);
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#items[middle] as Item).dueMs <= item.dueMs) low = middle + 1;
      else high = middle;
    }
    this.#items.splice(low, 0, item);
  }

  pop(): Item | undefined {
    return this.#items.shift();
  }

  remove(key: number): void {
    const index = this.#items.findIndex((item) => item.key === key);
    if (index >= 0) this.#items.splice(index, 1);
  }
}

const waiting = 10_000;

/** One batch: 100 items fall due and come again later, 20 are moved, 10 dropped and made anew. */
function workload(queue: Pick<SortedArray, "push" | "pop"> & { remove(key: number): unknown }): () => number {
  const random = seededRandom("heap");
  let nowMs = 0;
  for (let key = 0; key < waiting; key++) queue.push({ key, dueMs: random.int(60_000) });
  return () => {
    for (let i = 0; i < 100; i++) {
      const due = queue.pop();
      if (due === undefined) continue;
      nowMs = due.dueMs;
      queue.push({ key: due.key, dueMs: nowMs + random.int(60_000) });
    }
    for (let i = 0; i < 20; i++) queue.push({ key: random.int(waiting), dueMs: nowMs + random.int(60_000) });
    for (let i = 0; i < 10; i++) {
      const key = random.int(waiting);
      queue.remove(key);
      queue.push({ key, dueMs: nowMs + random.int(60_000) });
    }
    return 100 * 2 + 20 + 10 * 2;
  };
}

export const run: Run = () => {
  const times = measure({
    heap: workload(new Heap<Item, number>({ compare: (a, b) => a.dueMs - b.dueMs, key: (item) => item.key })),
    sorted: workload(new SortedArray()),
  });
  return {
    figures: { "Heap (ns/operation)": times.heap, "sorted array (ns/operation)": times.sorted },
    ratios: { "faster than a sorted array": times.sorted / times.heap },
  };
};
