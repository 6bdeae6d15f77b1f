/** One condition on a label: validated once, printed canonically, compiled into a closure that is called many times. */
import { type FieldError, printFieldErrors } from "../errors/field-error.js";
import { type FieldPath, fieldPath } from "../errors/field-path.js";
import { isLabelValue, isQualifiedName } from "../values/names.js";
import { unreachable } from "../../base/unreachable.js";

export type Labels = Readonly<Record<string, string>>;

const operators = ["in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"] as const;

/** `!` is "does not exist". `=` and `==` mean the same and are printed as they were written. */
export type SelectorOperator = (typeof operators)[number];

/** `values` are in the order in which they were given; printing sorts them. */
export interface Requirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

/** Thrown for a requirement that is well formed as text but breaks a rule; `message` is the wire form. */
export class InvalidRequirementError extends Error {
  override readonly name = "InvalidRequirementError";
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super(printFieldErrors(errors));
    this.errors = errors;
  }
}

const integer = /^[+-]?[0-9]+$/;
const largestInt64 = 2n ** 63n - 1n;

/** The operand of gt and lt: a decimal that fits 64 bits, or undefined. */
function parseInt64(text: string): bigint | undefined {
  if (!integer.test(text) || text.length > 4_000) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return value > largestInt64 || value < -largestInt64 - 1n ? undefined : value;
}

/** Validates and gives a requirement; throws InvalidRequirementError with every broken rule. */
export function newRequirement(
  key: string,
  operator: SelectorOperator,
  values: readonly string[] = [],
  path?: FieldPath,
): Requirement {
  const errors = requirementErrors({ key, operator, values }, path);
  if (errors.length > 0) throw new InvalidRequirementError(errors);
  return { key, operator, values };
}

function requirementErrors({ key, operator, values }: Requirement, path?: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const keyComplaints = isQualifiedName(key);
  const at = (field: string): FieldPath => path?.child(field) ?? fieldPath(field);
  if (keyComplaints.length > 0) errors.push(at("key").invalid(key, keyComplaints.join("; ")));
  const wrongCount = wrongValueCount(operator, values.length);
  if (!operators.includes(operator)) {
    errors.push(at("operator").notSupported(operator, operators));
  } else if (wrongCount !== undefined) {
    errors.push(at("values").invalid(values, wrongCount));
  }
  if (operator === "gt" || operator === "lt") {
    for (const [here, value] of at("values").items(values)) {
      if (parseInt64(value) === undefined) {
        errors.push(here.invalid(value, "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
    }
  }
  for (const [here, value] of at("values").items(values)) {
    const complaints = isLabelValue(value);
    if (complaints.length > 0) errors.push(here.key(key).invalid(value, complaints.join("; ")));
  }
  return errors;
}

function wrongValueCount(operator: SelectorOperator, count: number): string | undefined {
  switch (operator) {
    case "in":
    case "notin":
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case "=":
    case "==":
    case "!=":
      return count === 1 ? undefined : "exact-match compatibility requires one single value";
    case "exists":
    case "!":
      return count === 0 ? undefined : "values set must be empty for exists and does not exist";
    case "gt":
    case "lt":
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
    default:
      return undefined;
  }
}

/** The canonical text: `a in (x,y)`, `!b`, `c=1`. */
export function printRequirement({ key, operator, values }: Requirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${[...values].sort().join(",")})`;
    case "gt":
      return `${key}>${values.join(",")}`;
    case "lt":
      return `${key}<${values.join(",")}`;
    case "=":
    case "==":
    case "!=":
      return `${key}${operator}${values.join(",")}`;
    default:
      return unreachable(operator);
  }
}

export type LabelTest = (labels: Labels) => boolean;

/**
 * Compiles a requirement into its test. A label counts only if its value is a string: `constructor` is a good label
 * key, and every object inherits a member of that name.
 */
export function compileRequirement({ key, operator, values }: Requirement): LabelTest {
  const only = values[0];
  switch (operator) {
    case "=":
    case "==":
      return (labels) => labels[key] === only;
    case "in": {
      if (values.length === 1) return (labels) => labels[key] === only;
      const wanted = new Set<unknown>(values);
      return (labels) => wanted.has(labels[key]);
    }
    case "!=":
      return (labels) => labels[key] !== only;
    case "notin": {
      if (values.length === 1) return (labels) => labels[key] !== only;
      const unwanted = new Set<unknown>(values);
      return (labels) => !unwanted.has(labels[key]);
    }
    case "exists":
      return (labels) => typeof labels[key] === "string";
    case "!":
      return (labels) => typeof labels[key] !== "string";
    case "gt":
    case "lt":
      return compileComparison(key, operator, parseInt64(only ?? ""));
    default:
      return unreachable(operator);
  }
}

function compileComparison(key: string, operator: "gt" | "lt", limit: bigint | undefined): LabelTest {
  if (limit === undefined) return () => false;
  return (labels) => {
    const text = labels[key];
    const value = typeof text === "string" ? parseInt64(text) : undefined;
    if (value === undefined) return false;
    return operator === "gt" ? value > limit : value < limit;
  };
}
