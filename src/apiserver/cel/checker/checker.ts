/**
 * Gives every part of an expression its type and every call its overloads, or complains of the parts that do not fit.
 */
import { getOrMake } from "../../../base/containers/recent.js";
import type {
  CallExpr,
  ComprehensionExpr,
  Expr,
  Item,
  ListExpr,
  MapExpr,
  SelectExpr,
  StructExpr,
} from "../syntax/ast.js";
import type { Complaint } from "../syntax/source.js";
import { typeOfValue } from "../values/equality.js";
import type { CelEnvironment, Overload } from "./environment.js";
import * as types from "../values/types.js";
import type { Type } from "../values/types.js";
import { mostGeneral, Unifier } from "./unify.js";

export interface Checked {
  readonly expr: Expr;
  readonly type: Type;
  typeOf(expr: Expr): Type;
  /** For a call: the full name of its function and all overloads that may apply. */
  referenceOf(call: CallExpr): Reference | undefined;
  /** For an identifier, or a chain of members that spells a dotted name: the variable or type that it refers to. */
  nameOf(expr: Expr): string | undefined;
  readonly variables: ReadonlySet<string>;
}

export interface Reference {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** True if the receiver is an argument; false if it is part of a dotted function name. */
  readonly member: boolean;
}

/** Appends to `complaints`; the result is meaningful only if nothing was appended. */
export function check(expr: Expr, environment: CelEnvironment, complaints: Complaint[]): Checked {
  const checker = new Checker(environment, complaints);
  checker.check(expr);
  return checker.checked(expr);
}

/** Invariant: `scopes` holds the variables of the loops around the expression being checked, the innermost last. */
class Checker {
  readonly #environment: CelEnvironment;
  readonly #complaints: Complaint[];
  readonly #unifier = new Unifier();
  readonly #types = new Map<Expr, Type>();
  readonly #references = new Map<Expr, Reference>();
  readonly #names = new Map<Expr, string>();
  readonly #variables = new Set<string>();
  readonly #scopes: ReadonlyMap<string, Type>[] = [];

  constructor(environment: CelEnvironment, complaints: Complaint[]) {
    this.#environment = environment;
    this.#complaints = complaints;
  }

  checked(expr: Expr): Checked {
    const found = new Map<Type, Type>();
    const typeOf = (one: Expr): Type => {
      const type = this.#typeOf(one);
      return getOrMake(found, type, () => this.#unifier.substitute(type, types.dyn));
    };
    return {
      expr,
      type: typeOf(expr),
      typeOf,
      referenceOf: (call) => this.#references.get(call),
      nameOf: (one) => this.#names.get(one),
      variables: this.#variables,
    };
  }

  #typeOf(expr: Expr): Type {
    return this.#types.get(expr) ?? types.errorType;
  }

