import fc from "fast-check";
import { expect, test } from "vitest";
import { Recent } from "./recent.js";

const keys = Array.from({ length: 20 }, (_, i) => ({ i }));

test("what is used again and again stays, what is not goes", () => {
  const recent = new Recent<object, number>({ weight: 4 });
  const favourite = {};
  recent.set(favourite, 1);
  for (const key of keys) {
    recent.set(key, key.i);
    expect(recent.get(favourite)).toBe(1);
  }
  expect(recent.get(keys[0] as object)).toBeUndefined();
});

test("what it gives is what was set last, and it never holds more than two generations and one entry", () => {
  const step = fc.record({ key: fc.nat({ max: 19 }), weight: fc.integer({ min: 1, max: 5 }), sets: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const recent = new Recent<object, number>({ weight: 10 });
      const model = new Map<object, { readonly value: number; readonly weight: number }>();
      for (const [value, { key, weight, sets }] of steps.entries()) {
        const at = keys[key] as object;
        if (sets) {
          recent.set(at, value, weight);
          model.set(at, { value, weight });
        } else expect([undefined, model.get(at)?.value]).toContain(recent.get(at));
      }
      let held = 0;
      // asking moves entries, but from the old generation to the young one only
      for (const key of keys) if (recent.get(key) !== undefined) held += (model.get(key) as { weight: number }).weight;
      expect(held).toBeLessThanOrEqual(2 * (10 + 5));
    }),
  );
});

test("a deleted entry is gone from either generation, and those left are told one by one", () => {
  const recent = new Recent<string, number>({ weight: 3 });
  for (const [value, key] of ["a", "b", "c", "d", "e"].entries()) recent.set(key, value);
  expect([...recent.entries()]).toEqual([
    ["e", 4],
    ["a", 0],
    ["b", 1],
    ["c", 2],
    ["d", 3],
  ]);
  for (const [key] of recent.entries()) if (key !== "c") recent.delete(key);
  expect([...recent.entries()]).toEqual([["c", 2]]);
  expect(recent.get("a")).toBeUndefined();
});
