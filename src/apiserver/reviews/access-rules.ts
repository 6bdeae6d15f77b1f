/** Takes the question of an access review; gives its faults, and the parts of its selectors that cannot be understood. */
import {
  type FieldPath,
  fieldPath,
  type FieldSelector,
  isLabelValue,
  isQualifiedName,
  type KubeObject,
  labelSelectorAsSelector,
  type LabelSelectorRequirement,
  newFieldSelector,
  parseFieldSelector,
  parseLabelSelector,
  type StatusCause,
  type SubjectAccessReviewSpec,
} from "../../api/index.js";
import type { ResourceRequest } from "../contracts/request.js";
import { typeNamed } from "../../api/schema/index.js";

type Issues = Iterable<StatusCause>;

/** The user whom a review is about: the sender, anybody, or anybody in the review's namespace. */
export type AboutWhom = "self" | "anybody" | "here";

const at = fieldPath("spec");

export function* accessFaults(
  metadata: KubeObject["metadata"],
  spec: SubjectAccessReviewSpec,
  whom: AboutWhom,
): Issues {
  const { resourceAttributes, nonResourceAttributes, user = "", groups = [] } = spec;
  const { path = "", verb = "" } = nonResourceAttributes ?? {};
  const shown = { Path: path, Verb: verb };
  const [resource, other] = [at.child("resourceAttributes"), at.child("nonResourceAttributes")];
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    yield other.invalid(shown, "cannot be specified in combination with resourceAttributes");
  } else if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    yield resource.invalid(undefined, why);
  }
  if (whom !== "self" && user === "" && groups.length === 0) {
    yield at.child("user").invalid(user, "at least one of user or group must be specified");
  }
  const { fieldSelector, labelSelector, namespace = "" } = resourceAttributes ?? {};
  yield* selectorFaults(resource.child("fieldSelector"), fieldSelector, fieldFaults);
  yield* selectorFaults(resource.child("labelSelector"), labelSelector, labelFaults);
  yield* metadataFaults(metadata, whom);
  if (whom !== "here") return;
  if (resourceAttributes !== undefined && namespace !== (metadata.namespace ?? "")) {
    yield resource.child("namespace").invalid(namespace, "must match metadata.namespace");
  }
  if (nonResourceAttributes !== undefined) yield other.invalid(shown, "disallowed on this kind of request");
}

/** A review is not stored, so it has no metadata; the owners of its fields are the server's own. */
function* metadataFaults(metadata: KubeObject["metadata"], whom: AboutWhom): Issues {
  const isEmpty = ([name, value]: readonly [string, unknown]): boolean =>
    name === "managedFields" || (whom === "here" && name === "namespace") || isZero(value);
  if (Object.entries(metadata).every(isEmpty)) return;
  yield fieldPath("metadata").invalid(
    inOrder(metadata),
    whom === "here" ? "must be empty except for namespace" : "must be empty",
  );
}

/** The members in the order of the Go struct, as messages print them. */
function inOrder(metadata: KubeObject["metadata"]): object {
  const names = [...(typeNamed("meta/v1.ObjectMeta")?.properties.keys() ?? [])];
  const position = ([name]: readonly [string, unknown]): number => names.indexOf(name);
  return Object.fromEntries(Object.entries(metadata).toSorted((a, b) => position(a) - position(b)));
}

const isZero = (value: unknown): boolean =>
  !value || (typeof value === "object" && Object.keys(value as object).length === 0);

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface Selector<R> {
  readonly rawSelector?: string;
  readonly requirements?: readonly R[];
}

function* selectorFaults<R extends Requirement>(
  here: FieldPath,
  selector: Selector<R> | undefined,
  faults: (at: FieldPath, requirement: R) => Issues,
): Issues {
  if (selector === undefined) return;
  const { rawSelector = "", requirements = [] } = selector;
  if (rawSelector !== "" && requirements.length > 0) {
    yield here.child("rawSelector").invalid(rawSelector, "may not specified at the same time as requirements");
  } else if (rawSelector === "" && requirements.length === 0) {
    const why = `when ${here} is specified, requirements or rawSelector is required`;
    yield here.child("requirements").required(why);
  }
  for (const [place, requirement] of here.child("requirements").items(requirements)) yield* faults(place, requirement);
}

