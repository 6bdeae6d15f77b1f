import fc from "fast-check";
import { expect, test } from "vitest";
import { Pattern } from "./pattern.js";

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
        fc.constantFrom("a", "b", "[ab]", "(ab)", "(a|b)", "(a|ab)", "."),
        fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?", "??", "{1,3}?"),
      )
      .map(([a, b]) => a + b),
  ),
})).node;
const unit = fc.constantFrom("a", "b", "c", "1", ".", "-", "\n", "é", "😀");

/** Longer than the texts that are left to JavaScript's own expressions. */
const long = "é".repeat(200);

test("any pattern matches what JavaScript says it matches", () => {
  fc.assert(
    fc.property(part, fc.string({ unit, maxLength: 8 }), (pattern, text) => {
      // JavaScript's dot stops at other ends of lines too, and its \w at nothing else; the alphabet has none of them
      const native = new RegExp(pattern, "u");
      const compiled = new Pattern(pattern);
      for (const one of [text, text + long, long + text]) {
        expect([pattern, one, compiled.test(one)]).toEqual([pattern, one, native.test(one)]);
        const [first] = compiled.matches(one);
        expect([pattern, one, first]).toEqual([pattern, one, native.exec(one)?.[0]]);
      }
    }),
    { numRuns: 1000 },
  );
});

const catastrophic: readonly (readonly [string, string])[] = [
  ["(a+)+$", `${"a".repeat(5000)}!`],
  ["^(a|aa)+$", `${"a".repeat(5000)}!`],
  ["^(.*,){20}P", "1,".repeat(500)],
  ["(x+x+)+y", "x".repeat(5000)],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(2000)],
  [".*.*.*=.*", "a".repeat(5000)],
  ["(\\pL+)+$", `${"é".repeat(5000)}!`],
  ["(?i)(a+)+$", `${"aA".repeat(2500)}!`],
  // short texts, which are otherwise left to JavaScript
  ["(a+)+$", `${"a".repeat(60)}!`],
  ["(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)b{100}", "a".repeat(100)],
  [`${"a?".repeat(40)}${"a".repeat(40)}b`, "a".repeat(40)],
  [".*.*.*.*=", "a".repeat(120)],
];

test.each(catastrophic)("%s takes no longer than its length", (pattern, text) => {
  expect(new Pattern(pattern).test(text)).toBe(false);
  expect(Array.from(new Pattern(pattern).matches(text))).toEqual([]);
});

test.each([
  ["(?i:AB)c", "abc", true],
  ["(?i)a(?-i)b", "Ab", true],
  ["(?i)a(?-i)b", "AB", false],
  ["(a(?i)b)c", "aBC", false],
  ["[[:alpha:]]+[[:digit:]]{2}", "x12", true],
  ["^[[:alpha:]_-]+$", "x_-", true],
  ["^[[:^alpha:]]$", "x", false],
  ["[]a]", "]", true],
  ["[a-]", "-", true],
  ["\\Aab\\z", "ab\n", false],
  ["(?P<name>x)y", "xy", true],
  ["(?<name>x)y", "xy", true],
  ["a{2,3}b", "ab", false],
  ["a{,3}", "a{,3}", true],
  ["\\Qa.b*\\E+", "a.b**", true],
  ["\\Qa.b", "axb", false],
  ["^\\x41\\x{1F600}\\101$", "A😀A", true],
  ["^\\s$", "\v", false],
  ["^\\S$", "\v", true],
  ["^\\s$", "\u00a0", false],
  ["^[\\S]$", "\u00a0", true],
  ["^\\p{Greek}\\pL\\PL\\p{^L}$", "αé12", true],
  ["^.$", "\r", true],
  ["(?s)^.$", "\n", true],
  ["(?m)^b$", "a\nb\nc", true],
  ["^b$", "a\nb\nc", false],
  ["^*a", "a", true],
  ["", "", true],
])("%s on %s gives %s", (pattern, text, matches) => {
  expect(new Pattern(pattern).test(text)).toBe(matches);
});

test.each([
  ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
  ["(?<=a)", "invalid named capture: `(?<=a)`"],
  ["(?<a!>)", "invalid named capture: `(?<a!>`"],
  ["\\1", "invalid escape sequence: `\\1`"],
  ["\\q", "invalid escape sequence: `\\q`"],
  ["\\Z", "invalid escape sequence: `\\Z`"],
  ["a{2000}", "invalid repeat count: `{2000}`"],
  ["a{3,2}", "invalid repeat count: `{3,2}`"],
  ["(a{1000}){1000}", "invalid repeat count: `{1000}`"],
  ["a**", "invalid nested repetition operator: `**`"],
  ["*a", "missing argument to repetition operator: `*`"],
  ["a|+?b", "missing argument to repetition operator: `+?`"],
  ["({2})", "missing argument to repetition operator: `{2}`"],
  ["(a", "missing closing ): `(a`"],
  ["a)b", "unexpected ): `a)b`"],
  ["x[a", "missing closing ]: `[a`"],
  ["[z-a]", "invalid character class range: `z-a`"],
  ["[[:no:]]", "invalid character class range: `[:no:]`"],
  ["\\p{No-such}", "invalid character class range: `\\p{No-such}`"],
  ["(?i", "invalid or unsupported Perl syntax: `(?i`"],
  ["a\\", "trailing backslash at end of expression: ``"],
])("%s is refused: %s", (pattern, problem) => {
  expect(() => new Pattern(pattern)).toThrow(`error parsing regexp: ${problem}`);
});

test.each([
  ["b*", "abba", ["", "bb", ""]],
  ["a|ab", "ab ab", ["a", "a"]],
  ["ab|a", "ab ab", ["ab", "ab"]],
  ["a+?", "aaa", ["a", "a", "a"]],
  ["(?U)a+", "aa", ["a", "a"]],
  ["(|a)*", "aa", ["", "", ""]],
  ["(|a)+", "aa", ["", "", ""]],
  ["(|a){2,}", "aaa", ["", "", "", ""]],
  ["(^|a)*", "aa", ["", "a"]],
  ["(a*)*", "aab", ["aa", ""]],
  ["(a|b*)*", "abba", ["abba"]],
  ["(a??)*b", "aab", ["aab"]],
  ["\\b", "ab c", ["", "", "", ""]],
  ["^a", "aaa", ["a"]],
  ["x*", "😀x", ["", "x"]],
])("all matches of %s in %s are %j", (pattern, text, matches) => {
  expect(Array.from(new Pattern(pattern).matches(text))).toEqual(matches);
});
