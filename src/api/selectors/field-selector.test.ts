import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseError } from "../parse-error.js";
import {
  escapeFieldValue,
  everyField,
  fieldSelectorFromSet,
  newFieldSelector,
  noField,
  parseFieldSelector,
  unescapeFieldValue,
} from "./field-selector.js";

const table: readonly (readonly [input: string, canonical: string])[] = [
  ["", ""],
  ["metadata.name=web", "metadata.name=web"],
  ["metadata.name==web", "metadata.name=web"],
  ["b!=1,a=2", "a=2,b!=1"],
  ["a=", "a="],
  [",a=1,,", "a=1"],
  ["=", ""],
  ["a=x\\,y\\=z\\\\", "a=x\\,y\\=z\\\\"],
];
for (const [input, canonical] of table) {
  test(`${JSON.stringify(input)} is printed as ${JSON.stringify(canonical)}`, () => {
    expect(String(parseFieldSelector(input))).toBe(canonical);
  });
}

describe("bad text", () => {
  const bad: readonly (readonly [input: string, position: number, reason: string])[] = [
    ["a", 0, "invalid selector: 'a'; can't understand 'a'"],
    ["a=1,b", 4, "invalid selector: 'a=1,b'; can't understand 'b'"],
    ["a=\\x", 2, "invalid field selector: invalid escape sequence: \\x"],
    ["a=1\\", 3, "invalid field selector: invalid escape sequence: \\"],
    ["a=1=2", 3, "invalid field selector: unescaped character in value: 61"],
  ];
  for (const [input, position, reason] of bad) {
    test(`${JSON.stringify(input)} is refused at position ${position}`, () => {
      try {
        parseFieldSelector(input);
        expect.unreachable();
      } catch (error) {
        const { reason: said, position: at } = error as ParseError;
        expect([said, at]).toEqual([reason, position]);
      }
    });
  }

  test("never throws anything but ParseError", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "=", "!", ",", "\\", "é", "😀") }), (input) => {
        try {
          parseFieldSelector(input);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test("escapes go both ways for any value", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (value) => {
      expect(unescapeFieldValue(escapeFieldValue(value))).toBe(value);
    }),
  );
});

test("parse after print is the identity", () => {
  const one = fc.record({
    field: fc.constantFrom("metadata.name", "spec.nodeName", "type"),
    operator: fc.constantFrom("=" as const, "!=" as const),
    value: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 4 }), (requirements) => {
      const text = String(newFieldSelector(...requirements));
      const again = parseFieldSelector(text);
      expect(
        [...again.requirements].sort((a, b) => (String(newFieldSelector(a)) < String(newFieldSelector(b)) ? -1 : 1)),
      ).toEqual([...requirements].sort((a, b) => (String(newFieldSelector(a)) < String(newFieldSelector(b)) ? -1 : 1)));
    }),
  );
});

test("an absent field is the empty string, also where objects inherit something", () => {
  const selector = parseFieldSelector("constructor=,a!=1");
  expect([selector.matches({}), selector.matches({ a: "1" }), selector.matches(() => "")]).toEqual([true, false, true]);
});

test("requirements can be renamed, dropped and read", () => {
  const selector = fieldSelectorFromSet({ "metadata.name": "web", other: "x" });
  const changed = selector.transform((one) => (one.field === "other" ? undefined : { ...one, field: "name" }));
  expect([String(changed), changed.exactMatch("name"), changed.exactMatch("other")]).toEqual([
    "name=web",
    "web",
    undefined,
  ]);
  expect([everyField().matches({}), noField().matches({}), everyField().isEverything]).toEqual([true, false, true]);
});
