/** Rules for the status of a job: numbers that only grow, conditions that exclude each other, times in order. */
import {
  deepEqual,
  fieldPath,
  type FieldError,
  isConditionTrue,
  type Job,
  type JobCondition,
  parseTime,
  type JobStatus,
} from "../../../../api/index.js";
import { counts } from "../apps/status.js";
import type { WithSpec } from "../rules/formed.js";
import type { Issues, Path } from "../rules/issues.js";
import { countIndexes, overlap } from "./indexes.js";
import { repeats } from "../../../../base/members.js";

type FormedJob = WithSpec<Job>;

const at = fieldPath("status");

function isTrue(job: FormedJob, type: string): boolean {
  return isConditionTrue(job.status?.conditions, type);
}

const contradiction = (detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  message: `Invalid value: ${detail}`,
  field: String(at.child("conditions")),
});

/** The changes of a write. Only changed fields are validated, so that a job with old faults can still be written. */
interface Changes {
  of(...fields: readonly (keyof JobStatus)[]): boolean;
  /** Whether one of these condition types has become true or no longer is. */
  ofConditions(...types: readonly string[]): boolean;
}

function changesBetween(old: FormedJob, job: FormedJob): Changes {
  return {
    of: (...fields) => fields.some((field) => !deepEqual(old.status?.[field], job.status?.[field])),
    ofConditions: (...types) => types.some((type) => isTrue(old, type) !== isTrue(job, type)),
  };
}

const isFinished = (job: FormedJob): boolean => isTrue(job, "Complete") || isTrue(job, "Failed");

export function* jobStatus(job: FormedJob, old: FormedJob): Issues {
  const status = job.status ?? {};
  const changed = changesBetween(old, job);
  yield* counts(at, status, ["active", "succeeded", "failed", "ready", "terminating"]);
  yield* uncounted(at.child("uncountedTerminatedPods"), status.uncountedTerminatedPods);
  yield* endings(job, changed);
  yield* times(job, changed);
  yield* finished(job, changed, isFinished(old) !== isFinished(job));
  yield* indexes(job, changed);
  if (changed.of("ready", "active") && status.ready !== undefined && status.ready > (status.active ?? 0)) {
    yield at.child("ready").invalid(status.ready, "cannot set more ready pods than active");
  }
  yield* criteria(job);
  yield* changes(job, old);
}

function* uncounted(path: Path, pods: JobStatus["uncountedTerminatedPods"]): Issues {
  const isRepeat = repeats();
  for (const list of ["succeeded", "failed"] as const) {
    for (const [here, uid] of path.child(list).items(pods?.[list])) {
      if (uid === "") yield here.invalid(uid, "must not be empty");
      else if (isRepeat(uid)) yield here.duplicate(uid);
    }
  }
}

