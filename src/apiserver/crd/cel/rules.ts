/** `x-kubernetes-validations`: compiles the rules of a schema once and runs them over objects. Gives complaints. */
import { deepEqual, fieldPath, type StatusCause } from "../../../api/index.js";
import { Causes } from "../../../api/status.js";
import { compile, type Compiled, evaluate } from "../../cel/compile.js";
import { costExceeded, costLimits } from "../../cel/values/meter.js";
import { Optional, type Value } from "../../cel/values/value.js";
import { additionalSchema, type StructuralSchema, type ValidationRuleLiteral } from "../schema/json-schema.js";
import { isRecord } from "../../../base/members.js";
import { correlate } from "../schema/validate.js";
import { environmentOf, type RuleScope, scopeOf, scopeWithin } from "./declarations.js";
import { celValue, withTypeMeta } from "./values.js";

interface CompiledRule {
  readonly rule: ValidationRuleLiteral;
  readonly compiled: Compiled;
  readonly message: Compiled | undefined;
  readonly usesOldSelf: boolean;
}

/** A node of the schema with rules at it or below it. */
interface RuleNode {
  readonly schema: StructuralSchema;
  /** The schema as expressions see the value. */
  readonly seen: StructuralSchema;
  readonly rules: readonly CompiledRule[];
  readonly members: ReadonlyMap<string, RuleNode>;
  readonly others: RuleNode | undefined;
  readonly items: RuleNode | undefined;
  readonly allOf: readonly RuleNode[];
}

export interface Rules {
  /**
   * `old` is undefined on create. `letBe` is told of violations in values that were there before and did not change.
   */
  validate(object: unknown, old: unknown, letBe?: (cause: StatusCause) => void): readonly StatusCause[];
}

/** Undefined if the schema has no rules. Throws a CelSyntaxError if a rule does not compile. */
export function compileRules(schema: StructuralSchema): Rules | undefined {
  const node = compileNode({ schema, spine: schema, root: true, scope: scopeOf(schema, true), compileRule });
  return node && rulesOf(node);
}

/**
 * Compiles once and gives the rules of each part of the schema that compile. All their runs share
 * the budget of one object.
 */
export function rulesByPart(schema: StructuralSchema): (part: StructuralSchema) => Rules | undefined {
  const parts = new Map<StructuralSchema, RuleNode>();
  const ifPossible = (rule: ValidationRuleLiteral, scope: RuleScope): CompiledRule | undefined => {
    try {
      return compileRule(rule, scope);
    } catch {
      return undefined;
    }
  };
  const scope = scopeOf(schema, true);
  compileNode({ schema, spine: schema, root: true, scope, compileRule: ifPossible, parts });
  const budget: Budget = { left: costLimits.perObject };
  return (part) => {
    const node = parts.get(part);
    return node && rulesOf(node, budget);
  };
}

function rulesOf(node: RuleNode, shared?: Budget): Rules {
  return {
    validate(object, old, letBe = () => {}) {
      const errors = new Causes();
      run(node, { value: object, old, path: "", errors, letBe, budget: shared ?? { left: costLimits.perObject } });
      return errors.all;
    },
  };
}

/** `spine` is the structural schema; inside allOf, the rules come from the branch and the types from the spine. */
interface Place {
  readonly schema: StructuralSchema;
  readonly spine: StructuralSchema;
  readonly root?: boolean;
  readonly scope: RuleScope | undefined;
  /** A rule without a result is left out. */
  readonly compileRule: (rule: ValidationRuleLiteral, scope: RuleScope) => CompiledRule | undefined;
  /** Gets the node of each part of the structural schema. */
  readonly parts?: Map<StructuralSchema, RuleNode>;
}

