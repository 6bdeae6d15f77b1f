import fc from "fast-check";
import { expect, test } from "vitest";
import { compile, evaluate } from "./compile.js";
import { CostExceeded, Meter } from "./values/meter.js";
import { estimate } from "./cost/estimate.js";
import { kubernetesFunctions } from "./kubernetes/libraries.js";
import { CelSyntaxError } from "./syntax/source.js";
import { dyn } from "./values/types.js";
import { fromJson } from "./values/json.js";
import type { Value } from "./values/value.js";

const environment = {
  functions: kubernetesFunctions,
  variables: new Map([["self", dyn]]),
  types: { fieldType: () => undefined, named: () => undefined },
};

interface Done {
  readonly cost: number;
  readonly work: number;
  readonly stopped: boolean;
}

/** Small, so that the tests are quick; work that stays below it stays below any larger limit. */
const limit = 20_000;

/** The cost and the work of an expression, up to its limit. */
function taken(expression: string, self: unknown): Done {
  const { program } = compile(expression, environment);
  const meter = new Meter(limit);
  const value = fromJson(self);
  try {
    program.run(() => value, meter);
    return { cost: meter.cost, work: meter.work, stopped: false };
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error;
    return { cost: meter.cost, work: meter.work, stopped: true };
  }
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const texts = (count: number): readonly string[] => numbers(count).map((i) => `item-${i}`);
const nested = (count: number): unknown => ({
  list: numbers(count).map((i) => ({ id: i, rows: [numbers(10), numbers(10)] })),
  map: Object.fromEntries(texts(count).map((name) => [name, { name, value: name }])),
  text: "x".repeat(count * 10),
  ints: numbers(count),
  names: texts(count),
});

/** Each takes much more than its length tells: loops in loops, and operations that look through all they are given. */
const worst: readonly (readonly [what: string, expression: string])[] = [
  ["maps compared in a loop", "self.list.all(x, self.map == self.map)"],
  ["nested lists compared in a loop", "self.list.all(x, self.list == self.list)"],
  ["objects looked for in a list", "self.list.all(x, self.list.indexOf(x) >= 0)"],
  ["objects looked for from behind", "self.list.all(x, self.list.lastIndexOf(x) >= 0)"],
  ["distinct objects", "self.list.distinct().size() > 0"],
  ["distinct objects in a loop", "self.ints.all(x, self.list.distinct().size() > 0)"],
  ["the sizes of texts", "self.ints.all(x, self.text.size() > 0)"],
  ["texts formatted", "self.ints.all(x, '%s%s'.format([self.text, self.list]).size() > 0)"],
  ["replacing between all characters", "self.ints.all(x, self.text.replace('', self.text).size() > 0)"],
  ["splitting into characters", "self.ints.all(x, self.text.split('').size() > 0)"],
  ["objects in a list", "self.list.all(x, x in self.list)"],
  ["sets of objects", "sets.equivalent(self.list, self.list)"],
  ["putting lists together", "self.ints.all(x, (self.list + self.list).size() > 0)"],
  ["sorting", "self.ints.all(x, self.ints.map(y, -y).sort().size() > 0)"],
  ["sorting by keys", "self.ints.all(x, self.names.sortBy(y, y + y).size() > 0)"],
  ["flattening", "self.ints.all(x, self.list.map(y, y.rows).flatten().size() > 0)"],
  ["ranges", "self.ints.all(x, lists.range(1000000).size() > 0)"],
  ["one range", "lists.range(1000000000).size() > 0"],
  ["patterns", "self.ints.all(x, self.text.matches('(x+x+)+y'))"],
  ["patterns that are new each time", "self.names.all(x, !self.text.matches(x + 'a{1000}'))"],
  ["searches", "self.ints.all(x, self.text.findAll('x').size() > 0)"],
  ["three loops", "self.ints.all(x, self.ints.all(y, self.ints.all(z, true)))"],
  ["maps made anew", "self.ints.all(x, self.map.transformMap(k, v, v).size() > 0)"],
  ["errors that operators do without", "self.ints.all(x, self.ints.exists(y, 1 / 0 == 1 || x == -1) || true)"],
  ["quoting", "self.ints.all(x, strings.quote(self.text).size() > 0)"],
  ["joining", "self.ints.all(x, self.names.join(self.text).size() > 0)"],
  ["values that hold one another", `[self.list]${".map(a, [a, a])".repeat(40)}.all(a, a == a)`],
  ["texts that hold one another", `['xx']${".map(a, a + a)".repeat(40)}.size() > 0`],
  ["formatting values that hold one another", `'%s'.format([[1]${".map(a, [a, a])".repeat(40)}]).size() > 0`],
];

test.each(worst)("what an expression does is bounded however much it is given: %s", (_, expression) => {
  const done = [100, 200, 400].map((count) => taken(expression, nested(count)));
  for (const [i, { stopped, cost, work }] of done.entries()) {
    if (stopped) continue;
    expect(cost).toBeLessThanOrEqual(limit);
    expect(work).toBeLessThanOrEqual(4 * limit);
    // once stopped, more input does not get further
    expect(done.slice(0, i).some((before) => before.stopped)).toBe(false);
  }
});

/** Parts of JSON that are looked at, counted from outside. */
function watched(value: unknown, looked: { count: number }): unknown {
  if (typeof value !== "object" || value === null) return value;
  const target = Array.isArray(value)
    ? value.map((item) => watched(item, looked))
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, watched(member, looked)]));
  return new Proxy(target, {
    get(of, name, receiver): unknown {
      looked.count++;
      return Reflect.get(of, name, receiver);
    },
  });
}

