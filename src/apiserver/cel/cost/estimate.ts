/**
 * Takes a checked expression and the sizes that a schema allows; gives the greatest cost, as kube-apiserver estimates
 * it to refuse rules.
 */
import type { Checked } from "../checker/checker.js";
import { isOptional, type Type } from "../values/types.js";
import type { CallExpr, ComprehensionExpr, Expr } from "../syntax/ast.js";
import { creation } from "./call-costs.js";
import { type CallNode, callEstimate } from "./call-estimates.js";
import { type EntrySize, entryUnion, exactly, type Size, times, union, unknown } from "./sizes.js";
import { codePoints } from "../../text/code-points.js";

/** The path to a value: a variable, then names of fields, `@items`, `@keys` and `@values`. */
export type ValuePath = readonly string[];

/** The greatest size of the value at a path; undefined if it is unknown. */
export type SizeOracle = (path: ValuePath) => number | undefined;

export function estimate(checked: Checked, oracle: SizeOracle): number {
  return new Estimator(checked, oracle).cost(checked.expr);
}

interface Local {
  readonly path: ValuePath | undefined;
  readonly size: Size | undefined;
  readonly entry: EntrySize | undefined;
}

/** Invariant: `locals` holds the variables of the loops around the expression that is being estimated. */
class Estimator {
  readonly #checked: Checked;
  readonly #oracle: SizeOracle;
  readonly #paths = new Map<Expr, ValuePath>();
  readonly #sizes = new Map<Expr, Size>();
  readonly #entries = new Map<Expr, EntrySize>();
  readonly #locals = new Map<string, Local>();

  constructor(checked: Checked, oracle: SizeOracle) {
    this.#checked = checked;
    this.#oracle = oracle;
  }

  cost(expr: Expr): number {
    switch (expr.type) {
      case "literal":
        return 0;
      case "ident": {
        const { path } = this.#locals.get(expr.name) ?? { path: [expr.name] };
        if (path !== undefined) this.#paths.set(expr, path);
        return 1;
      }
      case "select": {
        const operand = this.cost(expr.operand);
        if (expr.test) return operand;
        const { kind } = this.#checked.typeOf(expr.operand);
        this.#extend(expr, expr.operand, expr.field);
        return operand + (kind === "map" || kind === "struct" || kind === "param" ? 1 : 0);
      }
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(
          expr,
          expr.items.map(({ value }) => value),
        );
      case "map":
        return this.#map(expr);
      case "struct":
        return expr.fields.reduce<number>((cost, { value }) => cost + this.cost(value), creation.struct);
      case "comprehension":
        return isBinding(expr) ? this.#binding(expr) : this.#loop(expr);
    }
  }

