import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyJsonPatch, type JsonPatchOperation, maxJsonPatchOperations } from "./json-patch.js";
import { createJsonPatch } from "./json-patch-create.js";
import { formatJsonPointer, parseJsonPointer } from "./json-pointer.js";
import { PatchError } from "./patch-error.js";

const refused = Symbol("refused");
type Case = readonly [
  title: string,
  document: unknown,
  patch: readonly Record<string, unknown>[],
  result: unknown | typeof refused,
];

function run(document: unknown, patch: readonly unknown[], rules: "rfc6902" | "kubernetes" = "rfc6902"): unknown {
  try {
    return applyJsonPatch(document, patch as JsonPatchOperation[], { rules });
  } catch (error) {
    expect(error).toBeInstanceOf(PatchError);
    return refused;
  }
}

const appendixOfTheRfc: readonly Case[] = [
  [
    "A.1 adding an object member",
    { foo: "bar" },
    [{ op: "add", path: "/baz", value: "qux" }],
    { baz: "qux", foo: "bar" },
  ],
  [
    "A.2 adding an array element",
    { foo: ["bar", "baz"] },
    [{ op: "add", path: "/foo/1", value: "qux" }],
    { foo: ["bar", "qux", "baz"] },
  ],
  ["A.3 removing an object member", { baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
  [
    "A.4 removing an array element",
    { foo: ["bar", "qux", "baz"] },
    [{ op: "remove", path: "/foo/1" }],
    { foo: ["bar", "baz"] },
  ],
  [
    "A.5 replacing a value",
    { baz: "qux", foo: "bar" },
    [{ op: "replace", path: "/baz", value: "boo" }],
    { baz: "boo", foo: "bar" },
  ],
  [
    "A.6 moving a value",
    { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
    [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
    { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
  ],
  [
    "A.7 moving an array element",
    { foo: ["all", "grass", "cows", "eat"] },
    [{ op: "move", from: "/foo/1", path: "/foo/3" }],
    { foo: ["all", "cows", "eat", "grass"] },
  ],
  [
    "A.8 testing a value: success",
    { baz: "qux", foo: ["a", 2, "c"] },
    [
      { op: "test", path: "/baz", value: "qux" },
      { op: "test", path: "/foo/1", value: 2 },
    ],
    { baz: "qux", foo: ["a", 2, "c"] },
  ],
  ["A.9 testing a value: error", { baz: "qux" }, [{ op: "test", path: "/baz", value: "bar" }], refused],
  [
    "A.10 adding a nested member object",
    { foo: "bar" },
    [{ op: "add", path: "/child", value: { grandchild: {} } }],
    { foo: "bar", child: { grandchild: {} } },
  ],
  [
    "A.11 ignoring unrecognized elements",
    { foo: "bar" },
    [{ op: "add", path: "/baz", value: "qux", xyz: 123 }],
    { foo: "bar", baz: "qux" },
  ],
  ["A.12 adding to a nonexistent target", { foo: "bar" }, [{ op: "add", path: "/baz/bat", value: "qux" }], refused],
  ["A.13 an invalid operation", { foo: "bar" }, [{ op: "ad", path: "/baz", value: "qux" }], refused],
  ["A.14 escape ordering", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: 10 }], { "/": 9, "~1": 10 }],
  ["A.15 comparing strings and numbers", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: "10" }], refused],
  [
    "A.16 adding an array value",
    { foo: ["bar"] },
    [{ op: "add", path: "/foo/-", value: ["abc", "def"] }],
    { foo: ["bar", ["abc", "def"]] },
  ],
];

const edges: readonly Case[] = [
  ["an empty patch changes nothing", { a: 1 }, [], { a: 1 }],
  ["add replaces a member that is there", { a: 1 }, [{ op: "add", path: "/a", value: null }], { a: null }],
  ["add replaces the whole document", { a: 1 }, [{ op: "add", path: "", value: [] }], []],
  ["replace takes the whole document", { a: 1 }, [{ op: "replace", path: "", value: { b: 2 } }], { b: 2 }],
  ["the document may be an array", [1, 2], [{ op: "add", path: "/0", value: 0 }], [0, 1, 2]],
  ["an item may be added just after the last", [1], [{ op: "add", path: "/1", value: 2 }], [1, 2]],
  ["an item may not be added beyond the end", [1], [{ op: "add", path: "/2", value: 3 }], refused],
  ["an index may not be negative", [1], [{ op: "add", path: "/-1", value: 0 }], refused],
  ["an index may not have a leading zero", [1, 2], [{ op: "test", path: "/01", value: 2 }], refused],
  ["an index may not be a fraction", [1, 2], [{ op: "remove", path: "/1e0" }], refused],
  ["an index must be a number", ["x"], [{ op: "add", path: "/bar", value: 42 }], refused],
  ["a dash is no item to remove", [1], [{ op: "remove", path: "/-" }], refused],
  ["the empty key is a key", { "": 1 }, [{ op: "replace", path: "/", value: 2 }], { "": 2 }],
  ["a digit is a key of an object", { a: 1 }, [{ op: "add", path: "/0", value: "b" }], { a: 1, 0: "b" }],
  ["replace needs a member that is there", { a: 1 }, [{ op: "replace", path: "/b", value: 1 }], refused],
  ["remove needs a member that is there", { a: 1 }, [{ op: "remove", path: "/b" }], refused],
  ["test of a missing member fails, even for null", { a: 1 }, [{ op: "test", path: "/b", value: null }], refused],
  ["test of null holds", { a: null }, [{ op: "test", path: "/a", value: null }], { a: null }],
  [
    "test ignores the order of members",
    { a: { x: 1, y: [{}] } },
    [{ op: "test", path: "/a", value: { y: [{}], x: 1 } }],
    { a: { x: 1, y: [{}] } },
  ],
  ["test tells an empty array from an empty object", { a: [] }, [{ op: "test", path: "/a", value: {} }], refused],
  ["test of the whole document", { a: 1 }, [{ op: "test", path: "", value: { a: 1 } }], { a: 1 }],
  ["copy leaves the source", { a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: 1 }, c: { b: 1 } }],
  [
    "a copy is a value of its own",
    { a: { b: 1 } },
    [
      { op: "add", path: "/a/x", value: 1 },
      { op: "copy", from: "/a", path: "/c" },
      { op: "add", path: "/c/y", value: 2 },
    ],
    { a: { b: 1, x: 1 }, c: { b: 1, x: 1, y: 2 } },
  ],
  ["move to the same place changes nothing", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
  ["move into itself is refused", { a: { b: 1 } }, [{ op: "move", from: "/a", path: "/a/b" }], refused],
  ["move from nowhere is refused", { a: 1 }, [{ op: "move", from: "/b", path: "/c" }], refused],
  ["a pointer must begin with a slash", { a: 1 }, [{ op: "remove", path: "a" }], refused],
  ["a bad escape is refused", { "~2": 1 }, [{ op: "remove", path: "/~2" }], refused],
  ["a missing path is refused", {}, [{ op: "add", value: 1 }], refused],
  ["a path that is no text is refused", {}, [{ op: "add", path: 1, value: 1 }], refused],
  ["a missing value is refused", {}, [{ op: "add", path: "/a" }], refused],
  ["a missing from is refused", { a: 1 }, [{ op: "copy", path: "/b" }], refused],
  ["the path through a scalar is refused", { a: "x" }, [{ op: "add", path: "/a/length", value: 1 }], refused],
  ["inherited names are no members", {}, [{ op: "test", path: "/toString", value: null }], refused],
  [
    "one failure undoes all",
    { a: 1 },
    [
      { op: "remove", path: "/a" },
      { op: "remove", path: "/a" },
    ],
    refused,
  ],
];

describe("RFC 6902", () => {
  for (const [title, document, patch, result] of [...appendixOfTheRfc, ...edges]) {
    test(title, () => expect(run(document, patch)).toEqual(result));
  }

  test("a member named __proto__ is a member", () => {
    const patched = run({}, [{ op: "add", path: "/__proto__", value: { x: 1 } }]);
    expect(JSON.stringify(patched)).toBe('{"__proto__":{"x":1}}');
  });

  test("what a patch leaves alone is shared, and the document stays as it was", () => {
    const document = Object.freeze({ a: Object.freeze({ b: 1 }), c: Object.freeze({ d: Object.freeze([1]) }) });
    const patched = applyJsonPatch(document, [{ op: "replace", path: "/a/b", value: 2 }]);
    expect(patched).toEqual({ a: { b: 2 }, c: { d: [1] } });
    expect(patched.c).toBe(document.c);
  });
});

const serverCases: readonly Case[] = [
  ["replace adds a missing member", {}, [{ op: "replace", path: "/a", value: 1 }], { a: 1 }],
  ["a negative index counts from the end", [1, 2, 3], [{ op: "remove", path: "/-1" }], [1, 2]],
  ["add at -1 appends", [1, 2], [{ op: "add", path: "/-1", value: 3 }], [1, 2, 3]],
  ["test for null holds of a missing member", {}, [{ op: "test", path: "/a", value: null }], {}],
  ["test without a value holds of a missing member", {}, [{ op: "test", path: "/a" }], {}],
  ["copy of a missing member adds null", {}, [{ op: "copy", from: "/a", path: "/b" }], { b: null }],
  ["text before the first slash is dropped", { b: 1 }, [{ op: "remove", path: "a/b" }], {}],
  ["add of the whole document is refused", { a: 1 }, [{ op: "add", path: "", value: {} }], refused],
  ["the whole document is replaced by objects and arrays only", {}, [{ op: "replace", path: "", value: 1 }], refused],
];

describe("JSON patch as an API server applies it", () => {
  for (const [title, document, patch, result] of serverCases) {
    test(title, () => expect(run(document, patch, "kubernetes")).toEqual(result));
  }

  test("the number of operations is limited", () => {
    const patch = Array.from(
      { length: maxJsonPatchOperations + 1 },
      () => ({ op: "test", path: "/a", value: 1 }) as const,
    );
    expect(() => applyJsonPatch({ a: 1 }, patch, { rules: "kubernetes" })).toThrow(
      "The allowed maximum operations in a JSON patch is 10000, got 10001",
    );
  });

  test("copies that double a document again and again are stopped", () => {
    const patch = Array.from({ length: 40 }, () => ({ op: "copy", from: "/a", path: "/a/-" }) as const);
    expect(() => applyJsonPatch({ a: ["x".repeat(64)] }, patch, { rules: "kubernetes" })).toThrow(
      /Unable to complete the copy/,
    );
  });
});

test("a created patch turns the first document into the second (property)", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (from, to) => {
      expect(JSON.stringify(sorted(applyJsonPatch(from, createJsonPatch(from, to))))).toBe(JSON.stringify(sorted(to)));
    }),
    { numRuns: 500 },
  );
});

