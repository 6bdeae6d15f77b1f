import { describe, expect, test } from "vitest";
import type { Pod, PodDisruptionBudget } from "../../api/index.js";
import { countsWanted, failSafe, planBudget, unmanagedMessage } from "./plan.js";
import { staleAfterMs } from "./stale-targets.js";

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
    ["are none for a budget that says nothing", {}, podsOf(3), undefined, 0],
    [
      "are none while more may be missing than are wanted, but nothing is wanted",
      { maxUnavailable: 5 },
      podsOf(2),
      0,
      0,
    ],
    ["are all that are healthy, if more may be missing than are wanted", { maxUnavailable: 5 }, podsOf(2), 3, 2],
    ["are all, if none need be there", { minAvailable: "0%" }, podsOf(3), 3, 3],
    ["are none, if all must be there", { minAvailable: "100%" }, podsOf(3), 3, 0],
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

test("a pod may have the name of what every object inherits", () => {
  const pods = podsOf(2).map((pod, i) => (i === 0 ? { ...pod, metadata: { name: "constructor" } } : pod));
  expect(planBudget({ budget: budgetOf({ minAvailable: 1 }), pods, wanted: undefined }, now).status).toMatchObject({
    currentHealthy: 2,
    disruptionsAllowed: 1,
  });
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

test("pods that have ended count as expected but not as healthy", () => {
  const ended = podsOf(1).map((pod) => ({ ...pod, status: { phase: "Succeeded" } }) as Pod);
  const pods = [...ended, ...podsOf(3).slice(1)];
  const { status } = planBudget({ budget: budgetOf({ minAvailable: 1 }), pods, wanted: undefined }, now);
  expect(status).toMatchObject({ expectedPods: 3, currentHealthy: 2, disruptionsAllowed: 1 });
});

test("a pod that leaves is not healthy, and no longer waited for", () => {
  const [first, ...rest] = podsOf(3);
  const leaving = { ...first, metadata: { name: "p0", deletionTimestamp: "2026-01-01T00:10:00Z" } } as Pod;
  const budget = budgetOf({ minAvailable: 1 }, { disruptedPods: { p0: "2026-01-01T00:09:59Z" } });
  const { status, recheckAfterMs } = planBudget({ budget, pods: [leaving, ...rest], wanted: undefined }, now);
  expect([status?.currentHealthy, status?.disruptedPods, recheckAfterMs]).toEqual([2, undefined, undefined]);
});

test("the next look is for the pod whose eviction was allowed first", () => {
  const disruptedPods = { p0: "2026-01-01T00:09:00Z", p1: "2026-01-01T00:08:30Z", gone: "2026-01-01T00:08:10Z" };
  const budget = budgetOf({ minAvailable: 1 }, { disruptedPods });
  const { status, recheckAfterMs } = planBudget({ budget, pods: podsOf(3), wanted: undefined }, now);
  expect(recheckAfterMs).toBe(30_000);
  expect(Object.keys(status?.disruptedPods ?? {}).toSorted()).toEqual(["p0", "p1"]);
});

test("a failure keeps the generation that was observed, and the counts that were", () => {
  const budget = budgetOf({ maxUnavailable: 1 }, { observedGeneration: 7, expectedPods: 4, desiredHealthy: 3 });
  expect(failSafe(budget, "why", now)).toMatchObject({
    observedGeneration: 7,
    expectedPods: 4,
    conditions: [{ status: "False", observedGeneration: 7 }],
  });
});

test("pods without a controller are told in upstream's words", () => {
  const selector = {
    matchLabels: { b: "2", a: "1" },
    matchExpressions: [{ key: "tier", operator: "In" as const, values: ["x", "y"] }],
  };
  expect(unmanagedMessage(budgetOf({ selector }))).toContain(
    "(selector: &LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:tier,Operator:In,Values:[x y],},},})",
  );
});

describe("the word that a pod is to be disrupted", () => {
  const target = (reason: string, phase = "Running", deletionTimestamp?: string): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    status: {
      phase,
      conditions: [{ type: "DisruptionTarget", status: "True", reason, lastTransitionTime: "2026-01-01T00:09:00Z" }],
    } as Pod["status"] & object,
  });
  test("is stale two minutes after it was given", () => {
    expect(staleAfterMs(target("EvictionByEvictionAPI"), now)).toBe(60_000);
  });
  test("is never stale if a kubelet gave it, if the pod leaves, or has ended", () => {
    expect(
      [
        target("TerminationByKubelet"),
        target("PreemptionByScheduler", "Failed"),
        target("PreemptionByScheduler", "Running", "2026-01-01T00:09:30Z"),
      ].map((pod) => staleAfterMs(pod, now)),
    ).toEqual([undefined, undefined, undefined]);
  });
});
