import fc from "fast-check";
import { expect, test } from "vitest";
import { DelayedKeys } from "./delayed-keys.js";

test("whatever is added, hastened and taken, the earliest comes first, of equal ones the one added first", () => {
  const operation = fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant("add" as const), dueAt: fc.nat(50) }) },
    fc.record({ type: fc.constant("hasten" as const), which: fc.nat(300), by: fc.nat(50) }),
    { weight: 2, arbitrary: fc.record({ type: fc.constant("shift" as const) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("drain" as const) }) },
  );
  // more of them than the columns have room for at first
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 400, size: "max" }), (operations) => {
      const keys = new DelayedKeys<number>();
      let model: { key: number; dueAt: number }[] = [];
      let next = 0;
      const first = (): { key: number; dueAt: number } | undefined =>
        model.toSorted((a, b) => a.dueAt - b.dueAt || a.key - b.key)[0];
      const shift = (): void => {
        const expected = first();
        expect(keys.nextDueAt).toBe(expected?.dueAt ?? Number.POSITIVE_INFINITY);
        if (expected === undefined) return;
        expect(keys.shift()).toEqual({ ...expected, details: undefined });
        model = model.filter((item) => item !== expected);
      };
      for (const step of operations) {
        if (step.type === "add") {
          const key = next++;
          keys.add({ key, dueAt: step.dueAt, details: undefined });
          model.push({ key, dueAt: step.dueAt });
        } else if (step.type === "hasten" && model.length > 0) {
          const item = model[step.which % model.length] as { key: number; dueAt: number };
          const slot = keys.slotOf(item.key) as number;
          expect(keys.dueAt(slot)).toBe(item.dueAt);
          item.dueAt -= step.by;
          keys.hasten(slot, item.dueAt);
        } else if (step.type === "shift") {
          shift();
        } else if (step.type === "drain" && model.length > 200) {
          while (model.length > 0) shift();
        }
        expect(keys.size).toBe(model.length);
      }
      expect(keys.list().map(({ key }) => key)).toEqual(
        model.toSorted((a, b) => a.dueAt - b.dueAt || a.key - b.key).map(({ key }) => key),
      );
    }),
  );
});

test("a key that was taken leaves nothing behind", () => {
  const keys = new DelayedKeys<object>();
  const [a, b, c] = [{}, {}, {}];
  for (const [i, key] of [a, b, c].entries())
    keys.add({ key, dueAt: i, details: { priority: i, reasons: [], omittedReasons: 0 } });
  expect(keys.shift()).toMatchObject({ dueAt: 0, details: { priority: 0 } });
  const next = {};
  keys.add({ key: next, dueAt: 9, details: undefined });
  expect(keys.details(keys.slotOf(next) as number)).toBeUndefined();
  keys.clear();
  expect([keys.size, keys.nextDueAt, keys.slotOf(b)]).toEqual([0, Number.POSITIVE_INFINITY, undefined]);
});
