import { expect, test } from "vitest";
import type { Job, Pod } from "../../api/index.js";
import { MetricsRegistry } from "../../base/index.js";
import { countPods } from "./count.js";
import { jobMetrics } from "./metrics.js";

const jobOf = (spec: Partial<NonNullable<Job["spec"]>> = {}): Job => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "j", uid: "job" },
  spec: { completions: 5, template: {}, ...spec },
});

const podOf = (phase: "Running" | "Failed", exitCode = 0): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", uid: "p", finalizers: ["batch.kubernetes.io/job-tracking"] },
  status: {
    phase,
    containerStatuses: [
      { name: "c", ready: false, restartCount: 0, image: "", imageID: "", state: { terminated: { exitCode } } },
    ],
  },
});

function recorded(play: (metrics: ReturnType<typeof jobMetrics>) => void): readonly string[] {
  const registry = new MetricsRegistry();
  play(jobMetrics(registry));
  const lines = registry.expose().split("\n");
  return lines.filter((line) => line.startsWith("job_controller_") && !/_(bucket|sum)/.test(line));
}

test("pods and indexes are counted as a status counts them, each once", () => {
  const indexed = jobOf({ completionMode: "Indexed", backoffLimitPerIndex: 1 });
  expect(
    recorded((metrics) => {
      metrics.counted(jobOf(), { succeeded: 1 }, { succeeded: 3, failed: 1 });
      metrics.counted(jobOf(), { succeeded: 3, failed: 1 }, { succeeded: 3, failed: 1 });
      metrics.counted(indexed, { completedIndexes: "0" }, { completedIndexes: "0-2", failedIndexes: "4", failed: 2 });
    }),
  ).toEqual([
    'job_controller_job_finished_indexes_total{status="succeeded",backoffLimit="perIndex"} 2',
    'job_controller_job_finished_indexes_total{status="failed",backoffLimit="perIndex"} 1',
    'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="failed"} 1',
    'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"} 2',
    'job_controller_job_pods_finished_total{completion_mode="Indexed",result="failed"} 2',
    'job_controller_job_pods_finished_total{completion_mode="Indexed",result="succeeded"} 2',
  ]);
});

test("syncs, ends, creations, policies and held pods have upstream's names and labels", () => {
  const onExitCodes = { operator: "In" as const, values: [1] };
  const strict = jobOf({ podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes }] } });
  const failed = podOf("Failed", 1);
  const count = (job: Job, pods: readonly Pod[]) => countPods({ job, pods, released: new Set() });
  expect(
    recorded((metrics) => {
      metrics.synced(jobOf(), { action: "pods_created", failed: false, seconds: 1 });
      metrics.finished(jobOf(), false, "BackoffLimitExceeded");
      metrics.created(jobOf(), count(jobOf(), []), { succeeded: 2, failed: 1 });
      metrics.created(jobOf(), count(jobOf(), [failed]), { succeeded: 1, failed: 0 });
      metrics.created(strict, count(strict, [failed]), { succeeded: 1, failed: 0 });
      metrics.judged(strict, [failed, podOf("Failed", 2), podOf("Running", 1)]);
      metrics.byOthers("example.com/other");
      metrics.held(podOf("Running"), failed);
      metrics.held(failed, undefined);
    }),
  ).toEqual([
    'job_controller_job_pods_creation_total{reason="new",status="succeeded"} 2',
    'job_controller_job_pods_creation_total{reason="new",status="failed"} 1',
    'job_controller_job_pods_creation_total{reason="recreate_terminating_or_failed",status="succeeded"} 1',
    'job_controller_job_pods_creation_total{reason="recreate_failed",status="succeeded"} 1',
    'job_controller_job_sync_duration_seconds_count{completion_mode="NonIndexed",result="success",action="pods_created"} 1',
    'job_controller_job_syncs_total{completion_mode="NonIndexed",result="success",action="pods_created"} 1',
    'job_controller_jobs_by_external_controller_total{controller_name="example.com/other"} 1',
    'job_controller_jobs_finished_total{completion_mode="NonIndexed",result="failed",reason="BackoffLimitExceeded"} 1',
    'job_controller_pod_failures_handled_by_failure_policy_total{action="Ignore"} 1',
    'job_controller_terminated_pods_tracking_finalizer_total{event="add"} 1',
    'job_controller_terminated_pods_tracking_finalizer_total{event="delete"} 1',
  ]);
});
