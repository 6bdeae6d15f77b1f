import { describe, expect, test } from "vitest";
import type { Deployment, DeploymentStatus, Pod, ReplicaSet } from "../../api/index.js";
import type { DeploymentAction } from "./actions.js";
import { planDeployment } from "./plan.js";

const now = Date.parse("2026-01-01T00:10:00Z");
const labels = { app: "web" };

interface DeploymentShape {
  readonly replicas?: number;
  readonly image?: string;
  readonly surge?: number | string;
  readonly unavailable?: number | string;
  readonly spec?: Partial<NonNullable<Deployment["spec"]>>;
  readonly status?: DeploymentStatus;
  readonly annotations?: Record<string, string>;
}

function deploymentOf(shape: DeploymentShape = {}): Deployment {
  const { replicas = 3, image = "nginx:2", surge = "25%", unavailable = "25%", annotations = {} } = shape;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", uid: "d", generation: 2, annotations },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image }] } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...shape.spec,
    },
    ...(shape.status === undefined ? {} : { status: shape.status }),
  };
}

interface SetShape {
  readonly size: number;
  readonly available?: number;
  readonly image?: string;
  readonly revision?: number;
  readonly desired?: number;
  readonly max?: number;
  readonly created?: string;
}

function setOf(name: string, shape: SetShape): ReplicaSet {
  const { size, available = size, image = "nginx:1", revision = 1, desired, max, created = "00:00:00" } = shape;
  const setLabels = { ...labels, "pod-template-hash": name };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name,
      namespace: "default",
      uid: name,
      generation: 1,
      creationTimestamp: `2026-01-01T${created}Z`,
      labels: setLabels,
      annotations: {
        "deployment.kubernetes.io/revision": String(revision),
        ...(desired === undefined ? {} : { "deployment.kubernetes.io/desired-replicas": String(desired) }),
        ...(max === undefined ? {} : { "deployment.kubernetes.io/max-replicas": String(max) }),
      },
    },
    spec: {
      replicas: size,
      selector: { matchLabels: setLabels },
      template: { metadata: { labels: setLabels }, spec: { containers: [{ name: "c", image }] } },
    },
    status: { replicas: size, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  };
}

const plan = (
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  pods: readonly Pod[] = [],
): readonly DeploymentAction[] => planDeployment({ deployment, sets, podsOf: () => pods }, now);

const sizes = (actions: readonly DeploymentAction[]): Record<string, number | undefined> =>
  Object.fromEntries(
    actions.flatMap((action) =>
      action.type === "update-set" ? [[action.set.metadata.name, action.set.spec?.replicas]] : [],
    ),
  );

const conditionOf = (actions: readonly DeploymentAction[], type: string) =>
  actions
    .flatMap((action) => (action.type === "write-status" ? (action.deployment.status?.conditions ?? []) : []))
    .find((condition) => condition.type === type);

describe("a rolling update", () => {
  test("begins with a new set, as large as the surge allows, with the next revision", () => {
    const actions = plan(deploymentOf({ replicas: 10 }), [setOf("old", { size: 10, desired: 10, max: 13 })]);
    expect(actions).toHaveLength(1);
    const [create] = actions;
    if (create?.type !== "create-set") throw new Error("expected a new set");
    expect(create.set.spec?.replicas).toBe(3);
    expect(create.set.metadata.annotations).toEqual({
      "deployment.kubernetes.io/revision": "2",
      "deployment.kubernetes.io/desired-replicas": "10",
      "deployment.kubernetes.io/max-replicas": "13",
    });
    const hash = create.set.metadata.labels?.["pod-template-hash"] as string;
    expect(create.set.metadata.name).toBe(`web-${hash}`);
    expect(create.set.spec?.selector.matchLabels).toEqual({ app: "web", "pod-template-hash": hash });
  });

  const rolling = (newShape: SetShape, oldShape: SetShape, shape: DeploymentShape = {}) =>
    sizes(
      plan(deploymentOf({ replicas: 10, ...shape }), [
        setOf("old", { desired: 10, max: 13, ...oldShape }),
        setOf("new", { image: "nginx:2", revision: 2, desired: 10, max: 13, created: "00:05:00", ...newShape }),
      ]),
    );

  for (const [name, newShape, oldShape, expected] of [
    ["grows the new set into the surge", { size: 0 }, { size: 10 }, { new: 3 }],
    ["waits while new pods are not available", { size: 5, available: 0 }, { size: 8 }, {}],
    ["shrinks the old set by what is available beyond the minimum", { size: 3 }, { size: 10 }, { old: 5 }],
    ["removes unavailable old pods first, for free", { size: 3, available: 0 }, { size: 10, available: 8 }, { old: 8 }],
    [
      "builds on no old pods that are on their way out",
      { size: 7, available: 3 },
      { size: 6, available: 9 },
      { old: 5 },
    ],
    ["ends with the old set empty", { size: 10 }, { size: 2 }, { old: 0 }],
    ["cuts a new set that is too large", { size: 12 }, { size: 0 }, { new: 10 }],
  ] as const) {
    test(name, () => expect(rolling(newShape, oldShape)).toEqual(expected));
  }

  test("that may neither surge nor miss a pod misses one, or it could not move", () => {
    const shape = { surge: 0, unavailable: 0 };
    expect(rolling({ size: 0, max: 10 }, { size: 10, max: 10 }, shape)).toEqual({ old: 9 });
  });

  test("keeps the fenceposts at every step, from any sizes", () => {
    for (let size = 0; size <= 12; size++) {
      for (let old = 0; old + size <= 13; old++) {
        const planned = rolling({ size }, { size: old });
        const next = { new: planned["new"] ?? size, old: planned["old"] ?? old };
        expect(next.new + next.old).toBeLessThanOrEqual(Math.max(13, size + old));
        if (size + old >= 8) expect(next.new + next.old).toBeGreaterThanOrEqual(8);
      }
    }
  });
});

