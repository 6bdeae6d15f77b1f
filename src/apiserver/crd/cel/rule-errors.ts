/** Judges the rules of a schema themselves: their texts, then their expressions against the schema. For the validation of definitions. */
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  type StatusCause,
} from "../../../api/index.js";
import { findField } from "../schema/field-path.js";
import { additionalSchema, type JsonSchema, type ValidationRule } from "../schema/json-schema.js";
import { expressionProblem } from "./check.js";
import { estimatedCosts } from "./cost.js";
import { usesOldSelf } from "./rules.js";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** What can be said without the expressions: of every rule anywhere in the schema. */
export function ruleTextErrors(schema: JsonSchema, path: string): readonly StatusCause[] {
  return nodesOf(schema, path).flatMap(({ node, at }) =>
    (node["x-kubernetes-validations"] ?? []).flatMap((rule, i) =>
      textErrors(rule, node, `${at}.x-kubernetes-validations[${i}]`),
    ),
  );
}

const hasBreaks = (text: string): boolean => /[\n\r]/.test(text);

function textErrors(rule: ValidationRule, schema: JsonSchema, path: string): readonly StatusCause[] {
  const { message = "", messageExpression = "", reason, fieldPath = "" } = rule;
  const errors: StatusCause[] = [];
  const text = (rule.rule ?? "").trim();
  if (text === "") errors.push(fieldRequired(`${path}.rule`, "rule is not specified"));
  else if (message !== "" && message.trim() === "")
    errors.push(fieldInvalid(`${path}.message`, message, "must be non-empty if specified"));
  else if (hasBreaks(message.trim()))
    errors.push(fieldInvalid(`${path}.message`, message, "must not contain line breaks"));
  else if (hasBreaks(text) && message.trim() === "")
    errors.push(fieldRequired(`${path}.message`, "message must be specified if rule contains line breaks"));
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(fieldRequired(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  if (reason !== undefined && !reasons.includes(reason))
    errors.push(fieldNotSupported(`${path}.reason`, reason, reasons));
  if (fieldPath === "") return errors;
  const at = `${path}.fieldPath`;
  if (fieldPath.trim() === "") errors.push(fieldInvalid(at, fieldPath, "must be non-empty if specified"));
  if (hasBreaks(fieldPath)) errors.push(fieldInvalid(at, fieldPath, "must not contain line breaks"));
  if (typeof findField(fieldPath, schema) === "string")
    errors.push(fieldInvalid(at, fieldPath, "must be a valid path"));
  return errors;
}

/** Of a schema that has no other faults: do the expressions compile, fit the schema, and stay within their cost. */
export function expressionErrors(schema: JsonSchema, path: string): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  for (const { node, at, root, uncorrelated } of nodesOf(schema, path)) {
    for (const [i, rule] of (node["x-kubernetes-validations"] ?? []).entries()) {
      const here = `${at}.x-kubernetes-validations[${i}]`;
      const aboutPast = expressionsOf(rule, { schema: node, root }, here, errors);
      if (aboutPast && uncorrelated !== undefined) {
        const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
        errors.push(fieldInvalid(`${here}.rule`, rule.rule, why));
      } else if (!aboutPast && rule.optionalOldSelf !== undefined) {
        const why = "may not be set if oldSelf is not used in rule";
        errors.push(fieldInvalid(`${here}.optionalOldSelf`, rule.optionalOldSelf, why));
      }
    }
  }
  return errors.length > 0 ? errors : costErrors(schema, path);
}

/** Adds the complaints; gives whether the rule speaks of the past. */
function expressionsOf(
  rule: ValidationRule,
  { schema, root }: { readonly schema: JsonSchema; readonly root: boolean },
  path: string,
  errors: StatusCause[],
): boolean {
  const place = { schema, root, optionalOldSelf: rule.optionalOldSelf === true };
  const wrong = expressionProblem(rule.rule, place, "bool");
  if (wrong !== undefined) {
    errors.push(fieldInvalid(`${path}.rule`, shown(rule), compilation(wrong)));
    // what cannot be read cannot be said to leave the past alone
    return rule.optionalOldSelf !== undefined;
  }
  if (rule.messageExpression) {
    const problem = expressionProblem(rule.messageExpression, place, "string");
    if (problem !== undefined) {
      const detail = problem.startsWith("ERROR") ? `messageExpression ${compilation(problem)}` : problem;
      errors.push(fieldInvalid(`${path}.messageExpression`, shown(rule), detail));
    }
  }
  return usesOldSelf(rule.rule, place.optionalOldSelf);
}

const compilation = (problem: string): string =>
  problem.startsWith("ERROR") ? `compilation failed: ${problem}` : problem;

/** A rule as messages show it. */
function shown({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: ValidationRule): object {
  return {
    Rule: rule,
    Message: message ?? "",
    MessageExpression: messageExpression ?? "",
    Reason: reason ?? null,
    FieldPath: fieldPath ?? "",
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}

function costErrors(schema: JsonSchema, path: string): readonly StatusCause[] {
  const { tooDear, total } = estimatedCosts(schema, path);
  const advice =
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
  const budget = "exceeds budget by factor of more than 100x";
  if (tooDear.length === 0) return [];
  return [
    ...tooDear.map((at) => fieldForbidden(at, `estimated rule cost ${budget} ${advice}`)),
    ...tooDear.map((at) =>
      fieldForbidden(at, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"),
    ),
    ...(total
      ? [
          fieldForbidden(
            path,
            `x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema ${budget} ${advice}`,
          ),
        ]
      : []),
  ];
}

interface SchemaNode {
  readonly node: JsonSchema;
  readonly at: string;
  readonly root: boolean;
  /** The path within which old and new cannot be told to be the same thing. */
  readonly uncorrelated: string | undefined;
}

/** All nodes of the spine, the root first. */
export function nodesOf(
  node: JsonSchema,
  at: string,
  { root = true, uncorrelated }: { root?: boolean; uncorrelated?: string | undefined } = {},
): readonly SchemaNode[] {
  const isObject = root || node["x-kubernetes-embedded-resource"] === true;
  const within = (cut: boolean): { root: boolean; uncorrelated: string | undefined } => ({
    root: false,
    uncorrelated: uncorrelated ?? (cut ? at : undefined),
  });
  const atomicMap = node["x-kubernetes-map-type"] === "atomic";
  const additional = additionalSchema(node);
  return [
    { node, at, root: isObject, uncorrelated },
    ...(additional === undefined ? [] : nodesOf(additional, `${at}.additionalProperties`, within(false))),
    ...Object.entries(node.properties ?? {}).flatMap(([name, property]) =>
      nodesOf(property, `${at}.properties[${name}]`, within(atomicMap)),
    ),
    ...(node.items === undefined
      ? []
      : nodesOf(node.items, `${at}.items`, within(node["x-kubernetes-list-type"] !== "map"))),
  ];
}
