/** What evaluating an expression costs, counted while it runs: no rule, however it is written, keeps the server busy for long. Used by rules. */
import type { ASTNode } from "@marcbachmann/cel-js";
import { Pattern } from "../pattern/pattern.js";

/** For one evaluation, and for all rules of one object. */
export const costLimits = { perCall: 1_000_000, perObject: 2_000_000 } as const;

/** One for all, without a stack: thrown and caught in the depth of expressions perhaps very often. */
class CostExceeded extends Error {
  override readonly name = "CostExceeded";
}
const exceeded = new CostExceeded("operation cancelled: actual cost limit exceeded");

/**
 * One evaluation runs at a time and none waits, so one counter serves all.
 * Invariant: `left` is finite while an expression runs under a limit.
 */
let left = Number.POSITIVE_INFINITY;

/** Called by whatever takes time with its operands. */
export function spend(cost: number): void {
  left -= cost;
  if (left < 0) throw exceeded;
}

/** Following one way through a pattern is little beside a step of an expression. */
export function spendOnPattern(ways: number): void {
  spend(ways / 10);
}

export type Evaluated =
  | { readonly type: "value"; readonly value: unknown; readonly cost: number }
  | { readonly type: "error"; readonly error: unknown; readonly cost: number }
  | { readonly type: "too costly" };

export function evaluate(run: () => unknown, limit: number): Evaluated {
  left = limit;
  try {
    const value = run();
    // operators may swallow the error of one operand
    return left < 0 ? { type: "too costly" } : { type: "value", value, cost: limit - left };
  } catch (error) {
    return left < 0 ? { type: "too costly" } : { type: "error", error, cost: limit - left };
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

/** What the library keeps at a node, more than its types show. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  evaluate(...args: unknown[]): unknown;
  readonly meta: { readonly alternate?: Node; readonly macro?: object };
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "op" in value;

/** Operators and functions that look through all of their operands. */
const scanning = new Set(["in", "==", "!=", "+", "<", "<=", ">", ">=", "call", "rcall"]);

/** Makes an expression that has been checked count what it does: a step for each node, and the size of what is looked through. */
export function meter(expression: ASTNode): void {
  visit(expression as unknown as Node, new Set());
}

function visit(node: Node, seen: Set<object>): void {
  if (seen.has(node)) return;
  seen.add(node);
  const inner = node.meta.alternate ?? node;
  if (inner !== node) return visit(inner, seen);
  if (isMatches(node)) matchSafely(node);
  const operands = operandsOf(node);
  const scans = scanning.has(node.op) && !isSize(node);
  for (const operand of operands) {
    visit(operand, seen);
    if (scans) watch(operand, (value) => spend(sizeOf(value)));
  }
  watch(node, () => spend(1));
}

/** `text.matches(pattern)` */
const isMatches = ({ op, args }: Node): boolean => op === "rcall" && (args as unknown[])[0] === "matches";

/** The library would use JavaScript's regular expressions, which can take for ever. */
function matchSafely(node: Node): void {
  const evaluateNode = node.evaluate;
  const [, receiver, [argument]] = node.args as [string, Node, [Node]];
  node.evaluate = function (this: Node, ...args: unknown[]): unknown {
    const [evaluator, , context] = args;
    const [text, pattern] = [receiver, argument].map((one) => one.evaluate(evaluator, one, context));
    if (typeof text !== "string" || typeof pattern !== "string") return evaluateNode.apply(this, args);
    return Pattern.of(pattern).test(text, spendOnPattern);
  };
}

/** `size` need not look at what it counts. */
const isSize = ({ op, args }: Node): boolean => (op === "call" || op === "rcall") && (args as unknown[])[0] === "size";

function operandsOf({ op, args, meta }: Node): readonly Node[] {
  const { iterable, init, step } = (op === "comprehension" ? args : {}) as Record<string, unknown>;
  // of `cel.bind`
  const { val, exp } = (meta.macro ?? {}) as Record<string, unknown>;
  const all = [op === "comprehension" ? [iterable, init, step] : args, val, exp];
  return (all.flat(Number.POSITIVE_INFINITY) as readonly unknown[]).filter(isNode);
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length / 10;
  if (Array.isArray(value)) return value.length;
  return 0;
}

/** Making an error takes as long as some steps. */
const errorCost = 10;

/** The library puts the function that evaluates a node in its place when it first runs; ours stays around it. */
function watch(node: Node, spending: (value: unknown) => void): void {
  let evaluateNode = node.evaluate;
  const watched = function (this: Node, ...args: unknown[]): unknown {
    // operators go on after the error of one operand: what they try next must cost nothing
    if (left < 0) throw exceeded;
    try {
      const value = evaluateNode.apply(this, args);
      spending(value);
      return value;
    } catch (error) {
      left -= errorCost;
      throw error;
    }
  };
  Object.defineProperty(node, "evaluate", {
    configurable: true,
    get: () => watched,
    set: (given: Node["evaluate"]) => {
      evaluateNode = given;
    },
  });
}