function* endings(job: FormedJob, changed: Changes): Issues {
  const [complete, failed] = [isTrue(job, "Complete"), isTrue(job, "Failed")];
  const [target, met] = [isTrue(job, "FailureTarget"), isTrue(job, "SuccessCriteriaMet")];
  if (changed.ofConditions("Complete", "Failed") && complete && failed) {
    yield contradiction("cannot set Complete=True and Failed=true conditions");
  }
  if (changed.ofConditions("Complete", "FailureTarget") && complete && target) {
    yield contradiction("cannot set Complete=True and FailureTarget=true conditions");
  }
  if ((changed.ofConditions("Failed") || changed.of("failedIndexes")) && failed && !target) {
    yield contradiction("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if (changed.ofConditions("Complete", "SuccessCriteriaMet") && complete && !met) {
    yield contradiction("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
}

function* criteria(job: FormedJob): Issues {
  const met = isTrue(job, "SuccessCriteriaMet");
  if (met && isTrue(job, "Failed"))
    yield contradiction("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (met && isTrue(job, "FailureTarget")) {
    yield contradiction("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (job.spec.successPolicy !== undefined && !met && isTrue(job, "Complete")) {
    yield contradiction("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
}

function* times(job: FormedJob, changed: Changes): Issues {
  const complete = isTrue(job, "Complete");
  const { completionTime, startTime } = job.status ?? {};
  const here = at.child("completionTime");
  if (changed.ofConditions("Complete") || changed.of("completionTime")) {
    if (completionTime !== undefined && !complete) {
      yield here.invalid(completionTime, "cannot set completionTime when there is no Complete=True condition");
    }
    if (completionTime === undefined && complete) {
      yield here.required("completionTime is required for Complete jobs");
    }
  }
  if (!changed.of("startTime", "completionTime") || startTime === undefined || completionTime === undefined) return;
  if (parseTime(completionTime) < parseTime(startTime)) {
    yield here.invalid(completionTime, "must be equal to or after `startTime`");
  }
}

/** A finished job has a start time, unless it had nothing to start, and nothing of it runs. */
function* finished(job: FormedJob, changed: Changes, justNow: boolean): Issues {
  if (!isFinished(job)) return;
  const { active = 0, terminating = 0, startTime, uncountedTerminatedPods: pods } = job.status ?? {};
  const judged = (field: keyof JobStatus): boolean => justNow || changed.of(field);
  if (judged("active") && active > 0) {
    yield at.child("active").invalid(active, "active>0 is invalid for finished job");
  }
  const neverBegan = job.spec.suspend === true && job.spec.completions === 0;
  if (judged("startTime") && startTime === undefined && !neverBegan) {
    yield at.child("startTime").required("startTime is required for finished job");
  }
  if (judged("uncountedTerminatedPods")) yield* allCounted(pods);
  if (judged("terminating") && terminating > 0) {
    yield at.child("terminating").invalid(terminating, "terminating>0 is invalid for finished job");
  }
}

function* allCounted(pods: JobStatus["uncountedTerminatedPods"]): Issues {
  if ((pods?.failed ?? []).length + (pods?.succeeded ?? []).length === 0) return;
  const shown = { Succeeded: pods?.succeeded ?? null, Failed: pods?.failed ?? null };
  yield at.child("uncountedTerminatedPods").invalid(shown, "must be empty for finished job");
}

function* indexes(job: FormedJob, changed: Changes): Issues {
  if (changed.of("completedIndexes")) yield* completed(job);
  if (changed.of("failedIndexes")) yield* failed(job);
  const { completions } = job.spec;
  const { completedIndexes = "", failedIndexes } = job.status ?? {};
  if (completions === undefined || failedIndexes === undefined) return;
  if (!changed.of("completedIndexes", "failedIndexes")) return;
  const both = overlap(completedIndexes, failedIndexes, completions);
  if (both !== undefined) {
    const complaint = `failedIndexes and completedIndexes overlap at index: ${both}`;
    yield at.child("failedIndexes").invalid(failedIndexes, complaint);
  }
}

function* completed({ spec: { completions, completionMode }, status }: FormedJob): Issues {
  const { completedIndexes = "" } = status ?? {};
  const here = at.child("completedIndexes");
  const found = completions === undefined ? 0 : countIndexes(completedIndexes, completions);
  if (typeof found !== "number") {
    yield here.invalid(completedIndexes, `error parsing completedIndexes: ${found.complaint}`);
  }
  if (completedIndexes === "" || completionMode === "Indexed") return;
  yield here.invalid(completedIndexes, "cannot set non-empty completedIndexes when non-indexed completion mode");
}

function* failed({ spec: { completions, backoffLimitPerIndex }, status }: FormedJob): Issues {
  const { failedIndexes } = status ?? {};
  if (failedIndexes === undefined) return;
  const here = at.child("failedIndexes");
  if (backoffLimitPerIndex === undefined) {
    yield here.invalid(failedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
    return;
  }
  const found = completions === undefined ? 0 : countIndexes(failedIndexes, completions);
  if (typeof found !== "number") {
    yield here.invalid(failedIndexes, `error parsing failedIndexes: ${found.complaint}`);
  }
}

function* changes(job: FormedJob, old: FormedJob): Issues {
  const gone = (type: string): boolean => isTrue(old, type) && !isTrue(job, type);
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (gone(type)) yield contradiction(`cannot disable the terminal ${type}=True condition`);
  }
  const [now, before] = [job.status ?? {}, old.status ?? {}];
  const { completionMode, completions, parallelism } = job.spec;
  // an elastic indexed job (completions equal parallelism) shrinks with it, and completions beyond no longer count
  const isElastic = completionMode === "Indexed" && completions === parallelism;
  for (const field of isElastic ? (["failed"] as const) : (["failed", "succeeded"] as const)) {
    const number = now[field] ?? 0;
    if (number < (before[field] ?? 0)) {
      yield at.child(field).invalid(number, `cannot decrease the ${field} counter`);
    }
  }
  const resumed = isTrue(old, "Suspended") && now.conditions?.some(isResumption) === true;
  yield* fixedTimes(now, before, job.spec.suspend === true || resumed);
  if (gone("SuccessCriteriaMet")) yield contradiction("cannot disable the SuccessCriteriaMet=True condition");
  if (isTrue(old, "Complete") && !isTrue(old, "SuccessCriteriaMet") && isTrue(job, "SuccessCriteriaMet")) {
    yield contradiction("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}

const isResumption = ({ type, status }: JobCondition): boolean => type === "Suspended" && status === "False";

function* fixedTimes(now: JobStatus, before: JobStatus, mayStart: boolean): Issues {
  const { completionTime: ended, startTime: begun } = now;
  if (ended !== undefined && before.completionTime !== undefined && ended !== before.completionTime) {
    yield at.child("completionTime").invalid(ended, "field is immutable");
  }
  if (before.startTime !== undefined && before.startTime !== begun && !mayStart) {
    yield at.child("startTime").invalid(begun, "field is immutable for unsuspended job once set");
  }
}
