/** Expressions as trees, with every macro expanded. */
import type { Literal } from "../values/value.js";

interface Node {
  /** The offset, in code points, at which a complaint about the node puts its mark. */
  readonly at: number;
}

interface LiteralExpr extends Node {
  readonly type: "literal";
  readonly value: Literal;
}

interface IdentExpr extends Node {
  readonly type: "ident";
  readonly name: string;
}

export interface SelectExpr extends Node {
  readonly type: "select";
  readonly operand: Expr;
  readonly field: string;
  /** True for `has(operand.field)`. */
  readonly test: boolean;
}

export interface CallExpr extends Node {
  readonly type: "call";
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly type: "list";
  readonly items: readonly Item[];
}

export interface Item {
  readonly value: Expr;
  /** True for `[?value]`: an item that is left out if it is empty. */
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly type: "map";
  readonly entries: readonly (Item & { readonly key: Expr })[];
}

export interface StructExpr extends Node {
  readonly type: "struct";
  readonly name: string;
  readonly fields: readonly (Item & { readonly name: string; readonly at: number })[];
}

/**
 * A loop: `accumulator` starts as `init` and becomes `step` for each item of `range` while `condition` holds; then
 * `result` is the value.
 */
export interface ComprehensionExpr extends Node {
  readonly type: "comprehension";
  readonly range: Expr;
  readonly variable: string;
  /** The second variable of a loop over keys (or positions) and values. */
  readonly secondVariable: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr;

/** The direct subexpressions. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.type) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.items.map(({ value }) => value);
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}

/** A copy of the tree with nodes of its own: the checker stores its findings by node. */
export function copyOf(expr: Expr): Expr {
  switch (expr.type) {
    case "literal":
    case "ident":
      return { ...expr };
    case "select":
      return { ...expr, operand: copyOf(expr.operand) };
    case "call":
      return {
        ...expr,
        target: expr.target && copyOf(expr.target),
        args: expr.args.map(copyOf),
      };
    case "list":
      return { ...expr, items: expr.items.map((item) => ({ ...item, value: copyOf(item.value) })) };
    case "map":
      return {
        ...expr,
        entries: expr.entries.map((entry) => ({ ...entry, key: copyOf(entry.key), value: copyOf(entry.value) })),
      };
    case "struct":
      return { ...expr, fields: expr.fields.map((field) => ({ ...field, value: copyOf(field.value) })) };
    case "comprehension":
      return {
        ...expr,
        range: copyOf(expr.range),
        init: copyOf(expr.init),
        condition: copyOf(expr.condition),
        step: copyOf(expr.step),
        result: copyOf(expr.result),
      };
  }
}

/** A call of a function or an operator. */
export const call = (name: string, at: number, args: readonly Expr[]): CallExpr => ({
  type: "call",
  name,
  target: undefined,
  args,
  at,
});

/** Joins many terms into a tree of the least depth. */
export function balanced(name: string, terms: readonly Expr[], marks: readonly number[]): Expr {
  const build = (from: number, to: number): Expr => {
    if (from === to) return terms[from] as Expr;
    const middle = (from + to) >> 1;
    return call(name, marks[middle] as number, [build(from, middle), build(middle + 1, to)]);
  };
  return build(0, terms.length - 1);
}
