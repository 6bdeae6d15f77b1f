/** `x-kubernetes-validations`: the rules of a schema compiled once, run over objects. Gives complaints to the strategy of a custom kind. */
import type { ASTNode } from "@marcbachmann/cel-js";
import {
  deepEqual,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  type StatusCause,
} from "../../../api/index.js";
import { additionalSchema, isJsonObject, type JsonSchema, type ValidationRule } from "../schema/json-schema.js";
import { correlate } from "../schema/validate.js";
import { environment } from "./environment.js";
import { costLimits, evaluate, meter } from "./metering.js";
import { celValue } from "./values.js";

type Program = (context: { readonly self: unknown; readonly oldSelf?: unknown }) => unknown;

interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: Program;
  readonly message: Program | undefined;
  readonly usesOldSelf: boolean;
}

/** A node of the schema that has rules at it or below it. */
interface RuleNode {
  readonly schema: JsonSchema;
  readonly root: boolean;
  readonly rules: readonly CompiledRule[];
  readonly members: ReadonlyMap<string, RuleNode>;
  readonly others: RuleNode | undefined;
  readonly items: RuleNode | undefined;
  readonly allOf: readonly RuleNode[];
}

/** Throws an Error that says what is wrong with the expression. */
export function compileExpression(
  expression: string,
  optionalOldSelf = false,
): { readonly program: Program; readonly usesOldSelf: boolean } {
  const parsed = environment(optionalOldSelf).parse(expression);
  const { valid, error } = parsed.check();
  if (!valid && error !== undefined) throw error;
  meter(parsed.ast);
  return { program: parsed as unknown as Program, usesOldSelf: mentions(parsed.ast, "oldSelf") };
}

/** Of an expression that compiles. */
export function usesOldSelf(expression: string, optionalOldSelf: boolean): boolean {
  return mentions(environment(optionalOldSelf).parse(expression).ast, "oldSelf");
}

function mentions(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((part) => mentions(part, name));
  if (typeof node !== "object" || node === null || !("op" in node)) return false;
  const { op, args } = node as ASTNode;
  return op === "id" ? args === name : mentions(args, name);
}

export interface Rules {
  /** `old` is undefined on create. */
  validate(object: unknown, old: unknown): readonly StatusCause[];
}

/** Undefined if the schema has no rules. */
export function compileRules(schema: JsonSchema): Rules | undefined {
  const node = compileNode(schema, schema, true);
  if (node === undefined) return undefined;
  return {
    validate(object, old) {
      const errors: StatusCause[] = [];
      run(node, { value: object, old, path: "", errors, budget: { left: costLimits.perObject } });
      return errors;
    },
  };
}

/** `spine` is the structural schema; within allOf the rules come from another one. */
function compileNode(schema: JsonSchema, spine: JsonSchema, root = false): RuleNode | undefined {
  const rules = (schema["x-kubernetes-validations"] ?? []).map(compileRule);
  const members = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const own = spine.properties?.[name];
    const node = own && compileNode(property, own);
    if (node) members.set(name, node);
  }
  const additional = additionalSchema(schema);
  const spineAdditional = additionalSchema(spine);
  const others = additional && spineAdditional && compileNode(additional, spineAdditional);
  const items = schema.items && spine.items && compileNode(schema.items, spine.items);
  const allOf = (schema.allOf ?? []).flatMap((part) => compileNode(part, spine, root) ?? []);
  if (rules.length + members.size + allOf.length === 0 && others === undefined && items === undefined) return undefined;
  return {
    schema: spine,
    root: root || spine["x-kubernetes-embedded-resource"] === true,
    rules,
    members,
    others,
    items,
    allOf,
  };
}

function compileRule(rule: ValidationRule): CompiledRule {
  const optional = rule.optionalOldSelf === true;
  const compiled = compileExpression(rule.rule, optional);
  const message = rule.messageExpression ? compileExpression(rule.messageExpression, optional).program : undefined;
  return { rule, message, ...compiled };
}

interface Frame {
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly errors: StatusCause[];
  readonly budget: Budget;
}

/** Shared by all rules that one object is held against; below zero, no more of them are run. */
interface Budget {
  left: number;
}

function run(node: RuleNode, frame: Frame): void {
  const { value, old, path, errors, budget } = frame;
  if (value === null || value === undefined || budget.left < 0) return;
  if (node.rules.length > 0) runRules(node, frame);
  for (const part of node.allOf) run(part, frame);
  if (Array.isArray(value)) {
    if (node.items === undefined) return;
    const oldItem = correlate(node.schema, old);
    for (const [i, item] of value.entries())
      run(node.items, { value: item, old: oldItem(item), path: `${path}[${i}]`, errors, budget });
    return;
  }
  if (!isJsonObject(value)) return;
  const before = isJsonObject(old) ? old : {};
  for (const name of Object.keys(value)) {
    const member = node.members.get(name);
    const isProperty = node.schema.properties !== undefined && Object.hasOwn(node.schema.properties, name);
    const next = member ?? (isProperty ? undefined : node.others);
    if (next === undefined) continue;
    const child = isProperty ? (path === "" ? name : `${path}.${name}`) : `${path}[${name}]`;
    run(next, { value: value[name], old: before[name], path: child, errors, budget });
  }
}

