/** The building blocks of validation: small rules that give the faults of one value. */
import {
  type Complaints,
  type FieldError,
  type FieldPath,
  byteLength,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  isPortName,
  isPortNumber,
  isQualifiedName,
  type IntOrString,
  type LabelSelector,
  labelSelectorAsSelector,
  semanticEqual,
} from "../../../../api/index.js";
import { entriesByName } from "../../../../base/members.js";

/** Faults in upstream's order. Rules are generators, so that their code reads in that order. */
export type Issues = Iterable<FieldError>;

export type Path = FieldPath;

/** The result of rules that nearly every value passes: cheaper than a generator that yields nothing. */
const nothing: Issues = [];

/** The faults of several rules, in this order. A rule runs when somebody asks for its faults. */
export function* inTurn(...rules: readonly Issues[]): Issues {
  for (const rule of rules) yield* rule;
}

/** One error for each complaint about the form of a text. */
export function formed(at: Path, value: string, complaints: Complaints): Issues {
  return complaints.length === 0 ? nothing : complaints.map((complaint) => at.invalid(value, complaint));
}

/** A rule about one value. */
export type ValueRule<T = string> = (at: Path, value: T) => Issues;

/** Requires a value that obeys the rule. */
export function required<T>(at: Path, value: T | undefined, rule: ValueRule<T>, detail = ""): Issues {
  return value === undefined || value === "" ? [at.required(detail)] : rule(at, value);
}

export const dns1123Label = (at: Path, value: string): Issues => formed(at, value, isDns1123Label(value));
export const dns1123Subdomain = (at: Path, value: string): Issues => formed(at, value, isDns1123Subdomain(value));
export const qualifiedName = (at: Path, value: string): Issues => formed(at, value, isQualifiedName(value));
export const labelValue = (at: Path, value: string): Issues => formed(at, value, isLabelValue(value));
export const pathSegmentName = (at: Path, value: string): Issues => formed(at, value, isPathSegmentName(value));

export const negativeNumber = "must be greater than or equal to 0";

export function nonNegative(at: Path, value: number | undefined): Issues {
  return value !== undefined && value < 0 ? [at.invalid(value, negativeNumber)] : nothing;
}

type Fields = Readonly<Record<string, unknown>>;

export function* nonNegativeFields(at: Path, object: object | undefined, names: readonly string[]): Issues {
  for (const name of names) yield* nonNegative(at.child(name), (object as Fields | undefined)?.[name] as number);
}

export function* positive(at: Path, value: number | undefined): Issues {
  if ((value ?? 0) <= 0) yield at.invalid(value ?? 0, "must be greater than zero");
}

export const immutableField = "field is immutable";

export function immutable(at: Path, now: unknown, old: unknown): Issues {
  if (semanticEqual(now, old)) return nothing;
  return [at.invalid(isSelector(now) ? shownSelector(now) : now, immutableField)];
}

/** Refuses changes of these fields. */
export function* immutableFields<T extends object>(
  at: Path,
  now: T,
  old: T,
  ...names: readonly (keyof T & string)[]
): Issues {
  for (const name of names) yield* immutable(at.child(name), now[name], old[name]);
}

const isSelector = (value: unknown): value is LabelSelector =>
  typeof value === "object" && value !== null && ("matchLabels" in value || "matchExpressions" in value);

/** Requires one of the supported words. */
export function oneOf(at: Path, value: string | undefined, supported: readonly string[]): Issues {
  if (value === undefined || value === "") return [at.required()];
  return supported.includes(value) ? nothing : [at.notSupported(value, supported)];
}

/** Allows one of the supported words, or undefined. */
export function optionalOneOf(at: Path, value: string | undefined, supported: readonly string[]): Issues {
  return value === undefined || supported.includes(value) ? nothing : [at.notSupported(value, supported)];
}

