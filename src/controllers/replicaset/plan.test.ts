import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/index.js";
import { planReplicas, planStatus, type Replicated } from "./plan.js";

const now = Date.parse("2026-01-02T00:00:00Z");
const set: Replicated = {
  generation: 3,
  replicas: 3,
  minReadySeconds: 0,
  templateLabels: { app: "web" },
  status: undefined,
};

interface PodShape {
  readonly node?: string;
  readonly phase?: "Pending" | "Running";
  readonly ready?: string;
  readonly created?: string;
  readonly cost?: string;
  readonly restarts?: number;
}

function podOf(name: string, shape: PodShape = {}): Pod {
  const {
    node = "n",
    phase = "Running",
    ready = "2026-01-01T00:00:00Z",
    created = "2026-01-01T00:00:00Z",
    restarts = 0,
  } = shape;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid: name,
      labels: { app: "web" },
      creationTimestamp: created,
      ...(shape.cost === undefined
        ? {}
        : { annotations: { "controller.kubernetes.io/pod-deletion-cost": shape.cost } }),
    },
    spec: { containers: [], ...(node === "" ? {} : { nodeName: node }) },
    status: {
      phase,
      conditions: ready === "" ? [] : [{ type: "Ready", status: "True", lastTransitionTime: ready }],
      containerStatuses: [{ name: "c", ready: ready !== "", restartCount: restarts, image: "", imageID: "" }],
    },
  };
}

const firstVictim = (...pods: readonly Pod[]): string | undefined => {
  const plan = planReplicas({ ...set, replicas: pods.length - 1 }, pods, pods, now);
  return plan.type === "delete" ? plan.pods[0]?.metadata.name : undefined;
};

describe("of too many pods the first to go is", () => {
  for (const [why, goes, stays] of [
    ["the one without a node", { node: "" }, {}],
    ["the pending one", { phase: "Pending" }, {}],
    ["the one that is not ready", { ready: "" }, {}],
    ["the cheaper one", { cost: "-5" }, { cost: "3" }],
    ["the one that was ready for a shorter time", { ready: "2026-01-01T23:59:00Z" }, {}],
    ["the one that restarted more often", { restarts: 4 }, { restarts: 1 }],
    ["the younger one", { created: "2026-01-01T23:59:00Z" }, {}],
  ] as const) {
    test(why, () => {
      expect(firstVictim(podOf("stays", stays), podOf("goes", goes))).toBe("goes");
      expect(firstVictim(podOf("goes", goes), podOf("stays", stays))).toBe("goes");
    });
  }

  test("the one on the node with more siblings", () => {
    const pods = [podOf("a", { node: "quiet" }), podOf("b", { node: "busy" }), podOf("c", { node: "busy" })];
    expect(["b", "c"]).toContain(firstVictim(...pods));
  });

  test("by uid, if their ages fall into one power of two", () => {
    const young = podOf("a", { ready: "2026-01-01T10:00:00Z" });
    const old = podOf("b", { ready: "2026-01-01T09:00:00Z" });
    expect(firstVictim(old, young)).toBe("a");
  });
});

test("at most 500 pods are made in one sync", () => {
  expect(planReplicas({ ...set, replicas: 1200 }, [], [], now)).toEqual({ type: "create", count: 500 });
});

describe("the status", () => {
  const observed = { active: [podOf("a"), podOf("b", { ready: "" })], terminating: 0, failure: undefined };
  const status = {
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 1,
    availableReplicas: 1,
    terminatingReplicas: 0,
    observedGeneration: 3,
  };

  test("counts active, labelled, ready and available pods", () => {
    expect(planStatus(set, observed, now)).toEqual(status);
  });

  test("is not written twice", () => {
    expect(planStatus({ ...set, status }, observed, now)).toBeUndefined();
  });

  test("keeps the first failure until a sync succeeds", () => {
    const failure = { reason: "FailedCreate", message: "quota" } as const;
    const failed = planStatus({ ...set, status }, { ...observed, failure }, now);
    expect(failed?.conditions).toEqual([
      { type: "ReplicaFailure", status: "True", lastTransitionTime: "2026-01-02T00:00:00Z", ...failure },
    ]);
    const again = { ...observed, failure: { ...failure, message: "other" } };
    expect(planStatus({ ...set, status: failed }, again, now)).toBeUndefined();
    expect(planStatus({ ...set, status: failed }, observed, now)).toEqual(status);
  });

  test("a ready pod is available only after minReadySeconds", () => {
    const fresh = { ...observed, active: [podOf("a", { ready: "2026-01-01T23:59:55Z" })] };
    expect(planStatus({ ...set, minReadySeconds: 10 }, fresh, now)?.availableReplicas).toBeUndefined();
    expect(planStatus({ ...set, minReadySeconds: 5 }, fresh, now)?.availableReplicas).toBe(1);
  });
});
