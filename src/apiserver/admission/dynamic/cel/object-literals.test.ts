import { expect, test } from "vitest";
import { withoutObjectLiterals } from "./object-literals.js";

test("an object literal becomes a map with its fields as keys, however deep", () => {
  expect(withoutObjectLiterals("Object{spec: Object.spec{replicas: 1337}}")).toBe('{"spec": {"replicas": 1337}}');
  expect(withoutObjectLiterals("Object{ metadata: Object.metadata{ annotations: {'a': 'b'} } }")).toBe(
    `{ "metadata": { "annotations": {'a': 'b'} } }`,
  );
});

test("a patch is a list of maps, and its values may hold literals again", () => {
  const patch = 'JSONPatch{op: "add", path: "/spec", value: Object.spec{a: [1, 2], b: x ? y : z}}';
  expect(withoutObjectLiterals(`[${patch}]`)).toBe(
    '[{"op": "add", "path": "/spec", "value": {"a": [1, 2], "b": x ? y : z}}]',
  );
});

test("strings, maps and members of the same name stay as they are", () => {
  for (const text of [
    "'Object{a: 1}'",
    "{'Object': 1}",
    "object.Object",
    'has(object.spec) ? {"a": 1} : {}',
    "x.JSONPatch",
  ])
    expect(withoutObjectLiterals(text)).toBe(text);
});

test("an optional field keeps its mark", () => {
  expect(withoutObjectLiterals("Object{?a: object.?b}")).toBe('{?"a": object.?b}');
});