describe("a change of size during a rollout is spread in proportion", () => {
  for (const [from, to, before, after] of [
    [5, 10, [2, 3], [4, 6]],
    [7, 10, [2, 3, 2], [3, 4, 3]],
    [13, 8, [2, 8, 3], [1, 5, 2]],
  ] as const) {
    test(`${from}→${to} with (${before}) gives (${after})`, () => {
      const sets = before.map((size, i) =>
        setOf(`s${i}`, {
          size,
          desired: from,
          max: from,
          revision: i + 1,
          created: `00:0${i}:00`,
          image: `nginx:${i}`,
        }),
      );
      const deployment = deploymentOf({ replicas: to, surge: 0, unavailable: 1, image: `nginx:${before.length - 1}` });
      const planned = sizes(plan(deployment, sets));
      expect(before.map((size, i) => planned[`s${i}`] ?? size)).toEqual([...after]);
    });
  }

  test("the only active set takes it all", () => {
    const set = setOf("new", { size: 3, image: "nginx:2", desired: 3, max: 4 });
    expect(sizes(plan(deploymentOf({ replicas: 8 }), [set]))).toEqual({ new: 8 });
  });
});

describe("Recreate", () => {
  const recreate = { strategy: { type: "Recreate" } } as const;
  test("empties the old sets first", () => {
    expect(sizes(plan(deploymentOf({ spec: recreate }), [setOf("old", { size: 3, desired: 3, max: 3 })]))).toEqual({
      old: 0,
    });
  });

  test("waits for pods that are still terminating", () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, status: { phase: "Running" } } as const;
    const actions = plan(deploymentOf({ spec: recreate }), [setOf("old", { size: 0 })], [pod]);
    expect(actions.map(({ type }) => type)).toEqual(["write-status"]);
  });

  test("then makes the new set at full size", () => {
    const [action] = plan(deploymentOf({ spec: recreate }), [setOf("old", { size: 0 })]);
    expect(action?.type === "create-set" && action.set.spec?.replicas).toBe(3);
  });
});

