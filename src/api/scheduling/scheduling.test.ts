import { describe, expect, test } from "vitest";
import type { NodeSelectorRequirement, Taint, Toleration } from "../generated/core-v1.js";
import { requiredNodes } from "./node-affinity.js";
import { tolerates, untoleratedTaint } from "./tolerations.js";

const taint: Taint = { key: "team", value: "blue", effect: "NoSchedule" };

for (const [toleration, expected] of [
  [{ operator: "Exists" }, true],
  [{ key: "team", operator: "Exists" }, true],
  [{ key: "team", value: "blue" }, true],
  [{ key: "team", operator: "Equal", value: "blue", effect: "NoSchedule" }, true],
  [{ key: "team", value: "red" }, false],
  [{ key: "other", operator: "Exists" }, false],
  [{ key: "team", operator: "Exists", effect: "NoExecute" }, false],
  [{ value: "blue" }, false],
] as readonly (readonly [Toleration, boolean])[]) {
  test(`${JSON.stringify(toleration)} ${expected ? "tolerates" : "does not tolerate"} team=blue:NoSchedule`, () => {
    expect(tolerates(toleration, taint)).toBe(expected);
  });
}

test("only taints of the effects that matter are looked at", () => {
  expect(untoleratedTaint([taint], [], ["NoExecute"])).toBeUndefined();
  expect(untoleratedTaint([taint], undefined, ["NoSchedule", "NoExecute"])).toBe(taint);
});

describe("required nodes", () => {
  const node = { metadata: { name: "n1", labels: { zone: "a", size: "8" } } };
  const matches = (...matchExpressions: readonly NodeSelectorRequirement[]): boolean =>
    requiredNodes({
      containers: [],
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
      },
    })(node);

  for (const [requirement, expected] of [
    [{ key: "zone", operator: "In", values: ["a", "b"] }, true],
    [{ key: "zone", operator: "NotIn", values: ["b"] }, true],
    [{ key: "constructor", operator: "Exists" }, false],
    [{ key: "constructor", operator: "DoesNotExist" }, true],
    [{ key: "missing", operator: "NotIn", values: ["b"] }, true],
    [{ key: "missing", operator: "In", values: ["b"] }, false],
    [{ key: "zone", operator: "Exists" }, true],
    [{ key: "missing", operator: "DoesNotExist" }, true],
    [{ key: "size", operator: "Gt", values: ["7"] }, true],
    [{ key: "size", operator: "Lt", values: ["8"] }, false],
    [{ key: "zone", operator: "Gt", values: ["7"] }, false],
  ] as readonly (readonly [NodeSelectorRequirement, boolean])[]) {
    test(`${JSON.stringify(requirement)} ${expected ? "matches" : "does not match"}`, () => {
      expect(matches(requirement)).toBe(expected);
    });
  }

  test("a term without requirements matches nothing", () => expect(matches()).toBe(false));

  test("both the selector and the affinity must match, and a name may be asked for", () => {
    const pinned = { matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] } as const;
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [pinned] } },
    };
    expect(requiredNodes({ containers: [], affinity, nodeSelector: { zone: "a" } })(node)).toBe(true);
    expect(requiredNodes({ containers: [], affinity, nodeSelector: { zone: "b" } })(node)).toBe(false);
  });
});
