/**
 * The plan of a Job: takes counts, gives an end state, or the pods to create and delete. Pure.
 */
import { type Job, type JobCondition, parseTime, type Pod } from "../../api/index.js";
import { byActivity } from "../pods/ranking.js";
import type { JobCounts, ObservedJob } from "./count.js";
import { judgeFailure } from "./failures/policy.js";
import { firstPending, parseIndexes } from "./indexes.js";
import { indexDelayMs, limitsEachIndex } from "./failures/per-index.js";
import { completionIndex, podHasFailed, isIndexed, isSuspended, replacesOnlyFailed } from "./pods.js";
import { repeats } from "../../base/members.js";

/** The most creates or deletes in one sync. */
const burst = 500;

/**
 * The end of a Job, declared in two steps: first the `interim` condition, then, when all pods are counted and gone, the
 * `terminal` one.
 */
export interface JobEnd {
  readonly interim: "SuccessCriteriaMet" | "FailureTarget";
  readonly terminal: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

const failure = (reason: string, message: string): JobEnd => ({
  interim: "FailureTarget",
  terminal: "Failed",
  reason,
  message,
});

const success = (reason: string, message: string): JobEnd => ({
  interim: "SuccessCriteriaMet",
  terminal: "Complete",
  reason,
  message,
});

/** The first reason to end the Job whatever its pods do. Success by counting is decided later, when nothing is active. */
export function jobEndOf({ job, pods }: ObservedJob, count: JobCounts, now: number): JobEnd | undefined {
  const declared = declaredEnd(job.status?.conditions);
  if (declared !== undefined) return declared;
  const failJob = job.spec?.podFailurePolicy === undefined ? undefined : firstFailJob(job, pods);
  if (failJob !== undefined) return failure("PodFailurePolicy", failJob);
  if (exceedsBackoffLimit(job, pods, count)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  const left = deadlineLeftMs(job, now);
  if (left !== undefined && left <= 0) {
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  const perIndex = failureOfIndexes(job, count);
  if (perIndex !== undefined) return perIndex;
  const rule = matchedSuccessRule(job, count.succeededIndexes);
  return rule === undefined ? undefined : success("SuccessPolicy", `Matched rules at index ${rule}`);
}

/** The failure if too many indexes have failed for good, or if some have and all others are done; otherwise undefined. */
function failureOfIndexes({ spec }: Job, { failedIndexes, succeededIndexes }: JobCounts): JobEnd | undefined {
  if (failedIndexes === undefined || failedIndexes.size === 0) return undefined;
  if (failedIndexes.size > (spec?.maxFailedIndexes ?? Number.POSITIVE_INFINITY)) {
    return failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  const isOver = failedIndexes.size + succeededIndexes.size >= (spec?.completions ?? 0);
  return isOver ? failure("FailedIndexes", "Job has failed indexes") : undefined;
}

/** The first rule of the success policy that holds: enough of the indexes that it names, or enough of any. */
function matchedSuccessRule({ spec }: Job, succeeded: ReadonlySet<number>): number | undefined {
  if (succeeded.size === 0) return undefined;
  const rules = spec?.successPolicy?.rules ?? [];
  const matched = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeeded.size >= (succeededCount ?? Number.POSITIVE_INFINITY);
    const named = parseIndexes(succeededIndexes, spec?.completions ?? 0);
    const done = [...named].filter((index) => succeeded.has(index)).length;
    return done > 0 && (done === named.size || done >= (succeededCount ?? Number.POSITIVE_INFINITY));
  });
  return matched === -1 ? undefined : matched;
}

function declaredEnd(conditions: readonly JobCondition[] = []): JobEnd | undefined {
  const declared = (type: string): JobCondition | undefined =>
    conditions.find((condition) => condition.type === type && condition.status === "True");
  const met = declared("SuccessCriteriaMet");
  if (met !== undefined) return success(met.reason ?? "", met.message ?? "");
  const target = declared("FailureTarget");
  return target === undefined ? undefined : failure(target.reason ?? "", target.message ?? "");
}

function firstFailJob(job: Job, pods: readonly Pod[]): string | undefined {
  for (const pod of pods) {
    if (!podHasFailed(job, pod)) continue;
    const { failJob } = judgeFailure(job, pod);
    if (failJob !== undefined) return failJob;
  }
  return undefined;
}

/** Failures that the policy ignores do not count. Container restarts count, for pods that restart in place. */
function exceedsBackoffLimit(job: Job, pods: readonly Pod[], count: JobCounts): boolean {
  const limit = job.spec?.backoffLimit ?? 6;
  const ignored =
    job.spec?.podFailurePolicy === undefined ? [] : count.newlyFailed.filter((pod) => !judgeFailure(job, pod).counts);
  if (count.failed - ignored.length > limit) return true;
  if (job.spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  const running = pods.filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending");
  const restarts = running.reduce((total, { status }) => {
    const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    return total + statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  }, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Undefined without a deadline, and while the Job is suspended: its clock then stands still. */
export function deadlineLeftMs({ spec, status }: Job, now: number): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || status?.startTime === undefined || spec.suspend === true)
    return undefined;
  return parseTime(status.startTime) + spec.activeDeadlineSeconds * 1000 - now;
}

/** Success by counting: all completions; or, for a work queue (no `completions`), one success and no active pod. */
export function reachedCompletions({ spec }: Job, succeeded: number, active: number): JobEnd | undefined {
  const enough = spec?.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
  return enough && active === 0
    ? success("CompletionsReached", "Reached expected number of succeeded pods")
    : undefined;
}

export type JobPlan =
  | { readonly type: "none" }
  | { readonly type: "delete"; readonly pods: readonly Pod[] }
  /** Waits before the next attempt after a failure. */
  | { readonly type: "wait"; readonly ms: number }
  /** One entry for each pod; the pod's index if the Job is indexed. */
  | { readonly type: "create"; readonly indexes: readonly (number | undefined)[] };

export interface JobPace {
  readonly now: number;
  /** The rest of the wait after the Job's last failure. */
  readonly waitMs: number;
}

/** Plans either deletes or creates, never both in one sync. */
export function planJob(job: Job, count: JobCounts, pace: JobPace): JobPlan {
  const { active } = count;
  if (isSuspended(job)) return active.length === 0 ? { type: "none" } : { type: "delete", pods: active };
  const { parallelism = 1, completions } = job.spec ?? {};
  const wanted =
    completions === undefined
      ? count.succeeded > 0
        ? active.length
        : parallelism
      : Math.max(0, Math.min(parallelism, completions - count.succeeded));
  const victims = podsToDelete(job, count, Math.max(0, active.length - wanted));
  if (victims.length > 0) return { type: "delete", pods: victims.slice(0, burst) };
  const leaving = replacesOnlyFailed(job) ? count.terminating : 0;
  const missing = Math.min(burst, wanted - active.length - leaving);
  if (missing <= 0) return { type: "none" };
  const eachIndex = limitsEachIndex(job);
  if (!eachIndex && pace.waitMs > 0) return { type: "wait", ms: pace.waitMs };
  if (!isIndexed(job)) return { type: "create", indexes: Array.from({ length: missing }, () => undefined) };
  const working = new Set(active.map(completionIndex).filter((index) => index !== undefined));
  const going = replacesOnlyFailed(job) ? count.leavingIndexes : none;
  const taken = [count.succeededIndexes, working, going, count.failedIndexes ?? none];
  const indexes = firstPending(missing, completions ?? 0, ...taken);
  return eachIndex ? triedNow(indexes, count, pace) : { type: "create", indexes };
}

const none: ReadonlySet<number> = new Set();

/** Creates the indexes whose own wait is over; if there is none, waits for the shortest wait. */
function triedNow(indexes: readonly number[], { held }: JobCounts, { now }: JobPace): JobPlan {
  const waits = indexes.map((index) => indexDelayMs(held.get(index), now));
  const free = indexes.filter((_, i) => waits[i] === 0);
  if (free.length > 0) return { type: "create", indexes: free };
  return waits.length === 0 ? { type: "none" } : { type: "wait", ms: Math.min(...waits) };
}

/** Pods with a duplicate index or one out of range always go; then the pods that have done the least, until `atLeast` go. */
function podsToDelete(job: Job, { active }: JobCounts, atLeast: number): readonly Pod[] {
  const victims: Pod[] = [];
  let rest = active;
  if (isIndexed(job)) {
    const isRepeat = repeats<number>();
    rest = [];
    for (const pod of active.toSorted(byActivity).toReversed()) {
      const index = completionIndex(pod);
      if (index === undefined || index >= (job.spec?.completions ?? 0) || isRepeat(index)) victims.push(pod);
      else rest = [...rest, pod];
    }
  }
  if (victims.length >= atLeast) return victims;
  return [...victims, ...rest.toSorted(byActivity).slice(0, atLeast - victims.length)];
}