  #complain(at: number, message: string): void {
    this.#complaints.push({ at, message });
  }

  check(expr: Expr): void {
    this.#types.set(expr, this.#checked(expr));
  }

  #checked(expr: Expr): Type {
    switch (expr.type) {
      case "literal":
        return typeOfValue(expr.value);
      case "ident": {
        const found = this.#lookUp(expr.name, expr);
        if (found === undefined) this.#undeclared(expr.at, expr.name);
        return found ?? types.errorType;
      }
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

  #undeclared(at: number, name: string): void {
    this.#complain(at, `undeclared reference to '${name}' (in container '')`);
  }

  #lookUp(name: string, expr: Expr): Type | undefined {
    const plain = name.startsWith(".") ? name.slice(1) : name;
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const local = this.#scopes[i]?.get(plain);
      if (local !== undefined) {
        this.#names.set(expr, plain);
        return local;
      }
    }
    const variable = this.#environment.variables.get(plain);
    if (variable !== undefined) this.#variables.add(plain);
    const type = variable ?? this.#namedType(plain);
    if (type !== undefined) this.#names.set(expr, plain);
    return type;
  }

  #namedType(name: string): Type | undefined {
    const type = basicTypes.get(name) ?? this.#environment.types.named(name);
    return type && types.typeOf(type);
  }

  #select(expr: SelectExpr): Type {
    const qualified = expr.test ? undefined : qualifiedName(expr);
    const named = qualified === undefined ? undefined : this.#lookUp(qualified, expr);
    if (named !== undefined) return named;
    const type = this.#fieldOf(expr, expr.operand, expr.field);
    return expr.test ? types.bool : type;
  }

  /** The type of a field; for a field of an optional, an optional of it. */
  #fieldOf(expr: Expr, operand: Expr, field: string): Type {
    this.check(operand);
    const operandType = this.#unifier.substitute(this.#typeOf(operand));
    const isOptional = types.isOptional(operandType);
    const target = isOptional ? (operandType.params[0] as Type) : operandType;
    const type = this.#unifier.substitute(this.#fieldType(expr, target, field));
    return isOptional ? types.optional(type) : type;
  }

  #fieldType(expr: Expr, target: Type, field: string): Type {
    switch (target.kind) {
      case "map":
        return target.params[1] as Type;
      case "struct": {
        const found = this.#environment.types.fieldType(target.name, field);
        if (found === undefined) this.#complain(expr.at, `undefined field '${field}'`);
        return found ?? types.errorType;
      }
      case "param":
        this.#unifier.assignable([types.dyn], [target]);
        return types.dyn;
      case "opaque":
        this.#complain(expr.at, `unexpected failed resolution of '${target.name}'`);
        return types.errorType;
      default:
        if (!types.isDynOrError(target))
          this.#complain(expr.at, `type '${types.typeText(target)}' does not support field selection`);
        return types.dyn;
    }
  }

  #call(expr: CallExpr): Type {
    const { name, target, args, at } = expr;
    if (name === "_?._") {
      const [operand, field] = args as [Expr, Expr & { readonly value: string }];
      this.#types.set(field, types.string);
      const type = this.#fieldOf(expr, operand, field.value);
      return types.isOptional(this.#unifier.substitute(this.#typeOf(operand))) ? type : types.optional(type);
    }
    for (const argument of args) this.check(argument);
    const { functions } = this.#environment;
    const plain = name.startsWith(".") ? name.slice(1) : name;
    if (target === undefined) return this.#resolve(expr, functions.get(plain), { name: plain, args, member: false });
    const prefix = qualifiedName(target);
    const whole = prefix === undefined ? undefined : `${prefix}.${name}`;
    if (whole !== undefined && functions.has(whole))
      return this.#resolve(expr, functions.get(whole), { name: whole, args, member: false });
    this.check(target);
    if (functions.has(name))
      return this.#resolve(expr, functions.get(name), { name, args: [target, ...args], member: true });
    this.#undeclared(at, name);
    return types.errorType;
  }

  #resolve(
    expr: CallExpr,
    overloads: readonly Overload[] | undefined,
    { name, args, member }: { readonly name: string; readonly args: readonly Expr[]; readonly member: boolean },
  ): Type {
    if (overloads === undefined) {
      this.#undeclared(expr.at, name);
      return types.errorType;
    }
    if (name === "_&&_" || name === "_||_") return this.#logical(expr, overloads);
    const given = args.map((argument) => this.#typeOf(argument));
    const matching: Overload[] = [];
    let result: Type | undefined;
    for (const overload of overloads) {
      if (overload.member !== member || overload.params.length !== given.length) continue;
      const [resultType, ...params] = this.#unifier.renewed([overload.result, ...overload.params]) as [Type, ...Type[]];
      if (!this.#unifier.assignable(given, params)) continue;
      matching.push(overload);
      const type = this.#unifier.substitute(resultType);
      if (result === undefined) result = type;
      else if (!types.isDyn(result) && !types.sameType(type, result)) result = types.dyn;
    }
    if (result === undefined) {
      const shown = given.map((type) => types.typeText(this.#unifier.substitute(type, types.dyn)));
      const signature = member ? `${shown[0]}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
      this.#complain(expr.at, `found no matching overload for '${name}' applied to '${signature}'`);
      return types.errorType;
    }
    this.#references.set(expr, { name, overloads: matching, member });
    return result;
  }

  #logical(expr: CallExpr, overloads: readonly Overload[]): Type {
    let fine = true;
    for (const argument of expr.args) {
      const type = this.#typeOf(argument);
      if (this.#unifier.assignable([type], [types.bool])) continue;
      this.#mismatch(argument.at, types.bool, type);
      fine = false;
    }
    this.#references.set(expr, { name: expr.name, overloads, member: false });
    return fine ? types.bool : types.errorType;
  }

  #mismatch(at: number, wanted: Type, found: Type): void {
    const [expected, actual] = [wanted, found].map((type) => types.typeText(this.#unifier.substitute(type)));
    this.#complain(at, `expected type '${expected}' but found '${actual}'`);
  }

  #list({ items }: ListExpr): Type {
    let type: Type | undefined;
    for (const item of items) type = this.#joined(type, this.#itemType(item));
    return types.list(type ?? this.#unifier.fresh());
  }

  #map({ entries }: MapExpr): Type {
    let keyType: Type | undefined;
    let valueType: Type | undefined;
    for (const entry of entries) {
      this.check(entry.key);
      keyType = this.#joined(keyType, this.#typeOf(entry.key));
      valueType = this.#joined(valueType, this.#itemType(entry));
    }
    return types.map(keyType ?? this.#unifier.fresh(), valueType ?? this.#unifier.fresh());
  }

  /** The type that an item adds to a list or map; for an optional item, the type of the value inside the optional. */
  #itemType({ value, optional }: Item): Type {
    this.check(value);
    const type = this.#typeOf(value);
    if (!optional) return type;
    if (types.isOptional(type)) return type.params[0] as Type;
    if (!types.isDyn(type)) this.#mismatch(value.at, types.optional(type), type);
    return type;
  }

  #joined(before: Type | undefined, type: Type): Type {
    if (before === undefined) return type;
    // a literal of several types gets a complaint of its own, from literals.ts
    return this.#unifier.assignable([before], [type]) ? mostGeneral(before, type) : types.dyn;
  }

  #struct(expr: StructExpr): Type {
    const named = this.#lookUp(expr.name, expr);
    if (named === undefined) {
      this.#undeclared(expr.at, expr.name);
      return types.errorType;
    }
    const type = named.kind === "type" ? (named.params[0] as Type) : named;
    const isStruct = named.kind === "type" && type.kind === "struct";
    if (!isStruct)
      this.#complain(
        expr.at,
        named.kind === "type" ? `'${type.name}' is not a message type` : `'${type.name}' is not a type`,
      );
    for (const field of expr.fields) {
      const valueType = this.#itemType(field);
      if (!isStruct) continue;
      const wanted = this.#environment.types.fieldType(type.name, field.name);
      if (wanted === undefined) this.#complain(field.at, `undefined field '${field.name}'`);
      else if (!this.#unifier.assignable([wanted], [valueType]))
        this.#complain(
          field.at,
          `expected type of field '${field.name}' is '${types.typeText(wanted)}' but provided type is '${types.typeText(this.#unifier.substitute(valueType))}'`,
        );
    }
    return isStruct ? type : types.errorType;
  }

  #comprehension(expr: ComprehensionExpr): Type {
    this.check(expr.range);
    this.check(expr.init);
    const range = this.#unifier.substitute(this.#typeOf(expr.range));
    const accumulated = this.#typeOf(expr.init);
    const [first, second] = this.#itemTypes(expr, range);
    this.#scopes.push(new Map([[expr.accumulator, accumulated]]));
    const loop = new Map([[expr.variable, first]]);
    if (expr.secondVariable !== undefined) loop.set(expr.secondVariable, second);
    this.#scopes.push(loop);
    this.check(expr.condition);
    this.#assert(expr.condition, types.bool);
    this.check(expr.step);
    this.#assert(expr.step, accumulated);
    this.#scopes.pop();
    this.check(expr.result);
    this.#scopes.pop();
    return this.#unifier.substitute(this.#typeOf(expr.result));
  }

  #assert(expr: Expr, wanted: Type): void {
    if (!this.#unifier.assignable([wanted], [this.#typeOf(expr)])) this.#mismatch(expr.at, wanted, this.#typeOf(expr));
  }

  /** The types of a loop's variables. */
  #itemTypes({ range, secondVariable }: ComprehensionExpr, type: Type): readonly [Type, Type] {
    switch (type.kind) {
      case "list":
        return secondVariable === undefined ? [type.params[0] as Type, types.dyn] : [types.int, type.params[0] as Type];
      case "map":
        return type.params as readonly [Type, Type];
      case "dyn":
      case "error":
      case "param":
        this.#unifier.assignable([types.dyn], [type]);
        return [types.dyn, types.dyn];
      default:
        this.#complain(
          range.at,
          `expression of type '${types.typeText(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [types.errorType, types.errorType];
    }
  }
}

/** `a.b.c` as one name; undefined if the expression has other parts than names and dots. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.type === "ident") return expr.name;
  if (expr.type !== "select" || expr.test) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}

/** Types that every expression may name. */
export const basicTypes: ReadonlyMap<string, Type> = new Map([
  ["bool", types.bool],
  ["int", types.int],
  ["uint", types.uint],
  ["double", types.double],
  ["string", types.string],
  ["bytes", types.bytes],
  ["null_type", types.nullType],
  ["list", types.list(types.dyn)],
  ["map", types.map(types.dyn, types.dyn)],
  ["type", types.typeOf()],
  ["optional_type", types.optional(types.dyn)],
  ["google.protobuf.Timestamp", types.timestamp],
  ["google.protobuf.Duration", types.duration],
  ["net.IP", types.opaque("net.IP")],
  ["net.CIDR", types.opaque("net.CIDR")],
]);
