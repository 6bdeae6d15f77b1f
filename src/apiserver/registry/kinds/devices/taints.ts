/** Rules for taints of devices, tolerations of claims, and the conditions that a device waits for before it is bound. */
import { type DeviceTaint, type DeviceToleration } from "../../../../api/index.js";
import { each, filledText } from "../rules/fill.js";
import { type Issues, labelValue, oneOf, optionalOneOf, type Path, qualifiedName } from "../rules/issues.js";
import { limited } from "./names.js";
import { repeats } from "../../../../base/members.js";

const effects = ["NoExecute", "NoSchedule", "None"];
const operators = ["Equal", "Exists"];
const maxConditions = 4;

export function* taintRules(at: Path, { key, value = "", effect }: DeviceTaint): Issues {
  yield* qualifiedName(at.child("key"), key ?? "");
  yield* labelValue(at.child("value"), value);
  yield* oneOf(at.child("effect"), effect, effects);
}

export const tolerationDefaults = (tolerations: readonly DeviceToleration[]): readonly DeviceToleration[] =>
  each(tolerations, (toleration) => filledText(toleration, "operator", "Equal"));

export function* tolerationsRules(at: Path, tolerations: readonly DeviceToleration[] = []): Issues {
  for (const [here, toleration] of at.items(tolerations)) yield* tolerationRules(here, toleration);
}

function* tolerationRules(at: Path, { key, operator = "Equal", value = "", effect }: DeviceToleration): Issues {
  if (key) yield* qualifiedName(at.child("key"), key);
  if (operator === "Exists") {
    if (value !== "") yield at.child("value").invalid(value, "must be empty for operator `Exists`");
  } else if (operator === "Equal") yield* labelValue(at.child("value"), value);
  else yield at.child("operator").notSupported(operator, operators);
  if (effect) yield* optionalOneOf(at.child("effect"), effect, effects);
}

interface Binding {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

export function* bindingRules(at: Path, { bindingConditions = [], bindingFailureConditions = [] }: Binding): Issues {
  const [good, bad] = [at.child("bindingConditions"), at.child("bindingFailureConditions")];
  yield* limited(good, bindingConditions, maxConditions, qualifiedName);
  yield* limited(bad, bindingFailureConditions, maxConditions, qualifiedName);
  const [isRepeat, isRepeatedFailure, conditions] = [repeats(), repeats(), new Set(bindingConditions)];
  for (const [here, condition] of good.items(bindingConditions))
    if (isRepeat(condition)) yield here.duplicate(condition);
  for (const [here, condition] of bad.items(bindingFailureConditions)) {
    if (isRepeatedFailure(condition)) yield here.duplicate(condition);
    if (conditions.has(condition)) {
      yield here.invalid(condition, "bindingFailureConditions must not overlap with bindingConditions");
    }
  }
  if (bindingConditions.length === 0 && bindingFailureConditions.length > 0) {
    yield good.invalid(undefined, "bindingConditions are required to use bindingFailureConditions");
  }
  if (bindingFailureConditions.length === 0 && bindingConditions.length > 0) {
    yield bad.invalid(undefined, "bindingFailureConditions are required to use bindingConditions");
  }
}
