/** The metrics of the Job controller, under upstream's names. */
import type { Job, JobStatus, Pod } from "../../api/index.js";
import type { MetricsRegistry } from "../../base/index.js";
import { isTerminal } from "../pods/state.js";
import type { JobCounts } from "./count.js";
import { judgeFailure } from "./failures/policy.js";
import { parseIndexes } from "./indexes.js";
import { limitsEachIndex } from "./failures/per-index.js";
import { podHasFailed, isIndexed, isTracked, replacesOnlyFailed } from "./pods.js";

export type SyncAction = "reconciling" | "tracking" | "pods_created" | "pods_deleted";

export interface JobMetrics {
  synced(job: Job, sync: { readonly action: SyncAction; readonly failed: boolean; readonly seconds: number }): void;
  finished(job: Job, succeeded: boolean, reason: string): void;
  /** Counts pods and indexes that have newly entered the status's counters. */
  counted(job: Job, before: JobStatus, after: JobStatus): void;
  created(job: Job, count: JobCounts, made: { readonly succeeded: number; readonly failed: number }): void;
  /** Counts the pods for which a rule of the failure policy decided. */
  judged(job: Job, pods: readonly Pod[]): void;
  byOthers(manager: string): void;
  /** Counts finished pods that still have the finalizer: call it on each change of a pod. */
  held(before: Pod | undefined, after: Pod | undefined): void;
}

const outcome = (succeeded: boolean): string => (succeeded ? "succeeded" : "failed");
const isHeld = (pod: Pod | undefined): boolean => pod !== undefined && isTerminal(pod) && isTracked(pod);

export function jobMetrics(registry: MetricsRegistry): JobMetrics {
  const counter = <L extends string>(name: string, help: string, labels: readonly L[]) =>
    registry.counter({ name: `job_controller_${name}`, help, labels });
  const syncLabels = ["completion_mode", "result", "action"] as const;
  const syncs = counter("job_syncs_total", "Syncs of Jobs", syncLabels);
  const duration = registry.histogram({
    name: "job_controller_job_sync_duration_seconds",
    help: "How long a sync of a Job took",
    labels: syncLabels,
    buckets: Array.from({ length: 15 }, (_, i) => 0.004 * 2 ** i),
  });
  const finished = counter("jobs_finished_total", "Jobs that are over", ["completion_mode", "result", "reason"]);
  const pods = counter("job_pods_finished_total", "Pods that are over and counted", ["completion_mode", "result"]);
  const indexes = counter("job_finished_indexes_total", "Indexes that are over", ["status", "backoffLimit"]);
  const creations = counter("job_pods_creation_total", "Pods that were made, and why", ["reason", "status"]);
  const actions = counter("pod_failures_handled_by_failure_policy_total", "Failed pods by what a policy did", [
    "action",
  ]);
  const external = counter("jobs_by_external_controller_total", "Jobs that others conduct", ["controller_name"]);
  const held = counter("terminated_pods_tracking_finalizer_total", "Pods that are over and have the finalizer", [
    "event",
  ]);
  const modeOf = (job: Job): string => (isIndexed(job) ? "Indexed" : "NonIndexed");
  const doneIn = (job: Job, text: string | undefined): number => parseIndexes(text, job.spec?.completions ?? 0).size;
  return {
    synced(job, { action, failed, seconds }) {
      const labels = { completion_mode: modeOf(job), result: failed ? "error" : "success", action };
      syncs.with(labels).inc();
      duration.with(labels).observe(seconds);
    },
    finished: (job, succeeded, reason) =>
      finished.with({ completion_mode: modeOf(job), result: outcome(succeeded), reason }).inc(),
    counted(job, before, after) {
      const more = (succeeded: boolean, count: number): void => {
        if (count > 0) pods.with({ completion_mode: modeOf(job), result: outcome(succeeded) }).inc(count);
      };
      more(false, (after.failed ?? 0) - (before.failed ?? 0));
      if (!isIndexed(job)) return more(true, (after.succeeded ?? 0) - (before.succeeded ?? 0));
      const backoffLimit = limitsEachIndex(job) ? "perIndex" : "global";
      const done = doneIn(job, after.completedIndexes) - doneIn(job, before.completedIndexes);
      const lost = doneIn(job, after.failedIndexes) - doneIn(job, before.failedIndexes);
      more(true, done);
      if (done > 0) indexes.with({ status: "succeeded", backoffLimit }).inc(done);
      if (lost > 0) indexes.with({ status: "failed", backoffLimit }).inc(lost);
    },
    created(job, count, { succeeded, failed }) {
      const again = replacesOnlyFailed(job) ? "recreate_failed" : "recreate_terminating_or_failed";
      const reason = count.failed > 0 || count.terminating > 0 ? again : "new";
      if (succeeded > 0) creations.with({ reason, status: "succeeded" }).inc(succeeded);
      if (failed > 0) creations.with({ reason, status: "failed" }).inc(failed);
    },
    judged(job, some) {
      for (const pod of some) {
        const action = podHasFailed(job, pod) ? judgeFailure(job, pod).action : undefined;
        if (action !== undefined) actions.with({ action }).inc();
      }
    },
    byOthers: (manager) => external.with({ controller_name: manager }).inc(),
    held(before, after) {
      if (!isHeld(before) && isHeld(after)) held.with({ event: "add" }).inc();
      if (isHeld(before) && !isHeld(after)) held.with({ event: "delete" }).inc();
    },
  };
}
