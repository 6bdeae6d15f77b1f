import fc from "fast-check";
import { expect, test } from "vitest";
import { ParseError } from "../parse-error.js";
import { durationFromMs, durationToMs, formatDuration, parseDuration } from "./duration.js";

const table: readonly (readonly [input: string, printed: string])[] = [
  ["0", "0s"],
  ["-0", "0s"],
  ["1h", "1h0m0s"],
  ["90m", "1h30m0s"],
  ["1.5h", "1h30m0s"],
  ["300ms", "300ms"],
  ["1.5ms", "1.5ms"],
  ["100us", "100µs"],
  ["100µs", "100µs"],
  ["1ns", "1ns"],
  ["-1m30.5s", "-1m30.5s"],
  ["+5s", "5s"],
  [".5s", "500ms"],
  ["1h1h", "2h0m0s"],
  ["0.0000000001s", "0s"],
];
for (const [input, printed] of table) {
  test(`${input} is printed as ${printed}`, () => {
    expect(formatDuration(parseDuration(input))).toBe(printed);
  });
}

const bad: readonly (readonly [input: string, reason: string, position: number])[] = [
  ["", 'time: invalid duration ""', 0],
  ["-", 'time: invalid duration "-"', 1],
  ["3", 'time: missing unit in duration "3"', 1],
  ["1h3", 'time: missing unit in duration "1h3"', 3],
  ["1d", 'time: unknown unit "d" in duration "1d"', 1],
  [".s", 'time: invalid duration ".s"', 0],
  ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"', 0],
  ["1 h", 'time: unknown unit " h" in duration "1 h"', 1],
  ["é", 'time: invalid duration "\\xc3\\xa9"', 0],
];
for (const [input, reason, position] of bad) {
  test(`${JSON.stringify(input)} is refused at position ${position}`, () => {
    try {
      parseDuration(input);
      expect.unreachable();
    } catch (error) {
      const { reason: said, position: at } = error as ParseError;
      expect([said, at]).toEqual([reason, position]);
    }
  });
}

test("parse after print is the identity over all of 64 bits", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
      expect(parseDuration(formatDuration(nanoseconds))).toBe(nanoseconds);
    }),
    { numRuns: 2_000 },
  );
});

test("bad input throws ParseError and nothing else", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789.+-hmsnuµ x".split("")) }), (input) => {
      try {
        parseDuration(input);
      } catch (error) {
        expect(error).toBeInstanceOf(ParseError);
        expect((error as ParseError).position).toBeLessThanOrEqual(input.length);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("milliseconds go both ways", () => {
  expect([durationToMs("1m30s"), durationToMs("1.5ms"), durationFromMs(90_000), durationFromMs(0.25)]).toEqual([
    90_000,
    1.5,
    "1m30s",
    "250µs",
  ]);
});
