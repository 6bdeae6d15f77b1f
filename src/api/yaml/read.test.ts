import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { realAnswers } from "../../../test/fixtures/yaml/answers.js";
import { writeYaml, YamlError, yamlToJson } from "./index.js";

const valueOf = (text: string): unknown => JSON.parse(yamlToJson(text).json);

describe("values are what a Kubernetes server makes of them", () => {
  test.each(realAnswers)("%j is %s", (text, json) => {
    const read = (): unknown => (valueOf(`v: ${text}\n`) as { readonly v: unknown }).v;
    if (json === undefined) expect(read).toThrow(YamlError);
    else expect(JSON.parse(JSON.stringify(read()))).toEqual(JSON.parse(json));
  });
});

describe("documents", () => {
  test.each([
    ["", null],
    ["# only a comment\n", null],
    ["a: 1\n---\nb: 2\n", { a: 1 }],
    ["---\na: 1\n...\n", { a: 1 }],
    ["\ufeffa: 1\r\nb: [x,\r\n  z]\r\n", { a: 1, b: ["x", "z"] }],
    ["%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 5\n", { a: "5" }],
    ["__proto__: {x: 1}\nconstructor: 2\n", JSON.parse('{"__proto__":{"x":1},"constructor":2}')],
  ])("%j is read", (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });

  test("of a key that comes twice the last counts, and its line is told", () => {
    const text = 'a: 1\na:\n  - 2\na: &x\n  z: 1\n1: a\n1: b\ntrue: 1\ntrue: 2\nq: {b: 1,\n  "b": 3}\n';
    const { json, repeated } = yamlToJson(text);
    expect(JSON.parse(json)).toEqual({ a: { z: 1 }, 1: "b", true: 2, q: { b: 3 } });
    expect(repeated).toEqual([
      'line 3: key "a" already set in map',
      'line 4: key "a" already set in map',
      "line 7: key 1 already set in map",
      "line 9: key true already set in map",
      'line 11: key "b" already set in map',
    ]);
  });

  test("no more than a hundred repeated keys are told", () => {
    expect(yamlToJson("a: 1\n".repeat(5_000)).repeated).toHaveLength(100);
  });

  test("merged fields take the place of those before them, and give way to those after; of a list the first is the strongest", () => {
    const text =
      "a: &m {x: 1, z: 9}\nb: {x: 5, <<: *m}\nc: {<<: *m, x: 5}\nd: {<<: [{x: 3}, {x: 4, q: 1}]}\ne: {'<<': 1}\n";
    expect(valueOf(text)).toEqual({
      a: { x: 1, z: 9 },
      b: { x: 1, z: 9 },
      c: { x: 5, z: 9 },
      d: { x: 3, q: 1 },
      e: { "<<": 1 },
    });
  });

  test("a refusal names its line", () => {
    expect(() => yamlToJson("a: 1\nb: [\n")).toThrow(/^yaml: line 3: /);
  });
});

describe("hostile text is refused", () => {
  const bomb = [...Array(12).keys()].map((i) => `a${i}: &a${i} [${Array(10).fill(i === 0 ? "x" : `*a${i - 1}`)}]\n`);
  const wide = `a: &a {${[...Array(3_000).keys()].map((i) => `k${i}: v`).join(", ")}}\n`;
  test.each([
    ["dashes that nest", "- ".repeat(30_000), "exceeded max depth of 500"],
    ["questions that nest", "? ".repeat(30_000), "exceeded max depth of 500"],
    ["brackets that nest", "[".repeat(30_000), "exceeded max depth of 500"],
    ["indentation that nests", [...Array(600).keys()].map((i) => `${" ".repeat(i)}k:\n`).join(""), "max depth of 500"],
    ["aliases that multiply", bomb.join(""), "excessive aliasing"],
    ["an anchor in itself", "a: &a [*a]\n", "contains itself"],
    ["merges of the same many fields", `${wide}b: {<<: [${Array(3_000).fill("*a")}]}\n`, "excessive aliasing"],
    [
      "merges into many",
      wide + [...Array(3_000).keys()].map((i) => `b${i}: {<<: *a}\n`).join(""),
      "excessive aliasing",
    ],
    ["more values than anybody writes", `[${"a,".repeat(1_000_000)}]`, "send an object of this size as JSON"],
    ["more documents than anybody writes", "--- \n".repeat(300_000), "send an object of this size as JSON"],
    ["control characters", "a: \x01\n", "yaml: line 1: "],
  ])("%s", (_, text, why) => {
    expect(() => yamlToJson(text)).toThrow(why);
  });

  test("any text gives JSON or a YamlError", () => {
    const piece = fc.constantFrom(...Array.from("abc01-?:,[]{}#&*!|>'\"%@`<~\n\t \\_.=+/"));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: piece, maxLength: 40 })), (text) => {
        try {
          JSON.parse(yamlToJson(text).json);
        } catch (error) {
          expect(error).toBeInstanceOf(YamlError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

test("what is written is read back", () => {
  const odd = fc.constantFrom(
    "\n",
    " ",
    ":",
    "#",
    "-",
    "'",
    '"',
    "\t",
    "\r",
    "y",
    "1",
    ".",
    "\\",
    "|",
    "é",
    "😀",
    "\x85",
  );
  const text = fc.oneof(fc.string({ unit: odd, maxLength: 12 }), fc.string({ unit: "binary" }).filter(isWhole));
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(text, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(value, (given) => {
      expect(JSON.stringify(sorted(valueOf(writeYaml({ given }))))).toBe(JSON.stringify({ given: sorted(given) }));
    }),
    { numRuns: 2_000 },
  );
});

/** Half a character is not text. */
const isWhole = (text: string): boolean => !/[\ud800-\udfff]/u.test(text);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}
