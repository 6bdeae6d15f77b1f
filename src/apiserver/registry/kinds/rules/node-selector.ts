/** Takes the node selector of an affinity or a volume; gives its errors. */
import { type NodeSelector, type NodeSelectorRequirement, type NodeSelectorTerm } from "../../../../api/index.js";
import { dns1123Subdomain, type Issues, labelValue, type Path, qualifiedName, selectorOperator } from "./issues.js";

function* nodeRequirement(at: Path, requirement: NodeSelectorRequirement, checkValues: boolean): Issues {
  const { key, operator, values = [] } = requirement;
  if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) {
      yield at.child("values").required("must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else yield* selectorOperator(at, requirement);
  yield* qualifiedName(at.child("key"), key);
  if (!checkValues) return;
  for (const [here, value] of at.child("values").items(values)) yield* labelValue(here, value);
}

function* nodeFieldRequirement(at: Path, { key, operator, values = [] }: NodeSelectorRequirement): Issues {
  if (operator !== "In" && operator !== "NotIn") {
    yield at.child("operator").invalid(operator, "not a valid selector operator");
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    yield at.child("values").required(why);
  }
  if (key !== "metadata.name") {
    yield at.child("key").invalid(key, "not a valid field selector key");
    return;
  }
  for (const [here, value] of at.child("values").items(values)) yield* dns1123Subdomain(here, value);
}

export function* nodeTerm(at: Path, term: NodeSelectorTerm | undefined, checkValues: boolean): Issues {
  for (const [here, one] of at.child("matchExpressions").items(term?.matchExpressions)) {
    yield* nodeRequirement(here, one, checkValues);
  }
  for (const [place, one] of at.child("matchFields").items(term?.matchFields)) {
    yield* nodeFieldRequirement(place, one);
  }
}

export function* nodeSelector(at: Path, { nodeSelectorTerms }: NodeSelector): Issues {
  const terms = nodeSelectorTerms ?? [];
  const here = at.child("nodeSelectorTerms");
  if (terms.length === 0) yield here.required("must have at least one node selector term");
  for (const [place, term] of here.items(terms)) yield* nodeTerm(place, term, true);
}

/** Terms as messages print them: the members of Go structs. */
export const shownTerms = (terms: readonly NodeSelectorTerm[] | undefined): unknown =>
  terms?.map(({ matchExpressions, matchFields }) => ({
    MatchExpressions: shownRequirements(matchExpressions),
    MatchFields: shownRequirements(matchFields),
  }));

const shownRequirements = (requirements: NodeSelectorTerm["matchFields"]): unknown =>
  requirements?.map(({ key, operator, values }) => ({ Key: key, Operator: operator, Values: values ?? null })) ?? null;
