/** Validates the rules of a schema: first their texts, then their expressions against the schema. */
import { type FieldPath, type StatusCause } from "../../../api/index.js";
import type { CelEnvironment } from "../../cel/checker/environment.js";
import { type Compiled, compiledOrFault } from "../../cel/compile.js";
import { estimate } from "../../cel/cost/estimate.js";
import { times } from "../../cel/cost/sizes.js";
import { findField } from "../schema/field-path.js";
import { additionalSchema, type StructuralSchema, type ValidationRuleLiteral } from "../schema/json-schema.js";
import { bound, environmentOf, maxRequestSize, type RuleScope, scopeOf, scopeWithin, sizeAt } from "./declarations.js";
import { usesOldSelf } from "./rules.js";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** Errors of all rules in the schema that can be found without compiling an expression. */
export function* ruleTextErrors(schema: StructuralSchema, path: FieldPath): Iterable<StatusCause> {
  for (const { node, at } of nodesOf(schema, path)) {
    for (const [here, rule] of at.child("x-kubernetes-validations").items(node["x-kubernetes-validations"])) {
      yield* textErrors(rule, node, here);
    }
  }
}

const hasBreaks = (text: string): boolean => /[\n\r]/.test(text);

function textErrors(rule: ValidationRuleLiteral, schema: StructuralSchema, path: FieldPath): readonly StatusCause[] {
  const { message = "", messageExpression = "", reason, fieldPath = "" } = rule;
  const errors: StatusCause[] = [];
  const text = (rule.rule ?? "").trim();
  if (text === "") errors.push(path.child("rule").required("rule is not specified"));
  else if (message !== "" && message.trim() === "")
    errors.push(path.child("message").invalid(message, "must be non-empty if specified"));
  else if (hasBreaks(message.trim()))
    errors.push(path.child("message").invalid(message, "must not contain line breaks"));
  else if (hasBreaks(text) && message.trim() === "")
    errors.push(path.child("message").required("message must be specified if rule contains line breaks"));
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(path.child("messageExpression").required("messageExpression must be non-empty if specified"));
  if (reason !== undefined && !reasons.includes(reason))
    errors.push(path.child("reason").notSupported(reason, reasons));
  if (fieldPath === "") return errors;
  const at = path.child("fieldPath");
  if (fieldPath.trim() === "") errors.push(at.invalid(fieldPath, "must be non-empty if specified"));
  if (hasBreaks(fieldPath)) errors.push(at.invalid(fieldPath, "must not contain line breaks"));
  if (typeof findField(fieldPath, schema) === "string") errors.push(at.invalid(fieldPath, "must be a valid path"));
  return errors;
}

/** Takes a schema without other faults: do the expressions compile, fit the schema, and stay within their cost? */
export function* expressionErrors(schema: StructuralSchema, path: FieldPath): Iterable<StatusCause> {
  const total: TotalCost = { sum: 0, dearest: [] };
  for (const node of nodesOf(schema, path)) {
    const rules = node.node["x-kubernetes-validations"] ?? [];
    const scope = rules.length === 0 ? undefined : (node.scope() ?? scopeOf(node.node, node.root));
    if (scope === undefined) continue;
    for (const [at, rule] of node.at.child("x-kubernetes-validations").items(rules)) {
      yield* ruleErrors(rule, { ...node, at }, { scope, total });
    }
  }
  yield* totalErrors(total, path);
}

function ruleErrors(
  rule: ValidationRuleLiteral,
  { at, repeats, uncorrelated }: SchemaNode,
  { scope, total }: { readonly scope: RuleScope; readonly total: TotalCost },
): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  const environment = environmentOf(scope, rule.optionalOldSelf === true);
  const compiled = judged(rule.rule, environment, "bool");
  if (typeof compiled === "string") errors.push(at.child("rule").invalid(shown(rule), compiled));
  else {
    // without bounds above it, the rule runs as often as its value fits into a request
    const most = Math.floor(maxRequestSize / (scope.self.minSize + 1));
    const cost = times(
      estimate(compiled.checked, (path) => sizeAt(scope, path)),
      repeats ?? most,
    );
    if (cost > expressionLimit)
      errors.push(at.child("rule").forbidden(tooDear("estimated rule cost", cost, expressionLimit)));
    observe(total, at.child("rule"), cost);
    errors.push(...messageErrors(rule, at, { scope, total }));
  }
  const aboutPast = typeof compiled !== "string" && usesOldSelf(compiled);
  if (aboutPast && uncorrelated !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
    errors.push(at.child("rule").invalid(rule.rule, why));
  } else if (!aboutPast && rule.optionalOldSelf !== undefined)
    errors.push(
      at.child("optionalOldSelf").invalid(rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"),
    );
  return errors;
}

function messageErrors(
  rule: ValidationRuleLiteral,
  at: FieldPath,
  { scope, total }: { readonly scope: RuleScope; readonly total: TotalCost },
): readonly StatusCause[] {
  if (!rule.messageExpression) return [];
  const compiled = judged(rule.messageExpression, environmentOf(scope, rule.optionalOldSelf === true), "string");
  const place = at.child("messageExpression");
  if (typeof compiled === "string") {
    const detail = compiled.startsWith("compilation") ? `messageExpression ${compiled}` : compiled;
    return [place.invalid(shown(rule), detail)];
  }
  const cost = estimate(compiled.checked, (path) => sizeAt(scope, path));
  observe(total, place, cost);
  if (cost <= expressionLimit) return [];
  return [place.forbidden(tooDear("estimated messageExpression cost", cost, expressionLimit))];
}

