/** Turns a checked expression into functions that evaluate it: planned once, run with the values of its variables and a meter. */
import { basicTypes, type Checked, type Reference } from "../checker/checker.js";
import type { CelEnvironment } from "../checker/environment.js";
import { isPattern } from "../checker/literals.js";
import { creation } from "../cost/call-costs.js";
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from "../syntax/ast.js";
import { typeOfValue } from "../values/equality.js";
import {
  ArrayList,
  CelMap,
  EntryMap,
  ErrorValue,
  noSuchOverload,
  Optional,
  Struct,
  TypeValue,
  type Value,
} from "../values/value.js";
import { Patterns } from "../../text/pattern/pattern.js";
import { Meter } from "../values/meter.js";
import {
  appending,
  called,
  fieldOf,
  goName,
  GrowingList,
  indexing,
  itemOf,
  iterated,
  lazily,
  logical,
  isPresent,
  type EvaluationStep,
  type Variables,
} from "./steps.js";

export type { Variables };

export interface Program {
  /**
   * The error of a part that consists of literals alone and so fails for all values of the variables; undefined if
   * there is none.
   */
  readonly fault: string | undefined;
  /** An error of the expression is returned as a value. Throws CostExceeded when the meter's limit is reached. */
  run(variables: Variables, meter: Meter): Value;
}

export function plan(checked: Checked, environment: CelEnvironment): Program {
  const planner = new Planner(checked, environment);
  const step = planner.plan(checked.expr);
  const { locals: count, patterns } = planner;
  return {
    fault: planner.fault,
    run: (variables, meter) => step({ variables, meter, patterns, locals: Array.from({ length: count }, () => null) }),
  };
}

/**
 * Invariant: `#scope` maps the variables of all loops around the expression that is being planned to their places in
 * `locals`.
 */
class Planner {
  readonly #checked: Checked;
  readonly #environment: CelEnvironment;
  #scope: ReadonlyMap<string, number> = new Map();
  /** The patterns that the program matches with, compiled when they are first used. */
  readonly patterns = new Patterns();
  locals = 0;
  fault: string | undefined;

  constructor(checked: Checked, environment: CelEnvironment) {
    this.#checked = checked;
    this.#environment = environment;
  }

  plan(expr: Expr): EvaluationStep {
    switch (expr.type) {
      case "literal": {
        const { value } = expr;
        return () => value;
      }
      case "ident":
        return this.#name(this.#checked.nameOf(expr) ?? expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "comprehension":
        return this.#comprehension(expr);
    }
  }

  #name(name: string): EvaluationStep {
    const place = this.#scope.get(name);
    if (place !== undefined)
      return ({ meter, locals }) => {
        meter.spend(1);
        return locals[place] as Value;
      };
    if (this.#environment.variables.has(name))
      return ({ variables, meter }) => {
        meter.spend(1);
        return variables(name);
      };
    const type = basicTypes.get(name) ?? this.#environment.types.named(name);
    const value = type === undefined ? noSuchOverload : new TypeValue(type);
    return () => value;
  }

