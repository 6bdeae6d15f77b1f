import fc from "fast-check";
import { expect, test } from "vitest";
import { pathText, stepOrder } from "./path-element.js";
import {
  difference,
  equalSets,
  hasPath,
  inOrder,
  intersection,
  isEmpty,
  parsePathSet,
  type PathSet,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
} from "./path-set.js";

type Path = readonly string[];
const step = fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', 'k:{"name":"y"}', 'v:"s"', "v:10", "v:2", "i:0");
const path: fc.Arbitrary<Path> = fc.array(step, { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 8 });

/** The naive model: a set of paths as texts. */
const model = (set: PathSet): ReadonlySet<string> => new Set([...pathsOf(set)].map((one) => one.join("/")));
const modelOf = (list: readonly Path[]): Set<string> => new Set(list.map((one) => one.join("/")));

test("a set has the paths that were put in, and no others (property)", () => {
  fc.assert(
    fc.property(paths, path, (list, probe) => {
      const set = setOf(...list);
      expect(model(set)).toEqual(modelOf(list));
      expect(hasPath(set, probe)).toBe(modelOf(list).has(probe.join("/")));
      expect(isEmpty(set)).toBe(list.length === 0);
    }),
  );
});

test("union, intersection and differences are those of the paths (property)", () => {
  fc.assert(
    fc.property(paths, paths, (first, second) => {
      const [a, b] = [setOf(...first), setOf(...second)];
      const [inA, inB] = [modelOf(first), modelOf(second)];
      expect(model(union(a, b))).toEqual(new Set([...inA, ...inB]));
      expect(model(intersection(a, b))).toEqual(new Set([...inA].filter((one) => inB.has(one))));
      expect(model(difference(a, b))).toEqual(new Set([...inA].filter((one) => !inB.has(one))));
      const below = (one: string): boolean => [...inB].some((other) => one === other || one.startsWith(`${other}/`));
      expect(model(recursiveDifference(a, b))).toEqual(new Set([...inA].filter((one) => !below(one))));
    }),
    { numRuns: 1_000 },
  );
});

test("an operation without effect gives its argument back (property)", () => {
  fc.assert(
    fc.property(paths, (list) => {
      const set = setOf(...list);
      expect(union(set, setOf(...list))).toBe(set);
      expect(difference(set, setOf(["f:other"]))).toBe(set);
      expect(recursiveDifference(set, setOf(["f:other"]))).toBe(set);
    }),
  );
});

test("what was written can be read again, in upstream's order (property)", () => {
  fc.assert(
    fc.property(paths, (list) => {
      const set = inOrder(setOf(...list));
      const read = parsePathSet(JSON.parse(JSON.stringify(set)));
      expect(equalSets(read, set)).toBe(true);
      const orders = (node: PathSet): boolean => {
        const steps = Object.keys(node);
        return (
          steps.every((one, index) => index === 0 || stepOrder()(steps[index - 1] as string, one) < 0) &&
          Object.values(node).every(orders)
        );
      };
      expect(orders(set)).toBe(true);
    }),
  );
});

test("the order is: itself, fields, keyed items, values as numbers and texts, indices", () => {
  const steps = ["i:1", "i:0", 'v:"b"', "v:10", "v:2", 'k:{"port":80}', 'k:{"name":"x"}', "f:b", "f:a", "."];
  expect(steps.toSorted(stepOrder())).toEqual([
    ".",
    "f:a",
    "f:b",
    'k:{"name":"x"}',
    'k:{"port":80}',
    "v:2",
    "v:10",
    'v:"b"',
    "i:0",
    "i:1",
  ]);
});

test("a path is printed as conflicts show it", () => {
  expect(pathText(["f:spec", "f:ports", 'k:{"port":80,"protocol":"TCP"}', "f:name"])).toBe(
    '.spec.ports[port=80,protocol="TCP"].name',
  );
  expect(pathText(["f:metadata", "f:finalizers", 'v:"a/b"'])).toBe('.metadata.finalizers[="a/b"]');
  expect(pathText(['k:{"name":[]}', 'k:{"name":{}}', 'k:{"name":["a",{"b":null}]}'])).toBe(
    '[name=[]][name=][name=["a",b=null]]',
  );
});

test("steps of a form that nobody knows are dropped, steps that are broken are refused", () => {
  expect(parsePathSet({ "z:x": {}, "f:a": { ".": {}, "q:1": {} } })).toEqual({ "f:a": { ".": {} } });
  for (const broken of ["a", "f", "k:{", "v:", "i:x"]) expect(() => parsePathSet({ [broken]: {} })).toThrow();
});
