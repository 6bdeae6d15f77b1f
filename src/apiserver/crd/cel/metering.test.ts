import fc from "fast-check";
import { expect, test } from "vitest";
import { compileExpression, compileRules } from "./rules.js";
import { costLimits, evaluate } from "./metering.js";

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

function costOf(expression: string, self: unknown): number {
  const { program } = compileExpression(expression);
  const result = evaluate(() => program({ self }), 1e12);
  if (result.type !== "value") throw new Error(result.type === "error" ? String(result.error) : result.type);
  return result.cost;
}

test("a loop costs as much more as it is longer, a loop in a loop the square of it", () => {
  const one = (count: number): number => costOf("self.all(x, x >= 0)", numbers(count));
  const two = (count: number): number => costOf("self.all(x, self.all(y, x + y >= 0))", numbers(count));
  expect(one(1000) / one(100)).toBeCloseTo(10, 0);
  expect(two(100) / two(10)).toBeGreaterThan(80);
});

test.each([
  ["membership in a long list", "self.all(x, x in self)"],
  ["comparison of long lists", "self.all(x, self == self)"],
  ["putting lists together", "self.all(x, size(self + self) > 0)"],
  ["sets", "sets.contains(self, self)"],
  ["distinct items", "self.distinct() == self"],
  ["errors that operators swallow", "self.all(x, self.exists(y, 1 / 0 == 1 || x == -1) || true)"],
  ["bound variables", "self.all(x, cel.bind(y, self.map(z, z + x), size(y) > 0))"],
])("a rule that takes too long is stopped: %s", (_, rule) => {
  const self = numbers(3000);
  const { program } = compileExpression(rule);
  expect(evaluate(() => program({ self }), costLimits.perCall)).toEqual({ type: "too costly" });
});

test("long text in a loop is counted", () => {
  const self = { text: "x".repeat(100_000), many: numbers(1000) };
  const { program } = compileExpression('self.many.all(x, !self.text.contains("y"))');
  expect(evaluate(() => program({ self }), costLimits.perCall)).toEqual({ type: "too costly" });
});

test("a pattern that would take for ever takes none", () => {
  const { program } = compileExpression('self.matches("^(a+)+$") || self.matches("^(.*,){20}P")');
  expect(program({ self: "a".repeat(50_000) })).toBe(true);
  expect(program({ self: `${"a".repeat(2000)}!` })).toBe(false);
  expect(compileExpression('self.matches("^[a-z]+$")').program({ self: "abc" })).toBe(true);
});

test("looking for a pattern takes no longer than looking at the text", () => {
  const of = (rule: string, self: string): unknown => compileExpression(rule).program({ self });
  const text = "a".repeat(2000);
  expect(of('self.find("(a+)+$|(a|aa)+$")', `${text}!`)).toBe("");
  expect(of('self.find("(x+x+)+y|b+?")', `${text}bb`)).toBe("b");
  expect(of('self.findAll("(.*,){20}P|[0-9]+")', "1,22".repeat(3))).toEqual(["1", "221", "221", "22"]);
  expect(of('self.findAll("a|b*", 2)', "abb")).toEqual(["a", "bb"]);
  expect(of('self.findAll("a", 0)', "abb")).toEqual([]);
});

test("a search that begins again and again is counted", () => {
  const { program } = compileExpression('self.findAll("a.*b|a").size() > 0');
  expect(evaluate(() => program({ self: "a".repeat(20_000) }), costLimits.perCall)).toEqual({ type: "too costly" });
});

test("counting changes no result", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 8 }), (self) => {
      const big = self.map(BigInt);
      const of = (rule: string): unknown => compileExpression(rule).program({ self: big });
      expect(of("self.all(x, x > 0)")).toBe(self.every((x) => x > 0));
      expect(of("self.exists(x, x in [1, 2])")).toBe(self.some((x) => x === 1 || x === 2));
      expect(of("self.exists_one(x, x == 3)")).toBe(self.filter((x) => x === 3).length === 1);
      expect(of("self.filter(x, x > 0).map(x, x * 2)")).toEqual(self.filter((x) => x > 0).map((x) => BigInt(x * 2)));
      expect(of("has(self.a) ? 1 : size(self)")).toBe(BigInt(self.length));
    }),
  );
});

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { list: { type: "array", items: { type: "integer" } } },
      "x-kubernetes-validations": [
        { rule: "self.list.all(x, self.list.all(y, x != y || x == y))", message: "odd" },
        { rule: "false", message: "never reached" },
      ],
    },
  },
} as const;

test("no rule is run after one that cost too much, and the object is refused in upstream's words", () => {
  const errors = compileRules(schema as never)?.validate({ spec: { list: numbers(2000) } }, undefined);
  expect(errors).toEqual([
    {
      reason: "FieldValueInvalid",
      field: "spec",
      message:
        "Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: odd",
    },
  ]);
});

test("all rules of an object share one budget", () => {
  const items = {
    type: "array",
    items: { type: "integer" },
    "x-kubernetes-validations": [{ rule: "self.all(x, self.all(y, true))" }],
  };
  const lists = { type: "object", properties: { lists: { type: "array", items } } };
  const value = { lists: Array.from({ length: 40 }, () => numbers(200)) };
  const errors = compileRules(lists as never)?.validate(value, undefined);
  expect(errors?.map(({ message }) => message)).toEqual([
    'Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
  ]);
});