/** The compiled expression, or a text with its faults. */
function judged(expression: string, environment: CelEnvironment, wanted: "bool" | "string"): Compiled | string {
  const compiled = compiledOrFault(expression, environment);
  if (typeof compiled === "string") return compiled;
  const { checked, program } = compiled;
  if (program.fault !== undefined && checked.type.kind === wanted)
    return `${wanted === "bool" ? "program" : "messageExpression"} instantiation failed: ${program.fault}`;
  if (checked.type.kind === wanted) return compiled;
  return wanted === "bool" ? "cel expression must evaluate to a bool" : "messageExpression must evaluate to a string";
}

/** The limits in kube-apiserver's units: for one rule, and for a whole schema. */
const expressionLimit = 10_000_000;
const schemaLimit = 100_000_000;

interface TotalCost {
  sum: number;
  /** The most expensive rules, in descending order. */
  dearest: readonly { readonly at: FieldPath; readonly cost: number }[];
}

function observe(total: TotalCost, at: FieldPath, cost: number): void {
  total.sum += cost;
  if (cost < schemaLimit / 100) return;
  total.dearest = [...total.dearest, { at, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
}

function totalErrors({ sum, dearest }: TotalCost, path: FieldPath): readonly StatusCause[] {
  if (sum <= schemaLimit) return [];
  const contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [...dearest.map(({ at }) => at.forbidden(contributed)), path.forbidden(tooDear(name, sum, schemaLimit))];
}

function tooDear(name: string, cost: number, limit: number): string {
  const excess = cost / limit;
  const factor = excess > 100 ? "more than 100x" : excess < 1.5 ? `${excess.toFixed(6)}x` : `${excess.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** A rule as messages show it. */
function shown({
  rule,
  message,
  messageExpression,
  reason,
  fieldPath,
  optionalOldSelf,
}: ValidationRuleLiteral): object {
  return {
    Rule: rule,
    Message: message ?? "",
    MessageExpression: messageExpression ?? "",
    Reason: reason ?? null,
    FieldPath: fieldPath ?? "",
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}

interface SchemaNode {
  readonly node: StructuralSchema;
  readonly at: FieldPath;
  readonly root: boolean;
  /** The path of the list in which old and new items cannot be matched; undefined if all can be. */
  readonly uncorrelated: FieldPath | undefined;
  /** The greatest number of such values in one object; undefined if it is unbounded. */
  readonly repeats: number | undefined;
  /** Computed at each call. Undefined for values that expressions cannot read. */
  readonly scope: () => RuleScope | undefined;
}

/** All nodes of the structural schema (without its branches), the root first. */
export function nodesOf(schema: StructuralSchema, at: FieldPath): readonly SchemaNode[] {
  let whole: RuleScope | undefined;
  const root = (): RuleScope | undefined => (whole ??= scopeOf(schema, true));
  return [...nodesWithin({ node: schema, at, root: true, uncorrelated: undefined, repeats: 1, scope: root })];
}

function* nodesWithin(one: SchemaNode): Generator<SchemaNode> {
  yield one;
  const { node, at } = one;
  const most = maxElements(node);
  const inner = (
    schema: StructuralSchema,
    path: FieldPath,
    more: Pick<SchemaNode, "scope"> & { readonly cut: boolean },
  ): SchemaNode => ({
    node: schema,
    at: path,
    root: schema["x-kubernetes-embedded-resource"] === true,
    uncorrelated: one.uncorrelated ?? (more.cut ? at : undefined),
    repeats: one.repeats === undefined || most === undefined ? undefined : times(one.repeats, most),
    scope: more.scope,
  });
  const element = (): RuleScope | undefined => scopeWithin(one.scope(), "element");
  const additional = additionalSchema(node);
  if (additional !== undefined)
    yield* nodesWithin(inner(additional, at.child("additionalProperties"), { cut: false, scope: element }));
  const atomicMap = node["x-kubernetes-map-type"] === "atomic";
  for (const [property, schema] of Object.entries(node.properties ?? {})) {
    const scope = (): RuleScope | undefined => scopeWithin(one.scope(), { property });
    yield* nodesWithin(inner(schema, at.child("properties").key(property), { cut: atomicMap, scope }));
  }
  const unkeyed = node["x-kubernetes-list-type"] !== "map";
  if (node.items !== undefined)
    yield* nodesWithin(inner(node.items, at.child("items"), { cut: unkeyed, scope: element }));
}

/** The greatest number of elements directly inside a value of this schema; undefined if the schema sets no bound. */
function maxElements({
  type,
  items,
  maxItems,
  maxProperties,
  additionalProperties,
}: StructuralSchema): number | undefined {
  if (type === "array" || (type === undefined && items !== undefined))
    return maxItems === undefined ? undefined : bound(maxItems);
  if (type !== "object" || additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : bound(maxProperties);
}
