/**
 * The bookkeeping of a Job's status: each finished pod is noted, then released, then counted, so that a crash between
 * any two writes neither loses nor doubles a pod. Pure: each step takes a status and gives the next.
 */
import {
  findCondition,
  formatTime,
  isDeleting,
  type Job,
  type JobCondition,
  type JobStatus,
  type Pod,
} from "../../api/index.js";
import { judgeFailure } from "./failures/policy.js";
import { parseIndexes, printIndexes } from "./indexes.js";
import type { JobCounts, ObservedJob } from "./count.js";
import type { JobEnd } from "./plan.js";
import { completionIndex, counts, podHasFailed, isIndexed, isTracked } from "./pods.js";
import { defined, unlessEmpty } from "../../base/defined.js";

/** The most pods that may be noted and not yet counted. */
const maxUncounted = 500;

export interface Noted {
  readonly status: JobStatus;
  /** Pods that the status contains now, or need not contain: they may lose their finalizer once the status is written. */
  readonly release: readonly Pod[];
  /** There are more finished pods than one status can hold: this sync cannot be the last. */
  readonly full: boolean;
}

/** The uids of the pods that still have the finalizer, as far as is known. */
export function trackedUids({ pods, released }: ObservedJob): ReadonlySet<string> {
  const uids = pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? "");
  return new Set(uids.filter((uid) => !released.has(uid)));
}

/** Step 1: notes finished pods. When the Job fails, pods that still run are noted as failed. */
export function noteFinished(observed: ObservedJob, count: JobCounts, end: JobEnd | undefined): Noted {
  const { job, pods, released } = observed;
  const held = new Set(end === undefined ? count.held.values() : []);
  const book = openBook(job, countReleased(job.status ?? {}, trackedUids(observed)), count.succeededIndexes);
  const release: Pod[] = [];
  for (const pod of pods) {
    if (!isTracked(pod) || released.has(pod.metadata.uid ?? "")) continue;
    const verdict = verdictOf(job, pod, end);
    if ((verdict === "runs" || held.has(pod)) && !isDeleting(job)) continue;
    release.push(pod);
    book.note(pod, verdict);
    if (book.added() >= maxUncounted) return { status: book.status(), release, full: true };
  }
  return { status: book.status(), release, full: false };
}

type Verdict = "succeeded" | "failed" | "runs" | "superfluous";

function verdictOf(job: Job, pod: Pod, end: JobEnd | undefined): Verdict {
  if (pod.status?.phase === "Succeeded") return "succeeded";
  if (podHasFailed(job, pod)) return "failed";
  if (end === undefined) return "runs";
  return end.terminal === "Failed" ? "failed" : "superfluous";
}

/**
 * The pods that a status has noted, with methods to note more. A success of an indexed Job is noted by its index, all
 * others by uid.
 */
function openBook(job: Job, status: JobStatus, succeededIndexes: ReadonlySet<number>) {
  const succeeded = new Set(status.uncountedTerminatedPods?.succeeded);
  const failed = new Set(status.uncountedTerminatedPods?.failed);
  const before = parseIndexes(status.completedIndexes, job.spec?.completions ?? 0);
  let newIndexes = 0;
  return {
    note(pod: Pod, verdict: Verdict): void {
      const uid = pod.metadata.uid ?? "";
      if (!counts(job, pod) || failed.has(uid)) return;
      if (verdict === "failed" && judgeFailure(job, pod).counts) failed.add(uid);
      if (verdict !== "succeeded") return;
      if (!isIndexed(job)) succeeded.add(uid);
      else if (!before.has(completionIndex(pod) as number)) newIndexes += 1;
    },
    added: (): number => newIndexes + succeeded.size + failed.size,
    status(): JobStatus {
      const noted = { ...status, uncountedTerminatedPods: uncounted([...succeeded], [...failed]) };
      return isIndexed(job) ? withIndexes(noted, succeededIndexes) : noted;
    },
  };
}

