import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseError } from "../parse-error.js";
import {
  everything,
  formatLabelSelector,
  labelSelectorAsMap,
  labelSelectorAsSelector,
  nothing,
  parseLabelSelector,
  parseToLabelSelector,
  selectorFromSet,
} from "./label-selector.js";
import { InvalidRequirementError, type Labels, newRequirement, type Requirement } from "./requirement.js";

describe("the text form", () => {
  const table: readonly (readonly [input: string, canonical: string])[] = [
    ["", ""],
    [" ", ""],
    ["a", "a"],
    ["!a", "!a"],
    ["! a", "!a"],
    ["a=b", "a=b"],
    ["a==b", "a==b"],
    ["a = b", "a=b"],
    ["a!=b", "a!=b"],
    ["a=", "a="],
    ["a=,b", "a=,b"],
    ["b,a", "a,b"],
    ["a in (c,b,c)", "a in (b,c)"],
    ["a notin (b)", "a notin (b)"],
    ["a in ()", "a in ()"],
    ["a in (,)", "a in ()"],
    ["a in (b,)", "a in (,b)"],
    ["a>1", "a>1"],
    ["a < 2", "a<2"],
    ["in in (in,notin)", "in in (in,notin)"],
    ["x.io/a=b", "x.io/a=b"],
    ["a\t=\r\nb", "a=b"],
  ];
  for (const [input, canonical] of table) {
    test(`${JSON.stringify(input)} is printed as ${JSON.stringify(canonical)}`, () => {
      expect(String(parseLabelSelector(input))).toBe(canonical);
    });
  }
});