function* fieldFaults(here: FieldPath, requirement: Requirement): Issues {
  if (!requirement.key) yield here.child("key").required("must be specified");
  yield* operatorFaults(here, requirement);
}

function* labelFaults(here: FieldPath, requirement: Requirement): Issues {
  const { key = "", values = [] } = requirement;
  yield* operatorFaults(here, requirement);
  for (const why of isQualifiedName(key)) yield here.child("key").invalid(key, why);
  for (const [place, value] of here.child("values").items(values)) {
    for (const why of isLabelValue(value)) yield place.invalid(value, why);
  }
}

/** An operator that the server does not know passes: a newer client may know it. */
function* operatorFaults(here: FieldPath, { operator, values = [] }: Requirement): Issues {
  const place = here.child("values");
  if ((operator === "In" || operator === "NotIn") && values.length === 0) {
    yield place.required("must be specified when `operator` is 'In' or 'NotIn'");
  } else if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
    yield place.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  }
}

/** The selectors that cannot be understood, wholly or in part, in upstream's words. */
export function selectorErrors({ resourceAttributes }: SubjectAccessReviewSpec): string {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  return [
    ignored("fieldSelector", fieldSelector, { parse: parseFieldSelector, understands: isSimpleField }),
    ignored("labelSelector", labelSelector, { parse: parseLabelSelector, understands: isKnownLabel }),
  ]
    .filter((text) => text !== "")
    .join("; ");
}

/** The selectors of a review as far as they are understood, for authorizers that heed them. */
export function selectedBy({
  fieldSelector,
  labelSelector,
}: NonNullable<SubjectAccessReviewSpec["resourceAttributes"]>): Pick<ResourceRequest, "fields" | "labels"> {
  return { ...fieldsOf(fieldSelector), ...labelsOf(labelSelector) };
}

function fieldsOf({ rawSelector = "", requirements = [] }: Selector<Requirement> = {}): { fields?: FieldSelector } {
  if (rawSelector !== "")
    return parses(parseFieldSelector, rawSelector) ? { fields: parseFieldSelector(rawSelector) } : {};
  const simple = requirements.filter(isSimpleField).map(({ key = "", operator, values = [] }) => ({
    field: key,
    operator: operator === "In" ? ("=" as const) : ("!=" as const),
    value: values[0] ?? "",
  }));
  return simple.length === 0 ? {} : { fields: newFieldSelector(...simple) };
}

function labelsOf({ rawSelector = "", requirements = [] }: Selector<Requirement> = {}): { labels?: string } {
  if (rawSelector !== "") return { labels: rawSelector };
  const simple = requirements.filter(isKnownLabel) as readonly LabelSelectorRequirement[];
  return simple.length === 0 ? {} : { labels: String(labelSelectorAsSelector({ matchExpressions: simple })) };
}

interface Reading<R> {
  parse(text: string): unknown;
  understands(requirement: R): boolean;
}

function ignored<R>(name: string, selector: Selector<R> | undefined, { parse, understands }: Reading<R>): string {
  const { rawSelector = "", requirements = [] } = selector ?? {};
  const understood = requirements.filter(understands).length;
  const whole =
    requirements.length > 0 ? understood === requirements.length : rawSelector === "" || parses(parse, rawSelector);
  if (whole) return "";
  return `spec.resourceAttributes.${name} ${understood > 0 ? "partially " : ""}ignored due to parse error`;
}

function parses(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

const isSimpleField = ({ operator, values = [] }: Requirement): boolean =>
  (operator === "In" || operator === "NotIn") && values.length === 1;

const isKnownLabel = ({ operator }: Requirement): boolean =>
  operator !== undefined && ["In", "NotIn", "Exists", "DoesNotExist"].includes(operator);