function compileNode(place: Place): RuleNode | undefined {
  const { schema, spine, root = false, scope } = place;
  const isRoot = root || spine["x-kubernetes-embedded-resource"] === true;
  const own = scope ?? scopeOf(spine, isRoot);
  const given = own === undefined ? [] : (schema["x-kubernetes-validations"] ?? []);
  const rules = given.flatMap((rule) => place.compileRule(rule, own as RuleScope) ?? []);
  const inside = { ...place, root: false };
  const members = compileMembers({ ...inside, scope: own });
  const element = scopeWithin(own, "element");
  const [additional, spineAdditional] = [additionalSchema(schema), additionalSchema(spine)];
  const others =
    additional &&
    spineAdditional &&
    compileNode({ ...inside, schema: additional, spine: spineAdditional, scope: element });
  const items =
    schema.items && spine.items && compileNode({ ...inside, schema: schema.items, spine: spine.items, scope: element });
  const allOf = (schema.allOf ?? []).flatMap((part) => compileNode({ ...place, schema: part, scope: own }) ?? []);
  if (rules.length + members.size + allOf.length === 0 && others === undefined && items === undefined) return undefined;
  const seen = isRoot ? withTypeMeta(spine) : spine;
  const node: RuleNode = { schema: spine, seen, rules, members, others, items, allOf };
  if (schema === spine) place.parts?.set(schema, node);
  return node;
}

function compileMembers(place: Place): ReadonlyMap<string, RuleNode> {
  const members = new Map<string, RuleNode>();
  for (const [property, schema] of Object.entries(place.schema.properties ?? {})) {
    const spine = place.spine.properties?.[property];
    const node = spine && compileNode({ ...place, schema, spine, scope: scopeWithin(place.scope, { property }) });
    if (node) members.set(property, node);
  }
  return members;
}

function compileRule(rule: ValidationRuleLiteral, scope: RuleScope): CompiledRule {
  const environment = environmentOf(scope, rule.optionalOldSelf === true);
  const compiled = compile(rule.rule, environment);
  const message = rule.messageExpression ? compile(rule.messageExpression, environment) : undefined;
  return { rule, compiled, message, usesOldSelf: usesOldSelf(compiled) };
}

export const usesOldSelf = ({ checked }: Compiled): boolean => checked.variables.has("oldSelf");

interface Frame {
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly errors: Causes;
  readonly letBe: (cause: StatusCause) => void;
  readonly budget: Budget;
}

/** Shared by all rules that run over one object; when it falls below zero, no more rules are run. */
interface Budget {
  left: number;
}

function run(node: RuleNode, frame: Frame): void {
  const { value, old, path, budget } = frame;
  if (value === null || value === undefined || budget.left < 0 || frame.errors.full) return;
  if (node.rules.length > 0) runRules(node, frame);
  for (const part of node.allOf) run(part, frame);
  if (Array.isArray(value)) {
    if (node.items === undefined) return;
    const oldItem = correlate(node.schema, old);
    for (const [i, item] of value.entries())
      run(node.items, { ...frame, value: item, old: oldItem(item), path: `${path}[${i}]` });
    return;
  }
  if (!isRecord(value)) return;
  const before = isRecord(old) ? old : {};
  for (const name of Object.keys(value)) {
    const member = node.members.get(name);
    const isProperty = node.schema.properties !== undefined && Object.hasOwn(node.schema.properties, name);
    const next = member ?? (isProperty ? undefined : node.others);
    if (next === undefined) continue;
    const child = isProperty ? (path === "" ? name : `${path}.${name}`) : `${path}[${name}]`;
    run(next, { ...frame, value: value[name], old: before[name], path: child });
  }
}

const outOfBudget = "validation failed due to running out of cost budget";
const noMore = "no further validation rules will be run";

function runRules(node: RuleNode, { value, old, path, errors, letBe, budget }: Frame): void {
  const at = path === "" ? "<nil>" : path;
  if (budget.left === 0) {
    budget.left = -1;
    errors.push(fieldPath(at).invalid(node.schema.type ?? "", `${outOfBudget}, ${noMore}`));
  }
  const isNew = old === undefined || old === null;
  const self = celValue(value, node.seen);
  const oldSelf = isNew ? undefined : celValue(old, node.seen);
  let unchanged: boolean | undefined;
  for (const compiled of node.rules) {
    if (budget.left < 0) return;
    const optional = compiled.rule.optionalOldSelf === true;
    // a transition rule does not apply to a new value
    if (compiled.usesOldSelf && isNew && !optional) continue;
    const before = optional ? (oldSelf === undefined ? Optional.none : new Optional(oldSelf)) : (oldSelf ?? null);
    const variables = (name: string): Value => (name === "self" ? self : before);
    const complaint = complaintOf(node, compiled, { variables, value, path: at, budget });
    if (complaint === undefined) continue;
    // a violation in an unchanged value is tolerated (ratcheting)
    unchanged ??= !isNew && deepEqual(value, old);
    if (compiled.usesOldSelf || !unchanged) errors.push(complaint);
    else letBe(complaint);
  }
}

