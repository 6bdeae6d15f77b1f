import { describe, expect, test } from "vitest";
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "../../api/index.js";
import { countStatus, isComplete, nextProgressCheckMs, rolloutStatus } from "./status.js";

const now = Date.parse("2026-01-01T01:00:00Z");
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace(".000Z", "Z");

function deploymentOf(status: DeploymentStatus, deadline: number | undefined = 600, replicas = 3): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", generation: 2 },
    spec: {
      replicas,
      selector: {},
      template: {},
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      ...(deadline === 0 ? {} : { progressDeadlineSeconds: deadline }),
    },
    status,
  };
}

const setOf = (name: string, size: number, available = size, more: Partial<ReplicaSet["status"]> = {}): ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name },
  spec: { replicas: size, selector: {}, template: {} },
  status: {
    replicas: size,
    readyReplicas: available,
    availableReplicas: available,
    observedGeneration: 1,
    ...more,
  },
});

const progressing = (status: "True" | "False", reason: string, updated = 30): DeploymentCondition => ({
  type: "Progressing",
  status,
  reason,
  message: "",
  lastUpdateTime: ago(updated),
  lastTransitionTime: ago(100),
});

const conditionOf = ({ conditions = [] }: DeploymentStatus, type: string): DeploymentCondition | undefined =>
  conditions.find((condition) => condition.type === type);

