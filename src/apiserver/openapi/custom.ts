/**
 * Publishes the schemas of custom kinds in OpenAPI: with kind, apiVersion and metadata filled in, and a list kind
 * beside each.
 */
import type { ServedResource } from "../contracts/served.js";
import { describeField, typeOfKind } from "../../api/schema/index.js";
import { type Dialect, type JsonSchema, metaPackage, schemaNameOf } from "./schemas.js";
import { isRecord } from "../../base/members.js";

/** The `openAPIV3Schema` of a version; undefined for a kind that accepts anything. */
export type CustomSchema = JsonSchema | undefined;

export function customSchemas(
  resources: readonly ServedResource[],
  given: ReadonlyMap<string, CustomSchema>,
  dialect: Dialect,
): ReadonlyMap<string, JsonSchema> {
  const schemas = new Map<string, JsonSchema>();
  for (const resource of resources) {
    if (typeOfKind(resource)) continue;
    const name = schemaNameOf(resource, undefined);
    schemas.set(name, kindSchema(resource, given.get(resource.kind), dialect));
    const list = { ...resource, kind: resource.listKind };
    schemas.set(schemaNameOf(list, undefined), listSchema(list, name, dialect));
  }
  return schemas;
}

function kindSchema(resource: ServedResource, given: CustomSchema, dialect: Dialect): JsonSchema {
  const published = publish(given ?? {}, dialect);
  const properties = published["properties"] as Readonly<Record<string, JsonSchema>> | undefined;
  // OpenAPI 2 has no useful schema for a value with unknown fields
  const open = published["x-kubernetes-preserve-unknown-fields"] === true || given === undefined;
  if (open && dialect.version === 2) return { type: "object", ...gvk(resource) };
  return {
    ...published,
    type: "object",
    properties: { ...properties, ...typeMeta(dialect, "ObjectMeta") },
    ...gvk(resource),
  };
}

function listSchema(list: ServedResource, item: string, dialect: Dialect): JsonSchema {
  return {
    type: "object",
    required: ["items"],
    properties: {
      items: { type: "array", items: { $ref: `${dialect.prefix}${item}` } },
      ...typeMeta(dialect, "ListMeta"),
    },
    ...gvk(list),
  };
}

function typeMeta({ prefix, version }: Dialect, metadata: string): JsonSchema {
  const target = { $ref: `${prefix}${metaPackage}.${metadata}` };
  const described = (field: string): JsonSchema => ({ description: describeField("", field) });
  return {
    apiVersion: { ...described("apiVersion"), type: "string" },
    kind: { ...described("kind"), type: "string" },
    metadata: { ...described("metadata"), ...(version === 2 ? target : { allOf: [target] }) },
  };
}

function gvk({ group, version, kind }: ServedResource): JsonSchema {
  return { "x-kubernetes-group-version-kind": [{ group, kind, version }] };
}

/** Keywords of OpenAPI 3 that OpenAPI 2 lacks; they are left out there. */
const newWords: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "not", "nullable", "default"]);

/** Keywords about the shape of a value; left out where any value, or null, is allowed. */
const shapeWords = ["type", "properties", "items", "additionalProperties"];

/** A schema and its subschemas in a dialect. */
function publish(schema: JsonSchema, dialect: Dialect): JsonSchema {
  const old = dialect.version === 2;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (old && newWords.has(key)) continue;
    out[key] = publishMember(key, value, dialect);
  }
  const shapeless = schema["x-kubernetes-preserve-unknown-fields"] === true || schema["nullable"] === true;
  if (old && shapeless) for (const key of shapeWords) delete out[key];
  const embedded = schema["x-kubernetes-embedded-resource"] === true && !(old && shapeless);
  return embedded ? withTypeMeta(out, dialect) : out;
}

function publishMember(key: string, value: unknown, dialect: Dialect): unknown {
  if (key === "properties") {
    const entries = Object.entries(value as Readonly<Record<string, JsonSchema>>);
    return Object.fromEntries(entries.map(([name, inner]) => [name, publish(inner, dialect)]));
  }
  return (key === "items" || key === "additionalProperties") && isRecord(value)
    ? publish(value as JsonSchema, dialect)
    : value;
}

/** Adds apiVersion, kind and metadata to the schema of an embedded object. */
function withTypeMeta(schema: JsonSchema, { prefix }: Dialect): JsonSchema {
  const { properties, required = [] } = schema as { readonly properties?: JsonSchema; readonly required?: string[] };
  return {
    ...schema,
    required: [...new Set([...required, "kind", "apiVersion"])],
    properties: {
      ...properties,
      apiVersion: { description: describeField("", "apiVersion"), type: "string" },
      kind: { description: describeField("", "kind"), type: "string" },
      metadata: { $ref: `${prefix}${metaPackage}.ObjectMeta` },
    },
  };
}
