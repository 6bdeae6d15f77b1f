/**
 * The OpenAPI schemas of the built-in types, from the schema table. `Dialect` holds the few differences between OpenAPI
 * 2 and 3.
 */
import { defined, unlessEmpty } from "../../base/defined.js";
import { byEntryName, lookup } from "../../base/members.js";
import { apiVersionOf, type GroupVersionKind, parseGroupVersion } from "../../api/index.js";
import type { Steps } from "../../base/index.js";
import {
  describeField,
  describeType,
  type FieldType,
  type ObjectType,
  type Shape,
  typeOfSchema,
} from "../../api/schema/index.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Where the two versions of OpenAPI differ. */
export interface Dialect {
  readonly version: 2 | 3;
  /** The prefix of a schema's name in a reference. */
  readonly prefix: string;
}

export const v3: Dialect = { version: 3, prefix: "#/components/schemas/" };
export const v2: Dialect = { version: 2, prefix: "#/definitions/" };

/** The package of the types that all groups share, as schemas name it. */
export const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";
const apiextensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Types that are one value in JSON, with the names of their own schemas. */
const named: Readonly<Record<string, string>> = lookup({
  time: `${metaPackage}.Time`,
  microTime: `${metaPackage}.MicroTime`,
  duration: `${metaPackage}.Duration`,
  fieldsV1: `${metaPackage}.FieldsV1`,
  quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  intOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  rawExtension: "io.k8s.apimachinery.pkg.runtime.RawExtension",
  json: `${apiextensions}.JSON`,
  schemaOrArray: `${apiextensions}.JSONSchemaPropsOrArray`,
  schemaOrBool: `${apiextensions}.JSONSchemaPropsOrBool`,
  schemaOrStrings: `${apiextensions}.JSONSchemaPropsOrStringArray`,
});

const namedSchemas: Readonly<Record<string, (dialect: Dialect) => JsonSchema>> = lookup<
  (dialect: Dialect) => JsonSchema
>({
  [named["time"] as string]: () => ({ type: "string", format: "date-time" }),
  [named["microTime"] as string]: () => ({ type: "string", format: "date-time" }),
  [named["duration"] as string]: () => ({ type: "string" }),
  [named["fieldsV1"] as string]: () => ({ type: "object" }),
  [named["rawExtension"] as string]: () => ({ type: "object" }),
  [`${metaPackage}.Patch`]: () => ({ type: "object" }),
  [named["quantity"] as string]: ({ version }) =>
    version === 2 ? { type: "string" } : { oneOf: [{ type: "string" }, { type: "number" }] },
  [named["intOrString"] as string]: ({ version }) =>
    version === 2
      ? { type: "string", format: "int-or-string" }
      : { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
});

/**
 * The schema of a built-in type by its OpenAPI name; undefined for an unknown name. `home` is the group and version of
 * the document: kinds that belong to all groups are marked with it.
 */
export function builtInSchema(name: string, dialect: Dialect, home?: GroupVersionKind): JsonSchema | undefined {
  const own = namedSchemas[name];
  if (own) return own(dialect);
  const type = typeOfSchema(name);
  if (type) return objectSchema(type, dialect, home);
  // the JSONSchemaPropsOr… types have an empty schema
  return Object.values(named).includes(name) ? {} : undefined;
}

function objectSchema(type: ObjectType, dialect: Dialect, home: GroupVersionKind | undefined): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const [name, field] of [...type.properties].sort(byEntryName)) {
    const home = field.through === undefined ? type.name : field.through;
    const description = describeField(`${type.package}.${home}`, name);
    properties[name] = { ...defined({ description }), ...fieldSchema(field, dialect) };
  }
  const description = describeType(`${type.package}.${type.name}`);
  const required = [...type.properties.values()].filter((field) => field.required).map(({ name }) => name);
  const kinds = kindsOf(type, home);
  return {
    ...defined({ description }),
    type: "object",
    ...defined({ required: unlessEmpty(required) }),
    ...(type.properties.size > 0 ? { properties } : {}),
    ...defined({ "x-kubernetes-group-version-kind": unlessEmpty(kinds) }),
    ...(type.atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
  };
}

