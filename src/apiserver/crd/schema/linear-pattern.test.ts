import fc from "fast-check";
import { expect, test } from "vitest";
import { LinearPattern } from "./linear-pattern.js";

const compile = (pattern: string, flags = ""): LinearPattern => {
  const compiled = LinearPattern.compile(pattern, flags);
  if (compiled === undefined) throw new Error(`${pattern} is not supported`);
  return compiled;
};

const part: fc.Arbitrary<string> = fc.letrec<{ node: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("a", "b", "c", ".", "[ab]", "[^a]", "\\d", "\\w", "^", "$", "\\b", "[a-c]", "\\.", "-"),
    tie("node").map((inner) => `(${inner})`),
    tie("node").map((inner) => `(?:${inner})`),
  ),
  node: fc.oneof(
    { depthSize: "small" },
    tie("atom"),
    fc.tuple(tie("atom"), tie("node")).map(([a, b]) => a + b),
    fc.tuple(tie("node"), tie("node")).map(([a, b]) => `${a}|${b}`),
    fc
      .tuple(
        fc.constantFrom("a", "b", "[ab]", "(ab)", "(a|b)", "."),
        fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"),
      )
      .map(([a, b]) => a + b),
  ),
})).node;

test("any pattern matches what JavaScript says it matches", () => {
  fc.assert(
    fc.property(
      part,
      fc.string({ unit: fc.constantFrom("a", "b", "c", "1", ".", "-", "\n", "é", "😀"), maxLength: 8 }),
      (pattern, text) => {
        expect([pattern, text, compile(pattern).test(text)]).toEqual([
          pattern,
          text,
          new RegExp(pattern, "u").test(text),
        ]);
      },
    ),
    { numRuns: 1000 },
  );
});

test.each([
  ["(a+)+$", `${"a".repeat(5000)}!`],
  ["^(a|aa)+$", `${"a".repeat(5000)}!`],
  ["^(.*,){20}P", "1,".repeat(500)],
  ["(x+x+)+y", "x".repeat(5000)],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(2000)],
  [".*.*.*=.*", "a".repeat(5000)],
])("%s takes no longer than its length", (pattern, text) => {
  expect(compile(pattern).test(text)).toBe(false);
});

test.each([
  ["(?i:AB)c", "abc", true],
  ["[[:alpha:]]+[[:digit:]]{2}", "x12", true],
  ["[]a]", "]", true],
  ["\\Aab\\z", "ab\n", false],
  ["(?P<name>x)y", "xy", true],
  ["a{2,3}b", "ab", false],
  ["", "", true],
])("%s on %s gives %s", (pattern, text, matches) => {
  expect(compile(pattern).test(text)).toBe(matches);
});

test.each(["(?=a)", "\\1", "a{2000}", "(a{1000}){1000}", "\\pL"])("%s is left to others", (pattern) => {
  expect(LinearPattern.compile(pattern)).toBeUndefined();
});
