import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactJson, parseExactJson } from "./exact-json.js";

describe("exact JSON", () => {
  it.each([
    ["9007199254740993", 9_007_199_254_740_993n],
    ["-9007199254740993", -9_007_199_254_740_993n],
    ["9223372036854775807", 2n ** 63n - 1n],
    ["-9223372036854775808", -(2n ** 63n)],
    ["9007199254740991", 9_007_199_254_740_991],
    // Go reads what an int64 cannot hold as a float64
    ["9223372036854775808", 9_223_372_036_854_775_808],
    ["1e18", 1e18],
  ])("reads %s as %s", (text, value) => {
    for (const [around, of] of [
      [`[${text}]`, (all: never) => all[0]],
      [`{"a":${text}}`, (all: { a: unknown }) => all.a],
      [`{"a" :\n ${text} }`, (all: { a: unknown }) => all.a],
    ] as const) {
      expect((of as (all: unknown) => unknown)(parseExactJson(around))).toBe(value);
    }
  });

  it("leaves strings alone, whatever they look like", () => {
    const strings = [
      "9007199254740993",
      "#0#9007199254740993",
      "\\u0023",
      "#1#",
      '","a":9007199254740993',
      "[9007199254740993",
    ];
    const text = `[9007199254740993,${strings.map((one) => JSON.stringify(one)).join(",")},"\\u00230#1"]`;
    expect(parseExactJson(text)).toEqual([9_007_199_254_740_993n, ...strings, "#0#1"]);
  });

  it.each([
    "{9007199254740993:1}",
    `{9007199254740993${" ".repeat(200)}:1}`,
    '["\\x",9007199254740993]',
    "[9007199254740993",
    "09007199254740993",
    '{"a":9007199254740993,}',
  ])("refuses %s as JSON.parse does", (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it("keeps a member named __proto__", () => {
    const value = parseExactJson('{"__proto__":9007199254740993}') as object;
    expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toBe(9_007_199_254_740_993n);
    expect(exactJson(value)).toBe('{"__proto__":9007199254740993}');
  });

  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((one) => !Number.isSafeInteger(Number(one))),
      fc.jsonValue({ maxDepth: 0 }),
      fc.stringMatching(/^#\d{1,2}#\d*$/),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
    ),
  })).value;

  it("reads back every value that it writes, with any indent", () => {
    fc.assert(
      fc.property(json, fc.constantFrom("", "  "), (value, indent) => {
        const plain = JSON.parse(
          JSON.stringify([value], (_, one: unknown) => (typeof one === "bigint" ? 0 : one)),
        ) as unknown;
        const text = exactJson([value], indent);
        expect(exactJson(parseExactJson(text), indent)).toBe(text);
        // the layout is JSON.stringify's
        const withZeros = parseExactJson(text);
        const zeroed = JSON.stringify(withZeros, (_, one: unknown) => (typeof one === "bigint" ? 0 : one), indent);
        expect(JSON.parse(zeroed)).toEqual(plain);
      }),
    );
  });

  it("lays out as JSON.stringify does", () => {
    const value = { a: [1, [], {}, { b: null, c: undefined }], d: "x" };
    expect(exactJson({ ...value, n: 2n ** 60n }, "  ").replace("1152921504606846976", "1")).toBe(
      JSON.stringify({ ...value, n: 1 }, undefined, 2),
    );
  });
});