  #pathOf(expr: Expr): ValuePath | undefined {
    const local = expr.type === "ident" ? this.#locals.get(expr.name) : undefined;
    return local === undefined ? this.#paths.get(expr) : local.path;
  }

  #extend(expr: Expr, from: Expr, step: string): void {
    const path = this.#pathOf(from);
    this.#paths.set(expr, [...(path ?? []), step]);
  }

  /** The size of an expression's value; a computed or literal size takes precedence over the oracle's. */
  #sizeOf(expr: Expr): Size | undefined {
    const known = this.#sizes.get(expr) ?? writtenSize(expr);
    if (known !== undefined) return known;
    const path = this.#pathOf(expr);
    const max = path === undefined || path.length === 0 ? undefined : this.#oracle(path);
    if (max !== undefined) {
      const size = { min: 0, max };
      this.#sizes.set(expr, size);
      return size;
    }
    if (isScalar(this.#checked.typeOf(expr))) return exactly(1);
    return expr.type === "ident" ? this.#locals.get(expr.name)?.size : undefined;
  }

  #entryOf(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr) ?? (expr.type === "ident" ? this.#locals.get(expr.name)?.entry : undefined);
  }

  #setSize(expr: Expr, size: Size | undefined): void {
    if (size !== undefined) this.#sizes.set(expr, size);
  }

  #setEntry(expr: Expr, entry: EntrySize | undefined): void {
    if (entry !== undefined) this.#entries.set(expr, entry);
  }

  #list(expr: Expr, items: readonly Expr[]): number {
    let cost: number = creation.list;
    let value: Size | undefined;
    for (const item of items) {
      cost += this.cost(item);
      const size = this.#sizeOf(item) ?? unknown;
      value = value === undefined ? size : union(value, size);
    }
    this.#entries.set(expr, { kind: "list", key: exactly(1), value: value ?? exactly(0) });
    return cost;
  }

  #map(expr: Expr & { readonly type: "map" }): number {
    let cost: number = creation.map;
    let [key, value]: (Size | undefined)[] = [];
    for (const entry of expr.entries) {
      cost += this.cost(entry.key) + this.cost(entry.value);
      const [keySize, valueSize] = [this.#sizeOf(entry.key) ?? unknown, this.#sizeOf(entry.value) ?? unknown];
      key = key === undefined ? keySize : union(key, keySize);
      value = value === undefined ? valueSize : union(value, valueSize);
    }
    this.#entries.set(expr, { kind: "map", key: key ?? exactly(0), value: value ?? exactly(0) });
    return cost;
  }

  #nodeOf(expr: Expr): CallNode {
    const path = this.#pathOf(expr);
    // a value that a loop accumulates has no place in a schema
    const known = path?.[0]?.startsWith("@") ? undefined : path;
    return {
      expr,
      type: this.#checked.typeOf(expr),
      size: this.#sizeOf(expr) ?? unknown,
      itemSize: () => {
        const max = known === undefined || known.length === 0 ? undefined : this.#oracle([...known, "@items"]);
        return max === undefined ? unknown : { min: 0, max };
      },
    };
  }

  #call(expr: CallExpr): number {
    const { args, name } = expr;
    if (name === "dyn") {
      const [argument] = args as [Expr];
      const cost = 1 + this.cost(argument);
      this.#setSize(expr, this.#sizeOf(argument));
      this.#setEntry(expr, this.#entryOf(argument));
      return cost;
    }
    const argCosts = args.map((argument) => this.cost(argument));
    const nodes = args.map((argument) => this.#nodeOf(argument));
    if (name === "_?._") return (argCosts[0] as number) + 1;
    const reference = this.#checked.referenceOf(expr);
    if (reference === undefined) return 0;
    const isMember = reference.member && expr.target !== undefined;
    const targetCost = isMember ? this.cost(expr.target as Expr) : 0;
    const target = isMember ? this.#nodeOf(expr.target as Expr) : undefined;
    let most = 0;
    let size: Size | undefined;
    for (const { id } of reference.overloads) {
      const logical = this.#choice(expr, id, { nodes, argCosts });
      const found = logical ?? callEstimate(reference.name, { id, target, args: nodes });
      most = Math.max(
        most,
        logical === undefined ? found.cost + argCosts.reduce((all, one) => all + one, 0) : found.cost,
      );
      if (found.size !== undefined) size = size === undefined ? found.size : union(size, found.size);
      if (id === "index_list" || id === "index_map") {
        size = this.#entryOf(args[0] as Expr)?.value;
        this.#extend(expr, args[0] as Expr, id === "index_list" ? "@items" : "@values");
      }
      if (id === "add_list" || id === "add_string" || id === "add_bytes")
        this.#setEntry(expr, entryUnion(this.#entryOf(args[0] as Expr), this.#entryOf(args[1] as Expr)));
      size ??= this.#sizeOf(expr);
    }
    this.#setSize(expr, size);
    return targetCost + most;
  }

  /** Estimates operators that do not evaluate all of their operands. */
  #choice(
    expr: CallExpr,
    id: string,
    { nodes, argCosts }: { readonly nodes: readonly CallNode[]; readonly argCosts: readonly number[] },
  ): { readonly cost: number; readonly size?: Size } | undefined {
    const [first = 0, second = 0, third = 0] = argCosts;
    if (id === "logical_or" || id === "logical_and") return { cost: first + second };
    if (id !== "conditional") return undefined;
    const [, then, otherwise] = nodes as readonly [CallNode, CallNode, CallNode];
    this.#setEntry(expr, entryUnion(this.#entryOf(then.expr), this.#entryOf(otherwise.expr)));
    return { cost: first + Math.max(second, third), size: union(then.size, otherwise.size) };
  }

  #within<T>(locals: readonly (readonly [string, Local])[], look: () => T): T {
    const before = locals.map(([name]) => this.#locals.get(name));
    for (const [name, local] of locals) this.#locals.set(name, local);
    const result = look();
    for (const [i, [name]] of locals.entries()) {
      const old = before[i];
      if (old === undefined) this.#locals.delete(name);
      else this.#locals.set(name, old);
    }
    return result;
  }

  #loop(expr: ComprehensionExpr): number {
    const { range, init } = expr;
    const outside = this.cost(range) + this.cost(init);
    const gathered: Local = { path: this.#pathOf(init), size: this.#sizeOf(init), entry: this.#entryOf(init) };
    const [inside, result] = this.#within([[expr.accumulator, gathered]], () => [
      this.#within(this.#variables(expr), () => this.cost(expr.condition) + this.cost(expr.step)),
      this.cost(expr.result),
    ]) as [number, number];
    const count = this.#sizeOf(range) ?? unknown;
    if (init.type === "literal") this.#setSize(expr, this.#sizeOf(init));
    if (init.type === "list" || init.type === "map") {
      this.#setSize(expr, count);
      this.#setEntry(expr, this.#entryOf(expr.step));
    }
    return outside + result + times(count.max, inside);
  }

  #variables({ range, variable, secondVariable }: ComprehensionExpr): readonly (readonly [string, Local])[] {
    const entry = this.#entryOf(range);
    const kind = entry?.kind ?? this.#checked.typeOf(range).kind;
    const path = this.#pathOf(range) ?? [];
    const local = (step: string, size: Size | undefined): Local => ({ path: [...path, step], size, entry: undefined });
    const keys = local(kind === "list" ? "@indices" : "@keys", entry?.key);
    const values = local(kind === "list" ? "@items" : "@values", entry?.value);
    if (secondVariable === undefined) return [[variable, kind === "list" ? values : keys]];
    return [
      [variable, keys],
      [secondVariable, values],
    ];
  }

  #binding(expr: ComprehensionExpr): number {
    const outside = this.cost(expr.range) + this.cost(expr.init);
    const bound: Local = {
      path: this.#pathOf(expr.init),
      size: this.#sizeOf(expr.init),
      entry: this.#entryOf(expr.init),
    };
    return this.#within([[expr.accumulator, bound]], () => {
      const inside = this.cost(expr.result);
      this.#setSize(expr, this.#sizeOf(expr.result));
      this.#setEntry(expr, this.#entryOf(expr.result));
      return outside + inside;
    });
  }
}

/** `cel.bind`: a loop over an empty list, which only gives a value a name. */
const isBinding = ({ range, condition }: ComprehensionExpr): boolean =>
  range.type === "list" && range.items.length === 0 && condition.type === "literal" && condition.value === false;

/** The size of a list, map or text literal; undefined for other expressions. */
function writtenSize(expr: Expr): Size | undefined {
  if (expr.type === "list") return exactly(expr.items.length);
  if (expr.type === "map") return exactly(expr.entries.length);
  if (expr.type !== "literal") return undefined;
  const { value } = expr;
  return exactly(typeof value === "string" ? codePoints(value) : value instanceof Uint8Array ? value.length : 1);
}

const scalars = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

function isScalar(type: Type): boolean {
  return scalars.has(type.kind) || (isOptional(type) && isScalar(type.params[0] as Type));
}