const uncounted = (
  succeeded: readonly string[],
  failed: readonly string[],
): NonNullable<JobStatus["uncountedTerminatedPods"]> => ({
  ...defined({ succeeded: unlessEmpty(succeeded), failed: unlessEmpty(failed) }),
});

function withIndexes(status: JobStatus, indexes: ReadonlySet<number>): JobStatus {
  const { completedIndexes: _before, ...rest } = withCounts(status, { succeeded: indexes.size });
  return indexes.size === 0 ? rest : { ...rest, completedIndexes: printIndexes(indexes) };
}

/** Step 2: noted pods whose finalizer is gone move to the counters. */
export function countReleased(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const still = (uids: readonly string[]): readonly string[] => uids.filter((uid) => tracked.has(uid));
  const [waitingSucceeded, waitingFailed] = [still(succeeded), still(failed)];
  if (waitingSucceeded.length === succeeded.length && waitingFailed.length === failed.length) return status;
  const add = (count: number | undefined, more: number): number => (count ?? 0) + more;
  return withCounts(
    { ...status, uncountedTerminatedPods: uncounted(waitingSucceeded, waitingFailed) },
    {
      succeeded: add(status.succeeded, succeeded.length - waitingSucceeded.length),
      failed: add(status.failed, failed.length - waitingFailed.length),
    },
  );
}

/** A zero is absent on the wire. */
export function withCounts(status: JobStatus, numbers: Pick<JobStatus, "active" | "succeeded" | "failed">): JobStatus {
  const next = Object.entries({ ...status, ...numbers }).filter(([name, value]) => !(name in numbers && value === 0));
  return Object.fromEntries(next) as JobStatus;
}

function withCondition(
  status: JobStatus,
  condition: Pick<JobCondition, "type" | "status" | "reason" | "message">,
  now: number,
): JobStatus {
  const conditions = status.conditions ?? [];
  const old = findCondition(conditions, condition.type);
  if (old?.status === condition.status && old.reason === condition.reason && old.message === condition.message)
    return status;
  const time = formatTime(now);
  const next = { ...condition, lastProbeTime: time, lastTransitionTime: time };
  return {
    ...status,
    conditions: old === undefined ? [...conditions, next] : conditions.map((one) => (one === old ? next : one)),
  };
}

/** Adds the interim condition, which announces the end while pods are still being counted. */
export function withInterim(status: JobStatus, { interim, reason, message }: JobEnd, now: number): JobStatus {
  return withCondition(status, { type: interim, status: "True", reason, message }, now);
}

/** Step 3: the terminal condition, once every pod is counted and gone; undefined until then. */
export function conclude(status: JobStatus, end: JobEnd, now: number): JobStatus | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length > 0 || failed.length > 0 || (status.terminating ?? 0) > 0 || (status.active ?? 0) > 0)
    return undefined;
  const { terminal, reason, message } = end;
  const concluded = withCondition(status, { type: terminal, status: "True", reason, message }, now);
  return terminal === "Complete" ? { ...concluded, completionTime: formatTime(now) } : concluded;
}

const suspended = { type: "Suspended" } as const;

/** The Suspended condition: set once the suspension has happened, and reset only after a suspension. */
export function withSuspension(job: Job, status: JobStatus, now: number): JobStatus {
  const said = findCondition(status.conditions, "Suspended")?.status;
  if (job.spec?.suspend === true) {
    if (said === "True") return status;
    const { startTime: _stopped, ...stopped } = status;
    return withCondition(
      stopped,
      { ...suspended, status: "True", reason: "JobSuspended", message: "Job suspended" },
      now,
    );
  }
  if (said !== "True") return status;
  const resumed = { ...suspended, status: "False", reason: "JobResumed", message: "Job resumed" } as const;
  // the time of the suspension does not count towards the deadline
  return { ...withCondition(status, resumed, now), startTime: formatTime(now) };
}
