import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepEqual } from "./deep-equal.js";
import { changedPaths } from "./diff.js";
import { deepFreeze } from "./freeze.js";
import { semanticDerivative, semanticEqual } from "./semantic-equal.js";

const json = fc.jsonValue({ maxDepth: 4 });

describe("deepEqual", () => {
  test("is equality of canonical JSON", () => {
    const canonical = (value: unknown): string =>
      JSON.stringify(value, (_key, inner: unknown) =>
        typeof inner === "object" && inner !== null && !Array.isArray(inner)
          ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
          : inner,
      );
    const small = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom("a", "b") });
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(deepEqual(a, b)).toBe(canonical(a) === canonical(b));
        expect(deepEqual(a, structuredClone(a))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("undefined is absent, null is not, order of keys does not matter", () => {
    expect([
      deepEqual({ a: 1, b: undefined }, { a: 1 }),
      deepEqual({ a: null }, {}),
      deepEqual({ a: 1, b: 2 }, { b: 2, a: 1 }),
      deepEqual([1], { 0: 1 }),
      deepEqual({ toString: 1 }, {}),
      deepEqual({}, { constructor: 1 }),
      deepEqual(Number.NaN, Number.NaN),
    ]).toEqual([true, false, true, false, false, false, true]);
  });
});

describe("semanticEqual", () => {
  const same: readonly (readonly [string, unknown, unknown])[] = [
    ["quantities by value", { limits: { cpu: "1", memory: "1Gi" } }, { limits: { cpu: "1000m", memory: "1024Mi" } }],
    ["a quantity and a number", { limits: { cpu: 1 } }, { limits: { cpu: "1" } }],
    ["times by instant", { startTime: "2024-01-01T01:00:00+01:00" }, { startTime: "2024-01-01T00:00:00Z" }],
    ["an empty list and none", { args: [] }, {}],
    ["an empty map and none", { labels: {} }, {}],
    ["null and none", { a: null }, {}],
  ];
  for (const [what, a, b] of same) {
    test(`${what} are equal both ways`, () => {
      expect([semanticEqual(a, b), semanticEqual(b, a)]).toEqual([true, true]);
    });
  }

  const different: readonly (readonly [string, unknown, unknown])[] = [
    ["other quantities", { limits: { cpu: "1" } }, { limits: { cpu: "2" } }],
    ["text that only looks like a quantity", { args: ["1"] }, { args: ["1000m"] }],
    ["an empty struct and none", { emptyDir: {} }, {}],
    ["another order", { args: ["a", "b"] }, { args: ["b", "a"] }],
    ["a zero and none", { replicas: 0 }, {}],
    ["a longer list", { args: ["a"] }, { args: ["a", "b"] }],
    ["a missing limit", { limits: { cpu: "1" } }, { limits: { cpu: "1", memory: "1" } }],
  ];
  for (const [what, a, b] of different) {
    test(`${what} differ both ways`, () => {
      expect([semanticEqual(a, b), semanticEqual(b, a)]).toEqual([false, false]);
    });
  }

  test("what is equal as JSON is equal in meaning", () => {
    fc.assert(fc.property(json, (value) => semanticEqual(value, structuredClone(value))));
  });
});

test("a derivative says no more than the original", () => {
  const actual = { spec: { replicas: 3, args: ["a", "b"], labels: { x: "1", y: "2" }, limits: { cpu: "1000m" } } };
  expect([
    semanticDerivative({ spec: { replicas: 3 } }, actual),
    semanticDerivative({ spec: { args: ["a"], labels: { x: "1" }, name: "" } }, actual),
    semanticDerivative({ spec: { limits: { cpu: 1 } } }, actual),
    semanticDerivative({}, actual),
    semanticDerivative({ spec: { replicas: 2 } }, actual),
    semanticDerivative({ spec: { args: ["a", "b", "c"] } }, actual),
    semanticDerivative({ spec: { labels: { z: "1" } } }, actual),
  ]).toEqual([true, true, true, true, false, false, false]);
});

describe("changedPaths", () => {
  const byName = (path: string): readonly string[] | undefined =>
    path === "spec.containers" ? ["name"] : path === "spec.ports" ? ["port", "protocol"] : undefined;

  test("names the deepest fields that differ", () => {
    const old = { spec: { replicas: 1, template: { labels: { app: "a", "x.io/y": "1" } } }, metadata: { gone: 1 } };
    const now = { spec: { replicas: 2, template: { labels: { app: "a", "x.io/y": "2" } } }, metadata: {}, status: {} };
    expect(changedPaths(old, now)).toEqual([
      "spec.replicas",
      "spec.template.labels[x.io/y]",
      "metadata.gone",
      "status",
    ]);
  });

  test("tells items of lists apart by their keys where it is told them", () => {
    const old = {
      spec: {
        containers: [
          { name: "a", image: "1" },
          { name: "b", image: "1" },
        ],
        args: ["x"],
      },
    };
    const now = {
      spec: {
        containers: [
          { name: "b", image: "2" },
          { name: "c", image: "1" },
        ],
        args: ["y", "z"],
      },
    };
    expect(changedPaths(old, now, { listKeys: byName })).toEqual([
      "spec.containers[name=a]",
      "spec.containers[name=b].image",
      "spec.containers[name=c]",
      "spec.args[0]",
      "spec.args[1]",
    ]);
  });

  test("a new order is a change of the list", () => {
    const [a, b] = [
      { port: 1, protocol: "TCP" },
      { port: 1, protocol: "UDP" },
    ];
    expect(changedPaths({ spec: { ports: [a, b] } }, { spec: { ports: [b, a] } }, { listKeys: byName })).toEqual([
      "spec.ports",
    ]);
  });

  test("items without their keys, or with the same ones, are compared by position", () => {
    const list = (...names: readonly (string | undefined)[]): object => ({
      spec: { containers: names.map((name) => (name === undefined ? {} : { name })) },
    });
    expect([
      changedPaths(list("a", "a"), list("a", "b"), { listKeys: byName }),
      changedPaths(list(undefined), list("a"), { listKeys: byName }),
    ]).toEqual([["spec.containers[1].name"], ["spec.containers[0].name"]]);
  });

  test("is empty exactly for equal values, and never longer than its limit", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(changedPaths(a, b).length === 0).toBe(deepEqual(a, b));
        expect(changedPaths(a, b, { limit: 2 }).length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 1_000 },
    );
  });
});

test("deepFreeze freezes all the way down and gives the same object", () => {
  const object = { a: [{ b: { c: 1 } }], d: "x" };
  const frozen = deepFreeze(object);
  expect(frozen).toBe(object);
  expect(() => {
    (object.a[0] as { b: { c: number } }).b.c = 2;
  }).toThrow(TypeError);
  expect([deepFreeze(null), deepFreeze(1)]).toEqual([null, 1]);
});
