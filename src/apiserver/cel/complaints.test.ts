import { expect, test } from "vitest";
import { dyn } from "./values/types.js";
import { compile } from "./compile.js";
import { kubernetesFunctions } from "./kubernetes/libraries.js";

const environment = {
  functions: kubernetesFunctions,
  variables: new Map([["x", dyn]]),
  types: { fieldType: () => undefined, named: () => undefined },
};

/** The places and words of all complaints. */
function complaintsOf(expression: string): readonly string[] {
  try {
    compile(expression, environment);
    return [];
  } catch (error) {
    const lines = (error as Error).message.split("\n");
    return lines.filter((line) => line.startsWith("ERROR")).map((line) => line.replace("ERROR: <input>:", ""));
  }
}

test.each([
  ["x.s.startsWith(1)", ["1:15: found no matching overload for 'startsWith' applied to 'dyn.(int)'"]],
  ["duration(5)", ["1:10: invalid duration argument"]],
  ["timestamp('2020')", ["1:11: invalid timestamp argument"]],
  ["duration('1x')", ["1:10: invalid duration argument"]],
  ["1 == 1u", ["1:3: found no matching overload for '_==_' applied to '(int, uint)'"]],
  ["[1,2] == [1.0, 2u]", ["1:16: expected type 'double' but found 'uint'"]],
  ["{1: 'a'}[1u]", ["1:9: found no matching overload for '_[_]' applied to '(map(int, string), uint)'"]],
  ["[1][1.0]", ["1:4: found no matching overload for '_[_]' applied to '(list(int), double)'"]],
  ["string(type(1))", ["1:7: found no matching overload for 'string' applied to '(type(int))'"]],
  ["null == 1", ["1:6: found no matching overload for '_==_' applied to '(null, int)'"]],
  ["[1,'a']", ["1:4: expected type 'int' but found 'string'"]],
  ["[1, dyn('a')]", ["1:8: expected type 'int' but found 'dyn'"]],
  ["1 + 'a'", ["1:3: found no matching overload for '_+_' applied to '(int, string)'"]],
  ["1 == 'a'", ["1:3: found no matching overload for '_==_' applied to '(int, string)'"]],
  [
    "'%d'.format(['a'])",
    ["1:14: error during formatting: decimal clause can only be used on integers, was given string"],
  ],
  ["'%d %d'.format([1])", ["1:15: index 1 out of range"]],
  ["'%d'.format([1, 2])", ["1:12: too many arguments supplied to string.format (expected 1, got 2)"]],
  ["'%z'.format([1])", ['1:12: could not parse formatting clause: unrecognized formatting clause "z"']],
  ["'%'.format([1])", ["1:11: unexpected end of string"]],
  [
    "'%.f'.format([1.5])",
    [
      '1:13: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    ],
  ],
  [
    "'%s'.format([quantity('1')])",
    [
      "1:22: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
    ],
  ],
  ["[1].join()", ["1:9: found no matching overload for 'join' applied to 'list(int).()'"]],
  ["'a'.matches('(')", ["1:13: invalid matches argument"]],
  [
    "[[1],[2,[3]]].flatten()",
    ["1:6: expected type 'list(int)' but found 'list(dyn)'", "1:9: expected type 'int' but found 'list(int)'"],
  ],
  ["['a'].sum()", ["1:10: found no matching overload for 'sum' applied to 'list(string).()'"]],
  [
    "sets.contains([1,2],[1.0])",
    ["1:14: found no matching overload for 'sets.contains' applied to '(list(int), list(double))'"],
  ],
  [
    "[1,2].existsOne(v, v == 2)",
    [
      "1:16: undeclared reference to 'existsOne' (in container '')",
      "1:17: undeclared reference to 'v' (in container '')",
      "1:20: undeclared reference to 'v' (in container '')",
    ],
  ],
  [
    "quantity('5') > quantity('3')",
    ["1:15: found no matching overload for '_>_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'"],
  ],
  ["string(quantity('1'))", ["1:7: found no matching overload for 'string' applied to '(kubernetes.Quantity)'"]],
  [
    "x.a ==",
    [
      "1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["x.", ["1:3: Syntax error: no viable alternative at input '.'"]],
  [
    "x.a = 1",
    ["1:5: Syntax error: token recognition error at: '= '", "1:7: Syntax error: extraneous input '1' expecting <EOF>"],
  ],
  ["(1", ["1:3: Syntax error: missing ')' at '<EOF>'"]],
  ["1 2", ["1:3: Syntax error: extraneous input '2' expecting <EOF>"]],
  [
    "x &&",
    [
      "1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  [
    "x == 'y",
    [
      "1:6: Syntax error: token recognition error at: ''y'",
      "1:8: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  [
    "size(1,",
    [
      "1:8: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["[1,", ["1:4: Syntax error: missing ']' at '<EOF>'"]],
  ["{1:2", ["1:5: Syntax error: mismatched input '<EOF>' expecting {'}', ','}"]],
  ["x ? 1", ["1:6: Syntax error: mismatched input '<EOF>' expecting ':'"]],
  ["if", ["1:1: reserved identifier: if"]],
  [
    "x.a.b(",
    [
      "1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  [
    ")",
    [
      "1:1: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  [
    "1 +* 2",
    [
      "1:4: Syntax error: extraneous input '*' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  [
    "x @ 1",
    ["1:3: Syntax error: token recognition error at: '@'", "1:5: Syntax error: extraneous input '1' expecting <EOF>"],
  ],
  ["x.map(1, 2)", ["1:7: argument is not an identifier"]],
  ["has(x)", ["1:5: invalid argument to has() macro"]],
  [
    "x.all(y)",
    ["1:6: undeclared reference to 'all' (in container '')", "1:7: undeclared reference to 'y' (in container '')"],
  ],
  [
    "x && && y",
    [
      "1:6: Syntax error: extraneous input '&&' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["99999999999999999999", ["1:1: invalid int literal"]],
  ["x.all(if, true)", ["1:7: reserved identifier: if", "1:7: argument must be a simple name"]],
  [
    "x ? 1 : ",
    [
      "1:9: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["{1 2}", ["1:4: Syntax error: missing ':' at '2'"]],
  ["[1 2]", ["1:4: Syntax error: extraneous input '2' expecting {']', ','}"]],
  ["Foo{a: 1}", ["1:4: undeclared reference to 'Foo' (in container '')"]],
  ["x.true", ["1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"]],
  ["x[1", ["1:4: Syntax error: missing ']' at '<EOF>'"]],
  ["x.all(x.y, true)", ["1:8: argument must be a simple name"]],
  [
    "x in",
    [
      "1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["x == 1 and y", ["1:8: Syntax error: mismatched input 'and' expecting <EOF>"]],
  [
    "cel.bind(a, 1, a)",
    [
      "1:1: undeclared reference to 'cel' (in container '')",
      "1:9: undeclared reference to 'bind' (in container '')",
      "1:10: undeclared reference to 'a' (in container '')",
      "1:16: undeclared reference to 'a' (in container '')",
    ],
  ],
  ["'a'.reverse()", ["1:12: found no matching overload for 'reverse' applied to 'string.()'"]],
  ["undefined_thing", ["1:1: undeclared reference to 'undefined_thing' (in container '')"]],
  ["x.foo(1)", ["1:6: undeclared reference to 'foo' (in container '')"]],
  [
    "math.abs(1)",
    ["1:1: undeclared reference to 'math' (in container '')", "1:9: undeclared reference to 'abs' (in container '')"],
  ],
  [
    "base64.encode(b'a')",
    [
      "1:1: undeclared reference to 'base64' (in container '')",
      "1:14: undeclared reference to 'encode' (in container '')",
    ],
  ],
])("%s is refused", (expression, complaints) => {
  expect(complaintsOf(expression)).toEqual(complaints);
});

test("a complaint shows its line, and a mark below its place", () => {
  expect(() => compile("1 +\n  foo(2)", environment)).toThrow(
    "ERROR: <input>:2:6: undeclared reference to 'foo' (in container '')\n |   foo(2)\n | .....^",
  );
  expect(() => compile("é == y", environment)).toThrow("token recognition error at: 'é'");
});

test("complaints about a long line do not repeat it without end", () => {
  const message = (): string => {
    try {
      compile(Array.from({ length: 5000 }, (_, i) => `name${i}`).join(" && "), environment);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(message()).toMatch(/\d+ more errors were truncated$/);
  expect(message().length).toBeLessThan(400_000);
});