function kindsOf(type: ObjectType, home: GroupVersionKind | undefined): readonly GroupVersionKind[] {
  if (type.package === "meta/v1") {
    const everywhere = type.name === "DeleteOptions" || type.name === "WatchEvent";
    const core = ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"].includes(type.name);
    if (!everywhere && !core) return [];
    const kind = type.name;
    const kinds = [{ group: "", kind, version: "v1" }];
    if (everywhere && home && apiVersionOf(home) !== "v1")
      kinds.push({ group: home.group, kind, version: home.version });
    return kinds;
  }
  return type.apiVersion === undefined ? [] : [{ ...parseGroupVersion(type.apiVersion), kind: type.name }];
}

function fieldSchema(field: FieldType, dialect: Dialect): JsonSchema {
  const keys = field.listMapKeys;
  return {
    ...shapeSchema(field.shape, dialect, field.default),
    ...defined({
      "x-kubernetes-list-type": field.listType,
      "x-kubernetes-list-map-keys": unlessEmpty(keys),
      "x-kubernetes-map-type": field.mapType,
      "x-kubernetes-patch-merge-key": field.patchMergeKey,
      "x-kubernetes-patch-strategy": field.patchStrategy,
    }),
  };
}

function shapeSchema(shape: Shape, dialect: Dialect, fallback: unknown): JsonSchema {
  const initial = fallback === undefined || dialect.version === 2 ? {} : { default: fallback };
  switch (shape.kind) {
    case "object":
      return reference(shape.type.schemaName, dialect, initial);
    case "list":
      return { type: "array", items: itemSchema(shape.items, dialect) };
    case "map":
      return { type: "object", additionalProperties: itemSchema(shape.items, dialect) };
    case "string":
      return { type: "string", ...initial, ...defined({ enum: shape.enum }) };
    case "boolean":
      return { type: "boolean", ...initial };
    case "int32":
    case "int64":
      return { type: "integer", format: shape.kind, ...initial };
    case "double":
      return { type: "number", format: "double", ...initial };
    case "bytes":
      return { type: "string", format: "byte" };
    default:
      return reference(named[shape.kind] as string, dialect, initial);
  }
}

/** A reference. OpenAPI 3 wraps it so that other keywords can stand beside it; OpenAPI 2 has the reference alone. */
function reference(name: string, { version, prefix }: Dialect, beside: JsonSchema): JsonSchema {
  const target = { $ref: `${prefix}${name}` };
  return version === 2 ? target : { ...beside, allOf: [target] };
}

/** The schema of items of lists and maps, with their zero value as default. */
function itemSchema(shape: Shape, dialect: Dialect): JsonSchema {
  switch (shape.kind) {
    case "object":
      return shapeSchema(shape, dialect, {});
    case "string":
      return shapeSchema(shape, dialect, "");
    case "int32":
    case "int64":
      return shapeSchema(shape, dialect, 0);
    case "boolean":
      return shapeSchema(shape, dialect, false);
    case "list":
    case "map":
    case "double":
    case "bytes":
      return shapeSchema(shape, dialect, undefined);
    default:
      return { $ref: `${dialect.prefix}${named[shape.kind]}` };
  }
}

/** `com.example.v1.Foo` for a custom kind; a built-in kind's own name otherwise. */
export function schemaNameOf({ group, version, kind }: GroupVersionKind, type: ObjectType | undefined): string {
  return type?.schemaName ?? [...group.split(".").reverse(), version, kind].join(".");
}

/** The named schemas and all schemas that they refer to, directly or indirectly. */
export function* withReferences(
  names: Iterable<string>,
  schemaOf: (name: string) => JsonSchema | undefined,
  { prefix }: Dialect,
): Steps<Readonly<Record<string, JsonSchema>>> {
  const found = new Map<string, JsonSchema>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const schema = found.has(name) ? undefined : schemaOf(name);
    if (schema === undefined) continue;
    found.set(name, schema);
    for (const target of references(schema)) open.push(target.slice(prefix.length));
    yield;
  }
  return Object.fromEntries([...found].sort(byEntryName));
}

/** Every `$ref` in a document. */
export function* references(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* references(item);
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (key === "$ref" && typeof inner === "string") yield inner;
      else yield* references(inner);
    }
  }
}
