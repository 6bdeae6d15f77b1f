/** Strategies of jobs and cron jobs. */
import {
  type CronJob as AnyCronJob,
  type CronJobSpec,
  fieldPath,
  isDns1123Label,
  type Job as AnyJob,
  type JobSpec,
  type PodTemplateSpec,
  semanticEqual,
} from "../../../../api/index.js";
import { isTimeZone, parseCron } from "../../../../api/values/cron.js";
import { messageOf } from "../../../../base/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { templateDefaults } from "../pod/defaults/pod-defaults.js";
import { labelledAsTemplate, picks, selectorMismatch } from "../pod/template.js";
import { changed, each, filled, filledText, having } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import {
  immutable,
  immutableFields,
  inTurn,
  type Issues,
  labelSelector,
  nonNegative,
  nonNegativeFields,
  oneOf,
  type Path,
  required,
  shownLabels,
  shownSelector,
} from "../rules/issues.js";
import { jobSpec } from "./job-spec.js";
import { jobStatus } from "./job-status.js";

type Job = WithSpec<AnyJob>;
type CronJob = WithSpec<AnyCronJob>;

const spec = fieldPath("spec");

function jobSpecDefaults(given: JobSpec): JobSpec {
  const alone = given.completions === undefined && given.parallelism === undefined;
  const filledIn = filled(given, {
    ...(alone ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: given.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: given.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed",
    manualSelector: false,
  });
  return jobTemplateDefaults(filledIn);
}

/** Defaults that also apply to a cron job's template. */
function jobTemplateDefaults(given: JobSpec): JobSpec {
  const templated = changed(given, "template", templateDefaults);
  return changed(templated, "podFailurePolicy", (policy) =>
    changed(policy, "rules", (rules) =>
      each(rules, (rule) =>
        changed(rule, "onPodConditions", (patterns) =>
          each(patterns, (pattern) => filledText(pattern, "status", "True")),
        ),
      ),
    ),
  );
}

function jobDefaults(job: Job): Job {
  return changed(labelledAsTemplate(job, job.spec.template), "spec", jobSpecDefaults);
}

const nameLabels = ["job-name", "batch.kubernetes.io/job-name"] as const;
const uidLabels = ["controller-uid", "batch.kubernetes.io/controller-uid"] as const;

/** The pods of a job carry its uid, and the job selects them by it, unless `manualSelector` is set. */
function withSelector(job: Job): Job {
  if (job.spec.manualSelector === true) return job;
  const { name, uid = "" } = job.metadata;
  const labels = {
    ...Object.fromEntries(nameLabels.map((label) => [label, name])),
    ...Object.fromEntries(uidLabels.map((label) => [label, uid])),
    ...job.spec.template.metadata?.labels,
  };
  const { selector, template } = job.spec;
  const matchLabels = { [uidLabels[1]]: uid, ...selector?.matchLabels };
  const labelled: PodTemplateSpec = { ...template, metadata: { ...template.metadata, labels } };
  const own = job.metadata.labels;
  const shared = own === undefined || own === template.metadata?.labels || Object.keys(own).length === 0;
  return {
    ...job,
    // labels that were defaulted from the template stay equal to the template's
    metadata: shared ? { ...job.metadata, labels } : job.metadata,
    spec: { ...job.spec, selector: { ...selector, matchLabels }, template: labelled },
  };
}

function* generatedSelector(job: Job, prefixed: boolean): Issues {
  if (job.spec.manualSelector === true || job.spec.selector === undefined) return;
  const { name, uid = "" } = job.metadata;
  if (uid === "") yield fieldPath("metadata", "uid").required();
  const expected: Record<string, string> = {};
  const labels = job.spec.template.metadata?.labels;
  const at = spec.child("template", "metadata", "labels");
  const pairs = [
    [uidLabels[0], uid],
    [nameLabels[0], name],
    ...(prefixed
      ? ([
          [uidLabels[1], uid],
          [nameLabels[1], name],
        ] as const)
      : []),
  ] as const;
  for (const [label, value] of pairs) {
    expected[label] = value;
    if (labels?.[label] === undefined) yield at.key(label).required(`must be '${value}'`);
    else if (labels[label] !== value) yield at.key(label).invalid(shownLabels(labels), `must be '${value}'`);
  }
  if (!picks(job.spec.selector, expected)) {
    yield spec.child("selector").invalid(shownSelector(job.spec.selector), "`selector` not auto-generated");
  }
}

function* specRules(given: JobSpec): Issues {
  yield* jobSpec(spec, given);
  yield* required(spec.child("selector"), given.selector, labelSelector);
  if (!picks(given.selector, given.template.metadata?.labels)) {
    yield spec
      .child("template", "metadata", "labels")
      .invalid(shownLabels(given.template.metadata?.labels), selectorMismatch);
  }
}

function* jobRules(job: Job, prefixed: boolean): Issues {
  yield* generatedSelector(job, prefixed);
  yield* specRules(job.spec);
  const { completions = 0, completionMode } = job.spec;
  const last = `${job.metadata.name}-${completions - 1}`;
  if (completionMode === "Indexed" && completions > 0 && isDns1123Label(last).length > 0) {
    const why = `will not able to create pod with invalid DNS label: ${last}`;
    yield fieldPath("metadata", "name").invalid(job.metadata.name, why);
  }
}

/** Upstream validates the spec twice on update, so its errors come twice. */
function* updateRules(job: Job, old: Job): Issues {
  const labels = old.spec.template.metadata?.labels ?? {};
  yield* jobRules(job, labels[nameLabels[1]] !== undefined && labels[uidLabels[1]] !== undefined);
  yield* specRules(job.spec);
  yield* completions(job.spec, old.spec);
  yield* immutableFields(spec, job.spec, old.spec, "selector");
  yield* templateChanges(job.spec, old);
  yield* immutableFields(spec, job.spec, old.spec, "completionMode", "podFailurePolicy", "backoffLimitPerIndex");
  yield* immutableFields(spec, job.spec, old.spec, "managedBy", "successPolicy");
}

function* completions(now: JobSpec, old: JobSpec): Issues {
  const at = spec.child("completions");
  if (now.completionMode !== "Indexed") yield* immutable(at, now.completions, old.completions);
  else if (
    now.completions !== old.completions &&
    now.completions !== undefined &&
    now.completions !== now.parallelism
  ) {
    yield at.invalid(now.completions, "can only be modified in tandem with spec.parallelism");
  }
}

/** While a job is suspended, the scheduling and resources of its template may still change. */
function* templateChanges(now: JobSpec, old: Job): Issues {
  const { status = {}, spec: before } = old;
  const suspended = (status.conditions ?? []).some((one) => one.type === "Suspended" && one.status === "True");
  const waits = before.suspend === true && (status.startTime === undefined || suspended) && !status.active;
  if (!waits) {
    yield* immutable(spec.child("template"), now.template, before.template);
    return;
  }
  const after = now.template.spec;
  const kept = changed(before.template, "spec", (pod) => {
    let result = pod;
    for (const field of ["nodeSelector", "tolerations", "schedulingGates"] as const) {
      result = having(result, field, after?.[field] as never);
    }
    const affinity = having({ ...result.affinity }, "nodeAffinity", after?.affinity?.nodeAffinity);
    result = having(
      result,
      "affinity",
      Object.keys(affinity).length === 0 && after?.affinity === undefined ? undefined : affinity,
    );
    for (const list of ["containers", "initContainers"] as const) {
      result = changed(result, list, (containers) =>
        containers.map((one, index) => {
          const other = after?.[list]?.[index];
          return other?.name === one.name ? having(one, "resources", other.resources) : one;
        }),
      );
    }
    return result;
  });
  if (!semanticEqual(after, kept.spec)) yield spec.child("template.spec").invalid(after, "field is immutable");
}

export const jobStrategy: Strategy<Job> = {
  group: "batch",
  kind: "Job",
  generation: "spec",
  defaultPropagation: "Orphan",
  setDefaults: jobDefaults,
  prepareForCreate: withSelector,
  validateCreate: (job) => jobRules(job, true),
  validateUpdate: updateRules,
  status: { validateUpdate: (job, old) => jobStatus(job, old) },
  selectableFields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
};

function cronJobDefaults(job: CronJob): CronJob {
  return changed(job, "spec", (given) => {
    const result = filled(given, {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    return changed(result, "jobTemplate", (template) => changed(template, "spec", jobTemplateDefaults));
  });
}

function* cronJobRules(given: CronJobSpec, old: CronJobSpec | undefined): Issues {
  if (!given.schedule) yield spec.child("schedule").required();
  else yield* schedule(spec.child("schedule"), given, old?.schedule.includes("TZ") ?? false);
  yield* nonNegative(spec.child("startingDeadlineSeconds"), given.startingDeadlineSeconds);
  if (old === undefined || old.timeZone !== given.timeZone) yield* timeZone(spec.child("timeZone"), given.timeZone);
  yield* oneOf(spec.child("concurrencyPolicy"), given.concurrencyPolicy, ["Allow", "Forbid", "Replace"]);
  const at = spec.child("jobTemplate", "spec");
  const template = given.jobTemplate.spec;
  if (template !== undefined) {
    yield* jobSpec(at, template);
    if (template.selector !== undefined) {
      yield at.child("selector").invalid(shownSelector(template.selector), "`selector` will be auto-generated");
    }
    if (template.manualSelector === true) yield at.child("manualSelector").notSupported(true, ["nil", "false"]);
  }
  yield* nonNegativeFields(spec, given, ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"]);
}

/** Undefined if the schedule is good. */
function scheduleComplaint(schedule: string): string | undefined {
  try {
    parseCron(schedule);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function* schedule(at: Path, given: CronJobSpec, hadZone: boolean): Issues {
  const wrong = scheduleComplaint(given.schedule);
  if (wrong !== undefined) yield at.invalid(given.schedule, wrong);
  if (!given.schedule.includes("TZ")) return;
  if (!hadZone) yield at.invalid(given.schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  else if (given.timeZone !== undefined) {
    yield at.invalid(given.schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

function* timeZone(at: Path, zone: string | undefined): Issues {
  if (zone === undefined) return;
  if (zone === "") {
    yield at.invalid(zone, "timeZone must be nil or non-empty string");
    return;
  }
  const named = zone.split("/").every((part) => /^[A-Za-z.\-_0-9+]{1,14}$/.test(part) && !/^(?:\.{1,2}$|-)/.test(part));
  if (!named) {
    yield at.invalid(zone, `unknown time zone ${zone}`);
    return;
  }
  if (zone.toLowerCase() === "local") {
    const why = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    yield at.invalid(zone, why);
  }
  if (!isTimeZone(zone)) yield at.invalid(zone, `unknown time zone ${zone}`);
}

function* cronJobName({ metadata: { name } }: CronJob): Issues {
  // the controller adds eleven characters to the name for each job
  if (name.length > 52) yield fieldPath("metadata", "name").invalid(name, "must be no more than 52 characters");
}

export const cronJobStrategy: Strategy<CronJob> = {
  group: "batch",
  kind: "CronJob",
  lenient: { prefixOnUpdate: true },
  generation: "spec",
  setDefaults: cronJobDefaults,
  validateCreate: (job) => inTurn(cronJobRules(job.spec, undefined), cronJobName(job)),
  validateUpdate: (job, old) => cronJobRules(job.spec, old.spec),
};
