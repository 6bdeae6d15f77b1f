import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PatchError } from "./patch-error.js";
import { patchSchemaOf, type PatchTypes } from "./patch-schema.js";
import { createStrategicMergePatch, createThreeWayStrategicMergePatch } from "./strategic-create.js";
import { applyStrategicMergePatch } from "./strategic-merge.js";

const types: PatchTypes = {
  Root: {
    items: { list: true, patchStrategy: "merge", mergeKey: "name", type: "Item" },
    scalars: { list: true, patchStrategy: "merge" },
    atoms: { list: true },
    free: {},
    one: { type: "Item" },
    whole: { type: "Item", patchStrategy: "replace" },
    choice: { type: "Choice", patchStrategy: "retainKeys" },
    choices: { list: true, patchStrategy: "merge,retainKeys", mergeKey: "name", type: "Choice" },
  },
  Item: { env: { list: true, patchStrategy: "merge", mergeKey: "name" }, args: { list: true }, free: {} },
  Choice: { left: {}, right: {} },
};
const schema = patchSchemaOf(types, "Root");

type Case = readonly [title: string, document: object, patch: object, result: object];
const cases: readonly Case[] = [
  ["objects merge, null removes", { one: { a: 1, b: 2 } }, { one: { a: null, c: 3 } }, { one: { b: 2, c: 3 } }],
  ["a null for what is not there adds nothing", {}, { one: { a: null, b: { c: null } } }, { one: { b: {} } }],
  ["a list without a strategy is replaced", { atoms: [1, 2] }, { atoms: [3] }, { atoms: [3] }],
  [
    "items of a merging list are found by their key; new ones come before what was there",
    { items: [{ name: "a", x: 1 }, { name: "b" }] },
    { items: [{ name: "c" }, { name: "a", y: 2 }] },
    { items: [{ name: "c" }, { name: "a", x: 1, y: 2 }, { name: "b" }] },
  ],
  [
    "$patch: delete removes an item",
    { items: [{ name: "a" }, { name: "b" }] },
    { items: [{ name: "a", $patch: "delete" }] },
    { items: [{ name: "b" }] },
  ],
  [
    "$patch: replace among items replaces the list",
    { items: [{ name: "a" }, { name: "b" }] },
    { items: [{ name: "c" }, { $patch: "replace" }] },
    { items: [{ name: "c" }] },
  ],
  ["$patch: replace replaces an object", { one: { a: 1 } }, { one: { $patch: "replace", b: 2 } }, { one: { b: 2 } }],
  ["$patch: delete empties an object", { one: { a: 1 } }, { one: { $patch: "delete" } }, { one: {} }],
  ["a directive where there is nothing leaves nothing", {}, { one: { $patch: "replace", b: 2 } }, {}],
  ["a replacing field takes the patch as it is", { whole: { a: 1 } }, { whole: { b: 2 } }, { whole: { b: 2 } }],
  [
    "$retainKeys clears the members that it does not name",
    { choice: { left: { a: 1 }, other: 1 } },
    { choice: { $retainKeys: ["right"], right: { b: 1 } } },
    { choice: { right: { b: 1 } } },
  ],
  [
    "$setElementOrder brings items into its order and keeps others near where they were",
    { items: [{ name: "a" }, { name: "x" }, { name: "b" }] },
    { "$setElementOrder/items": [{ name: "b" }, { name: "a" }] },
    { items: [{ name: "x" }, { name: "b" }, { name: "a" }] },
  ],
  [
    "$deleteFromPrimitiveList removes scalars",
    { scalars: ["a", "b", "c"] },
    { "$deleteFromPrimitiveList/scalars": ["a", "z"] },
    { scalars: ["b", "c"] },
  ],
  [
    "scalars are united, the patch's first",
    { scalars: ["a", "b"] },
    { scalars: ["c", "b"] },
    { scalars: ["c", "a", "b"] },
  ],
  [
    "scalars follow $setElementOrder",
    { scalars: ["a", "b"] },
    { scalars: ["c"], "$setElementOrder/scalars": ["b", "c", "a"] },
    { scalars: ["b", "c", "a"] },
  ],
  [
    "nothing to do gives the document",
    { items: [{ name: "a", x: 1 }] },
    { items: [{ name: "a", x: 1 }] },
    { items: [{ name: "a", x: 1 }] },
  ],
];

