/** Rules for conditions of the common form in a status. */
import { byteLength, type Condition } from "../../../../api/index.js";
import { type Issues, optionalOneOf, type Path, qualifiedName } from "./issues.js";
import { repeats } from "../../../../base/members.js";

export const conditionStatuses: readonly string[] = ["False", "True", "Unknown"];

const reasonForm = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonPattern = new RegExp(`^${reasonForm}$`);
const reasonRule =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
const reasonExamples =
  "(e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is";

export function* conditionRules(at: Path, conditions: readonly Condition[] = []): Issues {
  const isRepeat = repeats();
  for (const [here, condition] of at.items(conditions)) {
    if (isRepeat(condition.type)) yield here.child("type").duplicate(condition.type);
    yield* conditionRule(here, condition);
  }
}

function* conditionRule(at: Path, condition: Condition): Issues {
  const { type, status, observedGeneration: seen = 0, reason, message } = condition;
  yield* qualifiedName(at.child("type"), type);
  yield* optionalOneOf(at.child("status"), status ?? "", conditionStatuses);
  if (seen < 0) yield at.child("observedGeneration").invalid(seen, "must be greater than or equal to zero");
  if (!condition.lastTransitionTime) yield at.child("lastTransitionTime").required();
  if (!reason) yield at.child("reason").required();
  else {
    if (!reasonPattern.test(reason)) {
      yield at.child("reason").invalid(reason, `${reasonRule} ${reasonExamples} '${reasonForm}')`);
    }
    if (byteLength(reason) > 1024) yield at.child("reason").tooLong(1024);
  }
  if (byteLength(message ?? "") > 32_768) yield at.child("message").tooLong(32_768);
}
