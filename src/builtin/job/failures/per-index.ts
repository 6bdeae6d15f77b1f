/**
 * Back-off for each index of a Job (`backoffLimitPerIndex`): which indexes have failed for good, which failed pods are
 * kept until their replacement carries their count on, and when an index may be tried again. Pure.
 */
import type { Job, Pod } from "../../../api/index.js";
import { judgeFailure } from "./policy.js";
import { parseIndexes } from "../indexes.js";
import { failureDelayMs } from "./backoff.js";
import { completionIndex, counts, finishedAt, podHasFailed, isIndexed, isTracked } from "../pods.js";

const failureCountName = "batch.kubernetes.io/job-index-failure-count";
const ignoredCountName = "batch.kubernetes.io/job-index-ignored-failure-count";

export const limitsEachIndex = (job: Job): boolean =>
  isIndexed(job) && job.spec?.backoffLimitPerIndex !== undefined && job.spec.backoffLimitPerIndex !== null;

/** The number in the annotation; 0 if it is no number, since anyone may have written it. */
function numberIn(pod: Pod, annotation: string): number {
  const text = pod.metadata.annotations?.[annotation] ?? "";
  return /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
}

const allFailures = (pod: Pod): number => numberIn(pod, failureCountName) + numberIn(pod, ignoredCountName);

/**
 * The indexes that the status lists as failed, and those whose newest failure was one too many, or final by the failure
 * policy.
 */
export function failedIndexes(job: Job, pods: readonly Pod[]): ReadonlySet<number> {
  const failed = new Set(parseIndexes(job.status?.failedIndexes, job.spec?.completions ?? 0));
  for (const pod of pods) {
    if (!isTracked(pod) || !counts(job, pod) || !podHasFailed(job, pod)) continue;
    const verdict = judgeFailure(job, pod);
    const exhausted = numberIn(pod, failureCountName) >= (job.spec?.backoffLimitPerIndex ?? 0);
    if (verdict.failIndex || (verdict.counts && exhausted)) failed.add(completionIndex(pod) as number);
  }
  return failed;
}

export interface HeldInput {
  readonly job: Job;
  /** Pods that still have their finalizer. */
  readonly tracked: readonly Pod[];
  /** Indexes that need no replacement: they succeeded, failed for good, or are being worked on. */
  readonly settled: readonly ReadonlySet<number>[];
}

/** By index, the failed pod that must stay until its replacement is created: its annotations hold the number of failures. */
export function heldPods({ job, tracked, settled }: HeldInput): ReadonlyMap<number, Pod> {
  const held = new Map<number, Pod>();
  for (const pod of tracked) {
    if (!counts(job, pod) || !podHasFailed(job, pod)) continue;
    const index = completionIndex(pod) as number;
    if (settled.some((set) => set.has(index))) continue;
    const known = held.get(index);
    const isLater =
      known === undefined ||
      (allFailures(known) <= allFailures(pod) && (finishedAt(pod) ?? 0) >= (finishedAt(known) ?? 0));
    if (isLater) held.set(index, pod);
  }
  return held;
}

/** The annotations for the pod that replaces `replaced`, or for the first pod of its index. */
export function failureAnnotations(job: Job, replaced: Pod | undefined): Readonly<Record<string, string>> {
  if (replaced === undefined) return { [failureCountName]: "0" };
  const counted = judgeFailure(job, replaced).counts;
  const failures = numberIn(replaced, failureCountName) + (counted ? 1 : 0);
  const ignored = numberIn(replaced, ignoredCountName) + (counted ? 0 : 1);
  return {
    [failureCountName]: String(failures),
    ...(ignored === 0 ? {} : { [ignoredCountName]: String(ignored) }),
  };
}

/** Milliseconds for which an index whose last pod failed waits for the next one. */
export function indexDelayMs(replaced: Pod | undefined, now: number): number {
  if (replaced === undefined) return 0;
  return failureDelayMs({ sinceSuccess: allFailures(replaced) + 1, lastAt: finishedAt(replaced) ?? 0 }, now);
}
