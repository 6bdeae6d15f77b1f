/** The environment of an expression: types of variables, overloads of functions, fields of types. Immutable. */
import type { MacroOptions } from "../syntax/macros.js";
import type { Patterns } from "../../text/pattern/pattern.js";
import type { Meter } from "../values/meter.js";
import type { Value } from "../values/value.js";
import { type Type, typeFrom } from "../values/types.js";

export interface Overload {
  readonly id: string;
  /** True for a function that is called as `first.name(rest)`. */
  readonly member: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
  /** Called only with arguments whose kinds match `params`. */
  readonly run: Run<readonly Value[]>;
}

export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** Knows the fields of types, and types by their names. */
export interface TypeProvider {
  /** Undefined if the type has no field of this name. */
  fieldType(struct: string, field: string): Type | undefined;
  /** The type that an expression may name, to compare with or to construct; undefined if there is none. */
  named(name: string): Type | undefined;
}

export interface CelEnvironment extends MacroOptions {
  readonly functions: Functions;
  readonly variables: ReadonlyMap<string, Type>;
  readonly types: TypeProvider;
}

/** The overloads of functions by name. */
export type Library = Readonly<Record<string, readonly Overload[]>>;

/** `patterns` are those of the program that calls the function. */
type Run<A extends readonly (Value | undefined)[]> = (args: A, meter: Meter, patterns: Patterns) => Value;

/**
 * Takes a signature such as `string.(int, int) -> string`. `run` may declare the types of its arguments: they are
 * checked before the call.
 */
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

/** Functions of all libraries by name; overloads of the same function are joined. */
export function functionsOf(...libraries: readonly Library[]): Functions {
  const functions = new Map<string, readonly Overload[]>();
  for (const [name, overloads] of libraries.flatMap((library) => Object.entries(library)))
    functions.set(name, [...(functions.get(name) ?? []), ...overloads]);
  return functions;
}