interface Evaluation {
  readonly value: unknown;
  readonly variables: (name: string) => Value;
  readonly path: string;
  readonly budget: Budget;
}

function complaintOf(node: RuleNode, compiled: CompiledRule, evaluation: Evaluation): StatusCause | undefined {
  const { rule } = compiled;
  const { variables, path, value, budget } = evaluation;
  const invalid = (detail: string): StatusCause => fieldPath(path).invalid(node.schema.type ?? "", detail);
  const result = evaluate(compiled.compiled.program, variables, costLimits.perCall);
  if (result.cost > budget.left) {
    budget.left = -1;
    return invalid(`${outOfBudget}, ${noMore}`);
  }
  budget.left -= result.cost;
  if (result.type === "too costly") {
    budget.left = -1;
    return invalid(`'${costExceeded}': ${noMore} due to call cost exceeds limit for rule: ${shown(rule)}`);
  }
  if (result.type === "error") {
    const why = result.message.startsWith("no such overload")
      ? `'${result.message}': call arguments did not match a supported operator, function or macro signature for rule: ${shown(rule)}`
      : `${result.message} evaluating rule: ${shown(rule)}`;
    return invalid(why);
  }
  if (result.value === true) return undefined;
  const where = rule.fieldPath ? `${path === "<nil>" ? "" : path}${rule.fieldPath}`.replace(/^\./, "") : path;
  const { detail, stops } = messageOf(compiled, evaluation);
  if (stops) return fieldPath(where).invalid(node.schema.type ?? "", detail);
  return reasoned(rule, { at: where, value: plain(value), detail });
}

const shown = ({ message, rule }: ValidationRuleLiteral): string => (message?.trim() ? message.trim() : rule.trim());

const maxMessage = 5 * 1024;

/** The plain message is used where the messageExpression fails, or gives a text that is empty, too long or of several lines. */
function messageOf(
  { rule, message }: CompiledRule,
  { variables, budget }: Evaluation,
): { readonly detail: string; readonly stops: boolean } {
  const otherwise = rule.message?.trim() ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`;
  if (message === undefined) return { detail: otherwise, stops: false };
  const result = evaluate(message.program, variables, costLimits.perCall);
  const spent = result.cost > budget.left;
  if (spent || result.type === "too costly") {
    budget.left = -1;
    const detail = spent
      ? `messageExpression evaluation failed due to running out of cost budget, ${noMore}`
      : `${noMore} due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression)}`;
    return { detail, stops: true };
  }
  budget.left -= result.cost;
  const text = result.type === "value" && typeof result.value === "string" ? result.value.trim() : "";
  const isGood = text !== "" && Buffer.byteLength(text) <= maxMessage && !text.includes("\n");
  return { detail: isGood ? text : otherwise, stops: false };
}

interface Complaint {
  readonly at: string;
  /** Undefined if the value is too large to be shown. */
  readonly value: unknown;
  readonly detail: string;
}

const plain = (value: unknown): unknown => (typeof value === "object" ? undefined : value);

function reasoned({ reason }: ValidationRuleLiteral, { at, value, detail }: Complaint): StatusCause {
  switch (reason) {
    case "FieldValueForbidden":
      return fieldPath(at).forbidden(detail);
    case "FieldValueRequired":
      return fieldPath(at).required(detail);
    case "FieldValueDuplicate":
      return fieldPath(at).duplicate(value);
    default:
      if (value === undefined) return { reason: "FieldValueInvalid", field: at, message: `Invalid value: ${detail}` };
      return fieldPath(at).invalid(value, detail);
  }
}
