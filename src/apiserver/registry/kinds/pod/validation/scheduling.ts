/** Takes the fields of a pod that say where it may run (affinities, tolerations, spread); gives their errors. */
import {
  type Affinity,
  isDns1123Label,
  isLabelValue,
  type LabelSelector,
  type PodAffinityTerm,
  type Toleration,
  type TopologySpreadConstraint,
} from "../../../../../api/index.js";
import {
  formed,
  type Issues,
  labelSelector,
  optionalOneOf,
  type Path,
  positive,
  qualifiedName,
} from "../../rules/issues.js";
import { nodeSelector, nodeTerm } from "../../rules/node-selector.js";

export const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

function* weight(at: Path, value: number | undefined): Issues {
  const given = value ?? 0;
  if (given <= 0 || given > 100) yield at.child("weight").invalid(given, "must be in the range 1-100");
}

export function* affinity(at: Path, given: Affinity | undefined): Issues {
  const { nodeAffinity, podAffinity, podAntiAffinity } = given ?? {};
  if (nodeAffinity !== undefined) {
    const here = at.child("nodeAffinity");
    const required = nodeAffinity[requiredTerms];
    if (required !== undefined) yield* nodeSelector(here.child(requiredTerms), required);
    for (const [termAt, term] of here.child(preferredTerms).items(nodeAffinity[preferredTerms])) {
      yield* weight(termAt, term.weight);
      yield* nodeTerm(termAt.child("preference"), term.preference, false);
    }
  }
  for (const [field, pods] of [
    ["podAffinity", podAffinity],
    ["podAntiAffinity", podAntiAffinity],
  ] as const) {
    const here = at.child(field);
    for (const [place, term] of here.child(requiredTerms).items(pods?.[requiredTerms])) yield* podTerm(place, term);
    for (const [termAt, term] of here.child(preferredTerms).items(pods?.[preferredTerms])) {
      yield* weight(termAt, term.weight);
      yield* podTerm(termAt.child("podAffinityTerm"), term.podAffinityTerm);
    }
  }
}

function* podTerm(at: Path, term: PodAffinityTerm): Issues {
  const { matchLabelKeys = [], mismatchLabelKeys = [], topologyKey } = term;
  yield* labelSelector(at.child("labelSelector"), term.labelSelector);
  yield* labelSelector(at.child("namespaceSelector"), term.namespaceSelector);
  for (const name of term.namespaces ?? []) yield* formed(at.child("namespace"), name, isDns1123Label(name));
  yield* labelKeys(at, { matchLabelKeys, mismatchLabelKeys, selector: term.labelSelector });
  if (topologyKey === "") yield at.child("topologyKey").required("can not be empty");
  yield* qualifiedName(at.child("topologyKey"), topologyKey);
}

interface KeyLists {
  readonly matchLabelKeys: readonly string[];
  readonly mismatchLabelKeys: readonly string[];
  readonly selector: LabelSelector | undefined;
}

function* labelKeys(at: Path, { matchLabelKeys, mismatchLabelKeys, selector }: KeyLists): Issues {
  for (const [field, keys] of [
    ["matchLabelKeys", matchLabelKeys],
    ["mismatchLabelKeys", mismatchLabelKeys],
  ] as const) {
    if (keys.length === 0) continue;
    const here = at.child(field);
    if (selector === undefined) yield here.forbidden("must not be specified when labelSelector is not set");
    else for (const [place, key] of here.items(keys)) yield* qualifiedName(place, key);
  }
  const selected = new Set(Object.keys(selector?.matchLabels ?? {}));
  const positions = new Map(matchLabelKeys.map((key, index) => [key, index]));
  for (const { key } of selector?.matchExpressions ?? []) {
    const index = positions.get(key);
    if (index !== undefined && selected.has(key)) {
      yield at.index(index).invalid(key, "exists in both matchLabelKeys and labelSelector");
    }
    selected.add(key);
  }
  const mismatched = new Set(mismatchLabelKeys);
  for (const [here, key] of at.child("matchLabelKeys").items(matchLabelKeys)) {
    if (mismatched.has(key)) yield here.invalid(key, "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

export const taintEffects: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function* tolerations(at: Path, given: readonly Toleration[] = []): Issues {
  for (const [here, toleration] of at.items(given)) {
    const { key = "", value = "", tolerationSeconds } = toleration;
    const operator: string = toleration.operator ?? "";
    const effect: string = toleration.effect ?? "";
    if (key !== "") yield* qualifiedName(here.child("key"), key);
    else if (operator !== "Exists") {
      const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      yield here.child("operator").invalid(operator, why);
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      const why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      yield here.child("effect").invalid(effect, why);
    }
    yield* tolerationValue(here.child("operator"), operator, value);
    if (effect !== "") yield* optionalOneOf(here.child("effect"), effect, taintEffects);
  }
}

function* tolerationValue(at: Path, operator: string, value: string): Issues {
  if (operator === "" || operator === "Equal") {
    const complaints = isLabelValue(value);
    if (complaints.length > 0) yield at.invalid(value, complaints.join(";"));
  } else if (operator === "Exists") {
    if (value !== "") yield at.invalid(value, "value must be empty when `operator` is 'Exists'");
  } else {
    const compared = operator === "Lt" || operator === "Gt" ? ["Equal", "Exists", "Lt", "Gt"] : ["Equal", "Exists"];
    yield at.notSupported(operator, compared);
  }
}

export function* spreadConstraints(at: Path, constraints: readonly TopologySpreadConstraint[] = []): Issues {
  const same = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string =>
    JSON.stringify([topologyKey, whenUnsatisfiable]);
  /** The position of the last constraint of its topology and action: all before it come again. */
  const last = new Map(constraints.map((constraint, index) => [same(constraint), index]));
  for (const [index, constraint] of constraints.entries()) {
    const here = at.index(index);
    const { topologyKey, minDomains, matchLabelKeys = [] } = constraint;
    const action: string = constraint.whenUnsatisfiable ?? "";
    yield* positive(here.child("maxSkew"), constraint.maxSkew);
    if (topologyKey === "") yield here.child("topologyKey").required("can not be empty");
    yield* optionalOneOf(here.child("whenUnsatisfiable"), action, ["DoNotSchedule", "ScheduleAnyway"]);
    if (last.get(same(constraint)) !== index)
      yield here.child("{topologyKey, whenUnsatisfiable}").duplicate(`{${topologyKey}, ${action}}`);
    if (minDomains !== undefined) yield* domains(here.child("minDomains"), minDomains, action);
    yield* optionalOneOf(here.child("nodeAffinityPolicy"), constraint.nodeAffinityPolicy, ["Honor", "Ignore"]);
    yield* optionalOneOf(here.child("nodeTaintsPolicy"), constraint.nodeTaintsPolicy, ["Honor", "Ignore"]);
    yield* labelKeys(here, { matchLabelKeys, mismatchLabelKeys: [], selector: constraint.labelSelector });
    yield* labelSelector(here.child("labelSelector"), constraint.labelSelector);
  }
}

function* domains(at: Path, count: number, action: string): Issues {
  yield* positive(at, count);
  if (action !== "DoNotSchedule") {
    yield at.invalid(count, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`);
  }
}
