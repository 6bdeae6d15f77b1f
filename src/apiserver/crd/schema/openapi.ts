/** Validates a schema as OpenAPI: allowed keywords, types, lists and maps. */
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  type StatusCause,
} from "../../../api/index.js";
import { additionalSchema, type StructuralSchema } from "./json-schema.js";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields = ["metadata", "kind", "apiVersion"];

/** The position of a node, by its effects on what is forbidden there. */
interface Place {
  /** The path of the root. */
  readonly whole: string;
  readonly root: boolean;
  readonly insideMeta: boolean;
  /** The reason why defaults are forbidden here; undefined if they are allowed. */
  readonly noDefaults: string | undefined;
}

/** Errors of the schema and of all schemas in it, branches included. */
export function openApiErrors(schema: StructuralSchema, path: string): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  judge(schema, path, { whole: path, root: true, insideMeta: false, noDefaults: undefined }, errors);
  return errors;
}

function judge(schema: StructuralSchema, path: string, place: Place, errors: StatusCause[]): void {
  errors.push(...contentErrors(schema, path, place));
  const inner = { ...place, root: false };
  const additional = additionalSchema(schema);
  if (schema.properties !== undefined && schema.additionalProperties !== undefined) {
    if (Object.keys(schema.properties).length > 0 && schema.additionalProperties !== true)
      errors.push(
        fieldForbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"),
      );
  }
  if (additional !== undefined) {
    const noDefaults = place.insideMeta ? "inside additionalProperties applying to object metadata" : inner.noDefaults;
    judge(additional, `${path}.additionalProperties`, { ...inner, noDefaults }, errors);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = (place.root || schema["x-kubernetes-embedded-resource"] === true) && metaFields.includes(name);
    const noDefaults = isMeta && place.root ? `in top-level ${name}` : inner.noDefaults;
    const child = { ...inner, insideMeta: inner.insideMeta || isMeta, noDefaults };
    judge(property, `${path}.properties[${name}]`, child, errors);
  }
  if (schema.not !== undefined) judge(schema.not, `${path}.not`, inner, errors);
  for (const name of ["allOf", "oneOf", "anyOf"] as const)
    for (const [i, branch] of (schema[name] ?? []).entries()) judge(branch, `${path}.${name}[${i}]`, inner, errors);
  if (schema.items !== undefined && !Array.isArray(schema.items)) judge(schema.items, `${path}.items`, inner, errors);
  errors.push(...mapErrors(schema, path), ...listErrors(schema, path));
}

/** Keywords of JSON Schema that no custom kind may use, under the names that messages show. */
const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

function contentErrors(schema: StructuralSchema, path: string, place: Place): StatusCause[] {
  const errors: StatusCause[] = [];
  const { type } = schema;
  if (type && !types.includes(type)) errors.push(fieldNotSupported(`${path}.type`, type, types));
  if (schema.default !== undefined && place.noDefaults !== undefined)
    errors.push(fieldForbidden(`${path}.default`, `must not be set ${place.noDefaults}`));
  const parts = schema as Readonly<Record<string, unknown>>;
  for (const part of unsupported)
    if (parts[part] !== undefined && (parts[part] !== "" || part === "$ref"))
      errors.push(fieldForbidden(`${path}.${part}`, `${part} is not supported`));
  if (parts["$schema"]) errors.push(fieldInvalid(place.whole, "", "OpenAPIV3Schema 'schema' is not supported"));
  if (parts["type"] === "null")
    errors.push(fieldForbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  if (Array.isArray(schema.items))
    errors.push(fieldForbidden(`${path}.items`, "items must be a schema object and not an array"));
  if (place.insideMeta && schema["x-kubernetes-embedded-resource"] === true)
    errors.push(fieldForbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  if (schema.uniqueItems === true) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(fieldForbidden(`${path}.uniqueItems`, why));
  }
  return errors;
}

function mapErrors(schema: StructuralSchema, path: string): StatusCause[] {
  const errors: StatusCause[] = [];
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    errors.push(fieldInvalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return errors;
  if (schema.type !== "object")
    errors.push(typeWanted(schema, path, "must be object if x-kubernetes-map-type is specified"));
  if (mapType !== "atomic" && mapType !== "granular")
    errors.push(fieldNotSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  return errors;
}

const typeWanted = ({ type }: StructuralSchema, path: string, why: string): StatusCause =>
  type ? fieldInvalid(`${path}.type`, type, why) : fieldRequired(`${path}.type`, why);

function listErrors(schema: StructuralSchema, path: string): StatusCause[] {
  const errors: StatusCause[] = [];
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (listType !== undefined && schema.type !== "array")
    errors.push(typeWanted(schema, path, "must be array if x-kubernetes-list-type is specified"));
  else if (listType === "set") errors.push(...setErrors(schema.items, path));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType))
    errors.push(fieldNotSupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  if (keys.length > 0 && listType !== "map") {
    const why = "must be map if x-kubernetes-list-map-keys is non-empty";
    const at = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? fieldRequired(at, why) : fieldInvalid(at, listType, why));
  }
  if (listType === "map") errors.push(...keyedErrors(schema, keys, path));
  if (schema.items?.nullable === true && (listType === "set" || listType === "map"))
    errors.push(
      fieldForbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  return errors;
}

/** Items of a set are compared as a whole, so they must be atomic. */
function setErrors(items: StructuralSchema | undefined, path: string): StatusCause[] {
  const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && listType !== undefined && listType !== "atomic")
    return [fieldInvalid(`${path}.items.x-kubernetes-list-type`, listType, why)];
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic")
    return [fieldInvalid(`${path}.items.x-kubernetes-map-type`, listType ?? null, why)];
  return [];
}

function keyedErrors(schema: StructuralSchema, keys: readonly string[], path: string): StatusCause[] {
  const errors: StatusCause[] = [];
  const { items } = schema;
  const keysAt = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(fieldRequired(keysAt, "must not be empty if x-kubernetes-list-type is map"));
  if (items === undefined)
    return [...errors, fieldRequired(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")];
  if (items.type !== "object") {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, fieldInvalid(`${path}.items.type`, items.type ?? "", why)];
  }
  for (const [i, key] of keys.entries()) {
    const property = items.properties?.[key];
    const at = `${path}.items.properties[${key}]`;
    if (property === undefined) errors.push(fieldInvalid(keysAt, keys, "entries must all be names of item properties"));
    else if (property.type === "array" || property.type === "object")
      errors.push(
        fieldInvalid(`${at}.type`, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"),
      );
    if (keys.indexOf(key) < i) errors.push(fieldInvalid(keysAt, keys, "must not contain duplicate entries"));
    if (property === undefined) continue;
    const member = "this property is in x-kubernetes-list-map-keys, so it";
    if (items.required?.includes(key) !== true && property.default === undefined)
      errors.push(fieldRequired(`${at}.default`, `${member} must have a default or be a required property`));
    if (property.nullable === true) errors.push(fieldForbidden(`${at}.nullable`, `${member} cannot be nullable`));
  }
  return errors;
}
