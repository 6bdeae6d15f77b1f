import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Heap } from "./heap.js";

interface Item {
  readonly key: string;
  readonly rank: number;
}

const newHeap = (): Heap<Item, string> => new Heap({ compare: (a, b) => a.rank - b.rank, key: ({ key }) => key });

/** The naive model: a map, searched for its least rank. */
class Model {
  readonly items = new Map<string, Item>();
  leastRank(): number | undefined {
    return this.items.size === 0 ? undefined : Math.min(...[...this.items.values()].map(({ rank }) => rank));
  }
}

const key = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant("push" as const), key, rank: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("pop" as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("remove" as const), key }) },
);

describe("Heap", () => {
  test("does what a map that is searched for its least item does", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const heap = newHeap();
        const model = new Model();
        for (const step of operations) {
          if (step.op === "push") {
            heap.push({ key: step.key, rank: step.rank });
            model.items.set(step.key, { key: step.key, rank: step.rank });
          } else if (step.op === "remove") {
            expect(heap.remove(step.key)).toEqual(model.items.get(step.key));
            model.items.delete(step.key);
          } else {
            const least = model.leastRank();
            expect(heap.peek()?.rank).toBe(least);
            const popped = heap.pop();
            expect(popped?.rank).toBe(least);
            if (popped) expect(model.items.get(popped.key)).toEqual(popped);
            if (popped) model.items.delete(popped.key);
          }
          expect(heap.size).toBe(model.items.size);
          for (const name of "abcdefgh") {
            expect(heap.get(name)).toEqual(model.items.get(name));
            expect(heap.has(name)).toBe(model.items.has(name));
          }
          expect(new Map([...heap.values()].map((item) => [item.key, item]))).toEqual(model.items);
        }
      }),
    );
  });

  test("gives any items back in order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (ranks) => {
        const heap = newHeap();
        for (const [i, rank] of ranks.entries()) heap.push({ key: String(i), rank });
        const popped = ranks.map(() => heap.pop()?.rank);
        expect(popped).toEqual(ranks.toSorted((a, b) => a - b));
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });

  test("pushing an item of a known key replaces and moves it, up or down", () => {
    const heap = newHeap();
    heap.push({ key: "a", rank: 5 });
    heap.push({ key: "b", rank: 6 });
    heap.push({ key: "b", rank: 1 });
    expect(heap.peek()).toEqual({ key: "b", rank: 1 });
    heap.push({ key: "b", rank: 9 });
    expect([heap.pop()?.key, heap.pop()?.key, heap.pop()]).toEqual(["a", "b", undefined]);
  });

  test("is empty and usable after clear", () => {
    const heap = newHeap();
    heap.push({ key: "a", rank: 5 });
    heap.clear();
    expect([heap.size, heap.peek(), heap.has("a")]).toEqual([0, undefined, false]);
    heap.push({ key: "a", rank: 2 });
    expect(heap.pop()).toEqual({ key: "a", rank: 2 });
  });
});
