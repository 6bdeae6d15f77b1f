import { expect, test } from "vitest";
import { fieldPath } from "../../../api/index.js";
import type { StructuralSchema } from "../schema/json-schema.js";
import { expressionErrors } from "./rule-errors.js";
import { compileRules } from "./rules.js";

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const ruled = (schema: StructuralSchema, ...rules: readonly string[]): StructuralSchema => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => ({ rule })),
});
const objectOf = (properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema => ({
  type: "object",
  properties,
});
const messages = (schema: StructuralSchema, value: unknown, old?: unknown): readonly (string | undefined)[] =>
  (compileRules(schema)?.validate(value, old) ?? []).map(({ message }) => message);

const ints: StructuralSchema = { type: "array", items: { type: "integer" } };

test("a rule that takes too long fails, names itself, and stops all others", () => {
  const schema = objectOf({ list: ruled(ints, "self.all(x, self.all(y, self.all(z, true)))", "false") });
  expect(messages(schema, { list: numbers(1000) })).toEqual([
    "Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.all(x, self.all(y, self.all(z, true)))",
  ]);
});

test("all rules of an object share one budget", () => {
  const schema = objectOf({ lists: { type: "array", items: ruled(ints, "self.all(x, self.all(y, true))") } });
  const value = { lists: Array.from({ length: 100 }, () => numbers(200)) };
  expect(messages(schema, value)).toEqual([
    'Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
  ]);
});

test("what an error says depends on what went wrong", () => {
  const schema = objectOf({ m: ruled({ type: "object", additionalProperties: { type: "string" } }, "self.a == 'x'") });
  expect(messages(schema, { m: {} })).toEqual([
    "Invalid value: \"object\": no such key: a evaluating rule: self.a == 'x'",
  ]);
  const mixed = objectOf({ v: ruled({ "x-kubernetes-int-or-string": true } as StructuralSchema, "self > 1") });
  expect(messages(mixed, { v: "a" })[0]).toContain(
    "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self > 1",
  );
});

test("sets and lists that are maps are equal in any order, and take in only what is new", () => {
  const set: StructuralSchema = { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" };
  const keyed: StructuralSchema = {
    type: "array",
    items: objectOf({ id: { type: "string" }, value: { type: "integer" } }),
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["id"],
  };
  const schema = ruled(
    objectOf({ a: set, b: set, c: keyed, d: keyed, plain: { type: "array", items: { type: "string" } } }),
    "self.a == self.b",
    "(self.a + self.b).size() == 2",
    "dyn(self.c) == dyn(self.d)",
    "(self.c + dyn([self.d[0]])).size() == 2",
    "self.plain != ['y', 'x']",
  );
  const [one, two] = [
    { id: "1", value: 1 },
    { id: "2", value: 2 },
  ];
  const value = { a: ["x", "y"], b: ["y", "x"], c: [one, two], d: [two, one], plain: ["x", "y"] };
  expect(messages(schema, value)).toEqual([]);
  expect(messages(schema, { ...value, d: [two, { id: "1", value: 9 }] })).toEqual([
    "Invalid value: failed rule: dyn(self.c) == dyn(self.d)",
  ]);
});

test("members have the names that expressions can use, and formats are what they stand for", () => {
  const schema = ruled(
    objectOf({
      "a-b.c/d": { type: "integer" },
      namespace: { type: "string" },
      __x: { type: "string" },
      when: { type: "string", format: "date-time" },
      day: { type: "string", format: "date" },
      long: { type: "string", format: "duration" },
      raw: { type: "string", format: "byte" },
      port: { "x-kubernetes-int-or-string": true } as StructuralSchema,
      share: { type: "number" },
    }),
    "self.a__dash__b__dot__c__slash__d == 1",
    "self.__namespace__ == 'n' && self.__underscores__x == 'u'",
    "self.when > timestamp('2020-01-01T00:00:00Z') && self.day.getFullYear() == 2024",
    "self.long == duration('90s') && self.raw == b'hi'",
    "self.port == 80 && type(self.port) == int && self.share == 1.0",
    "!has(self.missing)".replace("missing", "kind") + " || self.kind == 'Foo'",
  );
  const value = {
    kind: "Foo",
    "a-b.c/d": 1,
    namespace: "n",
    __x: "u",
    when: "2024-05-06T07:08:09Z",
    day: "2024-05-06",
    long: "1m30s",
    raw: "aGk=",
    port: 80,
    share: 1,
  };
  expect(messages(schema, value)).toEqual([]);
});

test("a rule about change is silent where there was nothing, unless it asks for an optional", () => {
  const size: StructuralSchema = {
    type: "integer",
    "x-kubernetes-validations": [
      { rule: "self >= oldSelf" },
      { rule: "!oldSelf.hasValue() || self != oldSelf.value() + 1", optionalOldSelf: true },
    ],
  };
  const schema = objectOf({ size });
  expect(messages(schema, { size: 1 })).toEqual([]);
  expect(messages(schema, { size: 1 }, { size: 2 })).toEqual(["Invalid value: 1: failed rule: self >= oldSelf"]);
  expect(messages(schema, { size: 3 }, { size: 2 })).toHaveLength(1);
});

test("what was wrong before and did not change is let be", () => {
  const schema = objectOf({ name: ruled({ type: "string" }, "self == 'x'") });
  expect(messages(schema, { name: "y" }, { name: "y" })).toEqual([]);
  expect(messages(schema, { name: "z" }, { name: "y" })).toHaveLength(1);
});

test("a message expression speaks of the object; where it cannot, the plain message does", () => {
  const withMessage = (messageExpression: string): StructuralSchema =>
    objectOf({
      n: {
        type: "integer",
        "x-kubernetes-validations": [{ rule: "self < 5", message: "too large", messageExpression }],
      },
    });
  expect(messages(withMessage("'%d is too large'.format([self])"), { n: 7 })).toEqual([
    "Invalid value: 7: 7 is too large",
  ]);
  for (const bad of ["''", "'a\\nb'", "string(1 / 0)", "'x'.substring(5)"])
    expect(messages(withMessage(bad), { n: 7 })).toEqual(["Invalid value: 7: too large"]);
});

const definitionErrors = (schema: StructuralSchema): readonly string[] =>
  [...expressionErrors(schema, fieldPath("schema"))].map(({ field, message }) => `${field}: ${message}`);

test("a rule whose cost nothing bounds is refused, by how much, and what to do", () => {
  const advice =
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
  const texts: StructuralSchema = { type: "array", items: { type: "string" } };
  const at = "schema.properties[list].x-kubernetes-validations[0].rule";
  expect(definitionErrors(objectOf({ list: ruled(texts, "self.all(x, self.all(y, x == y || x != y))") }))).toEqual([
    `${at}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${advice}`,
    `${at}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
    `schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${advice}`,
  ]);
  const bounded: StructuralSchema = { type: "array", maxItems: 100, items: { type: "string", maxLength: 20 } };
  expect(definitionErrors(objectOf({ list: ruled(bounded, "self.all(x, self.all(y, x == y || x != y))") }))).toEqual(
    [],
  );
});

test("a rule that stands in a list counts as often as the list may be long", () => {
  const item = ruled({ type: "string", maxLength: 10 }, "self.matches('^[a-z]+$')");
  const listOf = (maxItems?: number): StructuralSchema =>
    objectOf({ list: { type: "array", items: item, ...(maxItems === undefined ? {} : { maxItems }) } });
  expect(definitionErrors(listOf(10))).toEqual([]);
  expect(definitionErrors(listOf())[0]).toMatch(
    /items\.x-kubernetes-validations\[0\]\.rule: Forbidden: estimated rule cost/,
  );
});

test("what is made of literals alone is wrong before any object is", () => {
  expect(definitionErrors(objectOf({ n: ruled({ type: "integer" }, "self == int('x')") }))[0]).toContain(
    "program instantiation failed: type conversion error from 'string' to 'int'",
  );
});
