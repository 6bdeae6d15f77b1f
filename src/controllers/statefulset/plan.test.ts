import { describe, expect, test } from "vitest";
import type { Pod, StatefulSet } from "../../api/index.js";
import { withRetention, retentionOwners } from "./claims.js";
import { claimsOf, ordinalOf, statefulPod } from "./identity.js";
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
  readonly phase?: "Pending" | "Running" | "Failed";
  readonly deleting?: boolean;
}

function podOf(ordinal: number, shape: PodShape = {}): Pod {
  const { revision = "v1", phase = "Running", ready = phase === "Running", deleting = false } = shape;
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
      conditions: ready ? [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }] : [],
    },
  };
}

const observe = (set: StatefulSet, pods: readonly Pod[], updateRevision = "v1") => ({
  set,
  pods,
  currentRevision: "v1",
  updateRevision,
});

const plan = (set: StatefulSet, pods: readonly Pod[], updateRevision = "v1"): readonly string[] =>
  planStatefulSet(observe(set, pods, updateRevision), now).map(describeAction);

const describeAction = (action: StatefulAction): string =>
  action.type === "create"
    ? `create ${action.ordinal} ${action.revision}`
    : action.type === "ensure-claims"
      ? `claims ${action.ordinal}`
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
    ["a pending pod gets its claims, and the rest waits", [podOf(0, { phase: "Pending" })], ["claims 0"]],
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

describe("claims are kept", () => {
  const pod = podOf(4);
  const policy = (whenDeleted: "Retain" | "Delete", whenScaled: "Retain" | "Delete") =>
    setOf({ persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } });
  for (const [deleted, scaled, condemned, kind] of [
    ["Retain", "Retain", true, undefined],
    ["Delete", "Retain", false, "StatefulSet"],
    ["Delete", "Retain", true, "StatefulSet"],
    ["Retain", "Delete", true, "Pod"],
    ["Retain", "Delete", false, undefined],
    ["Delete", "Delete", true, "Pod"],
  ] as const) {
    test(`whenDeleted ${deleted}, whenScaled ${scaled}, ${condemned ? "scaled away" : "in range"}: ${kind ?? "by nobody"}`, () => {
      expect(retentionOwners(policy(deleted, scaled), pod, condemned)[0]?.kind).toBe(kind);
    });
  }
  test("and other owners are left alone", () => {
    const other = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "x" };
    const own = { apiVersion: "v1", kind: "Pod", name: "db-4", uid: "old" };
    expect(withRetention([other, own], setOf(), [], "db-4")).toEqual([other]);
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
