import { describe, expect, test } from "vitest";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../../api/index.js";
import { claimsOf, isMemberOf, ordinalOf, statefulPod, withIdentity } from "./identity.js";
import { planStatefulSet, type StatefulAction } from "./plan.js";
import { planStatus } from "./status.js";

const now = Date.parse("2026-01-01T01:00:00Z");
const labels = { app: "db" };

function setOf(spec: Partial<NonNullable<StatefulSet["spec"]>> = {}, status?: StatefulSet["status"]): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: "default", uid: "sts", generation: 2 },
    spec: {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "db" }] } },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

interface PodShape {
  readonly revision?: string;
  readonly ready?: boolean;
  readonly phase?: "Pending" | "Running" | "Failed" | "Succeeded";
  readonly deleting?: boolean;
  /** When it became ready. */
  readonly since?: string;
}

function podOf(ordinal: number, shape: PodShape = {}): Pod {
  const { revision = "v1", phase = "Running", ready = phase === "Running", deleting = false } = shape;
  const { since = "2026-01-01T00:00:00Z" } = shape;
  const name = `db-${ordinal}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid: name,
      namespace: "default",
      labels: {
        ...labels,
        "controller-revision-hash": revision,
        "statefulset.kubernetes.io/pod-name": name,
        "apps.kubernetes.io/pod-index": String(ordinal),
      },
      ...(deleting ? { deletionTimestamp: "2026-01-01T00:59:00Z" } : {}),
    },
    status: {
      phase,
      conditions: ready ? [{ type: "Ready", status: "True", lastTransitionTime: since }] : [],
    },
  };
}

const observe = (
  set: StatefulSet,
  pods: readonly Pod[],
  updateRevision = "v1",
  claims: readonly PersistentVolumeClaim[] = [],
) => ({
  set,
  pods,
  currentRevision: "v1",
  updateRevision,
  claim: (name: string) => claims.find(({ metadata }) => metadata.name === name),
});

const plan = (set: StatefulSet, pods: readonly Pod[], updateRevision = "v1"): readonly string[] =>
  planStatefulSet(observe(set, pods, updateRevision), now).map(describeAction);

const describeAction = (action: StatefulAction): string =>
  action.type === "create"
    ? `create ${action.ordinal} ${action.revision}`
    : `${action.type} ${action.pod.metadata.name}`;

describe("in order", () => {
  for (const [name, pods, expected] of [
    ["the first pod is made first", [], ["create 0 update"]],
    ["the next one waits until the one before is ready", [podOf(0, { ready: false })], []],
    ["and is made then", [podOf(0)], ["create 1 update"]],
    [
      "a pod that fails is deleted before anything else is done",
      [podOf(0, { phase: "Failed" }), podOf(1)],
      ["delete db-0"],
    ],
    ["a pending pod gets its claims, and the rest waits", [podOf(0, { phase: "Pending" })], ["ensure-claims db-0"]],
    ["a pod that has ended well is deleted, too", [podOf(0, { phase: "Succeeded" })], ["delete db-0"]],
    ["one that failed and leaves is waited for", [podOf(0, { phase: "Failed", deleting: true }), podOf(1)], []],
    [
      "a gap is filled before anything above it is looked at",
      [podOf(0), podOf(2, { phase: "Failed" })],
      ["create 1 update"],
    ],
    [
      "nothing is scaled down while one that stays is not well",
      [podOf(0, { ready: false }), podOf(1), podOf(2), podOf(3)],
      [],
    ],
    ["nothing is scaled down while one that stays is missing", [podOf(0), podOf(2), podOf(3)], ["create 1 update"]],
    [
      "the only pod that is not well may be scaled away",
      [podOf(0), podOf(1), podOf(2), podOf(3, { ready: false })],
      ["delete db-3"],
    ],
    ["a pod that leaves is waited for", [podOf(0, { deleting: true }), podOf(1)], []],
    ["scaling down deletes the highest ordinal, one at a time", [0, 1, 2, 3, 4].map((n) => podOf(n)), ["delete db-4"]],
    ["and waits for it to be gone", [...[0, 1, 2, 3].map((n) => podOf(n)), podOf(4, { deleting: true })], []],
    [
      "a pod that is well goes even if a lower one is not",
      [podOf(0), podOf(1), podOf(2), podOf(3, { ready: false }), podOf(4)],
      ["delete db-4"],
    ],
    [
      "a condemned pod that is not well waits for others that are not",
      [podOf(0), podOf(1), podOf(2), podOf(3, { ready: false }), podOf(4, { ready: false })],
      [],
    ],
  ] as const) {
    test(name, () => expect(plan(setOf(), pods)).toEqual(expected));
  }
});

describe("in parallel", () => {
  const parallel = { podManagementPolicy: "Parallel" } as const;
  test("all are made at once", () => {
    expect(plan(setOf(parallel), [podOf(1, { ready: false })])).toEqual(["create 0 update", "create 2 update"]);
  });
  test("a pod that has ended goes, and holds up nobody", () => {
    const pods = [podOf(0, { phase: "Failed" }), podOf(1, { ready: false }), podOf(4)];
    expect(plan(setOf(parallel), pods)).toEqual(["delete db-0", "create 2 update", "delete db-4"]);
  });
  test("those that leave are left alone", () => {
    const pods = [podOf(0, { deleting: true }), podOf(1), podOf(2), podOf(3, { deleting: true })];
    expect(plan(setOf(parallel), pods)).toEqual([]);
  });
  test("an update goes on beside a pod that is not well below, and waits for one above", () => {
    const [low, high] = [podOf(0, { ready: false }), podOf(2, { revision: "v2", ready: false })];
    expect(plan(setOf(parallel), [low, podOf(1), podOf(2)], "v2")).toEqual(["delete db-2"]);
    expect(plan(setOf(parallel), [podOf(0), podOf(1), high], "v2")).toEqual([]);
    expect(plan(setOf(parallel), [podOf(0), podOf(1)], "v2")).toEqual(["create 2 update"]);
  });
  test("an old pod that is not well is the next to be updated", () => {
    expect(plan(setOf(parallel), [podOf(0), podOf(1), podOf(2, { ready: false })], "v2")).toEqual(["delete db-2"]);
  });
  test("a failed pod is deleted once, though it is old", () => {
    expect(plan(setOf(parallel), [podOf(0), podOf(1), podOf(2, { phase: "Failed" })], "v2")).toEqual(["delete db-2"]);
  });
  test("within maxUnavailable old pods that serve nobody are free, and the others wait for the budget", () => {
    const two = setOf({
      ...parallel,
      replicas: 5,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } },
    });
    const of = (...unwell: readonly number[]) =>
      plan(
        two,
        [0, 1, 2, 3, 4].map((n) => podOf(n, { ready: !unwell.includes(n) })),
        "v2",
      );
    expect(of()).toEqual(["delete db-4", "delete db-3"]);
    expect(of(1)).toEqual(["delete db-1", "delete db-4"]);
    expect(of(0, 1, 2)).toEqual(["delete db-2", "delete db-1", "delete db-0"]);
  });
  test("all that are too many go at once", () => {
    expect(plan(setOf({ ...parallel, replicas: 1 }), [podOf(0), podOf(1), podOf(2)])).toEqual([
      "delete db-2",
      "delete db-1",
    ]);
  });
});

describe("a rolling update", () => {
  const pods = [podOf(0), podOf(1), podOf(2)];
  test("begins with the highest ordinal", () => expect(plan(setOf(), pods, "v2")).toEqual(["delete db-2"]));
  test("waits for the updated pod to be available", () => {
    expect(plan(setOf(), [podOf(0), podOf(1), podOf(2, { revision: "v2", ready: false })], "v2")).toEqual([]);
  });
  test("goes on with the next one then", () => {
    expect(plan(setOf(), [podOf(0), podOf(1), podOf(2, { revision: "v2" })], "v2")).toEqual(["delete db-1"]);
  });
  test("stops at the partition, below which missing pods come back with the old template", () => {
    const partition = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } } as const;
    expect(plan(setOf(partition), [podOf(0), podOf(1), podOf(2, { revision: "v2" })], "v2")).toEqual([]);
    expect(plan(setOf(partition), [podOf(0), podOf(2, { revision: "v2" })], "v2")).toEqual(["create 1 current"]);
    expect(plan(setOf(partition), [podOf(0), podOf(1)], "v2")).toEqual(["create 2 update"]);
  });
  test("may take several at once if maxUnavailable says so", () => {
    const two = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } } } as const;
    expect(plan(setOf(two), pods, "v2")).toEqual(["delete db-2", "delete db-1"]);
  });
  test("of several at once counts those that are not well already; shares round down, but to one at least", () => {
    const of = (maxUnavailable: number | string, replicas: readonly Pod[]) =>
      plan(
        setOf({
          replicas: replicas.length,
          updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable } },
        }),
        replicas,
        "v2",
      );
    const five = [0, 1, 2, 3, 4].map((n) => podOf(n));
    expect(of("50%", five)).toEqual(["delete db-4", "delete db-3"]);
    expect(of("10%", five)).toEqual(["delete db-4"]);
    expect(of(9, five)).toHaveLength(5);
    expect(of(2, [...five.slice(0, 4), podOf(4, { revision: "v2", since: "2026-01-01T00:30:00Z" })])).toEqual([
      "delete db-3",
      "delete db-2",
    ]);
  });
  test("counts from the first ordinal", () => {
    const from5 = {
      ordinals: { start: 5 },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
    } as const;
    expect(plan(setOf(from5), [podOf(5), podOf(6), podOf(7)], "v2")).toEqual(["delete db-7"]);
    expect(plan(setOf(from5), [podOf(5), podOf(6, { revision: "v2" }), podOf(7, { revision: "v2" })], "v2")).toEqual(
      [],
    );
    expect(plan(setOf(from5), [podOf(6), podOf(7)], "v2")).toEqual(["create 5 current"]);
    expect(plan(setOf(from5), [podOf(4), podOf(5), podOf(6), podOf(7)])).toEqual(["delete db-4"]);
  });
  test("waits while the pod above leaves", () => {
    expect(plan(setOf(), [podOf(0), podOf(1), podOf(2, { deleting: true })], "v2")).toEqual([]);
  });
  test("waits until an updated pod is ready for minReadySeconds", () => {
    const set = setOf({ minReadySeconds: 60 });
    const pods = [podOf(0), podOf(1), podOf(2, { revision: "v2", since: "2026-01-01T00:59:30Z" })];
    expect(plan(set, pods, "v2")).toEqual([]);
    expect(planStatefulSet(observe(set, pods, "v2"), now + 30_000).map(describeAction)).toEqual(["delete db-1"]);
  });
  test("back to the old template leaves alone the pods that never left it", () => {
    // the update to v2 came as far as db-2, which is stuck; v1 is wanted again
    expect(plan(setOf(), [podOf(0), podOf(1), podOf(2, { revision: "v2", ready: false })], "v1")).toEqual([]);
    const parallel = setOf({ podManagementPolicy: "Parallel" });
    expect(plan(parallel, [podOf(0), podOf(1), podOf(2, { revision: "v2", ready: false })], "v1")).toEqual([
      "delete db-2",
    ]);
  });
  test("a partition beyond the last ordinal updates nothing", () => {
    const all = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 9 } } } as const;
    expect(plan(setOf(all), pods, "v2")).toEqual([]);
    expect(plan(setOf(all), [podOf(0), podOf(1)], "v2")).toEqual(["create 2 current"]);
  });
  test("without a word on how, makes pods anew of the current revision, as many as still have it", () => {
    const plain = setOf({ updateStrategy: { type: "RollingUpdate" } }, { replicas: 3, currentReplicas: 2 });
    expect(plan(plain, [podOf(0), podOf(2, { revision: "v2" })], "v2")).toEqual(["create 1 current"]);
    expect(plan(plain, [podOf(0), podOf(1)], "v2")).toEqual(["create 2 update"]);
  });
  test("does nothing by itself with OnDelete", () => {
    expect(plan(setOf({ updateStrategy: { type: "OnDelete" } }), pods, "v2")).toEqual([]);
  });
});

test("a pod's name tells its ordinal, and whose it is", () => {
  const set = setOf();
  expect(
    [podOf(12), { metadata: { name: "db-x" } }, { metadata: { name: "other-1" } }].map((pod) => ordinalOf(set, pod)),
  ).toEqual([12, undefined, undefined]);
});

test("a pod gets its name, host name, labels and claims by its ordinal", () => {
  const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }] as const;
  const set = setOf({ volumeClaimTemplates });
  const pod = statefulPod({ set, ordinal: 1, template: set.spec?.template ?? {}, revision: "db-abc" });
  expect(pod.metadata.name).toBe("db-1");
  expect(pod.metadata.labels).toEqual({
    app: "db",
    "statefulset.kubernetes.io/pod-name": "db-1",
    "apps.kubernetes.io/pod-index": "1",
    "controller-revision-hash": "db-abc",
  });
  expect(pod.spec).toMatchObject({
    hostname: "db-1",
    subdomain: "db",
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-db-1" } }],
  });
  expect(claimsOf(set, 1)[0]?.metadata).toEqual({ name: "data-db-1", namespace: "default", labels });
});

test("a set that is being deleted is left to the garbage collector", () => {
  const set = setOf();
  const leaving = { ...set, metadata: { ...set.metadata, deletionTimestamp: "2026-01-01T00:59:00Z" } };
  expect(plan(leaving, [podOf(0, { phase: "Failed" }), podOf(5)])).toEqual([]);
});

describe("a pod of the set", () => {
  const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }] as const;
  const set = setOf({ volumeClaimTemplates, replicas: 1 });
  const whole: Pod = {
    ...podOf(0),
    spec: { containers: [], volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-db-0" } }] },
  };
  const nameless: Pod = {
    ...whole,
    metadata: { ...whole.metadata, labels: { ...labels, "controller-revision-hash": "v1" } },
  };
  const bare: Pod = { ...whole, spec: { containers: [], volumes: [{ name: "data", emptyDir: {} }, { name: "x" }] } };

  test("that has its name and claims is left alone", () => {
    expect(withIdentity(set, 0, whole)).toBe(whole);
    expect(plan(set, [whole])).toEqual([]);
  });
  test("gets back the label with its name, and claims in the place of other volumes", () => {
    expect(withIdentity(set, 0, nameless).metadata.labels?.["statefulset.kubernetes.io/pod-name"]).toBe("db-0");
    expect(withIdentity(set, 0, bare).spec?.volumes).toEqual([
      { name: "data", persistentVolumeClaim: { claimName: "data-db-0" } },
      { name: "x" },
    ]);
    expect([plan(set, [nameless]), plan(set, [bare])]).toEqual([["repair db-0"], ["repair db-0"]]);
  });
  test("has a name of the set's and a number; one too large is no ordinal", () => {
    const named = (name: string) => ({ metadata: { name } });
    expect(["db-7", "db-99999999999", "db-x", "db2-1", "db"].map((name) => isMemberOf(set, named(name)))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(ordinalOf(set, named("db-99999999999"))).toBeUndefined();
  });
});

describe("claims", () => {
  const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: {} }] as const;
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Delete" } as const;
  const set = setOf({ replicas: 1, volumeClaimTemplates, persistentVolumeClaimRetentionPolicy });
  const claimOf = (ordinal: number, owner?: { kind: string; name: string; uid: string }): PersistentVolumeClaim => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: `data-db-${ordinal}`,
      namespace: "default",
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [{ apiVersion: owner.kind === "Pod" ? "v1" : "apps/v1", controller: true, ...owner }],
          }),
    },
  });
  const stored = (ordinal: number, shape: PodShape = {}): Pod => ({
    ...podOf(ordinal, shape),
    spec: {
      containers: [],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: `data-db-${ordinal}` } }],
    },
  });
  const withClaims = (pods: readonly Pod[], claims: readonly PersistentVolumeClaim[]) =>
    planStatefulSet(observe(set, pods, "v1", claims), now).map(describeAction);
  const ours = { kind: "StatefulSet", name: "db", uid: "sts" };

  test("without their owners are put right with the pod, when its turn has come", () => {
    expect(withClaims([stored(0)], [claimOf(0)])).toEqual(["repair db-0"]);
    expect(withClaims([stored(0)], [claimOf(0, ours)])).toEqual([]);
    expect(withClaims([stored(0, { ready: false })], [claimOf(0)])).toEqual([]);
  });
  test("of a pod that is scaled away go with it, but not while another pod is not well", () => {
    const claims = [claimOf(0, ours), claimOf(1, ours)];
    expect(withClaims([stored(0), stored(1)], claims)).toEqual(["retain-claims db-1", "delete db-1"]);
    expect(withClaims([stored(0, { ready: false }), stored(1)], claims)).toEqual([]);
  });
  test("that go with an earlier pod of the name must be gone before the pod comes back", () => {
    expect(withClaims([], [claimOf(0, { kind: "Pod", name: "db-0", uid: "earlier" })])).toEqual([]);
    expect(withClaims([], [claimOf(0, ours)])).toEqual(["create 0 update"]);
  });
});

test("the status takes the updated revision as current when all pods have it and are ready", () => {
  const during = planStatus(observe(setOf(), [podOf(0), podOf(1), podOf(2, { revision: "v2" })], "v2"), now);
  expect(during).toMatchObject({
    replicas: 3,
    readyReplicas: 3,
    currentReplicas: 2,
    updatedReplicas: 1,
    currentRevision: "v1",
    updateRevision: "v2",
  });
  expect(planStatus(observe(setOf(), [podOf(0), podOf(1), podOf(2)], "v2"), now, 1)?.currentReplicas).toBe(2);
  const done = planStatus(
    observe(
      setOf(),
      [0, 1, 2].map((n) => podOf(n, { revision: "v2" })),
      "v2",
    ),
    now,
  );
  expect(done).toMatchObject({
    currentReplicas: 3,
    updatedReplicas: 3,
    currentRevision: "v2",
    updateRevision: "v2",
    availableReplicas: 3,
  });
});
