import fc from "fast-check";
import { expect, test } from "vitest";
import { deepEqual, type Toleration } from "../../api/index.js";
import { mergedTolerations } from "./tolerations.js";

/** The rule, pair by pair. */
function merged(all: readonly Toleration[]): readonly Toleration[] {
  const kept: Toleration[] = [];
  for (const [i, one] of all.entries()) {
    if (kept.some((other) => covers(other, one))) continue;
    if (all.slice(i + 1).some((other) => !deepEqual(other, one) && covers(other, one))) continue;
    kept.push(one);
  }
  return kept;
}

function covers(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true;
  if ((narrow.key ?? "") !== (wide.key ?? "") && (wide.key || wide.operator !== "Exists")) return false;
  if ((narrow.effect ?? "") !== (wide.effect ?? "") && wide.effect) return false;
  if (wide.effect === "NoExecute" && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === "Exists") return true;
  return narrow.operator === "Equal" && (narrow.value ?? "") === (wide.value ?? "");
}

const some = <T>(...values: readonly T[]): fc.Arbitrary<T | undefined> => fc.constantFrom(undefined, ...values);
const toleration = fc.record({
  key: some("", "a", "b"),
  operator: some("Exists", "Equal"),
  value: some("", "x", "y"),
  effect: some("", "NoExecute", "NoSchedule"),
  tolerationSeconds: some(0, 5, 10),
});

test("tolerations are merged as the rule says (property)", () => {
  fc.assert(
    fc.property(fc.array(toleration, { maxLength: 8 }), (all) => {
      const given = JSON.parse(JSON.stringify(all)) as Toleration[];
      expect(mergedTolerations(given)).toEqual(merged(given));
    }),
    { numRuns: 3_000 },
  );
});

test("the first of equal tolerations stays, and goes if a wider one comes later", () => {
  const narrow: Toleration = { key: "a", operator: "Equal", value: "x" };
  const wide: Toleration = { operator: "Exists" };
  expect(mergedTolerations([narrow, narrow])).toEqual([narrow]);
  expect(mergedTolerations([narrow, wide])).toEqual([wide]);
  expect(mergedTolerations([wide, narrow])).toEqual([wide]);
});
