import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/index.js";
import { ageRatios, planReplicas, planStatus, type Replicated } from "./plan.js";

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
  readonly sidecarRestarts?: number;
}

function podOf(name: string, shape: PodShape = {}): Pod {
  const {
    node = "n",
    phase = "Running",
    ready = "2026-01-01T00:00:00Z",
    created = "2026-01-01T00:00:00Z",
    restarts = 0,
    sidecarRestarts = 0,
  } = shape;
  const image = { image: "", imageID: "" };
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
    spec: {
      containers: [],
      initContainers: [{ name: "s", restartPolicy: "Always" }, { name: "i" }],
      ...(node === "" ? {} : { nodeName: node }),
    },
    status: {
      phase,
      conditions: ready === "" ? [] : [{ type: "Ready", status: "True", lastTransitionTime: ready }],
      containerStatuses: [{ name: "c", ready: ready !== "", restartCount: restarts, ...image }],
      initContainerStatuses: [
        { name: "s", ready: true, restartCount: sidecarRestarts, ...image },
        // one that ended before the others began tells nothing
        { name: "i", ready: true, restartCount: 9 - sidecarRestarts, ...image },
      ],
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
    ["one that costs nothing before one that costs something", {}, { cost: "1" }],
    ["one whose cost is no number, which is none", { cost: "+7" }, { cost: "1" }],
    ["one whose cost is too large for a number, which is none", { cost: "2147483648" }, { cost: "1" }],
    ["one with a cost below none, though it is written with zeros", { cost: "-05" }, { cost: "-4" }],
    ["the cheaper one, though it is ready for longer", { cost: "1" }, { cost: "2", ready: "2026-01-01T23:59:00Z" }],
    ["the one that is not ready, though it costs more", { ready: "", cost: "9" }, {}],
    ["the one that was ready for a shorter time", { ready: "2026-01-01T23:59:00Z" }, {}],
    ["the one that restarted more often", { restarts: 4 }, { restarts: 1 }],
    ["the one whose sidecars restarted more often", { sidecarRestarts: 3 }, { sidecarRestarts: 1 }],
    ["the one whose containers restarted, though the other's sidecars did", { restarts: 1 }, { sidecarRestarts: 5 }],
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

test("all pods go unsorted if none is to stay, and never more than 500 in one sync", () => {
  const pods = [podOf("b"), podOf("a", { node: "" })];
  expect(planReplicas({ ...set, replicas: 0 }, pods, pods, now)).toEqual({ type: "delete", pods });
  const many = Array.from({ length: 700 }, (_, i) => podOf(`p${i}`));
  const plan = planReplicas({ ...set, replicas: 0 }, many, many, now);
  expect(plan.type === "delete" && plan.pods.length).toBe(500);
});

test("nothing is done if there are as many as are wanted", () => {
  expect(planReplicas(set, [podOf("a"), podOf("b"), podOf("c")], [], now)).toEqual({ type: "none" });
});

test("at most 500 pods are made in one sync", () => {
  expect(planReplicas({ ...set, replicas: 1200 }, [], [], now)).toEqual({ type: "create", count: 500 });
});

test("the age of ready pods that go is told as a multiple of the youngest one's", () => {
  const pods = ["2026-01-01T23:00:00Z", "2026-01-01T21:30:00Z", "2026-01-01T00:00:00Z"].map((created, i) =>
    podOf(`p${i}`, { created }),
  );
  expect(ageRatios([...pods.slice(1), podOf("unready", { ready: "" })], pods, now)).toEqual([2, 24]);
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

  test("counts apart those whose labels the template has since got more of", () => {
    const templateLabels = { app: "web", tier: "front" };
    expect(planStatus({ ...set, templateLabels }, observed, now)?.fullyLabeledReplicas).toBeUndefined();
  });

  test("is written for a generation that it has not seen, though nothing else changed", () => {
    expect(planStatus({ ...set, generation: 4, status }, observed, now)).toEqual({ ...status, observedGeneration: 4 });
  });

  test("tells pods on their way out only where the kind does", () => {
    expect(planStatus(set, { ...observed, terminating: 2 }, now)?.terminatingReplicas).toBe(2);
    expect(planStatus(set, { ...observed, terminating: undefined }, now)).not.toHaveProperty("terminatingReplicas");
  });

  test("leaves conditions of others alone", () => {
    const other = { type: "Healthy", status: "True" } as const;
    const conditions = [other, { type: "ReplicaFailure", status: "True" }] as const;
    expect(planStatus({ ...set, status: { ...status, conditions } }, observed, now)?.conditions).toEqual([other]);
  });

  test("a ready pod is available only after minReadySeconds", () => {
    const fresh = { ...observed, active: [podOf("a", { ready: "2026-01-01T23:59:55Z" })] };
    expect(planStatus({ ...set, minReadySeconds: 10 }, fresh, now)?.availableReplicas).toBeUndefined();
    expect(planStatus({ ...set, minReadySeconds: 5 }, fresh, now)?.availableReplicas).toBe(1);
  });
});
