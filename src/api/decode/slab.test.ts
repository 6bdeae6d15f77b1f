import { expect, test } from "vitest";
import { Slab } from "./slab.js";

test("pieces lie one behind the other, many in a block, and blocks grow up to a megabyte", () => {
  const slab = new Slab();
  const blocks = new Map<Buffer, number[]>();
  for (let i = 0; i < 5000; i++) {
    const at = slab.reserve(2279);
    expect(at + 2279).toBeLessThanOrEqual(slab.block.length);
    blocks.set(slab.block, [...(blocks.get(slab.block) ?? []), at]);
  }
  const sizes = [...blocks.keys()].map(({ length }) => length);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  expect(sizes.length).toBeLessThan(22);
  expect(Math.max(...sizes)).toBe(1024 * 1024);
  for (const places of blocks.values()) expect(places).toEqual(places.map((_, i) => i * 2279));
});

test("what is larger than a block has one of its own size, and the next is of the usual size again", () => {
  const slab = new Slab();
  slab.reserve(10);
  expect(slab.reserve(3_000_000)).toBe(0);
  expect(slab.block.length).toBe(3_000_000);
  expect(slab.reserve(10)).toBe(0);
  expect(slab.block.length).toBe(1024 * 1024);
});
