/** Limits of scaling: stabilisation windows, policies and their periods, minimum and maximum. */
import { describe, expect, test } from "vitest";
import type { HorizontalPodAutoscalerBehavior } from "../../api/index.js";
import { firstHistory, limited, type LimitOptions, type ScaleHistory, withChange } from "./limits.js";

const plain: LimitOptions = {
  behavior: undefined,
  current: 4,
  wanted: 4,
  min: 2,
  max: 20,
  stabilizationMs: 300_000,
  now: 1_000_000,
};
const empty: ScaleHistory = { recommendations: [], ups: [], downs: [] };
const ask = (more: Partial<LimitOptions>, history = empty) => {
  const { replicas, able, limit } = limited({ ...plain, ...more }, history);
  return [replicas, able.reason, limit.reason];
};

describe("without a behaviour", () => {
  test.each([
    [{ wanted: 4 }, [4, "ReadyForNewScale", "DesiredWithinRange"]],
    [{ wanted: 7 }, [7, "ReadyForNewScale", "DesiredWithinRange"]],
    [{ wanted: 9 }, [8, "ReadyForNewScale", "ScaleUpLimit"]],
    [{ wanted: 9, current: 1 }, [4, "ReadyForNewScale", "ScaleUpLimit"]],
    [{ wanted: 30, current: 15 }, [20, "ReadyForNewScale", "TooManyReplicas"]],
    [{ wanted: 1 }, [2, "ReadyForNewScale", "TooFewReplicas"]],
    [{ wanted: -(2 ** 31) }, [2, "ReadyForNewScale", "TooFewReplicas"]],
  ] as const)("%j", (options, result) => {
    expect(ask(options)).toEqual(result);
  });

  test("a target is not scaled below a recommendation of the last five minutes", () => {
    const history = firstHistory(6, plain.now - 300_000);
    expect(ask({ wanted: 3 }, history)).toEqual([6, "ScaleDownStabilized", "DesiredWithinRange"]);
    expect(ask({ wanted: 3, now: plain.now + 1 }, history)).toEqual([3, "ReadyForNewScale", "DesiredWithinRange"]);
  });

  test("an old recommendation gives way to the new one", () => {
    const { history } = limited({ ...plain, now: plain.now + 1 }, firstHistory(6, plain.now - 300_000));
    expect(history.recommendations).toEqual([{ replicas: 4, at: plain.now + 1 }]);
  });
});

const behavior: HorizontalPodAutoscalerBehavior = {
  scaleUp: {
    stabilizationWindowSeconds: 60,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 3, periodSeconds: 60 },
      { type: "Percent", value: 50, periodSeconds: 60 },
    ],
  },
  scaleDown: { selectPolicy: "Min", policies: [{ type: "Percent", value: 30, periodSeconds: 60 }] },
};

describe("with a behaviour", () => {
  test.each([
    [{ wanted: 12 }, [7, "ReadyForNewScale", "ScaleUpLimit"]],
    [{ wanted: 30, current: 10 }, [15, "ReadyForNewScale", "ScaleUpLimit"]],
    [{ wanted: 30, current: 19 }, [20, "ReadyForNewScale", "TooManyReplicas"]],
    [{ wanted: 2, current: 10 }, [7, "ReadyForNewScale", "ScaleDownLimit"]],
    [{ wanted: 1, current: 2, min: 2 }, [2, "ReadyForNewScale", "TooFewReplicas"]],
  ] as const)("%j", (options, result) => {
    expect(ask({ behavior, ...options })).toEqual(result);
  });

  test("the policy of the smallest change, and scaling that is switched off", () => {
    const up = (selectPolicy: "Min" | "Disabled") => ({ ...behavior, scaleUp: { ...behavior.scaleUp, selectPolicy } });
    expect(ask({ behavior: up("Min"), wanted: 12 })[0]).toBe(6);
    expect(ask({ behavior: up("Disabled"), wanted: 12 })).toEqual([4, "ReadyForNewScale", "ScaleUpLimit"]);
  });

  test("both windows hold the scale", () => {
    const lower = { ...empty, recommendations: [{ replicas: 4, at: plain.now - 59_999 }] };
    expect(ask({ behavior, wanted: 6 }, lower)).toEqual([4, "ScaleUpStabilized", "DesiredWithinRange"]);
    const higher = { ...empty, recommendations: [{ replicas: 4, at: plain.now - 299_999 }] };
    expect(ask({ behavior, wanted: 3 }, higher)).toEqual([4, "ScaleDownStabilized", "DesiredWithinRange"]);
  });

  test("a policy counts what was changed in its period", () => {
    const grown = withChange(empty, behavior, { from: 4, to: 7, now: plain.now - 30_000 });
    expect(ask({ behavior, current: 7, wanted: 12 }, grown)).toEqual([7, "ReadyForNewScale", "ScaleUpLimit"]);
    const later = { behavior, current: 7, wanted: 12, now: plain.now + 30_000 };
    expect(ask(later, grown)).toEqual([11, "ReadyForNewScale", "ScaleUpLimit"]);
  });

  test("only behaviours remember changes, and each direction apart", () => {
    expect(withChange(empty, undefined, { from: 1, to: 2, now: 5 })).toBe(empty);
    const { ups, downs } = withChange(empty, behavior, { from: 5, to: 2, now: 5 });
    expect([ups, downs]).toEqual([[], [{ change: 3, at: 5 }]]);
  });
});
