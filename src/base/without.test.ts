import { expect, test } from "vitest";
import { without } from "./without.js";

test("a copy lacks the member, and the object keeps it", () => {
  const object = { a: 1, b: { c: 2 }, d: undefined };
  const copy = without(object, "a");
  expect(Object.keys(copy)).toEqual(["b", "d"]);
  expect(copy.b).toBe(object.b);
  expect(object.a).toBe(1);
  expect(without(copy, "a" as never)).toEqual(copy);
});
