import { getHeapSpaceStatistics } from "node:v8";
import { expect, test } from "vitest";
import { collectYoung } from "./young-generation.js";

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_used_size ?? 0;
}

test("what was made and let go a moment ago is gone, and the engine's collector stays hidden from others", () => {
  const had = "gc" in globalThis;
  collectYoung();
  const before = youngBytes();
  let kept = 0;
  for (let i = 0; i < 2_000; i++) kept += [i, i, i, i].length;
  const made = youngBytes() - before;
  collectYoung();
  expect(kept).toBe(8_000);
  expect(youngBytes()).toBeLessThan(before + made);
  expect("gc" in globalThis).toBe(had);
});
