import { expect, test } from "vitest";
import { Slab } from "./slab.js";

test("pieces lie one behind the other in blocks of 32 KB, so that an object that outlives its neighbours keeps no more", () => {
  const slab = new Slab();
  const blocks = new Map<Buffer, number[]>();
  for (let i = 0; i < 100; i++) {
    const at = slab.reserve(2279);
    blocks.set(slab.block, [...(blocks.get(slab.block) ?? []), at]);
  }
  expect(blocks.size).toBe(8);
  for (const [block, places] of blocks) {
    expect(block.length).toBe(32 * 1024);
    expect(places).toEqual(places.map((_, i) => i * 2279));
    expect(places.length).toBeLessThanOrEqual(14);
  }
});

test("a piece that is larger than a block has one of its own size, and the next is of the usual size again", () => {
  const slab = new Slab();
  slab.reserve(10);
  expect(slab.reserve(3_000_000)).toBe(0);
  expect(slab.block.length).toBe(3_000_000);
  expect(slab.reserve(10)).toBe(0);
  expect(slab.block.length).toBe(32 * 1024);
});
