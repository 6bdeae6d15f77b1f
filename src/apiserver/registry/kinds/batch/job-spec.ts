/** Rules for the spec of a job, in a Job or in a CronJob's template. */
import {
  byteLength,
  type FieldError,
  type JobSpec,
  type PodFailurePolicyOnExitCodesRequirement,
  type PodFailurePolicyRule,
  type SuccessPolicyRule,
} from "../../../../api/index.js";
import { podTemplate } from "../pod/template.js";
import {
  type Issues,
  nonNegative,
  nonNegativeFields,
  optionalOneOf,
  type Path,
  qualifiedName,
  required,
} from "../rules/issues.js";
import { domainPrefixedPath } from "../../../../api/errors/domain-path.js";
import { countIndexes } from "./indexes.js";
import { repeats } from "../../../../base/members.js";
import { conditionStatuses } from "../rules/conditions.js";

const counted = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
];

export function* jobSpec(at: Path, spec: JobSpec): Issues {
  yield* nonNegativeFields(at, spec, counted);
  if (spec.maxFailedIndexes !== undefined) {
    yield* nonNegative(at.child("maxFailedIndexes"), spec.maxFailedIndexes);
    if (spec.backoffLimitPerIndex === undefined) {
      yield at.child("backoffLimitPerIndex").required("when maxFailedIndexes is specified");
    }
  }
  yield* manager(at.child("managedBy"), spec.managedBy);
  yield* completionMode(at, spec);
  if (spec.podFailurePolicy !== undefined) yield* failurePolicy(at.child("podFailurePolicy", "rules"), spec);
  if (spec.successPolicy !== undefined) yield* successPolicy(at.child("successPolicy"), spec);
  const replacements = spec.podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  yield* optionalOneOf(at.child("podReplacementPolicy"), spec.podReplacementPolicy, replacements);
  yield* podTemplate(at.child("template"), spec.template);
  yield* restartPolicy(at.child("template", "spec", "restartPolicy"), spec);
}

