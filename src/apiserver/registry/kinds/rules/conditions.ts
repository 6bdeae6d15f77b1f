/** Rules for conditions of the common form in a status. */
import {
  byteLength,
  type Condition,
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from "../../../../api/index.js";
import { type Issues, type Path, qualifiedName } from "./issues.js";

const reasonForm = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonPattern = new RegExp(`^${reasonForm}$`);
const reasonRule =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
const reasonExamples =
  "(e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is";

export function* conditionRules(at: Path, conditions: readonly Condition[] = []): Issues {
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const here = at.index(index);
    if (seen.has(condition.type)) yield fieldDuplicate(here.child("type"), condition.type);
    seen.add(condition.type);
    yield* conditionRule(here, condition);
  }
}

function* conditionRule(at: Path, condition: Condition): Issues {
  const { type, status, observedGeneration: seen = 0, reason, message } = condition;
  yield* qualifiedName(at.child("type"), type);
  const statuses: readonly string[] = ["False", "True", "Unknown"];
  if (!statuses.includes(status)) yield fieldNotSupported(at.child("status"), status, statuses);
  if (seen < 0) yield fieldInvalid(at.child("observedGeneration"), seen, "must be greater than or equal to zero");
  if (!condition.lastTransitionTime) yield fieldRequired(at.child("lastTransitionTime"));
  if (!reason) yield fieldRequired(at.child("reason"));
  else {
    if (!reasonPattern.test(reason)) {
      yield fieldInvalid(at.child("reason"), reason, `${reasonRule} ${reasonExamples} '${reasonForm}')`);
    }
    if (byteLength(reason) > 1024) yield fieldTooLong(at.child("reason"), 1024);
  }
  if (byteLength(message ?? "") > 32_768) yield fieldTooLong(at.child("message"), 32_768);
}
