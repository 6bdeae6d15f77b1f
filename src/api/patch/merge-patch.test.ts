import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyMergePatch, createMergePatch, createThreeWayMergePatch } from "./merge-patch.js";
import { PatchError } from "./patch-error.js";

describe("the examples of RFC 7386", () => {
  const examples: readonly (readonly [document: unknown, patch: unknown, result: unknown])[] = [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [
      {
        title: "Goodbye!",
        author: { givenName: "John", familyName: "Doe" },
        tags: ["example", "sample"],
        content: "x",
      },
      { title: "Hello!", phoneNumber: "+01-123-456-7890", author: { familyName: null }, tags: ["example"] },
      {
        title: "Hello!",
        author: { givenName: "John" },
        tags: ["example"],
        content: "x",
        phoneNumber: "+01-123-456-7890",
      },
    ],
  ];
  for (const [document, patch, result] of examples) {
    test(`${JSON.stringify(document)} with ${JSON.stringify(patch)}`, () => {
      expect(applyMergePatch(document, patch)).toEqual(result);
    });
  }
});

test("what a patch leaves alone is shared; a patch without effect gives the document itself", () => {
  const document = Object.freeze({ spec: Object.freeze({ a: 1 }), status: Object.freeze({ b: [1] }) });
  expect(applyMergePatch(document, { spec: { a: 2 } }).status).toBe(document.status);
  expect(applyMergePatch(document, { spec: { a: 1, gone: null } })).toBe(document);
});

test("members named __proto__ do not reach the prototype", () => {
  const patched = applyMergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'));
  expect(JSON.stringify(patched)).toBe('{"__proto__":{"polluted":true}}');
  expect((patched as { polluted?: boolean }).polluted).toBeUndefined();
});

const withoutNulls: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.integer(),
    fc.string(),
    fc.boolean(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "d"), tie("value")),
  ),
})).value;

test("a created patch turns the first document into the second, and there is none if they are equal (property)", () => {
  fc.assert(
    fc.property(withoutNulls, withoutNulls, (from, to) => {
      const patch = createMergePatch(from, to);
      expect(patch === undefined ? from : applyMergePatch(from, patch)).toEqual(to);
      expect(createMergePatch(to, structuredClone(to))).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test("a three-way patch keeps what others added, removes what was applied and is no more, and sets what is wanted", () => {
  const patch = createThreeWayMergePatch({
    original: { a: 1, b: 2, nested: { x: 1, y: 2 } },
    modified: { a: 1, c: 3, nested: { x: 5 }, empty: {} },
    current: { a: 9, b: 2, other: true, nested: { x: 1, y: 2, z: 3 } },
  });
  expect(patch).toEqual({ a: 1, b: null, c: 3, nested: { x: 5, y: null }, empty: {} });
  const current = { a: 9, b: 2, other: true, nested: { x: 1, y: 2, z: 3 } };
  expect(applyMergePatch(current, patch)).toEqual({ a: 1, c: 3, other: true, nested: { x: 5, z: 3 }, empty: {} });
});

test("a three-way patch with nothing to do is undefined", () => {
  const wanted = { a: 1, nested: { x: 1 } };
  expect(
    createThreeWayMergePatch({ original: wanted, modified: wanted, current: { ...wanted, more: 1 } }),
  ).toBeUndefined();
});

test("whatever is given, the only error is a PatchError (fuzz)", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (original, modified, current) => {
      applyMergePatch(current, modified);
      createMergePatch(current, modified);
      try {
        createThreeWayMergePatch({ original, modified, current });
      } catch (error) {
        expect(error).toBeInstanceOf(PatchError);
      }
    }),
    { numRuns: 1_000 },
  );
});

test("inside lists a null is kept, or removes its member as API servers have it", () => {
  const patch = { list: [{ a: null, b: { c: null } }, null] };
  expect(applyMergePatch({}, patch)).toEqual(patch);
  expect(applyMergePatch({}, patch, { rules: "kubernetes" })).toEqual({ list: [{ b: {} }, null] });
});
