import { expect, test } from "vitest";
import { dyn } from "../values/types.js";
import { compile, evaluate } from "../compile.js";
import { kubernetesFunctions } from "../kubernetes/libraries.js";
import { fromJson } from "../values/json.js";
import { estimate } from "./estimate.js";

const environment = {
  functions: kubernetesFunctions,
  variables: new Map([["x", dyn]]),
  types: { fieldType: () => undefined, named: () => undefined },
};
const x = fromJson({ a: 1, l: [1, 2], s: "abc", m: { k: "v" }, n: null, f: 1.5, b: true });

/** Cost, as the API server counts it, with `x` as above; and the estimate, where nothing bounds `x`. */
test.each([
  ["x.l.all(i, i > 0)", 13, Number.POSITIVE_INFINITY],
  ["x.l.exists(i, i > 1)", 15, Number.POSITIVE_INFINITY],
  ["x.l.filter(i, i > 1)", 20, Number.POSITIVE_INFINITY],
  ["x.l.exists_one(i, i > 1)", 10, Number.POSITIVE_INFINITY],
  ["x.s == 'abc'", 3, 2],
  ["x.a in [1,2]", 2, 13],
  ["x.a in x.l", 5, Number.POSITIVE_INFINITY],
  ["x.s.matches('a+')", 3, Number.POSITIVE_INFINITY],
  ["[1,2].map(i, i)", 27, 47],
  ["x.a == 1 ? 'a' : 'b'", 3, 2],
  ["{'a': x.a}", 32, 31],
  ["has(x.a.b)", 2, 1],
  ["[3,1,2].sort()", 29, 39],
  ["[1,1,2].distinct()", 29, 39],
  ["sets.equivalent([1,1],[1])", 5, 25],
  ["lists.range(3)", 14, 14],
  ["['b','a'].sortBy(s, s)", 48, 79],
  ["'abcdefghijk'.contains('bcd')", 2, 2],
  ["'abcdefghijk'.replace('a', 'bb')", 3, 3],
  ["cidr('10.0.0.0/8').containsIP('10.1.1.1')", 3, 6],
  ["format.dns1123Label().validate('abc').hasValue()", 10, 34],
  ["quantity('1').add(quantity('2')).isGreaterThan(quantity('2'))", 5, 5],
  ["x.?m.optMap(v, v.k).orValue('')", 9, 19],
])("%s costs %d and at most %d", (expression, cost, most) => {
  const { program, checked } = compile(expression, environment);
  expect(evaluate(program, () => x, 1_000_000).cost).toBe(cost);
  expect(estimate(checked, () => undefined)).toBe(most);
});
