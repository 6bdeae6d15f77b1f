import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/index.js";
import { deletionConditions, podGraceSeconds, type DeletionProgress } from "./plan.js";

const now = Date.parse("2026-01-01T00:00:00Z");
const nothing: DeletionProgress = { remaining: [], discoveryFailures: [], contentFailures: [] };
const lines = (progress: DeletionProgress) =>
  deletionConditions(undefined, progress, now).map(
    ({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`,
  );

describe("the conditions of a namespace that goes", () => {
  test("are five, and False is good", () => {
    expect(lines(nothing)).toEqual([
      "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered",
      "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed",
      "NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization",
      "NamespaceContentRemaining False ContentRemoved: All content successfully removed",
      "NamespaceFinalizersRemaining False ContentHasNoFinalizers: All content-preserving finalizers finished",
    ]);
  });

  test("say what is left and for whom it waits, in the order of the names", () => {
    const remaining = [
      { resource: "pods.", count: 2, finalizers: new Map([["b.io/x", 1]]) },
      {
        resource: "deployments.apps",
        count: 1,
        finalizers: new Map([
          ["a.io/x", 1],
          ["b.io/x", 1],
        ]),
      },
    ];
    expect(lines({ ...nothing, remaining, contentFailures: ["no", "never"] }).slice(2)).toEqual([
      "NamespaceDeletionContentFailure True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: no, never",
      "NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances",
      "NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a.io/x in 1 resource instances, b.io/x in 2 resource instances",
    ]);
  });

  test("keep their time while they say the same, and leave others' alone", () => {
    const other = { type: "StatusUpdate", status: "True", reason: "E2E" } as const;
    const before = deletionConditions([other as never], nothing, now);
    const after = deletionConditions(before, { ...nothing, contentFailures: ["no"] }, now + 60_000);
    expect(after[0]).toBe(other);
    expect(
      after.map(({ lastTransitionTime }) => lastTransitionTime).filter((time) => time?.includes("00:01")),
    ).toHaveLength(1);
  });
});

test("a namespace gives its pods the longest grace that one of those that run has, once", () => {
  const pod = (terminationGracePeriodSeconds: number, phase: "Running" | "Succeeded"): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: [], terminationGracePeriodSeconds },
    status: { phase },
  });
  const pods = [pod(30, "Running"), pod(60, "Running"), pod(900, "Succeeded")];
  expect([podGraceSeconds(pods, 59), podGraceSeconds(pods, 60), podGraceSeconds([], 0)]).toEqual([60, 0, 0]);
});