  #select(expr: SelectExpr): EvaluationStep {
    const name = expr.test ? undefined : this.#checked.nameOf(expr);
    if (name !== undefined) return this.#name(name);
    const operand = this.plan(expr.operand);
    const { field, test } = expr;
    if (test) return (frame) => isPresent(operand(frame), field);
    return (frame) => {
      const value = operand(frame);
      frame.meter.spend(1);
      return fieldOf(value, field);
    };
  }

  #call(expr: CallExpr): EvaluationStep {
    const { name, args } = expr;
    switch (name) {
      case "_&&_":
        return logical(this.#planned(args), false);
      case "_||_":
        return logical(this.#planned(args), true);
      case "_?_:_":
        return this.#conditional(args as readonly [Expr, Expr, Expr]);
      case "@not_strictly_false": {
        const [operand] = this.#planned(args) as [EvaluationStep];
        return (frame) => {
          const value = operand(frame);
          frame.meter.spend(1);
          return value !== false;
        };
      }
      case "_?._":
        return this.#optionalSelect(args as readonly [Expr, Expr & { readonly value: string }]);
      default:
        break;
    }
    const reference = this.#checked.referenceOf(expr) as Reference;
    const operands = reference.member && expr.target !== undefined ? [expr.target, ...args] : args;
    if (matching.has(name)) this.#compilePattern(operands[1]);
    const steps = this.#planned(operands);
    if (reference.member && (reference.name === "or" || reference.name === "orValue"))
      return lazily(steps as [EvaluationStep, EvaluationStep], reference.name);
    if (name === "_[_]" || name === "_[?_]")
      return indexing(steps as [EvaluationStep, EvaluationStep], name === "_[?_]");
    if (name === "_+_" && this.#appends(args))
      return appending(steps as [EvaluationStep, EvaluationStep], called(reference, steps));
    // kube-apiserver charges a search in a literal list or map as much as evaluating the item
    const step = called(reference, steps, name === "@in" && isConstant(args[1] as Expr) ? () => 0 : undefined);
    return this.#once(expr, step);
  }

  /** A literal pattern is compiled now, so that no evaluation pays for it. */
  #compilePattern(expr: Expr | undefined): void {
    if (expr?.type !== "literal" || typeof expr.value !== "string" || !isPattern(expr.value)) return;
    this.patterns.of(expr.value, () => {});
  }

  /** A step for an expression. One that consists of literals alone is evaluated now, and costs nothing later. */
  #once(expr: Expr, step: EvaluationStep): EvaluationStep {
    if (!isConstant(expr)) return step;
    const meter = new Meter(Number.POSITIVE_INFINITY);
    const made = step({ variables: () => noSuchOverload, meter, patterns: this.patterns, locals: [] });
    if (made instanceof ErrorValue) this.fault ??= made.message;
    return () => made;
  }

  #planned(exprs: readonly Expr[]): readonly EvaluationStep[] {
    return exprs.map((expr) => this.plan(expr));
  }

  /** True for `accumulator + [item]`, the form of `map` and `filter`. */
  #appends([left, right]: readonly Expr[]): boolean {
    return left?.type === "ident" && left.name.startsWith("@") && right?.type === "list" && right.items.length === 1;
  }

  #conditional([condition, then, otherwise]: readonly [Expr, Expr, Expr]): EvaluationStep {
    const [test, ...branches] = this.#planned([condition, then, otherwise]) as [
      EvaluationStep,
      EvaluationStep,
      EvaluationStep,
    ];
    // kube-apiserver does not charge for the branch if it is only a name
    const [thenFree, otherwiseFree] = [then, otherwise].map((branch) => (isAttribute(branch) ? -1 : 0)) as [
      number,
      number,
    ];
    return (frame) => {
      const value = test(frame);
      if (typeof value !== "boolean") return value instanceof ErrorValue ? value : noSuchOverload;
      const result = branches[value ? 0 : 1]?.(frame) as Value;
      frame.meter.spend(value ? thenFree : otherwiseFree);
      return result;
    };
  }

  #optionalSelect([operand, { value: field }]: readonly [Expr, { readonly value: string }]): EvaluationStep {
    const step = this.plan(operand);
    return (frame) => {
      const value = step(frame);
      frame.meter.spend(1);
      if (value instanceof ErrorValue) return value;
      const inner = value instanceof Optional ? value.value : value;
      if (inner === undefined) return Optional.none;
      const found = inner instanceof CelMap ? inner.get(field) : undefined;
      return found === undefined ? Optional.none : found instanceof ErrorValue ? found : new Optional(found);
    };
  }

  #list(expr: ListExpr): EvaluationStep {
    const items = expr.items.map(({ value, optional }) => ({ step: this.plan(value), optional }));
    const step: EvaluationStep = (frame) => {
      const values: Value[] = [];
      for (const item of items) {
        const value = itemOf(item.step(frame), item.optional);
        if (value instanceof ErrorValue) return value;
        if (value !== undefined) values.push(value);
      }
      frame.meter.spend(creation.list);
      return new ArrayList(values);
    };
    return this.#once(expr, step);
  }

  #map(expr: MapExpr): EvaluationStep {
    const entries = expr.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      step: this.plan(value),
      optional,
    }));
    const step: EvaluationStep = (frame) => {
      const map = new EntryMap();
      for (const entry of entries) {
        const key = entry.key(frame);
        if (key instanceof ErrorValue) return key;
        const value = itemOf(entry.step(frame), entry.optional);
        if (value instanceof ErrorValue) return value;
        if (value !== undefined && !map.set(key, value))
          return new ErrorValue(`unsupported key type: ${typeOfValue(key).name}`);
      }
      frame.meter.spend(creation.map);
      return map;
    };
    return this.#once(expr, step);
  }

  #struct(expr: StructExpr): EvaluationStep {
    const type = this.#checked.typeOf(expr);
    const fields = expr.fields.map(({ name, value, optional }) => ({ name, step: this.plan(value), optional }));
    return (frame) => {
      const struct = new Struct(type);
      for (const field of fields) {
        const value = itemOf(field.step(frame), field.optional);
        if (value instanceof ErrorValue) return value;
        if (value !== undefined) struct.set(field.name, value);
      }
      frame.meter.spend(creation.struct);
      return struct;
    };
  }

  #comprehension(expr: ComprehensionExpr): EvaluationStep {
    const range = this.plan(expr.range);
    const init = this.plan(expr.init);
    // the accumulator is changed in place, so each run gets its own
    const grows = expr.init.type === "list" && expr.init.items.length === 0;
    const fills = expr.init.type === "map" && expr.init.entries.length === 0;
    const [accumulator, first, second] = [this.locals++, this.locals++, this.locals++] as [number, number, number];
    const outer = this.#scope;
    const withAccumulator = new Map([...outer, [expr.accumulator, accumulator]]);
    this.#scope = new Map([...withAccumulator, [expr.variable, first]]);
    if (expr.secondVariable !== undefined) this.#scope = new Map([...this.#scope, [expr.secondVariable, second]]);
    const [condition, step] = this.#planned([expr.condition, expr.step]) as [EvaluationStep, EvaluationStep];
    this.#scope = withAccumulator;
    const result = this.plan(expr.result);
    this.#scope = outer;
    const two = expr.secondVariable !== undefined;
    return (frame) => {
      const { locals, meter } = frame;
      const over = range(frame);
      if (over instanceof ErrorValue) return over;
      const items = iterated(over, meter);
      if (items === undefined) return new ErrorValue(`got '${goName(over)}', expected iterable type`);
      locals[accumulator] = grows ? new GrowingList([]) : fills ? new EntryMap() : init(frame);
      for (let i = 0; i < items.length; i++) {
        meter.toil(1);
        const item = items[i] as Value;
        if (!two) locals[first] = item;
        else
          [locals[first], locals[second]] =
            over instanceof CelMap ? [item, over.get(item) as Value] : [BigInt(i), item];
        if (condition(frame) !== true) break;
        locals[accumulator] = step(frame);
        if (locals[accumulator] instanceof ErrorValue && isStrict(expr)) break;
      }
      return result(frame);
    };
  }
}

/** True for all loops but the ones of `all` and `exists`, which go on after an error. */
const isStrict = ({ condition }: ComprehensionExpr): boolean => condition.type === "literal";

/** A name, perhaps with members and indices: cel-go's "attribute". */
const isAttribute = (expr: Expr): boolean =>
  expr.type === "ident" || (expr.type === "select" && !expr.test) || (expr.type === "call" && expr.name === "_[_]");

function isConstant(expr: Expr): boolean {
  if (expr.type === "literal") return true;
  if (expr.type === "call")
    return conversions.has(expr.name) && expr.target === undefined && expr.args.every(isConstant);
  if (expr.type === "list") return expr.items.every(({ value, optional }) => !optional && isConstant(value));
  return (
    expr.type === "map" &&
    expr.entries.every(({ key, value, optional }) => !optional && isConstant(key) && isConstant(value))
  );
}

/** The functions whose second operand is a pattern. */
const matching = new Set(["matches", "find", "findAll"]);

const conversions = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);