describe("bad text", () => {
  const table: readonly (readonly [input: string, position: number, reason: string])[] = [
    [",", 0, "found ',', expected: !, identifier, or 'end of string'"],
    ["a,", 2, "found '', expected: identifier after ','"],
    ["a b", 2, "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["!a=b", 2, "found '=', expected: ',' or 'end of string'"],
    ["a in b", 5, "unable to parse requirement: found 'b' expected: '('"],
    ["a in (b", 7, "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (=)", 6, "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ["a=(", 2, "unable to parse requirement: found '(', expected: identifier"],
    ["!", 1, "unable to parse requirement: found '', expected: identifier"],
    ["a=b c", 4, "found 'c', expected: ',' or 'end of string'"],
    [
      "a>b",
      2,
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ];
  for (const [input, position, reason] of table) {
    test(`${JSON.stringify(input)} is refused at position ${position}`, () => {
      try {
        parseLabelSelector(input);
        expect.unreachable();
      } catch (error) {
        const { reason: said, position: at } = error as ParseError;
        expect([said, at]).toEqual([reason, position]);
      }
    });
  }

  test("bad keys and values are named as the server names them", () => {
    expect(() => parseLabelSelector("a/b/c=d")).toThrow(
      `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key must consist of`,
    );
    expect(() => parseLabelSelector("a=-x")).toThrow(
      `unable to parse requirement: values[0][a]: Invalid value: "-x": a valid label must be`,
    );
  });

  test("never throws anything but ParseError", () => {
    const piece = fc.constantFrom("a", "b", "in", "notin", " ", ",", "=", "!", "(", ")", ">", "<", "\0", "é", "-");
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: piece }), fc.string()), (input) => {
        try {
          parseLabelSelector(input);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
          expect((error as ParseError).position).toBeLessThanOrEqual(input.length);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

const word = fc.constantFrom("a", "b", "in", "x.io/y", "constructor", "toString");
const value = fc.constantFrom("", "1", "3", "foo", "in", "99999999999999999999");
const requirement: fc.Arbitrary<Requirement> = fc.oneof(
  fc.tuple(word, fc.constantFrom("exists", "!")).map(([key, operator]) => ({ key, operator, values: [] }) as const),
  fc
    .tuple(word, fc.constantFrom("=", "==", "!="), value)
    .map(([key, operator, one]) => ({ key, operator, values: [one] }) as const),
  fc
    .tuple(word, fc.constantFrom("in", "notin"), fc.uniqueArray(value, { minLength: 1 }))
    .map(([key, operator, values]) => ({ key, operator, values: [...values].sort() }) as const),
  fc
    .tuple(word, fc.constantFrom("gt", "lt"), fc.integer({ min: 0, max: 5 }))
    .map(([key, operator, limit]) => ({ key, operator, values: [String(limit)] }) as const),
);
const labelSet = fc.dictionary(word, value).map((labels): Labels => ({ ...labels }));

/** The rules, read slowly. */
function naive({ key, operator, values }: Requirement, labels: Labels): boolean {
  const has = Object.hasOwn(labels, key);
  const label = has ? (labels[key] as string) : undefined;
  const number = label !== undefined && /^[+-]?\d{1,18}$/.test(label) ? Number(label) : undefined;
  switch (operator) {
    case "exists":
      return has;
    case "!":
      return !has;
    case "gt":
      return number !== undefined && number > Number(values[0]);
    case "lt":
      return number !== undefined && number < Number(values[0]);
    case "!=":
    case "notin":
      return label === undefined || !values.includes(label);
    default:
      return label !== undefined && values.includes(label);
  }
}

describe("properties", () => {
  test("parse after print is the identity", () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
        const selector = everything().and(...requirements);
        const again = parseLabelSelector(String(selector));
        expect([again.requirements, String(again)]).toEqual([selector.requirements, String(selector)]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("matching is that of the rules read slowly, also for names that every object inherits", () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), labelSet, (requirements, labels) => {
        const selector = everything().and(...requirements);
        expect(selector.matches(labels)).toBe(requirements.every((one) => naive(one, labels)));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("the form that objects carry", () => {
  test("absent selects nothing, empty selects everything", () => {
    const absent = labelSelectorAsSelector(undefined);
    const empty = labelSelectorAsSelector({});
    expect([absent.matches({ a: "b" }), absent.isNothing, empty.matches({}), empty.isEverything]).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  test("labels and expressions are one sorted selector", () => {
    const selector = labelSelectorAsSelector({
      matchLabels: { b: "1" },
      matchExpressions: [
        { key: "c", operator: "In", values: ["y", "x"] },
        { key: "a", operator: "DoesNotExist" },
        { key: "d", operator: "Exists" },
        { key: "e", operator: "NotIn", values: ["z"] },
      ],
    });
    expect(String(selector)).toBe("!a,b=1,c in (x,y),d,e notin (z)");
    expect([selector.matches({ b: "1", c: "x", d: "" }), selector.matches({ b: "1", c: "x", d: "", e: "z" })]).toEqual([
      true,
      false,
    ]);
  });

  test("broken rules are all named", () => {
    expect(() => labelSelectorAsSelector({ matchExpressions: [{ key: "-", operator: "In", values: [] }] })).toThrow(
      InvalidRequirementError,
    );
    const odd = { matchExpressions: [{ key: "a", operator: "Like" }] } as never;
    expect(() => labelSelectorAsSelector(odd)).toThrow('"Like" is not a valid label selector operator');
    expect(() => newRequirement("-", "exists", ["x"])).toThrow(
      /^\[key: Invalid value: "-": .*, values: Invalid value: \["x"\]: values set must be empty for exists and does not exist\]$/,
    );
  });

  test("is printed for people", () => {
    expect([
      formatLabelSelector(undefined),
      formatLabelSelector({}),
      formatLabelSelector({ matchLabels: { a: "b" } }),
      formatLabelSelector({ matchLabels: { "-": "b" } }),
    ]).toEqual(["<none>", "<none>", "a=b", "<error>"]);
  });

  test("text goes into it and a map comes out of it, where that can be", () => {
    expect(parseToLabelSelector("a=1,b in (y,x),!c,d")).toEqual({
      matchLabels: { a: "1" },
      matchExpressions: [
        { key: "b", operator: "In", values: ["x", "y"] },
        { key: "c", operator: "DoesNotExist", values: [] },
        { key: "d", operator: "Exists", values: [] },
      ],
    });
    expect(() => parseToLabelSelector("a>1")).toThrow(`"gt" isn't supported in label selectors`);
    expect(
      labelSelectorAsMap({ matchLabels: { a: "1" }, matchExpressions: [{ key: "b", operator: "In", values: ["x"] }] }),
    ).toEqual({ a: "1", b: "x" });
    expect(() => labelSelectorAsMap({ matchExpressions: [{ key: "b", operator: "Exists" }] })).toThrow(
      'operator "Exists" cannot be converted into the old label selector format',
    );
  });
});

test("a selector tells which value it pins", () => {
  const selector = parseLabelSelector("a=1,b in (2),c in (3,4),d!=5");
  expect(["a", "b", "c", "d", "e"].map((key) => selector.exactMatch(key))).toEqual([
    "1",
    "2",
    undefined,
    undefined,
    undefined,
  ]);
});

test("a set of labels selects exactly these; nothing stays nothing", () => {
  const selector = selectorFromSet({ a: "1", b: "2" });
  expect([
    selector.matches({ a: "1", b: "2", c: "3" }),
    selector.matches({ a: "1" }),
    selector.matches(undefined),
  ]).toEqual([true, false, false]);
  expect(nothing().and(newRequirement("a", "exists")).matches({ a: "" })).toBe(false);
});