/** An error without the value, because the value is a whole struct. */
function invalid(at: Path, detail: string): FieldError {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${detail}`, field: String(at) };
}

function* manager(at: Path, name: string | undefined): Issues {
  if (name === undefined) return;
  yield* domainPrefixedPath(at, name);
  if (byteLength(name) > 63) yield at.tooLong(63);
}

const most = 100_000;
const mostBeside = 10_000;

function* completionMode(at: Path, spec: JobSpec): Issues {
  const mode: string | undefined = spec.completionMode;
  yield* optionalOneOf(at.child("completionMode"), mode, ["NonIndexed", "Indexed"]);
  if (mode === "Indexed") yield* indexed(at, spec);
  if (mode !== undefined && mode !== "NonIndexed") return;
  for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
    if (spec[field] !== undefined) yield at.child(field).invalid(spec[field], "requires indexed completion mode");
  }
}

function* indexed(at: Path, spec: JobSpec): Issues {
  const { completions, parallelism = 0, maxFailedIndexes } = spec;
  const failed = maxFailedIndexes ?? 0;
  if (completions === undefined) yield at.child("completions").required("when completion mode is Indexed");
  if (parallelism > most) {
    const why = `must be less than or equal to ${most} when completion mode is Indexed`;
    yield at.child("parallelism").invalid(parallelism, why);
  }
  if (completions !== undefined && failed > completions) {
    yield at.child("maxFailedIndexes").invalid(failed, "must be less than or equal to completions");
  }
  if (failed > most) yield at.child("maxFailedIndexes").invalid(failed, `must be less than or equal to ${most}`);
  if (completions === undefined || completions <= most || spec.backoffLimitPerIndex === undefined) return;
  if (maxFailedIndexes === undefined) {
    yield at.child("maxFailedIndexes").required(`must be specified when completions is above ${most}`);
  }
  const why = `must be less than or equal to ${mostBeside} when completions are above ${most} and used with backoff limit per index`;
  if (parallelism > mostBeside) yield at.child("parallelism").invalid(parallelism, why);
  if (failed > mostBeside) yield at.child("maxFailedIndexes").invalid(failed, why);
}

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];

/** As `oneOf`, with the words in the message about a missing one too. */
function word(at: Path, given: string | undefined, words: readonly string[]): Issues {
  const detail = `valid values: [${words.map((one) => `"${one}"`).join(" ")}]`;
  return required(at, given, (here, one) => optionalOneOf(here, one, words), detail);
}

function* failurePolicy(at: Path, spec: JobSpec): Issues {
  const rules = spec.podFailurePolicy?.rules ?? [];
  if (rules.length > 20) yield at.tooMany(rules.length, 20);
  const { containers = [], initContainers = [] } = spec.template.spec ?? {};
  const names = new Set([...containers, ...initContainers].map(({ name }) => name));
  const perIndex = spec.backoffLimitPerIndex !== undefined;
  for (const [here, rule] of at.items(rules)) yield* failureRule(here, rule, { names, perIndex });
}

/** The parts of a job that a rule about failures may refer to. */
interface Referred {
  /** The names of the containers. */
  readonly names: ReadonlySet<string>;
  /** Whether failures are counted for each index. */
  readonly perIndex: boolean;
}

function* failureRule(at: Path, rule: PodFailurePolicyRule, { names, perIndex }: Referred): Issues {
  yield* word(at.child("action"), rule.action, actions);
  if (rule.action === "FailIndex" && !perIndex) {
    yield at.child("action").invalid(rule.action, "requires the backoffLimitPerIndex to be set");
  }
  const { onExitCodes, onPodConditions = [] } = rule;
  if (onExitCodes !== undefined) yield* exitCodes(at.child("onExitCodes"), onExitCodes, names);
  if (onPodConditions.length > 20) yield at.child("onPodConditions").tooMany(onPodConditions.length, 20);
  for (const [patternAt, pattern] of at.child("onPodConditions").items(onPodConditions)) {
    yield* qualifiedName(patternAt.child("type"), pattern.type);
    yield* optionalOneOf(patternAt.child("status"), pattern.status ?? "", conditionStatuses);
  }
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    yield invalid(at, "specifying both OnExitCodes and OnPodConditions is not supported");
  } else if (onExitCodes === undefined && onPodConditions.length === 0) {
    yield invalid(at, "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

function* exitCodes(at: Path, given: PodFailurePolicyOnExitCodesRequirement, names: ReadonlySet<string>): Issues {
  const operator: string = given.operator ?? "";
  yield* word(at.child("operator"), operator, ["In", "NotIn"]);
  if (given.containerName !== undefined && !names.has(given.containerName)) {
    const why = "must be one of the container or initContainer names in the pod template";
    yield at.child("containerName").invalid(given.containerName, why);
  }
  const values = given.values ?? [];
  const here = at.child("values");
  if (values.length === 0) yield here.invalid(given.values, "at least one value is required");
  else if (values.length > 255) yield here.tooMany(values.length, 255);
  const isRepeat = repeats<number>();
  for (const [place, value] of here.items(values)) {
    if (operator === "In" && value === 0) yield place.invalid(value, "must not be 0 for the In operator");
    if (isRepeat(value)) yield place.duplicate(value);
  }
  if (values.some((value, index) => index > 0 && (values[index - 1] as number) > value)) {
    yield here.invalid(values, "must be ordered");
  }
}

function* successPolicy(at: Path, spec: JobSpec): Issues {
  const rules = spec.successPolicy?.rules ?? [];
  if (spec.completionMode !== "Indexed") {
    const shown = rules.map((rule) => ({
      SucceededIndexes: rule.succeededIndexes ?? null,
      SucceededCount: rule.succeededCount ?? null,
    }));
    yield at.invalid({ Rules: shown.length === 0 ? null : shown }, "requires indexed completion mode");
    return;
  }
  const here = at.child("rules");
  if (rules.length === 0) {
    yield here.required("at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.length > 20) yield here.tooMany(rules.length, 20);
  for (const [place, rule] of here.items(rules)) yield* successRule(place, rule, spec.completions ?? 0);
}

function* successRule(at: Path, { succeededCount, succeededIndexes }: SuccessPolicyRule, completions: number): Issues {
  if (succeededCount === undefined && succeededIndexes === undefined) {
    yield at.required("at least one of succeededCount or succeededIndexes must be specified");
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const here = at.child("succeededIndexes");
    if (byteLength(succeededIndexes) > 65_536) yield here.tooLong(65_536);
    const found = countIndexes(succeededIndexes, completions);
    if (typeof found === "number") total = found;
    else yield here.invalid(succeededIndexes, `error parsing succeededIndexes: ${found.complaint}`);
  }
  if (succeededCount === undefined) return;
  const here = at.child("succeededCount");
  yield* nonNegative(here, succeededCount);
  if (succeededCount > completions) {
    const why = `must be less than or equal to ${completions} (the number of specified completions)`;
    yield here.invalid(succeededCount, why);
  }
  if (succeededIndexes !== undefined && succeededCount > total) {
    const why = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`;
    yield here.invalid(succeededCount, why);
  }
}

/** `Always` is the default of templates, so it counts as not set. */
function* restartPolicy(at: Path, spec: JobSpec): Issues {
  const policy: string = spec.template.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") yield at.required('valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never") yield at.notSupported(policy, ["OnFailure", "Never"]);
  else if (spec.podFailurePolicy !== undefined && policy !== "Never") {
    yield at.invalid(policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
