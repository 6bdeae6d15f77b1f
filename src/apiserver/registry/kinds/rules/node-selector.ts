/** Takes the node selector of an affinity or a volume; gives its errors. */
import {
  fieldInvalid,
  fieldRequired,
  isDns1123Subdomain,
  isLabelValue,
  type NodeSelector,
  type NodeSelectorRequirement,
  type NodeSelectorTerm,
} from "../../../../api/index.js";
import { formed, type Issues, type Path, qualifiedName, selectorOperator } from "./issues.js";

function* nodeRequirement(at: Path, requirement: NodeSelectorRequirement, checkValues: boolean): Issues {
  const { key, operator, values = [] } = requirement;
  if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) {
      yield fieldRequired(at.child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else yield* selectorOperator(at, requirement);
  yield* qualifiedName(at.child("key"), key);
  if (!checkValues) return;
  for (const [index, value] of values.entries()) {
    yield* formed(at.child("values").index(index), value, isLabelValue(value));
  }
}

function* nodeFieldRequirement(at: Path, { key, operator, values = [] }: NodeSelectorRequirement): Issues {
  if (operator !== "In" && operator !== "NotIn") {
    yield fieldInvalid(at.child("operator"), operator, "not a valid selector operator");
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    yield fieldRequired(at.child("values"), why);
  }
  if (key !== "metadata.name") {
    yield fieldInvalid(at.child("key"), key, "not a valid field selector key");
    return;
  }
  for (const [index, value] of values.entries()) {
    yield* formed(at.child("values").index(index), value, isDns1123Subdomain(value));
  }
}

export function* nodeTerm(at: Path, term: NodeSelectorTerm | undefined, checkValues: boolean): Issues {
  for (const [index, one] of (term?.matchExpressions ?? []).entries()) {
    yield* nodeRequirement(at.child("matchExpressions").index(index), one, checkValues);
  }
  for (const [index, one] of (term?.matchFields ?? []).entries()) {
    yield* nodeFieldRequirement(at.child("matchFields").index(index), one);
  }
}

export function* nodeSelector(at: Path, { nodeSelectorTerms }: NodeSelector): Issues {
  const terms = nodeSelectorTerms ?? [];
  const here = at.child("nodeSelectorTerms");
  if (terms.length === 0) yield fieldRequired(here, "must have at least one node selector term");
  for (const [index, term] of terms.entries()) yield* nodeTerm(here.index(index), term, true);
}
