import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseError } from "../parse-error.js";
import { formatMicroTime, formatTime, parseMicroTime, parseTime } from "./time.js";

describe("seconds", () => {
  const table: readonly (readonly [input: string, printed: string])[] = [
    ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"],
    ["2024-02-29T12:00:00.999Z", "2024-02-29T12:00:00Z"],
    ["2024-02-29T12:00:00,5Z", "2024-02-29T12:00:00Z"],
    ["2024-02-29T12:00:00+02:00", "2024-02-29T10:00:00Z"],
    ["2024-02-29T00:30:00-01:00", "2024-02-29T01:30:00Z"],
    ["1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
  ];
  for (const [input, printed] of table) {
    test(`${input} is printed as ${printed}`, () => {
      expect(formatTime(parseTime(input))).toBe(printed);
    });
  }
});

describe("microseconds", () => {
  test("are always six digits", () => {
    expect(
      ["2024-02-29T12:00:00.000001Z", "2024-02-29T12:00:00.100000+01:00"].map((text) =>
        formatMicroTime(parseMicroTime(text)),
      ),
    ).toEqual(["2024-02-29T12:00:00.000001Z", "2024-02-29T11:00:00.100000Z"]);
  });

  test("any other number of digits is refused where it stands", () => {
    for (const input of ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.5Z", "2024-02-29T12:00:00.1234567Z"]) {
      expect(() => parseMicroTime(input)).toThrow(ParseError);
    }
  });
});

const bad: readonly (readonly [input: string, reason: string, position: number])[] = [
  ["", 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"', 0],
  [
    "2024-02-29 12:00:00Z",
    'parsing time "2024-02-29 12:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 12:00:00Z" as "T"',
    10,
  ],
  ["2024-13-01T00:00:00Z", 'parsing time "2024-13-01T00:00:00Z": month out of range', 7],
  ["2023-02-29T00:00:00Z", 'parsing time "2023-02-29T00:00:00Z": day out of range', 20],
  ["2024-02-01T24:00:00Z", 'parsing time "2024-02-01T24:00:00Z": hour out of range', 13],
  ["2024-02-01T00:00:00Zx", 'parsing time "2024-02-01T00:00:00Zx": extra text: "x"', 20],
  [
    "2024-02-01T00:00:00",
    'parsing time "2024-02-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
    19,
  ],
];
for (const [input, reason, position] of bad) {
  test(`${JSON.stringify(input)} is refused at position ${position}`, () => {
    try {
      parseTime(input);
      expect.unreachable();
    } catch (error) {
      const { reason: said, position: at } = error as ParseError;
      expect([said, at]).toEqual([reason, position]);
    }
  });
}

test("parse after print is the identity, in seconds and in microseconds", () => {
  const instant = fc.integer({ min: Date.UTC(0, 0), max: Date.UTC(2200, 0) });
  fc.assert(
    fc.property(instant, fc.nat({ max: 999 }), (ms, micros) => {
      const second = Math.floor(ms / 1_000) * 1_000;
      const micro = ms * 1_000 + micros;
      expect([parseTime(formatTime(ms)), parseMicroTime(formatMicroTime(micro))]).toEqual([second, micro]);
    }),
    { numRuns: 2_000 },
  );
});

test("bad input throws ParseError and nothing else", () => {
  const near = fc.tuple(fc.nat({ max: 20 }), fc.string({ maxLength: 2 })).map(([at, junk]) => {
    const good = "2024-02-29T12:00:00Z";
    return good.slice(0, at) + junk + good.slice(at + 1);
  });
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), (input) => {
      for (const parse of [parseTime, parseMicroTime]) {
        try {
          parse(input);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});
