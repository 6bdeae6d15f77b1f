import fc from "fast-check";
import { expect, test } from "vitest";
import { deepEqual } from "./deep-equal.js";
import { fingerprint } from "./fingerprint.js";

test("key order and undefined properties do not matter; type, place and order of items do", () => {
  const same = [
    { a: 1, b: { c: [1, "2"] } },
    { b: { c: [1, "2"] }, a: 1, d: undefined },
  ];
  expect(new Set(same.map(fingerprint)).size).toBe(1);
  const different = [
    {},
    [],
    "",
    null,
    0,
    "0",
    false,
    { a: "1" },
    { a: 1 },
    { a: [1] },
    { a: { 0: 1 } },
    [1, 2],
    [2, 1],
  ];
  expect(new Set(different.map(fingerprint)).size).toBe(different.length);
  expect(fingerprint({ a: { x: 1 }, b: { x: 2 } })).not.toBe(fingerprint({ a: { x: 2 }, b: { x: 1 } }));
});

test("two values have the same fingerprint exactly if they are equal", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(fingerprint(a) === fingerprint(b)).toBe(deepEqual(a, b));
      expect(fingerprint(structuredClone(a))).toBe(fingerprint(a));
    }),
  );
});
