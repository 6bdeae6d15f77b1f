import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseError } from "../parse-error.js";
import { parseQuantity, Quantity } from "./quantity.js";

describe("the canonical form", () => {
  const table: readonly (readonly [input: string, canonical: string])[] = [
    ["0", "0"],
    ["0m", "0"],
    ["0Ki", "0"],
    ["1", "1"],
    ["100m", "100m"],
    ["1000m", "1"],
    ["1500m", "1500m"],
    ["0.5", "500m"],
    ["0.001", "1m"],
    ["0.0001", "100u"],
    ["1k", "1k"],
    ["1000", "1k"],
    ["1000k", "1M"],
    ["12345", "12345"],
    ["1024", "1024"],
    ["1024Ki", "1Mi"],
    ["1025Ki", "1025Ki"],
    ["0.5Gi", "512Mi"],
    ["1.5Gi", "1536Mi"],
    ["0.5Ki", "512"],
    ["0.1Ki", "102400m"],
    ["1Ei", "1Ei"],
    ["9Ei", "9223372036854775807"],
    ["1e3", "1e3"],
    ["1E3", "1E3"],
    ["10e3", "10e3"],
    ["10000e3", "10e6"],
    ["1e-3", "1e-3"],
    ["2e2", "200"],
    ["-1.5", "-1500m"],
    ["1n", "1n"],
    ["0.1n", "1n"],
    ["-0.1n", "-1n"],
    ["1.1n", "2n"],
    // a number that looks canonical is kept as it was written
    ["+1", "+1"],
    ["01", "01"],
    ["1.500", "1.500"],
    ["1.G", "1.G"],
    [".", "0"],
  ];
  for (const [input, canonical] of table) {
    test(`${input} is printed as ${canonical}`, () => {
      expect(String(parseQuantity(input))).toBe(canonical);
    });
  }

  test("numbers are taken as JSON prints them", () => {
    expect([1, 0.5, 1e21].map((number) => String(parseQuantity(number)))).toEqual(["1", "500m", "1e+21"]);
  });
});

describe("bad input", () => {
  const table: readonly (readonly [input: string, reason: string, position: number])[] = [
    ["", "quantities must match", 0],
    ["1.2.3", "quantities must match", 3],
    ["1 Gi", "quantities must match", 1],
    ["--1", "unable to parse quantity's suffix", 1],
    ["1Gi1x", "quantities must match", 4],
    ["1i", "unable to parse quantity's suffix", 1],
    ["1KiB", "quantities must match", 3],
    ["12ee3", "unable to parse quantity's suffix", 2],
    ["1mm", "unable to parse quantity's suffix", 1],
    ["Ei", "unable to parse numeric part of quantity", 0],
  ];
  for (const [input, reason, position] of table) {
    test(`${JSON.stringify(input)} is refused at position ${position}`, () => {
      try {
        parseQuantity(input);
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(ParseError);
        const { reason: said, position: at } = error as ParseError;
        expect([said.startsWith(reason), at]).toEqual([true, position]);
      }
    });
  }

  test("never throws anything but ParseError", () => {
    const alphabet = fc.constantFrom(..."0123456789.+-eEinumkKMGTP xé\0".split(""));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: alphabet }), fc.string()), (input) => {
        try {
          String(parseQuantity(input));
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
          expect((error as ParseError).position).toBeLessThanOrEqual(input.length);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("an absurd exponent costs nothing", () => {
    const huge = parseQuantity("1e999999999");
    expect([String(huge), huge.compare(parseQuantity("1")), huge.compare(huge)]).toEqual(["1e999999999", 1, 0]);
    expect(huge.add(parseQuantity("1")).compare(huge)).toBe(0);
    expect(parseQuantity("1").add(huge).compare(huge)).toBe(0);
    expect(huge.milliValue() % 1_000n).toBe(0n);
  });
});

const suffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "e-3", "E6"];
const written = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat({ max: 999 }), fc.constantFrom(...suffixes))
  .map(([whole, fraction, suffix]) => `${whole}${fraction % 3 === 0 ? "" : `.${fraction}`}${suffix}`);

/** Exact fractions: the model that the arithmetic is held against. */
const billionths = (quantity: Quantity): bigint => quantity.scaledValue(-9);

describe("properties", () => {
  test("parse after print is the identity, and the print of it is stable", () => {
    fc.assert(
      fc.property(written, (text) => {
        const quantity = parseQuantity(text);
        const again = parseQuantity(String(quantity));
        expect([again.compare(quantity), String(parseQuantity(String(again)))]).toEqual([0, String(again)]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("sums, differences and comparisons are those of exact fractions", () => {
    fc.assert(
      fc.property(written, written, (left, right) => {
        const [a, b] = [parseQuantity(left), parseQuantity(right)];
        const [x, y] = [billionths(a), billionths(b)];
        expect([billionths(a.add(b)), billionths(a.sub(b)), a.compare(b)]).toEqual([
          x + y,
          x - y,
          x < y ? -1 : x > y ? 1 : 0,
        ]);
      }),
      { numRuns: 2_000 },
    );
  });
});

test("value and milliValue round away from zero", () => {
  const rounded = ["1.5", "-1.5", "1m", "0.0001", "3Gi", "-100m"].map((text) => {
    const quantity = parseQuantity(text);
    return [quantity.value(), quantity.milliValue()];
  });
  expect(rounded).toEqual([
    [2n, 1500n],
    [-2n, -1500n],
    [1n, 1n],
    [1n, 1n],
    [3221225472n, 3221225472000n],
    [-1n, -100n],
  ]);
});

test("a sum has the format of its left side, or of the right one if the left is zero", () => {
  const sum = (a: string, b: string): string => String(parseQuantity(a).add(parseQuantity(b)));
  expect([sum("1Gi", "1G"), sum("1G", "1Gi"), sum("0", "1Gi"), sum("1Gi", "1m")]).toEqual([
    "2073741824",
    "2073741824",
    "1Gi",
    "1073741824001m",
  ]);
  expect(String(parseQuantity("512Mi").sub(parseQuantity("512Mi")))).toBe("0");
});

test("quantities are made of integers and exponents, and go into JSON as text", () => {
  const made = [Quantity.of(1500, { exponent: -3 }), Quantity.of(2n ** 40n, { format: "BinarySI" }), Quantity.zero];
  expect(JSON.stringify(made)).toBe('["1500m","1Ti","0"]');
  expect(() => Quantity.of(0.5)).toThrow("not of 0.5");
});

test("the approximate float is the nearest double", () => {
  const floats = ["100m", "1Gi", "1e3", "12345678901234567890", "-2.5"].map((text) =>
    parseQuantity(text).asApproximateFloat(),
  );
  expect(floats).toEqual([0.1, 1073741824, 1000, 1.2345678901234567e19, -2.5]);
});
