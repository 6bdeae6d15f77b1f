/** The replicas that one metric asks for: ratios, tolerance, and pods that are missing, unready or on their way out. */
import { describe, expect, test } from "vitest";
import { formatTime, type Pod } from "../../api/index.js";
import type { PodReading } from "./pods.js";
import { byAverage, byExternalShare, byShare, byUtilization, byValue, type Situation, totalOf } from "./replicas.js";

const now = 3_600_000;

interface Shape {
  readonly phase?: string;
  readonly ready?: "True" | "False";
  readonly startedAgo?: number;
  readonly changedAgo?: number;
  readonly deleted?: boolean;
  readonly request?: string | undefined;
}

function podOf(name: string, shape: Shape = {}): Pod {
  const { phase = "Running", ready = "True", startedAgo = 1_800_000, changedAgo = 1_700_000, deleted = false } = shape;
  const request = "request" in shape ? shape.request : "1";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...(deleted && { deletionTimestamp: formatTime(now) }) },
    spec: { containers: [{ name: "main", image: "a", resources: request ? { requests: { cpu: request } } : {} }] },
    status: {
      phase,
      startTime: formatTime(now - startedAgo),
      conditions: [{ type: "Ready", status: ready, lastTransitionTime: formatTime(now - changedAgo) }],
    },
  } as Pod;
}

const situation = (pods: readonly Pod[], more: Partial<Situation> = {}): Situation => ({
  specReplicas: pods.length,
  statusReplicas: pods.length,
  pods,
  tolerances: { up: 0.1, down: 0.1 },
  now,
  cpuInitializationMs: 300_000,
  initialReadinessMs: 30_000,
  ...more,
});

const readings = (...values: readonly (number | undefined)[]) =>
  new Map(
    values.flatMap((value, index): [string, PodReading][] =>
      value === undefined ? [] : [[`p${index}`, { value: BigInt(value), timestamp: now, windowMs: 15_000 }]],
    ),
  );

const pods = (...shapes: readonly Shape[]): readonly Pod[] => shapes.map((shape, index) => podOf(`p${index}`, shape));
const plain = pods({}, {}, {});
const cpu = { target: 50, resource: "cpu", container: "" };

describe("a utilization of CPU", () => {
  test.each([
    ["at its target keeps the scale", plain, [500, 500, 500], 3],
    ["within the tolerance keeps the scale", plain, [540, 540, 540], 3],
    ["above it asks for more", plain, [1_000, 1_000, 1_000], 6],
    ["below it asks for fewer", plain, [100, 100, 100], 1],
    ["counts a missing pod as idle before scaling up", plain, [1_000, 1_000, undefined], 4],
    ["counts a missing pod as full before scaling down", plain, [100, 100, undefined], 3],
    ["ignores a pod that is being deleted", pods({}, {}, { deleted: true }), [1_000, 1_000, 9_000], 4],
    ["ignores a failed pod", pods({}, {}, { phase: "Failed" }), [1_000, 1_000, undefined], 4],
    ["counts a pending pod as idle before scaling up", pods({}, {}, { phase: "Pending" }), [1_000, 1_000], 4],
    ["ignores a pending pod before scaling down", pods({}, {}, { phase: "Pending" }), [100, 100], 1],
    [
      "does not count a pod that never was ready",
      pods({}, {}, { ready: "False", changedAgo: 1_790_000 }),
      [1_000, 1_000, 9_000],
      4,
    ],
    [
      "counts a pod that was ready once",
      pods({}, {}, { ready: "False", changedAgo: 60_000 }),
      [1_000, 1_000, 1_000],
      6,
    ],
    [
      "does not count the first window of a young pod",
      pods({}, {}, { startedAgo: 60_000, changedAgo: 10_000 }),
      [1_000, 1_000, 9_000],
      4,
    ],
    ["does not turn a scale up into a scale down", pods({}, { phase: "Pending" }, { phase: "Pending" }), [600], 3],
  ] as const)("%s", (_title, of, values, replicas) => {
    expect(byUtilization(situation(of), readings(...values), cpu).replicas).toBe(replicas);
  });

  test("is the usage of all pods over the requests of all pods, rounded down", () => {
    const result = byUtilization(situation(plain), readings(333, 333, 335), cpu);
    expect(result).toEqual({ replicas: 2, utilization: 33, average: 333n });
  });

  test.each([
    ["no pods returned by selector while calculating replica count", [], []],
    ["did not receive metrics for targeted pods (pods might be unready)", plain, []],
    ["missing request for cpu in container main of Pod p1", pods({}, { request: undefined }), [1, 1]],
    ["no metrics returned matched known pods", pods({ request: "0" }), [1]],
  ] as const)("cannot be told: %s", (message, of, values) => {
    expect(() => byUtilization(situation(of), readings(...values), cpu)).toThrow(message);
  });

  test("of one container needs that container", () => {
    const named = { ...cpu, container: "other" };
    expect(() => byUtilization(situation(plain), readings(1, 1, 1), named)).toThrow(
      "container other not found in Pod p0",
    );
  });
});

