import { expect, test } from "vitest";
import { Warnings } from "./warnings.js";

function headersOf(texts: Iterable<string>): readonly string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers();
}

test("each warning is told once, in one line", () => {
  expect(headersOf(["a", 'b\n"c"', "a", ""])).toEqual(['299 - "a"', String.raw`299 - "b \"c\""`]);
});

test("many short warnings end where their characters do", () => {
  const told = headersOf(Array.from({ length: 100_000 }, (_, i) => `unknown field ${i}`));
  expect(told.length).toBeGreaterThan(100);
  expect(told.join("").length).toBeLessThan(8 * 1024);
});

test("long warnings are cut short as soon as they do not fit together", () => {
  const long = Array.from({ length: 50 }, (_, i) => `${i} ${"x".repeat(300)}`);
  expect(headersOf(long.slice(0, 2)).map((told) => told.length)).toEqual([310, 310]);
  const told = headersOf(long);
  expect(told).toHaveLength(16);
  expect(new Set(told.map((one) => one.length))).toEqual(new Set([264]));
});

test("one warning that is too long by itself is cut", () => {
  expect(headersOf(["x".repeat(5_000_000)])[0]).toHaveLength(264);
});
