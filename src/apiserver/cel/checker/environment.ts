/** The environment of an expression: types of variables, overloads of functions, fields of types. Immutable; for checker and planner. */
import type { Meter } from "../evaluate/meter.js";
import type { Value } from "../values/value.js";
import { type Type, typeFrom } from "./types.js";

export interface Overload {
  readonly id: string;
  /** Called as `first.name(rest)`. */
  readonly member: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
  /** The arguments are of the types that `params` names, as far as their kinds go. */
  readonly run: (args: readonly Value[], meter: Meter) => Value;
}

export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** Looks up the fields of types, and types by their names. */
export interface TypeProvider {
  /** Undefined if there is no such field. */
  fieldType(struct: string, field: string): Type | undefined;
  /** A type that expressions may name, to compare with or to make values of; undefined if there is none. */
  named(name: string): Type | undefined;
}

export interface Environment {
  readonly functions: Functions;
  readonly variables: ReadonlyMap<string, Type>;
  readonly types: TypeProvider;
}

/** One function of a library, with its overloads. */
export interface Declaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

type Run<A extends readonly (Value | undefined)[]> = (args: A, meter: Meter) => Value;

/** Takes a signature such as `string.(int, int) -> string`. `run` may name the types of its arguments: they are checked before the call. */
export function overload<A extends readonly (Value | undefined)[] = readonly Value[]>(
  id: string,
  signature: string,
  run: Run<A>,
): Overload {
  const [, receiver, params, result] = /^(?:([^(]*(?:\(.*\))?)\.)?\((.*)\) -> (.*)$/.exec(signature) as unknown as [
    string,
    string | undefined,
    string,
    string,
  ];
  const types = params === "" ? [] : typeFrom(`list(${params})`).params;
  return {
    id,
    member: receiver !== undefined,
    params: receiver === undefined ? types : [typeFrom(receiver), ...types],
    result: typeFrom(result),
    run: run as unknown as Run<readonly Value[]>,
  };
}

/** Functions of the same name are put together. */
export function functionsOf(...libraries: readonly (readonly Declaration[])[]): Functions {
  const functions = new Map<string, readonly Overload[]>();
  for (const { name, overloads } of libraries.flat())
    functions.set(name, [...(functions.get(name) ?? []), ...overloads]);
  return functions;
}