describe("the condition of progress", () => {
  const [newSet, old] = [setOf("new", 2, 1), setOf("old", 1)];
  const after = (status: DeploymentStatus, deadline?: number): DeploymentCondition | undefined =>
    conditionOf(rolloutStatus(deploymentOf(status, deadline), [old, newSet], newSet, now), "Progressing");

  test("is taken away from a Deployment without a deadline", () => {
    expect(after({ conditions: [progressing("True", "ReplicaSetUpdated")] }, 0)).toBeUndefined();
    expect(after({ conditions: [progressing("True", "ReplicaSetUpdated")] }, 2 ** 31 - 1)).toBeUndefined();
  });

  test("is made where there was none", () => {
    expect(after({})).toMatchObject({ status: "True", reason: "ReplicaSetUpdated", lastTransitionTime: ago(0) });
  });

  test("is renewed with each sign of progress, but keeps the time since which it is true", () => {
    const conditions = [progressing("True", "ReplicaSetUpdated")];
    expect(after({ updatedReplicas: 1, replicas: 3, conditions })).toMatchObject({
      lastUpdateTime: ago(0),
      lastTransitionTime: ago(100),
    });
    expect(after({ conditions: [progressing("False", "ProgressDeadlineExceeded")] })).toMatchObject({
      status: "True",
      lastTransitionTime: ago(0),
    });
  });

  const same = { replicas: 3, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
  test("stays as it is without progress, until the deadline", () => {
    const conditions = [progressing("True", "ReplicaSetUpdated", 599)];
    expect(after({ ...same, conditions })).toEqual(conditions[0]);
    const late = [progressing("True", "ReplicaSetUpdated", 601)];
    expect(after({ ...same, conditions: late })).toMatchObject({
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: 'ReplicaSet "new" has timed out progressing.',
    });
  });

  test("that the deadline was missed is said once", () => {
    const conditions = [progressing("False", "ProgressDeadlineExceeded", 9999)];
    expect(after({ ...same, conditions })).toEqual(conditions[0]);
  });

  test("a rollout that has ended misses no deadline when pods fail later", () => {
    const done = setOf("new", 3, 0);
    const conditions = [progressing("True", "NewReplicaSetAvailable", 9999)];
    const status = rolloutStatus(deploymentOf({ replicas: 3, updatedReplicas: 3, conditions }), [done], done, now);
    expect(conditionOf(status, "Progressing")).toEqual(conditions[0]);
  });

  for (const [sign, before] of [
    ["more updated pods", { replicas: 3, updatedReplicas: 1, readyReplicas: 2, availableReplicas: 2 }],
    ["fewer old pods", { replicas: 4, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 }],
    ["more ready pods", { replicas: 3, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 2 }],
    ["more available pods", { replicas: 3, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1 }],
  ] as const) {
    test(`is renewed by ${sign}`, () => {
      const conditions = [progressing("True", "ReplicaSetUpdated", 9999)];
      expect(after({ ...before, conditions })?.lastUpdateTime).toBe(ago(0));
    });
  }

  test("names the Deployment while there is no new set", () => {
    const status = rolloutStatus(deploymentOf({}, 600, 0), [], undefined, now);
    expect(conditionOf(status, "Progressing")?.message).toBe('Deployment "web" has successfully progressed.');
  });
});

describe("a failure of pods", () => {
  const failing = (name: string, message: string): ReplicaSet =>
    setOf(name, 1, 0, {
      conditions: [
        { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message, lastTransitionTime: ago(50) },
      ],
    });
  test("of the new set is told before that of others, since when the set says", () => {
    const [newSet, old] = [failing("new", "new's"), failing("old", "old's")];
    const told = (sets: readonly ReplicaSet[], of?: ReplicaSet) =>
      conditionOf(rolloutStatus(deploymentOf({}), sets, of, now), "ReplicaFailure");
    expect(told([old, newSet], newSet)).toMatchObject({ message: "new's", lastUpdateTime: ago(50) });
    const well = setOf("well", 1);
    expect(told([old, well], well)).toMatchObject({ message: "old's" });
  });
  test("is taken back with the last of them", () => {
    const conditions = [{ type: "ReplicaFailure", status: "True" } as DeploymentCondition];
    const well = setOf("new", 3);
    expect(
      conditionOf(rolloutStatus(deploymentOf({ conditions }), [well], well, now), "ReplicaFailure"),
    ).toBeUndefined();
  });
});

describe("the counts", () => {
  test("of pods that are not available come from what the sets should have, and are never below none", () => {
    const [newSet, old] = [setOf("new", 2, 1), setOf("old", 2)];
    expect(countStatus(deploymentOf({}), [old, newSet], newSet, now)).toMatchObject({
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 2,
      availableReplicas: 3,
      unavailableReplicas: 1,
    });
    const shrunk = { ...setOf("new", 4), spec: { replicas: 1, selector: {}, template: {} } };
    expect(countStatus(deploymentOf({}), [shrunk], shrunk, now)).not.toHaveProperty("unavailableReplicas");
  });

  test("of pods on their way out are known only if every set that was looked at tells them", () => {
    const told = (...terminating: readonly (number | undefined | "new")[]) =>
      countStatus(
        deploymentOf({}),
        terminating.map((count, i) =>
          setOf(`s${i}`, 1, 1, {
            ...(count === "new" ? { observedGeneration: 0 } : {}),
            ...(typeof count === "number" ? { terminatingReplicas: count } : {}),
          }),
        ),
        undefined,
        now,
      ).terminatingReplicas;
    expect([told(), told(2, 3), told(2, "new"), told(2, undefined)]).toEqual([0, 5, 2, undefined]);
  });

  test("say that there are enough as soon as no more are missing than may be", () => {
    const available = (count: number) =>
      conditionOf(countStatus(deploymentOf({}), [setOf("new", 3, count)], undefined, now), "Available")?.status;
    expect([available(1), available(2), available(3)]).toEqual(["False", "True", "True"]);
  });
});

test("a rollout is complete when all that are wanted are updated and available, none is too many, and its generation was seen", () => {
  const done = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
  const complete = (status: DeploymentStatus): boolean => isComplete(deploymentOf({}), status);
  expect(complete(done)).toBe(true);
  for (const short of [{ replicas: 4 }, { updatedReplicas: 2 }, { availableReplicas: 2 }, { observedGeneration: 1 }])
    expect(complete({ ...done, ...short })).toBe(false);
});

describe("the next look for progress", () => {
  const look = (condition: DeploymentCondition | undefined, deadline?: number): number | undefined => {
    const status = { replicas: 3, conditions: condition === undefined ? [] : [condition] };
    return nextProgressCheckMs(deploymentOf(status, deadline), status, now);
  };
  test("is a second after the deadline, and at once if that is near", () => {
    expect(look(progressing("True", "ReplicaSetUpdated", 30))).toBe(571_000);
    expect(look(progressing("True", "ReplicaSetUpdated", 599))).toBe(2_000);
    expect(look(progressing("True", "ReplicaSetUpdated", 660))).toBe(100);
  });
  test("is not made without a deadline, a condition, or after it was missed", () => {
    expect([
      look(progressing("True", "ReplicaSetUpdated"), 0),
      look(undefined),
      look(progressing("False", "ProgressDeadlineExceeded")),
    ]).toEqual([undefined, undefined, undefined]);
  });
});
