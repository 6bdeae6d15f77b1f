/** Expressions as trees. The parser makes them, with every macro expanded; the checker, the cost estimate and the planner read them. */
import type { Literal } from "../values/value.js";

interface Node {
  /** Where complaints about the node put their mark: an offset in code points. */
  readonly at: number;
}

export interface LiteralExpr extends Node {
  readonly type: "literal";
  readonly value: Literal;
}

export interface IdentExpr extends Node {
  readonly type: "ident";
  readonly name: string;
}

export interface SelectExpr extends Node {
  readonly type: "select";
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)` */
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
  /** `[?value]`: left out if it has no value. */
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

/** A loop: `accumulator` is `init`, then `step` for each item of `range` while `condition` holds, and then `result` is the value. */
export interface ComprehensionExpr extends Node {
  readonly type: "comprehension";
  readonly range: Expr;
  readonly variable: string;
  /** Of loops over keys or positions, and values. */
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

/** The expressions directly within one. */
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

/** A copy of the tree with nodes of its own: the checker keeps its findings by node. */
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

/** Of a function or an operator. */
export const call = (name: string, at: number, args: readonly Expr[]): CallExpr => ({
  type: "call",
  name,
  target: undefined,
  args,
  at,
});

/** Of many terms a tree that is as low as it can be. */
export function balanced(name: string, terms: readonly Expr[], marks: readonly number[]): Expr {
  const build = (from: number, to: number): Expr => {
    if (from === to) return terms[from] as Expr;
    const middle = (from + to) >> 1;
    return call(name, marks[middle] as number, [build(from, middle), build(middle + 1, to)]);
  };
  return build(0, terms.length - 1);
}