function runRules(node: RuleNode, { value, old, path, errors, budget }: Frame): void {
  const self = celValue(value, node.schema, node.root);
  let oldSelf: unknown;
  for (const compiled of node.rules) {
    if (budget.left < 0) return;
    const optional = compiled.rule.optionalOldSelf === true;
    // a rule about change has nothing to say where there was nothing
    if (compiled.usesOldSelf && (old === undefined || old === null) && !optional) continue;
    if (compiled.usesOldSelf)
      oldSelf ??= old === undefined || old === null ? null : celValue(old, node.schema, node.root);
    const context = compiled.usesOldSelf ? { self, oldSelf: optional ? optionalOf(oldSelf) : oldSelf } : { self };
    const complaint = complaintOf(node, compiled, {
      context,
      value,
      path: path === "" ? "<nil>" : path,
      budget,
    });
    // what was wrong before and did not change is let be
    const unchanged = !compiled.usesOldSelf && old !== undefined && deepEqual(value, old);
    if (complaint !== undefined && !unchanged) errors.push(complaint);
  }
}

function optionalOf(value: unknown): unknown {
  return value === null
    ? environment().evaluate("optional.none()")
    : environment().evaluate("optional.of(self)", { self: value });
}

interface Evaluation {
  readonly value: unknown;
  readonly context: { readonly self: unknown; readonly oldSelf?: unknown };
  readonly path: string;
  readonly budget: Budget;
}

function complaintOf(
  node: RuleNode,
  { rule, program, message }: CompiledRule,
  { context, path, value, budget }: Evaluation,
): StatusCause | undefined {
  const type = node.schema.type ?? "";
  const result = evaluate(() => program(context), costLimits.perCall);
  if (result.type === "too costly") {
    budget.left = -1;
    return fieldInvalid(
      path,
      type,
      `'${tooCostly}': ${noMore} due to call cost exceeds limit for rule: ${shown(rule)}`,
    );
  }
  budget.left -= result.cost;
  if (budget.left < 0)
    return fieldInvalid(path, type, `validation failed due to running out of cost budget, ${noMore}`);
  if (result.type === "error")
    return fieldInvalid(path, type, `${reasonOf(result.error)} evaluating rule: ${shown(rule)}`);
  if (result.value === true) return undefined;
  const where = rule.fieldPath ? `${path === "<nil>" ? "" : path}${rule.fieldPath}`.replace(/^\./, "") : path;
  return reasoned(rule, { at: where, value: plain(value), detail: messageOf(rule, message, context) });
}

const tooCostly = "operation cancelled: actual cost limit exceeded";
const noMore = "no further validation rules will be run";

function reasonOf(error: unknown): string {
  const { summary, code } = error as { summary?: string; code?: string };
  return code === "no_such_key" ? (summary ?? "").replace("No such key", "no such key") : (summary ?? String(error));
}

const shown = ({ message, rule }: ValidationRule): string => (message?.trim() ? message.trim() : rule.trim());

function messageOf(rule: ValidationRule, expression: Program | undefined, context: Evaluation["context"]): string {
  if (expression !== undefined) {
    // where it fails, costs too much, is empty or runs over several lines, the plain message serves
    const result = evaluate(() => expression(context), costLimits.perCall);
    const text = result.type === "value" ? result.value : undefined;
    if (typeof text === "string" && text.trim() !== "" && !text.includes("\n")) return text.trim();
  }
  return rule.message?.trim() ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`;
}

interface Complaint {
  readonly at: string;
  /** Undefined: too much to be shown. */
  readonly value: unknown;
  readonly detail: string;
}

const plain = (value: unknown): unknown => (typeof value === "object" ? undefined : value);

function reasoned({ reason }: ValidationRule, { at, value, detail }: Complaint): StatusCause {
  switch (reason) {
    case "FieldValueForbidden":
      return fieldForbidden(at, detail);
    case "FieldValueRequired":
      return fieldRequired(at, detail);
    case "FieldValueDuplicate":
      return fieldDuplicate(at, value);
    default:
      if (value === undefined) return { reason: "FieldValueInvalid", field: at, message: `Invalid value: ${detail}` };
      return fieldInvalid(at, value, detail);
  }
}
