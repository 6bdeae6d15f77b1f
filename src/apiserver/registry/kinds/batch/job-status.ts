/** The status of a job: numbers that only grow, conditions that contradict each other, times in their order. */
import {
  fieldDuplicate,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  type FieldError,
  type Job,
  parseTime,
  type JobStatus,
} from "../../../../api/index.js";
import { counts } from "../apps/status.js";
import type { WithSpec } from "../rules/formed.js";
import { type Issues, type Path } from "../rules/issues.js";
import { countIndexes, overlap } from "./indexes.js";

type FormedJob = WithSpec<Job>;

const at = fieldPath("status");

function isTrue(job: FormedJob, type: string): boolean {
  return (job.status?.conditions ?? []).some((one) => one.type === type && one.status === "True");
}

const contradiction = (detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  message: `Invalid value: ${detail}`,
  field: String(at.child("conditions")),
});

export function* jobStatus(job: FormedJob, old: FormedJob): Issues {
  const status = job.status ?? {};
  yield* counts(at, status, ["active", "succeeded", "failed", "ready", "terminating"]);
  yield* uncounted(at.child("uncountedTerminatedPods"), status.uncountedTerminatedPods);
  yield* conditions(job);
  yield* times(job, status);
  yield* indexes(job, status);
  yield* changes(job, old);
}

function* uncounted(path: Path, pods: JobStatus["uncountedTerminatedPods"]): Issues {
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const) {
    for (const [index, uid] of (pods?.[list] ?? []).entries()) {
      const here = path.child(list).index(index);
      if (uid === "") yield fieldInvalid(here, uid, "must not be empty");
      else if (seen.has(uid)) yield fieldDuplicate(here, uid);
      seen.add(uid);
    }
  }
}

function* conditions(job: FormedJob): Issues {
  const [complete, failed] = [isTrue(job, "Complete"), isTrue(job, "Failed")];
  const [target, met] = [isTrue(job, "FailureTarget"), isTrue(job, "SuccessCriteriaMet")];
  if (complete && failed) yield contradiction("cannot set Complete=True and Failed=true conditions");
  if (complete && target) yield contradiction("cannot set Complete=True and FailureTarget=true conditions");
  if (failed && !target) {
    yield contradiction("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if (complete && !met) {
    yield contradiction("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
  if (met && failed) yield contradiction("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (met && target) yield contradiction("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  if (job.spec.successPolicy !== undefined && !met && complete) {
    yield contradiction("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
}

function* times(job: FormedJob, status: JobStatus): Issues {
  const complete = isTrue(job, "Complete");
  const { completionTime, startTime, active = 0, ready = 0 } = status;
  const here = at.child("completionTime");
  if (completionTime !== undefined && !complete) {
    yield fieldInvalid(here, completionTime, "cannot set completionTime when there is no Complete=True condition");
  }
  if (completionTime === undefined && complete) {
    yield fieldRequired(here, "completionTime is required for Complete jobs");
  }
  if (startTime !== undefined && completionTime !== undefined && parseTime(completionTime) < parseTime(startTime)) {
    yield fieldInvalid(here, completionTime, "must be equal to or after `startTime`");
  }
  if (complete || isTrue(job, "Failed")) yield* finished(status);
  if (ready > active) yield fieldInvalid(at.child("ready"), ready, "cannot set more ready pods than active");
}

/** What is over has a beginning, and nothing of it runs. */
function* finished({ active = 0, terminating = 0, startTime, uncountedTerminatedPods: pods }: JobStatus): Issues {
  if (active > 0) yield fieldInvalid(at.child("active"), active, "active>0 is invalid for finished job");
  if (startTime === undefined) yield fieldRequired(at.child("startTime"), "startTime is required for finished job");
  if ((pods?.failed ?? []).length + (pods?.succeeded ?? []).length > 0) {
    const shown = { Succeeded: pods?.succeeded ?? null, Failed: pods?.failed ?? null };
    yield fieldInvalid(at.child("uncountedTerminatedPods"), shown, "must be empty for finished job");
  }
  if (terminating > 0) {
    yield fieldInvalid(at.child("terminating"), terminating, "terminating>0 is invalid for finished job");
  }
}

function* indexes({ spec }: FormedJob, { completedIndexes = "", failedIndexes }: JobStatus): Issues {
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const [done, lost] = [at.child("completedIndexes"), at.child("failedIndexes")];
  if (completions !== undefined) {
    const found = countIndexes(completedIndexes, completions);
    if (typeof found !== "number") {
      yield fieldInvalid(done, completedIndexes, `error parsing completedIndexes: ${found.complaint}`);
    }
    const failed = backoffLimitPerIndex === undefined ? 0 : countIndexes(failedIndexes ?? "", completions);
    if (typeof failed !== "number") {
      yield fieldInvalid(lost, failedIndexes, `error parsing failedIndexes: ${failed.complaint}`);
    }
  }
  if (completedIndexes !== "" && completionMode !== "Indexed") {
    yield fieldInvalid(
      done,
      completedIndexes,
      "cannot set non-empty completedIndexes when non-indexed completion mode",
    );
  }
  if (backoffLimitPerIndex === undefined && failedIndexes !== undefined) {
    yield fieldInvalid(lost, failedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if (completions === undefined || failedIndexes === undefined) return;
  const both = overlap(completedIndexes, failedIndexes, completions);
  if (both !== undefined) {
    yield fieldInvalid(lost, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${both}`);
  }
}

function* changes(job: FormedJob, old: FormedJob): Issues {
  const gone = (type: string): boolean => isTrue(old, type) && !isTrue(job, type);
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (gone(type)) yield contradiction(`cannot disable the terminal ${type}=True condition`);
  }
  const [now, before] = [job.status ?? {}, old.status ?? {}];
  for (const field of ["failed", "succeeded"] as const) {
    const number = now[field] ?? 0;
    if (number < (before[field] ?? 0)) {
      yield fieldInvalid(at.child(field), number, `cannot decrease the ${field} counter`);
    }
  }
  yield* fixedTimes(now, before, job.spec.suspend === true);
  if (gone("SuccessCriteriaMet")) yield contradiction("cannot disable the SuccessCriteriaMet=True condition");
  if (isTrue(old, "Complete") && !isTrue(old, "SuccessCriteriaMet") && isTrue(job, "SuccessCriteriaMet")) {
    yield contradiction("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}

function* fixedTimes(now: JobStatus, before: JobStatus, suspended: boolean): Issues {
  const { completionTime: ended, startTime: begun } = now;
  if (ended !== undefined && before.completionTime !== undefined && ended !== before.completionTime) {
    yield fieldInvalid(at.child("completionTime"), ended, "field is immutable");
  }
  if (before.startTime !== undefined && before.startTime !== begun && !suspended) {
    yield fieldInvalid(at.child("startTime"), begun, "field is immutable for unsuspended job once set");
  }
}