test.each(worst)("and so is how often the input is looked at: %s", (_, expression) => {
  const looked = { count: 0 };
  const self = watched(nested(400), looked);
  looked.count = 0;
  taken(expression, self);
  // each element that is visited costs at least a part of a step
  expect(looked.count).toBeLessThan(20 * limit);
});

test.each([
  ["brackets", "(".repeat(100_000), "expression recursion limit exceeded: 250"],
  ["lists", `${"[".repeat(300)}${"]".repeat(300)}`, "expression recursion limit exceeded: 250"],
  ["sums", Array.from({ length: 20_000 }, () => "1").join("+"), "max recursion depth exceeded"],
  ["members", `self${".a".repeat(20_000)}`, "max recursion depth exceeded"],
  ["choices", `${"true ? 1 : ".repeat(300)}1`, "expression recursion limit exceeded: 250"],
  ["indices within one another", `${`self${".a".repeat(200)}[`.repeat(200)}0${"]".repeat(200)}`, undefined],
  [
    "long chains within one another",
    `${"(".repeat(200)}self${`${".a".repeat(200)})`.repeat(200)}`,
    "max recursion depth exceeded",
  ],
  ["text", `"${"x".repeat(100_001)}"`, "expression code point size exceeds limit: size: 100003, limit 100000"],
  ["macros that repeat their target", `self${".optMap(a, a)".repeat(100)}`, "more than 100000 parts"],
  ["types that double", `[1]${".map(a, {a: a})".repeat(200)}`, undefined],
  ["signs", `${"!".repeat(50_000)}true`, undefined],
  ["terms", Array.from({ length: 15_000 }, () => "true").join("&&"), undefined],
  ["empty lists", `[${Array.from({ length: 20_000 }, () => "[]").join(",")}]`, undefined],
  ["lines without an end", `${'"'.repeat(20_001)}`, "token recognition error"],
  // each is looked through to the end of the source
  ["blocks without an end", '\\"""\n'.repeat(20_000), "901 more errors were truncated"],
])("a text that goes deep or long is read or refused: %s", (_, expression, complaint) => {
  const read = (): unknown => compile(expression, environment);
  if (complaint === undefined) expect(read).not.toThrow();
  else expect(read).toThrow(complaint);
});

const pieces = fc.constantFrom(
  ..."self self.a [ ] ( ) { } , . ? : + - * / % ! && || == != < <= > >= in 1 2u 3.5 'a' b'b' \"\"\" null true size has all exists map filter optMap transformMap sortBy x y @ ` \\ // \n duration timestamp string int type format matches lists.range sets.contains ip('1.1.1.1') quantity Object{ JSONPatch{".split(
    " ",
  ),
);

