import { expect, test } from "vitest";
import { bound } from "./declarations.js";

test("a limit beyond 2^53, which is read with all its digits, bounds like any other; a negative one is none", () => {
  expect([bound(3), bound(-1), bound(9_223_372_036_854_775_807n), bound(-5n)]).toEqual([3, 0, 2 ** 63, 0]);
});
