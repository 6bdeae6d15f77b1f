import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "./random.js";

describe("seededRandom", () => {
  test("gives the same numbers for the same seed, on every machine", () => {
    const random = seededRandom("coxswain");
    expect([random.int(1000), random.int(1000), random.int(1000)]).toEqual([410, 399, 907]);
  });

  test("a fork depends on the seed and its name alone, not on what was drawn before", () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.nat(20), (seed, name, draws) => {
        const early = seededRandom(seed).fork(name);
        const parent = seededRandom(seed);
        for (let i = 0; i < draws; i++) parent.next();
        const late = parent.fork(name);
        expect([late.next(), late.next()]).toEqual([early.next(), early.next()]);
      }),
    );
  });

  test("int stays in [0, limit) and reaches every value", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 6 }), (seed, limit) => {
        const random = seededRandom(seed);
        const seen = new Set(Array.from({ length: 400 }, () => random.int(limit)));
        expect([...seen].toSorted((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, i) => i));
      }),
    );
  });
});