test("no text makes the parser or the checker fail in another way than by its complaints", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 200, unit: "grapheme" }),
    fc.array(pieces, { maxLength: 30 }).map((all) => all.join(" ")),
  );
  fc.assert(
    fc.property(text, (source) => {
      try {
        compile(source, environment);
      } catch (error) {
        expect(error).toBeInstanceOf(CelSyntaxError);
      }
    }),
    { numRuns: 1000 },
  );
});

/** Expressions that parse, and mostly are of the right types. */
const { tree } = fc.letrec<{ tree: string }>((tie) => {
  const one = tie("tree");
  const unary = fc.constantFrom(
    "size",
    "string",
    "int",
    "double",
    "type",
    "dyn",
    "bool",
    "bytes",
    "duration",
    "timestamp",
    "optional.of",
    "quantity",
    "ip",
    "cidr",
    "url",
    "semver",
    "isURL",
    "lists.range",
    "strings.quote",
  );
  const member = fc.constantFrom(
    "size",
    "sort",
    "distinct",
    "reverse",
    "flatten",
    "sum",
    "min",
    "max",
    "isSorted",
    "trim",
    "lowerAscii",
    "join",
    "value",
    "hasValue",
    "first",
    "last",
    "getHours",
    "family",
    "masked",
    "getQuery",
  );
  const binary = fc.constantFrom("+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", "in");
  const binaryMember = fc.constantFrom(
    "contains",
    "matches",
    "find",
    "findAll",
    "split",
    "startsWith",
    "indexOf",
    "lastIndexOf",
    "orValue",
    "format",
    "charAt",
    "substring",
    "compareTo",
    "containsIP",
    "add",
  );
  const macro = fc.constantFrom("all", "exists", "exists_one", "map", "filter", "sortBy", "optMap", "optFlatMap");
  return {
    tree: fc.oneof(
      { maxDepth: 5, depthIdentifier: "cel" },
      fc.constantFrom(
        "self",
        "self.a",
        "self.list",
        "self.text",
        "self.map",
        "1",
        "0",
        "-1",
        "2u",
        "1.5",
        "'a'",
        "''",
        "b'a'",
        "null",
        "true",
        "[]",
        "{}",
        "x",
        "'10.0.0.0/8'",
        "'1h'",
        "'%s %d'",
      ),
      fc.tuple(one, binary, one).map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      fc.tuple(unary, one).map(([name, a]) => `${name}(${a})`),
      fc.tuple(one, member).map(([a, name]) => `${a}.${name}()`),
      fc.tuple(one, binaryMember, one).map(([a, name, b]) => `${a}.${name}(${b})`),
      fc.tuple(one, macro, one).map(([a, name, b]) => `${a}.${name}(x, ${b})`),
      fc.tuple(one, one, one).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(one, one).map(([a, b]) => `[${a}, dyn(${b})]`),
      fc.tuple(one, one).map(([a, b]) => `{${a}: ${b}}`),
      fc.tuple(one, one).map(([a, b]) => `${a}[${b}]`),
      fc.tuple(one, one).map(([a, b]) => `dyn(${a})[?${b}]`),
      one.map((a) => `dyn(${a}).field`),
      one.map((a) => `has(dyn(${a}).field)`),
    ),
  };
});

test("no expression fails in another way than by its value, and none does more than its limit", () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(tree, json, json, (expression, a, list) => {
      let compiled: ReturnType<typeof compile>;
      try {
        compiled = compile(expression, environment);
      } catch (error) {
        expect(error).toBeInstanceOf(CelSyntaxError);
        return;
      }
      const self: Value = fromJson({ a, list: [list, a], text: "some text", map: { a, list } });
      const result = evaluate(compiled.program, () => self, 10_000);
      if (result.type !== "too costly") expect(result.cost).toBeLessThanOrEqual(10_000);
      expect(estimate(compiled.checked, () => 10)).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 1000 },
  );
});
