/**
 * Reads the generated schema table, each type at its first use.
 *
 * The table is lines of words. `=package schemaPrefix group` opens a package (`-` is the core group, no group means
 * that it holds parts only), `+Name a;b` is an enumeration, any other line is a type: `Name,flags field field …`. A
 * type's flags: `a` atomic, `k` kind, `h` hidden. A field is `name,type,number,attributes…`. Types are one letter for
 * a scalar, `@Enum`, `#Type`, with `*` (pointer), `[` (list), `&` (list in a message of its own) and `{` (map) in
 * front. Attributes: `n` inline, `r` required, `e` written even if empty, `z` omitted when zero, `set`, `atomic`,
 * `k=a;b` list type, `t=` map type, `p=` and `m=` patch strategy and merge key, `d=` default, `nd` no default.
 */
import { lazy } from "../../base/lazy.js";
import { lookup } from "../../base/members.js";
import { schemaTable } from "../generated/schemas.js";
import type { FieldType, ObjectType, OpaqueKind, ScalarKind, Shape } from "./shapes.js";

const letters: Readonly<Record<string, ScalarKind | OpaqueKind>> = lookup({
  s: "string",
  b: "boolean",
  i: "int32",
  l: "int64",
  d: "double",
  x: "bytes",
  T: "time",
  M: "microTime",
  D: "duration",
  Q: "quantity",
  I: "intOrString",
  R: "rawExtension",
  F: "fieldsV1",
  J: "json",
  A: "schemaOrArray",
  B: "schemaOrBool",
  C: "schemaOrStrings",
});

interface Package {
  readonly id: string;
  readonly schemaPrefix: string;
  /** Undefined if the package holds no kinds. */
  readonly apiVersion: string | undefined;
}

interface Line {
  readonly package: Package;
  readonly text: string;
}

interface Table {
  readonly types: ReadonlyMap<string, Line>;
  readonly enums: ReadonlyMap<string, readonly string[]>;
  /** `io.k8s.api.core.v1.Pod` → `core/v1.Pod`. */
  readonly bySchemaName: ReadonlyMap<string, string>;
  /** `apps/v1` → `apps/v1`, `v1` → `core/v1`, `rbac.authorization.k8s.io/v1` → `rbac/v1`. */
  readonly packageOf: ReadonlyMap<string, string>;
}

const table = lazy(readTable);
const parsed = new Map<string, ObjectType>();

/** A type by its package and name, e.g. `core/v1.PodSpec`. */
export function typeNamed(qualified: string): ObjectType | undefined {
  let type = parsed.get(qualified);
  if (type === undefined) {
    const line = table().types.get(qualified);
    if (line === undefined) return undefined;
    type = parseType(line);
    parsed.set(qualified, type);
  }
  return type;
}

/** The package of an apiVersion, e.g. `core/v1` of `v1`. */
export function packageOf(apiVersion: string): string | undefined {
  return table().packageOf.get(apiVersion);
}

/** The names of all types, e.g. `core/v1.PodSpec`. */
export function typeNames(): Iterable<string> {
  return table().types.keys();
}

/** A type by its name in OpenAPI, e.g. `io.k8s.api.core.v1.PodSpec`. */
export function typeOfSchema(schemaName: string): ObjectType | undefined {
  return typeNamed(table().bySchemaName.get(schemaName) ?? "");
}

function readTable(): Table {
  const types = new Map<string, Line>();
  const enums = new Map<string, readonly string[]>();
  const bySchemaName = new Map<string, string>();
  const packages = new Map<string, string>();
  let current: Package = { id: "", schemaPrefix: "", apiVersion: undefined };
  for (const text of schemaTable.split("\n")) {
    if (text === "") continue;
    if (text.startsWith("=")) {
      const [id = "", schemaPrefix = "", group] = text.slice(1).split(" ");
      const version = id.slice(id.indexOf("/") + 1);
      const apiVersion = group === undefined ? undefined : group === "-" ? version : `${group}/${version}`;
      current = { id, schemaPrefix, apiVersion };
      if (apiVersion !== undefined) packages.set(apiVersion, id);
    } else if (text.startsWith("+")) {
      const space = text.indexOf(" ");
      enums.set(`${current.id}.${text.slice(1, space)}`, text.slice(space + 1).split(";"));
    } else {
      const name = text.slice(0, text.search(/[ ,]|$/));
      types.set(`${current.id}.${name}`, { package: current, text });
      bySchemaName.set(`${current.schemaPrefix}.${name}`, `${current.id}.${name}`);
    }
  }
  return { types, enums, bySchemaName, packageOf: packages };
}

