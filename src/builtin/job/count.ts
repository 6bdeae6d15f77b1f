/** Counts each of a Job's pods exactly once, though a pod may be seen many times before its finalizer is gone. Pure. */
import type { Job, Pod } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { isActive, isReady, isTerminating } from "../pods/state.js";
import { parseIndexes } from "./indexes.js";
import { failedIndexes, heldPods, limitsEachIndex } from "./failures/per-index.js";
import { completionIndex, counts, podHasFailed, isIndexed, isTracked } from "./pods.js";

export interface ObservedJob {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** Uids of the pods whose finalizer was removed, though the cache may not show it yet. */
  readonly released: ReadonlySet<string>;
}

export interface JobCounts {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Finished pods that the status does not contain in any form yet. */
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** Totals: the status's counters, the pods noted in the status but not in its counters yet, and the new ones. */
  readonly succeeded: number;
  readonly failed: number;
  /** Only of an indexed Job. */
  readonly succeededIndexes: ReadonlySet<number>;
  /** Only of a Job with `backoffLimitPerIndex`. */
  readonly failedIndexes?: ReadonlySet<number>;
  /** The indexes of terminating pods. */
  readonly leavingIndexes: ReadonlySet<number>;
  /** By index, failed pods that stay until they are replaced. */
  readonly held: ReadonlyMap<number, Pod>;
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
  const newlyFailed = pods.filter((pod) => podHasFailed(job, pod)).filter(isNew(waitingFailed));
  const active = pods.filter(isActive);
  const succeededIndexes = new Set(
    isIndexed(job) ? parseIndexes(job.status?.completedIndexes, job.spec?.completions ?? 0) : [],
  );
  if (isIndexed(job)) for (const pod of newlySucceeded) succeededIndexes.add(completionIndex(pod) as number);
  const failed = limitsEachIndex(job) ? failedIndexes(job, pods) : undefined;
  const indexesOf = (some: readonly Pod[]): ReadonlySet<number> =>
    new Set(some.map(completionIndex).filter((index) => index !== undefined));
  const terminating = pods.filter(isTerminating);
  const tracked = pods.filter((pod) => isTracked(pod) && !released.has(pod.metadata.uid ?? ""));
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: terminating.length,
    newlySucceeded,
    newlyFailed,
    succeeded: isIndexed(job)
      ? succeededIndexes.size
      : (job.status?.succeeded ?? 0) + waitingSucceeded.length + newlySucceeded.length,
    failed: (job.status?.failed ?? 0) + waitingFailed.length + newlyFailed.length,
    succeededIndexes,
    ...defined({ failedIndexes: failed }),
    leavingIndexes: indexesOf(terminating),
    held:
      failed === undefined
        ? new Map()
        : heldPods({ job, tracked, settled: [succeededIndexes, failed, indexesOf(active)] }),
  };
}
