/** Counts a Job's pods exactly once each, though a pod may be seen many times before its finalizer is gone. Pure. */
import type { Job, Pod } from "../../api/index.js";
import { isActive, isReady, isTerminating } from "../pods/state.js";
import { parseIndexes } from "./indexes.js";
import { completionIndex, counts, hasFailed, isIndexed, isTracked } from "./pods.js";

export interface ObservedJob {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** Uids of pods whose finalizer was taken away, though the cache does not show it yet. */
  readonly released: ReadonlySet<string>;
}

export interface JobCounts {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Finished and not yet in the status in any form. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** With those that are in the status but not in its counters yet, and the new ones. */
  readonly succeeded: number;
  readonly failed: number;
  /** Of an indexed Job. */
  readonly succeededIndexes: ReadonlySet<number>;
}

export function countPods({ job, pods, released }: ObservedJob): JobCounts {
  const { succeeded: waitingSucceeded = [], failed: waitingFailed = [] } = job.status?.uncountedTerminatedPods ?? {};
  const isNew = (waiting: readonly string[]) => {
    const known = new Set(waiting);
    return (pod: Pod): boolean => {
      const uid = pod.metadata.uid ?? "";
      return isTracked(pod) && counts(job, pod) && !known.has(uid) && !released.has(uid);
    };
  };
  const newlySucceeded = pods.filter((pod) => pod.status?.phase === "Succeeded").filter(isNew(waitingSucceeded));
  const newlyFailed = pods.filter((pod) => hasFailed(job, pod)).filter(isNew(waitingFailed));
  const active = pods.filter(isActive);
  const succeededIndexes = new Set(
    isIndexed(job) ? parseIndexes(job.status?.completedIndexes, job.spec?.completions ?? 0) : [],
  );
  if (isIndexed(job)) for (const pod of newlySucceeded) succeededIndexes.add(completionIndex(pod) as number);
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    newlySucceeded,
    newlyFailed,
    succeeded: isIndexed(job)
      ? succeededIndexes.size
      : (job.status?.succeeded ?? 0) + waitingSucceeded.length + newlySucceeded.length,
    failed: (job.status?.failed ?? 0) + waitingFailed.length + newlyFailed.length,
    succeededIndexes,
  };
}
