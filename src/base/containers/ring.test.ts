import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Ring } from "./ring.js";

describe("Ring", () => {
  test("does what an array does with push and shift", () => {
    const operation = fc.oneof(
      { weight: 5, arbitrary: fc.record({ op: fc.constant("push" as const), count: fc.integer({ min: 1, max: 40 }) }) },
      {
        weight: 5,
        arbitrary: fc.record({ op: fc.constant("shift" as const), count: fc.integer({ min: 1, max: 40 }) }),
      },
      { weight: 1, arbitrary: fc.record({ op: fc.constant("clear" as const) }) },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const ring = new Ring<number>();
        let model: number[] = [];
        let next = 0;
        for (const step of operations) {
          if (step.op === "clear") {
            ring.clear();
            model = [];
          } else {
            for (let i = 0; i < step.count; i++) {
              if (step.op === "shift") expect(ring.shift()).toBe(model.shift());
              else model.push(ring.push(next) ?? next++);
            }
          }
          expect([...ring]).toEqual(model);
          expect(ring.length).toBe(model.length);
          expect(ring.peek()).toBe(model[0]);
          expect([ring.at(-1), ring.at(0), ring.at(model.length - 1), ring.at(model.length)]).toEqual([
            undefined,
            model[0],
            model[model.length - 1],
            undefined,
          ]);
        }
      }),
    );
  });

  test("gives the memory of a burst back", () => {
    const ring = new Ring<number>();
    for (let i = 0; i < 100_000; i++) ring.push(i);
    expect(ring.capacity).toBe(131_072);
    while (ring.length > 3) ring.shift();
    expect(ring.capacity).toBe(16);
    expect([...ring]).toEqual([99_997, 99_998, 99_999]);
  });

  test("moves each item at most about once however it is used (growing and shrinking do not fight)", () => {
    const ring = new Ring<number>();
    for (let i = 0; i < 1024; i++) ring.push(i);
    const resizes = new Set<number>();
    for (let i = 0; i < 10_000; i++) {
      ring.push(i);
      ring.shift();
      resizes.add(ring.capacity);
    }
    expect(resizes.size).toBe(1);
  });

  test("holds undefined as an item like any other", () => {
    const ring = new Ring<undefined>();
    ring.push(undefined);
    expect([ring.length, [...ring]]).toEqual([1, [undefined]]);
  });
});
