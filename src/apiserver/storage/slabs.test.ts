import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../base/index.js";
import { type SlabPlace, Slabs } from "./slabs.js";

const newline = 0x0a;

/** Bytes of a slab, as the tests see it from outside. */
const slab = 32 * 1024;

/** A text that cannot be packed to half its length. */
function noise(length: number): string {
  const random = seededRandom(length);
  return Buffer.from(Uint8Array.from({ length }, () => random.next() * 256))
    .toString("base64")
    .slice(0, length);
}

function textOf(place: SlabPlace): string {
  expect(place.view(place.size).at(-1)).toBe(newline);
  return place.text(place.size - 1);
}

test("bytes can be read wherever they were moved, and slabs take little more than twice the bytes in use", () => {
  const step = fc.record({
    add: fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 12 }),
    release: fc.array(fc.nat(), { maxLength: 14 }),
    as: fc.constantFrom("text", "bytes", "noise"),
  });
  const openBytes = fc.constantFrom(0, 100_000, undefined);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), openBytes, (steps, open) => {
      const slabs = new Slabs(open);
      const held: { readonly place: SlabPlace; readonly text: string }[] = [];
      let count = 0;
      for (const { add, release, as } of steps) {
        for (const length of add) {
          const text = as === "noise" ? noise(length) : `${count++} é`.padEnd(length, "x");
          const place = as !== "bytes" ? slabs.write(text, newline) : slabs.copy(Buffer.from(text), newline);
          held.push({ place, text });
        }
        for (const which of release) held.splice(which % Math.max(held.length, 1), 1)[0]?.place.release();
        for (const { place, text } of held) expect(textOf(place)).toBe(text);
        const live = held.reduce((sum, { place }) => sum + place.size, 0);
        expect(slabs.reserved).toBeLessThanOrEqual(2 * live + slab + (open ?? 0));
      }
    }),
    { numRuns: 50 },
  );
});

test("one place that stays keeps no slab but its own small one", () => {
  const slabs = new Slabs();
  const places = Array.from({ length: 4000 }, (_, i) => slabs.write(`${i}`.padEnd(1000), newline));
  const full = slabs.reserved;
  // one of each hundred stays: every slab had some of them
  for (const [i, place] of places.entries()) if (i % 100 !== 0) place.release();
  expect(slabs.reserved).toBeLessThan(full / 8);
  for (const [i, place] of places.entries()) expect(textOf(place).trim()).toBe(String(i));
  for (const place of places) place.release();
  expect(slabs.reserved).toBe(slab);
});

test("slabs that were not read lately take a fraction of their bytes, and can be read in any order", () => {
  const openBytes = 10 * slab;
  const slabs = new Slabs(openBytes);
  const places = Array.from({ length: 4000 }, (_, i) => slabs.write(`{"name":"${i}"}`.padEnd(1000), newline));
  const packed = (4000 * 1000) / 10;
  expect(slabs.reserved).toBeLessThan(openBytes + packed);
  for (let i = 0; i < 4000; i++) {
    const which = (i * 7919) % 4000;
    expect(textOf(places[which] as SlabPlace).trim()).toBe(`{"name":"${which}"}`);
  }
  expect(slabs.reserved).toBeLessThan(openBytes + packed + slab);
});

test("a slab that is read again and again stays unpacked", () => {
  const slabs = new Slabs(4 * slab);
  const often = slabs.write("often".padEnd(20_000), newline);
  const { buffer } = often.view(1);
  for (let i = 0; i < 1000; i++) {
    slabs.write(`${i}`.padEnd(1000), newline);
    expect(often.view(1).buffer).toBe(buffer);
  }
  for (let i = 0; i < 1000; i++) slabs.write(`${i}`.padEnd(1000), newline);
  expect(often.view(1).buffer).not.toBe(buffer);
});

test("a view that was given away says the same after its bytes have moved and after they were released", () => {
  const slabs = new Slabs();
  const [first, ...others] = Array.from({ length: 1000 }, (_, i) => slabs.write(`${i}`.padEnd(1000, "x"), newline));
  const view = (first as SlabPlace).view(1000);
  for (const place of others) place.release();
  for (let i = 0; i < 1000; i++) slabs.write("y".repeat(1000), newline);
  (first as SlabPlace).release();
  (first as SlabPlace).release();
  for (const text of [view, (first as SlabPlace).view(1000)].map((bytes) => Buffer.from(bytes).toString())) {
    expect(text).toBe("0".padEnd(1000, "x"));
  }
});

test("moving costs no more than was released", () => {
  const slabs = new Slabs();
  const ring: SlabPlace[] = [];
  let released = 0;
  let moved = 0;
  for (let i = 0; i < 4000; i++) {
    ring.push(slabs.write("x".repeat(500 + (i % 700)), newline));
    if (ring.length < 800) continue;
    const before = new Map(ring.map((place) => [place, place.slab]));
    const place = ring.splice((i * 7919) % ring.length, 1)[0] as SlabPlace;
    released += place.size;
    place.release();
    for (const other of ring) if (other.slab !== before.get(other)) moved += other.size;
  }
  expect(moved).toBeGreaterThan(0);
  expect(moved).toBeLessThanOrEqual(released);
});
