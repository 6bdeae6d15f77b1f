/** Schemas of custom kinds as OpenAPI publishes them: with kind, apiVersion and metadata filled in, and a list kind beside each. */
import type { ServedResource } from "../http/providers.js";
import { describeField, typeOfKind } from "../../api/schema/index.js";
import { type Dialect, type JsonSchema, schemaNameOf } from "./schemas.js";

/** The `openAPIV3Schema` of a version; undefined for a kind that keeps anything. */
export type CustomSchema = JsonSchema | undefined;

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

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
  const published = dialect.version === 2 ? inVersion2(given ?? {}) : (given ?? {});
  const properties = published["properties"] as Readonly<Record<string, JsonSchema>> | undefined;
  // what keeps unknown fields has no useful schema in OpenAPI 2
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
  const target = { $ref: `${prefix}${meta}.${metadata}` };
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

/** OpenAPI 2 has no anyOf, oneOf, not, nullable; what it cannot say is left out. */
function inVersion2(schema: JsonSchema): JsonSchema {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (["anyOf", "oneOf", "allOf", "not", "nullable", "default"].includes(key)) continue;
    out[key] =
      key === "properties"
        ? mapValues(value as Readonly<Record<string, JsonSchema>>)
        : key === "items" || key === "additionalProperties"
          ? inner(value)
          : value;
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) {
    for (const key of ["type", "properties", "items", "additionalProperties"]) delete out[key];
  }
  if (schema["nullable"] === true)
    for (const key of ["type", "items", "properties", "additionalProperties"]) delete out[key];
  return out;
}

function inner(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? inVersion2(value as JsonSchema) : value;
}

function mapValues(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, inVersion2(schema)]));
}