describe("progress", () => {
  const stuck = (reason: string, lastUpdateTime: string): DeploymentStatus => ({
    observedGeneration: 2,
    replicas: 3,
    updatedReplicas: 3,
    unavailableReplicas: 3,
    terminatingReplicas: 0,
    conditions: [
      {
        type: "Progressing",
        status: "True",
        reason,
        message: 'ReplicaSet "new" is progressing.',
        lastUpdateTime,
        lastTransitionTime: lastUpdateTime,
      },
      {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
        lastUpdateTime,
        lastTransitionTime: lastUpdateTime,
      },
    ],
  });
  const set = { ...setOf("new", { size: 3, available: 0, image: "nginx:2", desired: 3, max: 4 }) };
  const waiting = { ...set, status: { ...(set.status as NonNullable<ReplicaSet["status"]>), terminatingReplicas: 0 } };
  const annotations = { "deployment.kubernetes.io/revision": "1" };

  test("a rollout without progress for its deadline has timed out", () => {
    const status = stuck("ReplicaSetUpdated", "2025-12-31T23:59:59Z");
    const actions = plan(deploymentOf({ status, annotations }), [waiting]);
    expect(conditionOf(actions, "Progressing")).toEqual({
      type: "Progressing",
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: 'ReplicaSet "new" has timed out progressing.',
      lastUpdateTime: "2026-01-01T00:10:00Z",
      lastTransitionTime: "2026-01-01T00:10:00Z",
    });
  });

  test("one that still has time writes nothing and looks again one second after the deadline", () => {
    const status = stuck("ReplicaSetUpdated", "2026-01-01T00:05:00Z");
    expect(plan(deploymentOf({ status, annotations }), [waiting])).toEqual([{ type: "requeue", afterMs: 301_000 }]);
  });

  test("the trace of the Deployment's writer is not the set's: to copy it would never end", () => {
    const status = stuck("ReplicaSetUpdated", "2026-01-01T00:05:00Z");
    const traced = { ...annotations, "tracing.k8s.io/traceparent": "00-1" };
    expect(plan(deploymentOf({ status, annotations: traced }), [waiting])).toEqual([
      { type: "requeue", afterMs: 301_000 },
    ]);
  });

  test("one at its very deadline looks again a little later, never at once", () => {
    const status = stuck("ReplicaSetUpdated", "2026-01-01T00:00:00Z");
    expect(plan(deploymentOf({ status, annotations }), [waiting])).toEqual([{ type: "requeue", afterMs: 100 }]);
  });

  test("one that had ended and only waits for pods has no deadline to look for", () => {
    const status = stuck("NewReplicaSetAvailable", "2026-01-01T00:00:00Z");
    const actions = plan(deploymentOf({ status, annotations }), [waiting]);
    expect(actions.filter(({ type }) => type === "requeue")).toEqual([]);
  });

  test("one that is complete says so, with the set's name", () => {
    const status = stuck("ReplicaSetUpdated", "2026-01-01T00:05:00Z");
    const done = setOf("new", { size: 3, image: "nginx:2", desired: 3, max: 4 });
    expect(conditionOf(plan(deploymentOf({ status, annotations }), [done]), "Progressing")).toMatchObject({
      status: "True",
      reason: "NewReplicaSetAvailable",
      message: 'ReplicaSet "new" has successfully progressed.',
      lastTransitionTime: "2026-01-01T00:05:00Z",
    });
  });

  test("a paused Deployment is scaled but gets no new set", () => {
    const paused = deploymentOf({ replicas: 5, spec: { paused: true } });
    const actions = plan(paused, [setOf("old", { size: 3, desired: 3, max: 4 })]);
    expect(sizes(actions)).toEqual({ old: 5 });
    expect(conditionOf(actions, "Progressing")).toMatchObject({ status: "Unknown", reason: "DeploymentPaused" });
  });
});

test("sets beyond the history limit are deleted, the lowest revisions first, but none that has pods", () => {
  const status = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };
  const sets = [
    setOf("new", { size: 3, image: "nginx:2", revision: 4, desired: 3, max: 4 }),
    setOf("a", { size: 0, image: "nginx:a", revision: 1 }),
    setOf("b", { size: 0, image: "nginx:b", revision: 2 }),
    setOf("c", { size: 0, image: "nginx:c", revision: 3 }),
  ];
  const actions = plan(deploymentOf({ status, spec: { revisionHistoryLimit: 1 } }), sets);
  expect(actions.flatMap((action) => (action.type === "delete-set" ? [action.set.metadata.name] : []))).toEqual([
    "a",
    "b",
  ]);
});

test("going back to an old template makes its set the newest revision and remembers the old number", () => {
  const back = setOf("old", { size: 1, image: "nginx:2", revision: 1, desired: 3, max: 4 });
  const later = setOf("later", { size: 2, image: "nginx:9", revision: 5, desired: 3, max: 4 });
  const [action] = plan(deploymentOf(), [back, later]);
  expect(action?.type === "update-set" && action.set.metadata.annotations).toMatchObject({
    "deployment.kubernetes.io/revision": "6",
    "deployment.kubernetes.io/revision-history": "1",
  });
});

test("an adopted set may bring a revision of 64 bits, and the next one counts on from it", () => {
  const back = setOf("old", { size: 1, image: "nginx:2", revision: 1, desired: 3, max: 4 });
  const adopted = setOf("later", { size: 2, image: "nginx:9" });
  const annotations = { "deployment.kubernetes.io/revision": "3546343826724305832" };
  const [action] = plan(deploymentOf(), [back, { ...adopted, metadata: { ...adopted.metadata, annotations } }]);
  expect(action?.type === "update-set" && action.set.metadata.annotations).toMatchObject({
    "deployment.kubernetes.io/revision": "3546343826724305833",
  });
});

test("the legacy rollback annotation restores the previous template and is cleared", () => {
  const deployment = deploymentOf({ annotations: { "deprecated.deployment.rollback.to": "0", note: "kept" } });
  const sets = [
    setOf("old", { size: 0, image: "nginx:1", revision: 1 }),
    setOf("new", { size: 3, image: "nginx:2", revision: 2 }),
  ];
  const [update, event] = plan(deployment, sets);
  if (update?.type !== "update-deployment") throw new Error("expected an update");
  expect(update.deployment.spec?.template).toEqual({
    metadata: { labels },
    spec: { containers: [{ name: "c", image: "nginx:1" }] },
  });
  expect(update.deployment.metadata.annotations).toEqual({ note: "kept" });
  expect(event).toMatchObject({ reason: "DeploymentRollback", message: 'Rolled back deployment "web" to revision 1' });
});