test("pointers survive print and parse (property)", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (tokens) => {
      expect(parseJsonPointer(formatJsonPointer(tokens))).toEqual(tokens);
    }),
  );
});

test("whatever is given as a patch, the only error is a PatchError (fuzz)", () => {
  const pointer = fc.oneof(
    fc.constantFrom("", "/", "/a", "/a/b", "/0", "/-", "/-1", "/__proto__", "a"),
    fc.jsonValue(),
  );
  const operation = fc.record(
    {
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "?", 1, null),
      path: pointer,
      from: pointer,
      value: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const patch = fc.oneof(fc.array(fc.oneof({ weight: 9, arbitrary: operation }, fc.jsonValue())), fc.jsonValue());
  const rules = fc.constantFrom("rfc6902" as const, "kubernetes" as const);
  fc.assert(
    fc.property(fc.jsonValue(), patch, rules, (document, operations, dialect) => {
      const before = JSON.stringify(document);
      run(document, operations as readonly unknown[], dialect);
      expect(JSON.stringify(document)).toBe(before);
    }),
    { numRuns: 2_000 },
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}

test("what was copied and what it was copied from change apart", () => {
  const document = { a: { x: { y: 1 } } };
  const patched = applyJsonPatch<object>(document, [
    { op: "add", path: "/a/x/z", value: 2 },
    { op: "copy", from: "/a", path: "/b" },
    { op: "add", path: "/a/x/y", value: "a" },
    { op: "add", path: "/b/x/y", value: "b" },
  ]);
  expect(patched).toEqual({ a: { x: { y: "a", z: 2 } }, b: { x: { y: "b", z: 2 } } });
  expect(document).toEqual({ a: { x: { y: 1 } } });
});

test("a server refuses a patch that shifts the items of a long list again and again", () => {
  const operations = Array.from({ length: 10_000 }, () => ({ op: "add", path: "/l/0", value: 1 }) as const);
  const document = { l: Array.from({ length: 100_000 }, () => 0) };
  expect(() => applyJsonPatch(document, operations, { rules: "kubernetes" })).toThrow("shift more than 50000000 items");
});
