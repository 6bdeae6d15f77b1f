import { describe, expect, test } from "vitest";
import type { Job, Pod } from "../../../api/index.js";
import { countPods } from "../count.js";
import { failureAnnotations } from "./per-index.js";
import { jobEndOf, planJob } from "../plan.js";
import { noteFinished } from "../track.js";

const now = Date.parse("2026-01-01T01:00:00Z");

const jobOf = (spec: Partial<NonNullable<Job["spec"]>> = {}, status?: Job["status"]): Job => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "j", namespace: "default", uid: "job" },
  spec: {
    parallelism: 3,
    completions: 3,
    completionMode: "Indexed",
    backoffLimit: 2 ** 31 - 1,
    backoffLimitPerIndex: 1,
    template: { metadata: { labels: { job: "j" } }, spec: { restartPolicy: "Never", containers: [] } },
    ...spec,
  },
  ...(status === undefined ? {} : { status }),
});

interface Shape {
  readonly index: number;
  readonly phase: "Running" | "Succeeded" | "Failed";
  /** The number of earlier failures of its index. */
  readonly failures?: number;
  readonly exitCode?: number;
  readonly secondsAgo?: number;
}

function podOf({ index, phase, failures = 0, exitCode = 1, secondsAgo = 3_600 }: Shape): Pod {
  const finishedAt = new Date(now - secondsAgo * 1000).toISOString();
  const state = phase === "Running" ? {} : { state: { terminated: { exitCode, finishedAt } } };
  const name = `${index}-${failures}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid: name,
      namespace: "default",
      finalizers: ["batch.kubernetes.io/job-tracking"],
      annotations: {
        "batch.kubernetes.io/job-completion-index": String(index),
        "batch.kubernetes.io/job-index-failure-count": String(failures),
      },
    },
    status: {
      phase,
      containerStatuses: [{ name: "c", ready: false, restartCount: 0, image: "", imageID: "", ...state }],
    },
  };
}

const countOf = (job: Job, pods: readonly Pod[]) => countPods({ job, pods, released: new Set() });
const planOf = (job: Job, pods: readonly Pod[]) => planJob(job, countOf(job, pods), { now, waitMs: 99_000 });
const endOf = (job: Job, pods: readonly Pod[]) =>
  jobEndOf({ job, pods, released: new Set() }, countOf(job, pods), now)?.reason;

describe("back-off for each index", () => {
  test("an index that failed is tried again after its own wait, whatever the others do", () => {
    const failed = podOf({ index: 0, phase: "Failed", secondsAgo: 4 });
    expect(planOf(jobOf(), [failed])).toEqual({ type: "create", indexes: [1, 2] });
    const others = [podOf({ index: 1, phase: "Running" }), podOf({ index: 2, phase: "Running" })];
    expect(planOf(jobOf(), [failed, ...others])).toEqual({ type: "wait", ms: 6_000 });
    const waited = podOf({ index: 0, phase: "Failed", secondsAgo: 11 });
    expect(planOf(jobOf(), [waited, ...others])).toEqual({ type: "create", indexes: [0] });
  });

  test("a failed pod keeps its finalizer until its replacement carries the count on", () => {
    const job = jobOf();
    const failed = podOf({ index: 0, phase: "Failed" });
    const release = (pods: readonly Pod[]) =>
      noteFinished({ job, pods, released: new Set() }, countOf(job, pods), undefined).release.map(
        ({ metadata }) => metadata.name,
      );
    expect(release([failed])).toEqual([]);
    const replacement = podOf({ index: 0, phase: "Running", failures: 1 });
    expect(release([failed, replacement])).toEqual(["0-0"]);
  });

  test("the replacement says how often its index failed, and apart from it what the policy ignored", () => {
    const name = "batch.kubernetes.io/job-index-failure-count";
    expect(failureAnnotations(jobOf(), undefined)).toEqual({ [name]: "0" });
    expect(failureAnnotations(jobOf(), podOf({ index: 0, phase: "Failed", failures: 2 }))).toEqual({ [name]: "3" });
    const onExitCodes = { operator: "In", values: [1] } as const;
    const lenient = jobOf({ podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes }] } });
    expect(failureAnnotations(lenient, podOf({ index: 0, phase: "Failed", failures: 2 }))).toEqual({
      [name]: "2",
      "batch.kubernetes.io/job-index-ignored-failure-count": "1",
    });
  });

  test("an index fails for good beyond its limit, and at once if the policy says so", () => {
    const last = podOf({ index: 1, phase: "Failed", failures: 1 });
    expect([...(countOf(jobOf(), [last]).failedIndexes ?? [])]).toEqual([1]);
    const first = podOf({ index: 1, phase: "Failed", exitCode: 42 });
    expect([...(countOf(jobOf(), [first]).failedIndexes ?? [])]).toEqual([]);
    const onExitCodes = { operator: "In", values: [42] } as const;
    const strict = jobOf({ podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes }] } });
    expect([...(countOf(strict, [first]).failedIndexes ?? [])]).toEqual([1]);
  });

  test("the Job fails when all indexes are over and some failed, or more failed than may", () => {
    const done = [podOf({ index: 0, phase: "Succeeded" }), podOf({ index: 2, phase: "Succeeded" })];
    const failed = podOf({ index: 1, phase: "Failed", failures: 1 });
    expect(endOf(jobOf(), [...done, failed])).toBe("FailedIndexes");
    expect(endOf(jobOf(), [failed])).toBeUndefined();
    expect(endOf(jobOf({ maxFailedIndexes: 0 }), [failed])).toBe("MaxFailedIndexesExceeded");
    expect(endOf(jobOf({}, { failedIndexes: "1", completedIndexes: "0,2" }), [])).toBe("FailedIndexes");
  });
});
