/** Estimates what rules may cost at worst: how often their loops run over what a schema leaves without bounds. For the validation of definitions. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { additionalSchema, type JsonSchema } from "../schema/json-schema.js";
import { environment } from "./environment.js";

/** An object as large as a request may be has about this many of the smallest members. */
const unboundedCount = 1_000_000;
const ruleBudget = 10_000_000;
/** The estimate is coarse, so only what is far beyond the budget is refused. */
const tolerance = 100;

export interface Costs {
  /** Where the rules stand that cost far too much. */
  readonly tooDear: readonly string[];
  /** The schema as a whole costs too much. */
  readonly total: boolean;
}

export function estimatedCosts(schema: JsonSchema, path: string): Costs {
  const tooDear: string[] = [];
  let sum = 0;
  const visit = (node: JsonSchema, at: string, repeats: number): void => {
    for (const [i, rule] of (node["x-kubernetes-validations"] ?? []).entries()) {
      const cost = repeats * costOf(rule.rule, rule.optionalOldSelf === true, node);
      sum += cost;
      if (cost > ruleBudget * tolerance) tooDear.push(`${at}.x-kubernetes-validations[${i}].rule`);
    }
    for (const [name, property] of Object.entries(node.properties ?? {}))
      visit(property, `${at}.properties[${name}]`, repeats);
    const additional = additionalSchema(node);
    if (additional !== undefined) visit(additional, `${at}.additionalProperties`, repeats * countOf(node));
    if (node.items !== undefined) visit(node.items, `${at}.items`, repeats * countOf(node));
  };
  visit(schema, path, 1);
  return { tooDear, total: sum > 10 * ruleBudget * tolerance };
}

const countOf = (node: JsonSchema | undefined): number => node?.maxItems ?? node?.maxProperties ?? unboundedCount;

const loops = new Set(["all", "exists", "exists_one", "map", "filter", "existsOne"]);

function costOf(expression: string, optionalOldSelf: boolean, self: JsonSchema): number {
  const { ast } = environment(optionalOldSelf).parse(expression);
  const scope = new Map<string, JsonSchema | undefined>([
    ["self", self],
    ["oldSelf", self],
  ]);
  return cost(ast, scope);
}

type Scope = ReadonlyMap<string, JsonSchema | undefined>;

/** Each step costs one; a loop costs its body as often as its range has items. */
function cost(node: unknown, scope: Scope): number {
  if (Array.isArray(node)) return node.reduce<number>((sum, part) => sum + cost(part, scope), 0);
  if (!isNode(node)) return 0;
  const { op, args } = node as { op: string; args: unknown };
  if (op === "rcall" && Array.isArray(args)) {
    const [method, receiver, parameters] = args as [string, unknown, readonly unknown[]];
    if (loops.has(method) && Array.isArray(parameters) && parameters.length >= 2) {
      const range = schemaOf(receiver, scope);
      const variable = nameOf(parameters[0]);
      const item = range?.items ?? (range?.type === "array" ? undefined : { type: "string" });
      const inner = new Map([...scope, [variable, item] as const]);
      // a range that is made on the way has no bound that the schema could tell: it is taken to be short
      const times = range === undefined ? 1 : countOf(range);
      return cost(receiver, scope) + times * cost(parameters.slice(1), inner);
    }
  }
  return 1 + cost(args, scope);
}

const isNode = (value: unknown): value is ASTNode => typeof value === "object" && value !== null && "op" in value;

const nameOf = (node: unknown): string => (isNode(node) && node.op === "id" ? String(node.args) : "");

/** What an expression of names and members refers to; undefined where the schema cannot tell. */
function schemaOf(node: unknown, scope: Scope): JsonSchema | undefined {
  if (!isNode(node)) return undefined;
  const { op, args } = node as { op: string; args: unknown };
  if (op === "id") return scope.get(String(args));
  if (!Array.isArray(args)) return undefined;
  const inner = schemaOf(args[0], scope);
  if (op === "." || op === ".?") return inner?.properties?.[String(args[1])] ?? (inner && additionalSchema(inner));
  if (op === "[]" || op === "[?]") return inner?.items ?? (inner && additionalSchema(inner));
  return undefined;
}
