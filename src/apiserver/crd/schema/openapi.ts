/** Validates a schema as OpenAPI: allowed keywords, types, lists and maps. */
import { type FieldPath, type StatusCause } from "../../../api/index.js";
import { Causes } from "../../../api/status.js";
import { own, repeats } from "../../../base/members.js";
import { additionalSchema, type StructuralSchema } from "./json-schema.js";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields = ["metadata", "kind", "apiVersion"];

/** The position of a schema in the tree, as far as it decides which keywords are forbidden there. */
interface Place {
  /** The path of the root. */
  readonly whole: FieldPath;
  readonly root: boolean;
  readonly insideMeta: boolean;
  /** The reason why defaults are forbidden here; undefined if they are allowed. */
  readonly noDefaults: string | undefined;
}

/** Errors of the schema and of all schemas in it, branches included. */
export function openApiErrors(schema: StructuralSchema, path: FieldPath): Causes {
  const errors = new Causes();
  judge(schema, path, { whole: path, root: true, insideMeta: false, noDefaults: undefined }, errors);
  return errors;
}

function judge(schema: StructuralSchema, path: FieldPath, place: Place, errors: Causes): void {
  errors.add(contentErrors(schema, path, place));
  const inner = { ...place, root: false };
  const additional = additionalSchema(schema);
  if (schema.properties !== undefined && schema.additionalProperties !== undefined) {
    if (Object.keys(schema.properties).length > 0 && schema.additionalProperties !== true)
      errors.push(
        path.child("additionalProperties").forbidden("additionalProperties and properties are mutual exclusive"),
      );
  }
  if (additional !== undefined) {
    const noDefaults = place.insideMeta ? "inside additionalProperties applying to object metadata" : inner.noDefaults;
    judge(additional, path.child("additionalProperties"), { ...inner, noDefaults }, errors);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = (place.root || schema["x-kubernetes-embedded-resource"] === true) && metaFields.includes(name);
    const noDefaults = isMeta && place.root ? `in top-level ${name}` : inner.noDefaults;
    const child = { ...inner, insideMeta: inner.insideMeta || isMeta, noDefaults };
    judge(property, path.child("properties").key(name), child, errors);
  }
  if (schema.not !== undefined) judge(schema.not, path.child("not"), inner, errors);
  for (const name of ["allOf", "oneOf", "anyOf"] as const)
    for (const [i, branch] of (schema[name] ?? []).entries()) judge(branch, path.child(name).index(i), inner, errors);
  if (schema.items !== undefined && !Array.isArray(schema.items))
    judge(schema.items, path.child("items"), inner, errors);
  errors.add(mapErrors(schema, path));
  errors.add(listErrors(schema, path));
}

/** Keywords of JSON Schema that no custom kind may use, under the names that messages show. */
const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

function* contentErrors(schema: StructuralSchema, path: FieldPath, place: Place): Iterable<StatusCause> {
  const { type } = schema;
  if (type && !types.includes(type)) yield path.child("type").notSupported(type, types);
  if (schema.default !== undefined && place.noDefaults !== undefined)
    yield path.child("default").forbidden(`must not be set ${place.noDefaults}`);
  const parts = schema as Readonly<Record<string, unknown>>;
  for (const part of unsupported)
    if (parts[part] !== undefined && (parts[part] !== "" || part === "$ref"))
      yield path.child(part).forbidden(`${part} is not supported`);
  if (parts["$schema"]) yield place.whole.invalid("", "OpenAPIV3Schema 'schema' is not supported");
  if (parts["type"] === "null")
    yield path.child("type").forbidden("type cannot be set to null, use nullable as an alternative");
  if (Array.isArray(schema.items))
    yield path.child("items").forbidden("items must be a schema object and not an array");
  if (place.insideMeta && schema["x-kubernetes-embedded-resource"] === true)
    yield path.child("x-kubernetes-embedded-resource").forbidden("must not be used inside of resource meta");
  if (schema.uniqueItems === true) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    yield path.child("uniqueItems").forbidden(why);
  }
}

function* mapErrors(schema: StructuralSchema, path: FieldPath): Iterable<StatusCause> {
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    yield path.child("x-kubernetes-preserve-unknown-fields").invalid(false, "must be true or undefined");
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return;
  if (schema.type !== "object") yield typeWanted(schema, path, "must be object if x-kubernetes-map-type is specified");
  if (mapType !== "atomic" && mapType !== "granular")
    yield path.child("x-kubernetes-map-type").notSupported(mapType, ["atomic", "granular"]);
}

const typeWanted = ({ type }: StructuralSchema, path: FieldPath, why: string): StatusCause =>
  type ? path.child("type").invalid(type, why) : path.child("type").required(why);

function* listErrors(schema: StructuralSchema, path: FieldPath): Iterable<StatusCause> {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (listType !== undefined && schema.type !== "array")
    yield typeWanted(schema, path, "must be array if x-kubernetes-list-type is specified");
  else if (listType === "set") yield* setErrors(schema.items, path);
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType))
    yield path.child("x-kubernetes-list-type").notSupported(listType, ["atomic", "set", "map"]);
  if (keys.length > 0 && listType !== "map") {
    const why = "must be map if x-kubernetes-list-map-keys is non-empty";
    const at = path.child("x-kubernetes-list-type");
    yield listType === undefined ? at.required(why) : at.invalid(listType, why);
  }
  if (listType === "map") yield* keyedErrors(schema, keys, path);
  if (schema.items?.nullable === true && (listType === "set" || listType === "map"))
    yield path.child("items", "nullable").forbidden(`cannot be nullable when x-kubernetes-list-type is ${listType}`);
}

/** Items of a set are compared as a whole, so they must be atomic. */
function* setErrors(items: StructuralSchema | undefined, path: FieldPath): Iterable<StatusCause> {
  const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && listType !== undefined && listType !== "atomic")
    yield path.child("items", "x-kubernetes-list-type").invalid(listType, why);
  else if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic")
    yield path.child("items", "x-kubernetes-map-type").invalid(listType ?? null, why);
}

function* keyedErrors(schema: StructuralSchema, keys: readonly string[], path: FieldPath): Iterable<StatusCause> {
  const { items } = schema;
  const keysAt = path.child("x-kubernetes-list-map-keys");
  if (keys.length === 0) yield keysAt.required("must not be empty if x-kubernetes-list-type is map");
  if (items === undefined) {
    yield path.child("items").required("must have a schema if x-kubernetes-list-type is map");
    return;
  }
  if (items.type !== "object") {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    yield path.child("items", "type").invalid(items.type ?? "", why);
    return;
  }
  const isRepeat = repeats();
  const required = new Set(items.required);
  for (const key of keys) {
    const property = own(items.properties, key);
    const at = path.child("items", "properties").key(key);
    if (property === undefined) yield keysAt.invalid(keys, "entries must all be names of item properties");
    else if (property.type === "array" || property.type === "object")
      yield at
        .child("type")
        .invalid(items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map");
    if (isRepeat(key)) yield keysAt.invalid(keys, "must not contain duplicate entries");
    if (property === undefined) continue;
    const member = "this property is in x-kubernetes-list-map-keys, so it";
    if (!required.has(key) && property.default === undefined)
      yield at.child("default").required(`${member} must have a default or be a required property`);
    if (property.nullable === true) yield at.child("nullable").forbidden(`${member} cannot be nullable`);
  }
}
