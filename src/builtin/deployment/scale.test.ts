import { describe, expect, test } from "vitest";
import type { Deployment, DeploymentSpec, ReplicaSet } from "../../api/index.js";
import { maxSurge, maxUnavailable, nextSizeOfNew } from "./fenceposts.js";
import { isScalingEvent, planScale } from "./scale.js";

const rollingOf = (replicas: number, surge: number | string = 0, unavailable: number | string = 1): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: {},
    template: {},
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } },
  },
});

interface SetShape {
  readonly desired?: number | string;
  readonly max?: number | string;
  readonly available?: number;
}

/** Sets are as old as they are early in the alphabet. */
const setOf = (name: string, size: number, { desired, max, available = size }: SetShape = {}): ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name,
    creationTimestamp: `2026-01-01T00:00:0${name.charCodeAt(0) - 97}Z`,
    annotations: {
      ...(desired === undefined ? {} : { "deployment.kubernetes.io/desired-replicas": String(desired) }),
      ...(max === undefined ? {} : { "deployment.kubernetes.io/max-replicas": String(max) }),
    },
  },
  spec: { replicas: size, selector: {}, template: {} },
  status: { replicas: size, availableReplicas: available },
});

/** Sizes before and after, oldest first; the last one is the new one unless there is none. */
function scaled(deployment: Deployment, from: SetShape, before: readonly number[], hasNew = true): readonly number[] {
  const sets = before.map((size, i) => setOf(String.fromCharCode(97 + i), size, { ...from, available: 0 }));
  const newSet = hasNew ? sets.at(-1) : undefined;
  const old = hasNew ? sets.slice(0, -1) : sets;
  const planned = new Map(planScale(deployment, newSet, old).map(({ set, to }) => [set, to]));
  return sets.map((set) => planned.get(set) ?? set.spec?.replicas ?? 0);
}

describe("a change of size is spread over the sets", () => {
  for (const [what, to, from, before, after] of [
    ["one set takes it all, up", 12, 10, [10], [12]],
    ["one set takes it all, down", 5, 10, [10], [5]],
    ["5 to 3", 3, 5, [3, 2], [2, 1]],
    ["9 to 4, where a small one vanishes", 4, 9, [1, 8], [0, 4]],
    ["what is left over goes to the youngest of equals when growing", 4, 3, [1, 1, 1], [1, 1, 2]],
    ["what is left over comes from the oldest of equals when shrinking", 2, 3, [1, 1, 1], [0, 1, 1]],
    ["to nothing", 0, 6, [1, 2, 3], [0, 0, 0]],
    ["from nothing, to the new one", 6, 6, [0, 0, 0], [0, 0, 6]],
  ] as const) {
    test(what, () => expect(scaled(rollingOf(to), { desired: from, max: from }, before)).toEqual(after));
  }

  test("without a new set the youngest of equals grows", () => {
    expect(scaled(rollingOf(5), { desired: 4, max: 4 }, [2, 2], false)).toEqual([2, 3]);
    expect(scaled(rollingOf(14), { desired: 10, max: 10 }, [3, 7], false)).toEqual([4, 10]);
  });

  test("with the pods that may be too many, before and after", () => {
    expect(scaled(rollingOf(20, 2), { desired: 10, max: 12 }, [6, 6])).toEqual([11, 11]);
    expect(scaled(rollingOf(50, 6), { desired: 10, max: 13 }, [8, 5])).toEqual([34, 22]);
  });

  test("by what the status counts, if nobody knows the size before; and not at all if that is nothing", () => {
    const deployment = { ...rollingOf(10), status: { replicas: 5 } };
    for (const max of [undefined, 0, "many", -3, 2 ** 31]) {
      const from = max === undefined ? {} : { max };
      expect(scaled(deployment, from, [2, 3])).toEqual([4, 6]);
    }
    expect(scaled(rollingOf(10), {}, [2, 3])).toEqual([2, 8]);
  });

  test("a new set that has all it should empties the others, but not if its pods are not available", () => {
    const full = (available: number) => setOf("b", 2, { desired: 2, max: 3, available });
    const old = setOf("a", 1, { desired: 2, max: 3 });
    expect(planScale(rollingOf(2, 1), full(2), [old])).toEqual([{ set: old, to: 0 }]);
    expect(planScale(rollingOf(2, 1), full(0), [old]).map(({ to }) => to)).toEqual([2, 1]);
  });

  test("sets of a Deployment that recreates are left alone while there are several", () => {
    const { spec, ...rest } = rollingOf(9);
    const recreate = { ...rest, spec: { ...(spec as DeploymentSpec), strategy: { type: "Recreate" } as const } };
    expect(scaled(recreate, { desired: 3, max: 3 }, [1, 2])).toEqual([1, 2]);
  });
});

describe("the size was changed", () => {
  test("if a set that has pods remembers another", () => {
    const sets = (size: number, desired: number | string) => [setOf("a", size, { desired })];
    expect(isScalingEvent(rollingOf(3), sets(1, 3))).toBe(false);
    expect(isScalingEvent(rollingOf(3), sets(1, 2))).toBe(true);
    expect(isScalingEvent(rollingOf(3), sets(0, 2))).toBe(false);
    expect(isScalingEvent(rollingOf(3), sets(1, "x"))).toBe(false);
  });
});

describe("a rollout may have", () => {
  for (const [replicas, surge, unavailable, more, fewer] of [
    [10, 0, 0, 0, 1],
    [10, 2, 0, 2, 0],
    [10, 0, 2, 0, 2],
    [10, "25%", "25%", 3, 2],
    [3, "25%", "25%", 1, 0],
    [1, "0%", "1%", 0, 1],
    [5, 1, 10, 1, 5],
    [0, 1, 1, 1, 0],
    [3, "100%", "100%", 3, 3],
  ] as const) {
    test(`of ${replicas}, with ${surge} and ${unavailable}: ${more} more and ${fewer} fewer`, () => {
      const deployment = rollingOf(replicas, surge, unavailable);
      expect([maxSurge(deployment), maxUnavailable(deployment)]).toEqual([more, fewer]);
    });
  }

  test("no more and no fewer, if it recreates", () => {
    const { spec, ...rest } = rollingOf(5, 1, 1);
    const recreate = { ...rest, spec: { ...(spec as DeploymentSpec), strategy: { type: "Recreate" } as const } };
    expect([maxSurge(recreate), maxUnavailable(recreate), nextSizeOfNew(recreate, [], 0)]).toEqual([0, 0, 5]);
  });
});

test("a new set grows into the room that the others leave, and never beyond what is wanted", () => {
  const next = (replicas: number, surge: number, old: number, size: number): number =>
    nextSizeOfNew(rollingOf(replicas, surge), [setOf("a", old), setOf("b", size)], size);
  expect([next(10, 0, 10, 0), next(10, 2, 10, 0), next(10, 5, 0, 0), next(10, 2, 4, 5), next(10, 2, 9, 5)]).toEqual([
    0, 2, 10, 8, 5,
  ]);
});