describe("an average value", () => {
  const target = { target: 10_000n, resource: "" };

  test("scales by its ratio to the target, and counts young pods too", () => {
    const young = pods({}, { startedAgo: 1_000, changedAgo: 1_000 });
    expect(byAverage(situation(young), readings(30_000, 30_000), target)).toEqual({ replicas: 6, average: 30_000n });
  });

  test("of a missing pod is the target before scaling down", () => {
    expect(byAverage(situation(plain), readings(1_000, 1_000, undefined), target).replicas).toBe(2);
  });

  test("has a tolerance for each direction", () => {
    const tolerances = { up: 0.5, down: 0 };
    expect(byAverage(situation(plain, { tolerances }), readings(14_000, 14_000, 14_000), target).replicas).toBe(3);
    expect(byAverage(situation(plain, { tolerances }), readings(9_000, 9_000, 9_000), target).replicas).toBe(3);
    expect(byAverage(situation(plain, { tolerances }), readings(6_000, 6_000, 6_000), target).replicas).toBe(2);
  });

  test("that is negative or huge asks for nonsense, which the limits mend", () => {
    expect(byAverage(situation(plain), readings(-5_000, -5_000, -5_000), target).replicas).toBe(-1);
    const huge = new Map([["p0", { value: 2n ** 62n, timestamp: now, windowMs: 0 }]]);
    expect(byAverage(situation(pods({})), huge, { target: 1n, resource: "" }).replicas).toBe(-(2 ** 31));
  });
});

describe("a value as a whole", () => {
  test("scales the ready pods by its ratio to the target", () => {
    const two = pods({}, {}, { ready: "False" });
    expect(byValue(situation(two), 30_000n, 10_000n)).toBe(6);
    expect(byValue(situation(plain), 10_500n, 10_000n)).toBe(3);
    expect(byValue(situation([], { specReplicas: 0 }), 30_000n, 10_000n)).toBe(3);
    expect(() => byValue(situation([], { specReplicas: 1 }), 30_000n, 10_000n)).toThrow(
      "unable to calculate ready pods: no pods returned by selector while calculating replica count",
    );
  });

  test("for each replica needs no pods", () => {
    expect(byShare(situation(plain), 100_000n, 10_000n)).toEqual({ replicas: 10, average: 33_334n });
    expect(byShare(situation(plain), 31_000n, 10_000n)).toEqual({ replicas: 3, average: 10_334n });
    expect(byShare(situation([], { statusReplicas: 0 }), 20_000n, 10_000n).replicas).toBe(2);
  });

  test("of external metrics is their sum, or the largest number", () => {
    expect(totalOf([1n, 2n])).toBe(3n);
    expect(totalOf([2n ** 62n, 2n ** 62n, 5n])).toBe(2n ** 63n - 1n);
  });

  test("that is too large for each replica counts as too little of an object, and as the most from outside", () => {
    const huge = 2n ** 63n - 1n;
    expect(byShare(situation(plain), huge, 1n).replicas).toBe(-(2 ** 31));
    expect(byExternalShare(situation(plain), [huge], 1n)).toEqual({ replicas: 2 ** 31 - 1, average: huge });
  });

  test("for each replica counts as the most if it is negative", () => {
    expect(byExternalShare(situation(plain), [1_000n, -3_000n], 1_000n).average).toBe(2n ** 63n - 1n);
  });
});
