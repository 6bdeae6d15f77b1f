import { expect, test, vi } from "vitest";
import { seededRandom } from "../../base/index.js";
import { PackableSlab } from "./packable-slab.js";

const deflated = vi.hoisted((): number[] => []);

vi.mock("node:zlib", async (original) => {
  const zlib = await original<typeof import("node:zlib")>();
  return {
    ...zlib,
    deflateRawSync: (bytes: Uint8Array, options: object) => {
      deflated.push(bytes.length);
      return zlib.deflateRawSync(bytes, options);
    },
  };
});

const megabyte = 1_000_000;

test("a long slab that cannot be packed costs a sample, and stays open", () => {
  const random = seededRandom(1);
  const slab = new PackableSlab(megabyte);
  slab.memory.set(Uint8Array.from({ length: megabyte }, () => random.int(256)));
  deflated.length = 0;
  slab.close();
  expect(deflated.reduce((sum, length) => sum + length, 0)).toBeLessThan(32 * 1024);
  expect([slab.isOpen, slab.taken]).toEqual([true, megabyte]);
});

test("a long slab that can be packed is, whatever stands at its ends", () => {
  const random = seededRandom(2);
  const slab = new PackableSlab(megabyte);
  slab.memory.fill("text ");
  for (const from of [0, megabyte - 1000])
    slab.memory.set(
      Uint8Array.from({ length: 1000 }, () => random.int(256)),
      from,
    );
  const bytes = Buffer.from(slab.memory);
  slab.close();
  expect(slab.isOpen).toBe(false);
  expect(slab.taken).toBeLessThan(megabyte / 10);
  expect(slab.memory.equals(bytes)).toBe(true);
});