describe("strategic merge", () => {
  for (const [title, document, patch, result] of cases) {
    test(title, () => expect(applyStrategicMergePatch(document, patch, schema)).toEqual(result));
  }

  const refusals: readonly (readonly [document: object, patch: object, message: string])[] = [
    [{ items: [{ name: "a" }] }, { items: [{ x: 1 }] }, "map: map[x:1] does not contain declared merge key: name"],
    [
      { items: [{ name: "a" }] },
      { items: [{ name: "a", $patch: "merge" }] },
      "merging lists cannot yet be specified in the patch",
    ],
    [{ one: {} }, { one: { $patch: "?" } }, "unknown patch type: ? in map: map[$patch:?]"],
    [{ choice: { left: {} } }, { choice: { $retainKeys: ["left"], right: {} } }, "invalid patch format of retainKeys"],
    [{ choice: { left: {} } }, { choice: { $retainKeys: "left" } }, "invalid patch format of retainKeys"],
    [{ scalars: ["a"] }, { scalars: [1] }, "list element types are not identical: [[a] [1]]"],
    [{ scalars: [["a"]] }, { scalars: [["a"]] }, "lists of lists are not supported"],
    [
      { free: { a: { b: 1 } } },
      { free: { a: { b: 2 } } },
      "merging an object in json but data type is not struct, instead is: map",
    ],
    [{}, { $setElementOrder: [] }, "invalid patch format of setElementOrder list"],
    [{}, { "$setElementOrder/items": {} }, "expected a []interface {}, but received a map[string]interface {}"],
  ];
  for (const [document, patch, message] of refusals) {
    test(`${JSON.stringify(patch)} is refused: ${message}`, () => {
      expect(() => applyStrategicMergePatch(document, patch, schema)).toThrow(message);
    });
  }

  test("what a patch leaves alone is shared; a patch without effect gives the document itself", () => {
    const document = deepFreeze({
      items: [{ name: "a", env: [{ name: "E", value: "1" }] }, { name: "b" }],
      one: { x: 1 },
    });
    const changed = applyStrategicMergePatch(document, { items: [{ name: "a", y: 1 }] }, schema);
    expect([changed.one === document.one, changed.items[1] === document.items[1]]).toEqual([true, true]);
    expect(changed.items[0]?.env).toBe(document.items[0]?.env);
    const same = { items: [{ name: "a", env: [{ name: "E", value: "1" }] }], one: { x: 1, gone: null } };
    expect(applyStrategicMergePatch(document, same, schema)).toBe(document);
  });
});

const scalar = fc.constantFrom(1, 2, "x", true);
const names = fc.constantFrom("a", "b", "c", "d");
const env = fc.uniqueArray(fc.record({ name: names, value: scalar }), { selector: ({ name }) => name, maxLength: 3 });
const item = fc.record(
  { name: names, x: scalar, env, args: fc.array(scalar, { maxLength: 2 }), free: fc.dictionary(names, scalar) },
  { requiredKeys: ["name"] },
);
const choice = fc.record(
  { name: names, left: fc.dictionary(names, scalar), right: fc.dictionary(names, scalar) },
  { requiredKeys: ["name"] },
);
const unique = <T extends { name: string }>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.uniqueArray(one, { selector: ({ name }) => name, maxLength: 4 });
const documents = fc.record(
  {
    items: unique(item),
    scalars: fc.uniqueArray(names),
    atoms: fc.array(scalar, { maxLength: 3 }),
    free: fc.dictionary(names, scalar),
    one: item,
    whole: item,
    choice,
    choices: unique(choice),
  },
  { requiredKeys: [] },
);

test("a created patch turns the first document into the second (property)", () => {
  fc.assert(
    fc.property(documents, documents, (from, to) => {
      const patch = createStrategicMergePatch(from, to, schema);
      const result = patch === undefined ? from : applyStrategicMergePatch(from, patch, schema);
      expect(withoutEmptyLists(result)).toEqual(withoutEmptyLists(to));
    }),
    { numRuns: 1_000 },
  );
});

test("a three-way patch gives what is wanted and keeps what only the server has (property)", () => {
  fc.assert(
    fc.property(documents, documents, (original, modified) => {
      const extra = { items: [{ name: "server", x: 9 }], free: { server: "yes" } };
      const current = applyStrategicMergePatch(original, extra, schema);
      const patch = createThreeWayStrategicMergePatch({ original, modified, current }, schema);
      const result = patch === undefined ? current : applyStrategicMergePatch(current, patch, schema);
      const withoutExtra = applyStrategicMergePatch(
        result,
        { items: [{ name: "server", $patch: "delete" }], free: { server: null } },
        schema,
      );
      const keptItem = "items" in modified || !("items" in original);
      expect((result as typeof extra).items?.some(({ name }) => name === "server") ?? false).toBe(keptItem);
      expect(withoutEmpty(withoutExtra)).toEqual(withoutEmpty(modified));
    }),
    { numRuns: 1_000 },
  );
});

test("whatever is given, the only error is a PatchError, and nothing given is modified (fuzz)", () => {
  const key = fc.constantFrom(
    "items",
    "scalars",
    "one",
    "choice",
    "name",
    "$patch",
    "$retainKeys",
    "$setElementOrder/items",
  );
  const wild = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, "a", "delete", "replace", "__proto__", "$setElementOrder"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 5 }),
    ),
  })).value;
  const attempt = (work: () => unknown): void => {
    try {
      work();
    } catch (error) {
      expect(error).toBeInstanceOf(PatchError);
    }
  };
  fc.assert(
    fc.property(wild, wild, wild, (a, b, c) => {
      const before = JSON.stringify([a, b, c]);
      attempt(() => applyStrategicMergePatch(a, b, schema));
      attempt(() => createStrategicMergePatch(a, b, schema));
      attempt(() => createThreeWayStrategicMergePatch({ original: a, modified: b, current: c }, schema));
      expect(JSON.stringify([a, b, c])).toBe(before);
    }),
    { numRuns: 3_000 },
  );
});

/** A merging list can be emptied by a patch, but not told from one that is not there by a three-way one. */
function withoutEmptyLists(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    Array.isArray(inner) && inner.length === 0 ? undefined : inner,
  );
}

function withoutEmpty(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && Object.keys(inner).length === 0 ? undefined : inner,
  );
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
