/** The types of expressions: their forms, their names, and the short notation used in declarations. */

type Kind =
  | "dyn"
  /** As `dyn`, but no range of a loop and not the same type: the declared type of a value that may be anything. */
  | "any"
  | "error"
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration"
  | "list"
  | "map"
  | "type"
  /** A type with fields, which a `TypeProvider` knows by the type's name. */
  | "struct"
  /** A type that is known by its name and parameters alone. */
  | "opaque"
  | "param";

export interface Type {
  readonly kind: Kind;
  /** The name of a struct, opaque type or type parameter; for other types, the kind. */
  readonly name: string;
  readonly params: readonly Type[];
  /** True if the type contains a type parameter. */
  readonly open: boolean;
  /** The number of types that it is made of. */
  readonly weight: number;
}

/**
 * Nested loops can double a type at each level. Types beyond this weight, which no sane expression has, become `dyn`.
 */
const maxWeight = 1000;

function make(kind: Kind, name: string, params: readonly Type[]): Type {
  const weight = params.reduce((sum, inner) => sum + inner.weight, 1);
  return weight > maxWeight
    ? dyn
    : { kind, name, params, open: kind === "param" || params.some(({ open }) => open), weight };
}

const simple = (kind: Kind): Type => make(kind, kind, []);

export const dyn: Type = simple("dyn");
export const any: Type = simple("any");
export const errorType: Type = simple("error");
export const nullType: Type = simple("null");
export const bool: Type = simple("bool");
export const int: Type = simple("int");
export const uint: Type = simple("uint");
export const double: Type = simple("double");
export const string: Type = simple("string");
export const bytes: Type = simple("bytes");
export const timestamp: Type = simple("timestamp");
export const duration: Type = simple("duration");

export const list = (item: Type): Type => make("list", "list", [item]);
export const map = (key: Type, value: Type): Type => make("map", "map", [key, value]);
export const struct = (name: string): Type => make("struct", name, []);
export const opaque = (name: string, ...params: readonly Type[]): Type => make("opaque", name, params);
export const optional = (value: Type): Type => opaque("optional_type", value);
export const param = (name: string): Type => make("param", name, []);
export const typeOf = (type?: Type): Type => make("type", "type", type === undefined ? [] : [type]);

/** The same type with other parameters. */
export const withParams = ({ kind, name }: Type, params: readonly Type[]): Type => make(kind, name, params);

export const isOptional = ({ kind, name }: Type): boolean => kind === "opaque" && name === "optional_type";
export const isDyn = ({ kind }: Type): boolean => kind === "dyn" || kind === "any";
export const isDynOrError = (type: Type): boolean => isDyn(type) || type.kind === "error";

export function sameType(a: Type, b: Type): boolean {
  return (
    a === b ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.weight === b.weight &&
      a.params.length === b.params.length &&
      a.params.every((inner, i) => sameType(inner, b.params[i] as Type)))
  );
}

/** The type as complaints print it. */
export function typeText({ kind, name, params }: Type): string {
  if (kind === "error") return "!error!";
  return params.length === 0 ? name : `${name}(${params.map(typeText).join(", ")})`;
}

/** The type as `type(x)` prints and compares it. */
export function typeName({ kind, name }: Type): string {
  if (kind === "null") return "null_type";
  if (kind === "any") return "google.protobuf.Any";
  if (kind === "timestamp") return "google.protobuf.Timestamp";
  if (kind === "duration") return "google.protobuf.Duration";
  return name;
}

/** The type of a whole expression, as complaints about its result print it. */
export const resultText = (type: Type): string =>
  type.params.length === 0 ? typeName(type) : `${type.name}(${type.params.map(resultText).join(", ")})`;

const simples = new Map(
  [dyn, nullType, bool, int, uint, double, string, bytes, timestamp, duration].map((type) => [
    type.kind as string,
    type,
  ]),
);

/**
 * Reads a text such as `map(K, list(string))`: capital letters are parameters, names with a dot are `opaque` types of
 * libraries.
 */
export function typeFrom(text: string): Type {
  const [type, rest] = readType(text);
  if (rest.trim() !== "")
    throw new TypeError(`${JSON.stringify(text)} is no type: ${JSON.stringify(rest)} is left over`);
  return type;
}

function readType(text: string): readonly [Type, string] {
  const [whole, name] = /^\s*([\w.]+)/.exec(text) as unknown as [string, string];
  let rest = text.slice(whole.length);
  const params: Type[] = [];
  if (rest.startsWith("(")) {
    do {
      const [inner, after] = readType(rest.slice(1));
      params.push(inner);
      rest = after.trimStart();
    } while (rest.startsWith(","));
    rest = rest.slice(1);
  }
  return [named(name, params), rest];
}

function named(name: string, params: readonly Type[]): Type {
  if (/^[A-Z]$/.test(name)) return param(name);
  if (name === "list" || name === "map" || name === "type") return make(name, name, params);
  return simples.get(name) ?? opaque(name, ...params);
}
