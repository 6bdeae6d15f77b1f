import { describe, expect, test } from "vitest";
import type { Pod, PodDisruptionBudget } from "../../api/index.js";
import { countsWanted, failSafe, planBudget } from "./plan.js";

const now = Date.parse("2026-01-01T00:10:00Z");

const budgetOf = (spec: PodDisruptionBudget["spec"], status?: PodDisruptionBudget["status"]): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "b", namespace: "default", generation: 1 },
  ...(spec === undefined ? {} : { spec }),
  ...(status === undefined ? {} : { status }),
});

const podsOf = (ready: number, unready = 0): readonly Pod[] =>
  Array.from({ length: ready + unready }, (_, i) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `p${i}` },
    status: { phase: "Running", conditions: i < ready ? [{ type: "Ready", status: "True" }] : [] },
  }));

describe("disruptions that are allowed", () => {
  for (const [name, spec, pods, wanted, expected] of [
    ["are what is healthy beyond a minimum", { minAvailable: 2 }, podsOf(3), undefined, 1],
    ["are none while too few are healthy", { minAvailable: 2 }, podsOf(2, 1), undefined, 0],
    ["count a share of what is wanted, rounded up", { minAvailable: "50%" }, podsOf(5), 5, 2],
    ["count what may be missing, rounded up", { maxUnavailable: "30%" }, podsOf(5), 5, 2],
    ["count what may be missing of what is wanted, not of what is there", { maxUnavailable: 1 }, podsOf(2), 3, 0],
    ["are none without pods", { minAvailable: 0 }, [], undefined, 0],
  ] as const) {
    test(name, () => {
      const { status } = planBudget({ budget: budgetOf(spec), pods, wanted }, now);
      expect(status?.disruptionsAllowed).toBe(expected);
      expect(status?.conditions?.[0]).toMatchObject({
        type: "DisruptionAllowed",
        status: expected > 0 ? "True" : "False",
        reason: expected > 0 ? "SufficientPods" : "InsufficientPods",
      });
    });
  }
});

test("a pod whose eviction was just allowed counts as gone, for two minutes", () => {
  const disrupted = (since: string) => budgetOf({ minAvailable: 1 }, { disruptedPods: { p0: since } });
  const fresh = planBudget({ budget: disrupted("2026-01-01T00:09:00Z"), pods: podsOf(2), wanted: undefined }, now);
  expect(fresh.status).toMatchObject({
    currentHealthy: 1,
    disruptionsAllowed: 0,
    disruptedPods: { p0: "2026-01-01T00:09:00Z" },
  });
  expect(fresh.recheckAfterMs).toBe(60_000);
  const stale = planBudget({ budget: disrupted("2026-01-01T00:08:00Z"), pods: podsOf(2), wanted: undefined }, now);
  expect(stale.notDeleted.map(({ metadata }) => metadata.name)).toEqual(["p0"]);
  expect(stale.status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
});

test("a status that says it all is not written again", () => {
  const { status } = planBudget({ budget: budgetOf({ minAvailable: 1 }), pods: podsOf(2), wanted: undefined }, now);
  expect(
    planBudget({ budget: budgetOf({ minAvailable: 1 }, status), pods: podsOf(2), wanted: undefined }, now + 1000)
      .status,
  ).toBeUndefined();
});

test("when nothing can be found out nothing is allowed", () => {
  const status = failSafe(
    budgetOf({ maxUnavailable: 1 }, { disruptionsAllowed: 3, currentHealthy: 3, desiredHealthy: 0, expectedPods: 3 }),
    "no controller",
    now,
  );
  expect(status).toMatchObject({
    disruptionsAllowed: 0,
    conditions: [{ reason: "SyncFailed", message: "no controller" }],
  });
});

test("only shares and what may be missing need to know what is wanted", () => {
  expect(
    [{ minAvailable: 1 }, { minAvailable: "10%" }, { maxUnavailable: 1 }].map((spec) => countsWanted(budgetOf(spec))),
  ).toEqual([false, true, true]);
});