function parseType({ package: home, text }: Line): ObjectType {
  const [head = "", ...words] = text.split(" ");
  const [name = "", ...flags] = head.split(",");
  const fields = words.map((word) => parseField(word, home.id));
  let properties: ReadonlyMap<string, FieldType> | undefined;
  let numbered: ReadonlyMap<number, FieldType> | undefined;
  return {
    name,
    package: home.id,
    schemaName: `${home.schemaPrefix}.${name}`,
    apiVersion: flags.includes("k") ? home.apiVersion : undefined,
    atomic: flags.includes("a"),
    hidden: flags.includes("h"),
    fields,
    get properties() {
      properties ??= new Map(flatten(fields));
      return properties;
    },
    get numbered() {
      numbered ??= new Map(byNumber(fields));
      return numbered;
    },
  };
}

const byNumber = (fields: readonly FieldType[]): readonly (readonly [number, FieldType])[] =>
  fields
    .flatMap((field) => (field.number === undefined ? [] : [[field.number, field] as const]))
    .sort(([a], [b]) => b - a);

function* flatten(fields: readonly FieldType[]): Generator<readonly [string, FieldType]> {
  for (const field of fields) {
    if (field.inline && field.shape.kind === "object") {
      const { name: through, properties } = field.shape.type;
      for (const [name, inner] of properties) {
        yield [name, { ...inner, through: inner.through === undefined ? through : `${through}.${inner.through}` }];
      }
    } else yield [field.name, field];
  }
}

function parseField(word: string, home: string): FieldType {
  const [name = "", type = "", number = "", ...attributes] = word.split(",");
  const has = (attribute: string): boolean => attributes.includes(attribute);
  const valueOf = (key: string): string | undefined => {
    const found = attributes.find((attribute) => attribute.startsWith(`${key}=`));
    return found?.slice(key.length + 1);
  };
  const pointer = type.startsWith("*");
  const shape = parseShape(pointer ? type.slice(1) : type, home);
  const keys = valueOf("k");
  const omitEmpty = !has("e");
  const explicit = valueOf("d");
  const zero = pointer || has("nd") ? undefined : zeroDefault(shape, omitEmpty);
  return {
    name,
    shape,
    inline: has("n"),
    pointer,
    omitEmpty,
    omitZero: has("z"),
    required: has("r"),
    number: number === "" ? undefined : Number(number),
    listType: keys !== undefined ? "map" : has("set") ? "set" : has("atomic") ? "atomic" : undefined,
    listMapKeys: keys === undefined || keys === "" ? [] : keys.split(";"),
    mapType: valueOf("t") as FieldType["mapType"],
    patchStrategy: valueOf("p")?.replace(";", ","),
    patchMergeKey: valueOf("m"),
    default: explicit === undefined ? zero : (JSON.parse(explicit) as unknown),
  };
}

function zeroDefault(shape: Shape, omitEmpty: boolean): unknown {
  if (shape.kind === "object") return {};
  if (omitEmpty) return undefined;
  if (shape.kind === "string") return "";
  if (shape.kind === "boolean") return false;
  return shape.kind === "int32" || shape.kind === "int64" || shape.kind === "double" ? 0 : undefined;
}

const scalarShapes = new Map<string, Shape>(Object.entries(letters).map(([letter, kind]) => [letter, { kind }]));

function parseShape(text: string, home: string): Shape {
  switch (text[0]) {
    case "[":
    case "&":
      return { kind: "list", items: parseShape(text.slice(1), home), wrapped: text[0] === "&" };
    case "{":
      return { kind: "map", items: parseShape(text.slice(1), home) };
    case "@":
      return { kind: "string", enum: table().enums.get(qualify(text.slice(1), home)) ?? [] };
    case "#":
      return objectShape(qualify(text.slice(1), home));
    default:
      return scalarShapes.get(text) as Shape;
  }
}

function objectShape(qualified: string): Shape {
  let type: ObjectType | undefined;
  return {
    kind: "object",
    get type() {
      type ??= typeNamed(qualified) as ObjectType;
      return type;
    },
  };
}

function qualify(name: string, home: string): string {
  return name.includes(".") ? name : `${home}.${name}`;
}
