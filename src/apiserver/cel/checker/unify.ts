/** Decides whether a type fits where another is wanted, and finds the types that the type parameters then stand for. */
import { getOrMake } from "../../../base/containers/recent.js";
import { isDyn, isDynOrError, param, sameType, type Type, withParams } from "../values/types.js";

const nullable = new Set(["opaque", "struct", "duration", "timestamp"]);

/**
 * The types that type parameters stand for.
 * Invariants:
 * 1. No parameter stands for a type that contains the parameter.
 * 2. `#trail` holds, for each change since the last call of `assignable`, the parameter's name and its meaning before
 *    the change, so that an attempt that fails is undone completely.
 */
export class Unifier {
  readonly #meanings = new Map<string, Type>();
  readonly #trail: (readonly [string, Type | undefined])[] = [];
  #count = 0;

  /** A new parameter that stands for no type yet. */
  fresh(): Type {
    return param(`_var${this.#count++}`);
  }

  /** Replaces a declaration's parameters by fresh ones, so that two calls of one function do not share them. */
  renewed(types: readonly Type[]): readonly Type[] {
    const names = new Map<string, Type>();
    const renew = (type: Type): Type => {
      if (!type.open) return type;
      if (type.kind !== "param") return withParams(type, type.params.map(renew));
      return getOrMake(names, type.name, () => this.fresh());
    };
    return types.map(renew);
  }

  /** Whether each type fits its counterpart; if so, the types that the parameters stand for are kept. */
  assignable(from: readonly Type[], to: readonly Type[]): boolean {
    this.#trail.length = 0;
    if (this.#allFit(from, to)) return true;
    for (const [name, before] of this.#trail.reverse())
      if (before === undefined) this.#meanings.delete(name);
      else this.#meanings.set(name, before);
    return false;
  }

  /** The type with every bound parameter replaced by its meaning, and unbound ones by `free` if that is given. */
  substitute(type: Type, free?: Type): Type {
    if (!type.open) return type;
    if (type.kind !== "param")
      return withParams(
        type,
        type.params.map((inner) => this.substitute(inner, free)),
      );
    const meaning = this.#meanings.get(type.name);
    return meaning === undefined ? (free ?? type) : this.substitute(meaning, free);
  }

  #mean(name: string, type: Type): void {
    this.#trail.push([name, this.#meanings.get(name)]);
    this.#meanings.set(name, type);
  }

  #allFit(from: readonly Type[], to: readonly Type[]): boolean {
    return from.length === to.length && from.every((type, i) => this.#fits(type, to[i] as Type));
  }

  #fits(a: Type, b: Type): boolean {
    if (b.kind === "param") {
      const { valid, bound } = this.#binds(a, b);
      if (valid || bound) return valid;
    }
    if (a.kind === "param") return this.#binds(b, a).valid;
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (a.kind === "null") return b.kind === "null" || nullable.has(b.kind);
    if (b.kind === "null") return nullable.has(a.kind);
    if (a.kind === "type") return b.kind === "type";
    return a.kind === b.kind && a.name === b.name && this.#allFit(a.params, b.params);
  }

  /** Whether the parameter may stand for the type, and whether it already stood for one. */
  #binds(type: Type, parameter: Type): { readonly valid: boolean; readonly bound: boolean } {
    if (sameType(type, parameter)) return { valid: true, bound: true };
    const before = this.#meanings.get(parameter.name);
    if (before !== undefined) {
      if (sameType(type, before)) return { valid: true, bound: true };
      if (!this.#fits(type, before)) return { valid: false, bound: true };
      const general = mostGeneral(type, before);
      if (!this.#occurs(parameter, general)) this.#mean(parameter.name, general);
      return { valid: true, bound: true };
    }
    if (this.#occurs(parameter, type)) return { valid: false, bound: false };
    this.#mean(parameter.name, type);
    return { valid: true, bound: false };
  }

  #occurs(parameter: Type, within: Type): boolean {
    if (!within.open) return false;
    if (sameType(parameter, within)) return true;
    if (within.kind !== "param") return within.params.some((inner) => this.#occurs(parameter, inner));
    const meaning = this.#meanings.get(within.name);
    return meaning !== undefined && this.#occurs(parameter, meaning);
  }
}

/** The more general of two types that fit each other. */
export function mostGeneral(a: Type, b: Type): Type {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((inner, i) => isLessSpecific(inner, b.params[i] as Type))
  );
}
