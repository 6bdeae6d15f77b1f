import fc from "fast-check";
import { expect, test } from "vitest";
import type { PolicyRule } from "../../../api/index.js";
import { gapsBetween, StepBudget, stepsFor } from "./coverage.js";
import { allows } from "./rules.js";

const gaps = (owner: readonly PolicyRule[], granted: readonly PolicyRule[]): readonly PolicyRule[] => {
  const found = gapsBetween(owner, granted, stepsFor(owner));
  const missing = [...found.missing()];
  expect(found.isEmpty).toBe(missing.length === 0);
  return missing;
};

test("what is granted is told apart into single permissions, each of which somebody must have", () => {
  const owner = [{ verbs: ["get", "list"], apiGroups: ["*"], resources: ["pods", "*/status"] }];
  expect(gaps(owner, [{ verbs: ["get", "watch"], apiGroups: ["", "apps"], resources: ["pods"] }])).toEqual([
    { verbs: ["watch"], apiGroups: [""], resources: ["pods"] },
    { verbs: ["watch"], apiGroups: ["apps"], resources: ["pods"] },
  ]);
  expect(gaps(owner, [{ verbs: ["get"], apiGroups: [""], resources: ["nodes/status"] }])).toEqual([]);
  expect(gaps(owner, [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] }])).toEqual([]);
  const named = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] }];
  expect(gaps(named, [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }])).toHaveLength(1);
});

test("a list that is null counts as empty", () => {
  const rule = { verbs: ["get"], apiGroups: null, resources: null, nonResourceURLs: ["/x"] } as never as PolicyRule;
  expect(gaps([], [rule])).toEqual([{ verbs: ["get"], nonResourceURLs: ["/x"] }]);
  expect(gaps([rule], [rule])).toEqual([]);
});

/** Every combination, asked one by one of the same rules that judge requests. */
function spelledOut(owner: readonly PolicyRule[], granted: readonly PolicyRule[]): readonly PolicyRule[] {
  const asked = {
    type: "resource",
    version: "v1",
    namespace: "",
    inNamespace: false,
    subresource: "",
    rest: [],
  } as const;
  const may = (request: Parameters<typeof allows>[1]): boolean => owner.some((rule) => allows(rule, request));
  return granted.flatMap(({ apiGroups = [], resources = [], verbs, resourceNames = [""], nonResourceURLs = [] }) => [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          resourceNames
            .filter((name) => !may({ ...asked, group, resource, verb, name }))
            .map((name) => ({
              verbs: [verb],
              apiGroups: [group],
              resources: [resource],
              ...(name === "" ? {} : { resourceNames: [name] }),
            })),
        ),
      ),
    ),
    ...nonResourceURLs.flatMap((path) =>
      verbs
        .filter((verb) => !may({ type: "other", verb, path }))
        .map((verb) => ({ verbs: [verb], nonResourceURLs: [path] })),
    ),
  ]);
}

test("the gaps are those that asking for every combination finds, in the same order", () => {
  const some = (...values: readonly string[]) => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 });
  const ofResources = fc.record(
    {
      verbs: some("a", "b", "c", "*"),
      apiGroups: some("", "x", "y", "*"),
      resources: some("p", "q", "p/s", "q/s", "*/s", "*"),
      resourceNames: some("m", "n", "o"),
    },
    { requiredKeys: ["verbs", "apiGroups", "resources"] },
  );
  const ofPaths = fc.record({ verbs: some("a", "b", "*"), nonResourceURLs: some("/a", "/a/b", "/a/*", "/*", "*") });
  const rules = fc.array(fc.oneof({ weight: 3, arbitrary: ofResources }, ofPaths), { maxLength: 6 });
  fc.assert(
    fc.property(rules, rules, (owner, granted) => {
      expect(gaps(owner, granted)).toEqual(spelledOut(owner, granted));
    }),
  );
});

const many = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index}`);

/** Allows n⁴ things. */
const broad = (n: number): PolicyRule => ({
  verbs: many("v", n),
  apiGroups: many("g", n),
  resources: many("r", n),
  resourceNames: many("n", n),
});

test.each([
  ["nobody has them", () => [], "gap"],
  ["one rule has all", (n: number) => [broad(n)], "none"],
  ["a rule for each verb", (n: number) => many("v", n).map((verb) => ({ ...broad(n), verbs: [verb] })), "none"],
  ["all but one name", (n: number) => [{ ...broad(n), resourceNames: many("n", n - 1) }], "gap"],
  ["halves of every field", (n: number) => halves(broad(n)), "none"],
  ["halves but one", (n: number) => halves(broad(n)).slice(1), "gap"],
] as const)("a broad role is compared without its combinations: %s", (_, ownerOf, verdict) => {
  const work = (n: number): number => {
    const owner: readonly PolicyRule[] = ownerOf(n);
    const steps = new StepBudget(Number.POSITIVE_INFINITY);
    const found = gapsBetween(owner, [broad(n)], steps);
    expect(found.isEmpty).toBe(verdict === "none");
    return steps.taken;
  };
  const [one, two, four] = [work(15), work(30), work(60)];
  expect(two).toBeLessThan(5 * one);
  expect(four).toBeLessThan(5 * two);
});

/** Sixteen rules that have the rule together. */
function halves(rule: PolicyRule): readonly PolicyRule[] {
  const split = (rules: readonly PolicyRule[], field: "verbs" | "apiGroups" | "resources" | "resourceNames") =>
    rules.flatMap((one) => {
      const items = one[field] as readonly string[];
      const middle = items.length >> 1;
      return [
        { ...one, [field]: items.slice(0, middle) },
        { ...one, [field]: items.slice(middle) },
      ];
    });
  return split(split(split(split([rule], "verbs"), "apiGroups"), "resources"), "resourceNames");
}

test("a comparison that would take too long is given up, and counts as a gap", () => {
  // each of these lets one value of each field pass, so that no two ways leave the same rules
  const n = 12;
  const owner = Array.from({ length: n * 4 }, (_, index) => {
    const field = (["verbs", "apiGroups", "resources", "resourceNames"] as const)[index % 4] as "verbs";
    return { ...broad(n), [field]: broad(n)[field].filter((_value, at) => at !== index >> 2) };
  });
  const steps = new StepBudget(50);
  expect(gapsBetween(owner, [broad(n)], steps).isEmpty).toBe(false);
  expect([steps.areSpent, steps.taken]).toEqual([true, 50]);
});