/** Requires texts or lists that are not empty. */
export function* requiredFields(at: Path, object: object, ...names: readonly string[]): Issues {
  for (const name of names) {
    const value = (object as Fields)[name] as string | readonly unknown[] | undefined;
    if (value === undefined || value.length === 0) yield at.child(name).required();
  }
}

/** A star stands for all `plural`, and so for itself alone. */
export function alone(at: Path, words: readonly string[], plural: string): Issues {
  if (words.length < 2 || !words.includes("*")) return nothing;
  return [at.invalid(words, `if '*' is present, must not specify other ${plural}`)];
}

/** As upstream, the error about a label's value names the map and not the key. */
export function* labelMap(at: Path, labels: Readonly<Record<string, string>> | undefined): Issues {
  for (const [key, value] of Object.entries(labels ?? {})) {
    yield* qualifiedName(at, key);
    yield* labelValue(at, value);
  }
}

const maxAnnotationBytes = 256 * 1024;

export function* annotationMap(at: Path, annotations: Readonly<Record<string, string>> | undefined): Issues {
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    yield* formed(at, key, isQualifiedName(key.toLowerCase()));
    size += byteLength(key) + byteLength(value);
  }
  if (size > maxAnnotationBytes) yield at.tooLong(maxAnnotationBytes);
}

/** False if a key, an operator or a value is malformed. */
export function isReadableSelector(selector: LabelSelector | undefined): boolean {
  try {
    labelSelectorAsSelector(selector);
    return true;
  } catch {
    return false;
  }
}

export function* labelSelector(at: Path, selector: LabelSelector | undefined): Issues {
  if (selector === undefined) return;
  yield* labelMap(at.child("matchLabels"), selector.matchLabels);
  for (const [here, expression] of at.child("matchExpressions").items(selector.matchExpressions)) {
    yield* selectorOperator(here, expression);
    yield* qualifiedName(here.child("key"), expression.key ?? "");
    for (const [place, value] of here.child("values").items(expression.values)) yield* labelValue(place, value);
  }
}

interface Expression {
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** Rules for the operators that label selectors and node selectors share. */
export function* selectorOperator(at: Path, { operator = "", values = [] }: Expression): Issues {
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      yield at.child("values").required("must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      yield {
        reason: "FieldValueForbidden",
        message: "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        field: String(at.child("values")),
      };
    }
  } else yield at.child("operator").invalid(operator, "not a valid selector operator");
}

export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

export const portName = (at: Path, name: string): Issues => formed(at, name, isPortName(name));

export const portNumber = (at: Path, port: number): Issues =>
  isPortNumber(port).map((complaint) => at.invalid(port, complaint));

export const portNumberOrName = (at: Path, port: IntOrString = 0): Issues =>
  typeof port === "string" ? portName(at, port) : portNumber(at, port);

/** A path inside a folder: relative, and without `..`. */
export function* descendingPath(at: Path, path: string): Issues {
  if (path.startsWith("/")) yield at.invalid(path, "must be a relative path");
  yield* noBacksteps(at, path);
}

export function noBacksteps(at: Path, path: string): Issues {
  return path.split("/").includes("..") ? [at.invalid(path, "must not contain '..'")] : nothing;
}

export function* localNonReservedPath(at: Path, path: string): Issues {
  yield* descendingPath(at, path);
  if (path.startsWith("..") && !path.startsWith("../")) yield at.invalid(path, "must not start with '..'");
}

type Labels = Readonly<Record<string, string>>;

/** Labels as messages print them: sorted. */
export function shownLabels(labels: Labels | undefined): Labels | undefined {
  if (labels === undefined) return undefined;
  return Object.fromEntries(entriesByName(labels));
}

/** A selector as messages print it. */
export function shownSelector(selector: LabelSelector | undefined): LabelSelector | undefined {
  const matchLabels = shownLabels(selector?.matchLabels);
  return selector === undefined || matchLabels === undefined ? selector : { ...selector, matchLabels };
}
