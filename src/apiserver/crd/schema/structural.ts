/** Validates that a schema is structural and that its patterns compile. */
import { lookup } from "../../../base/members.js";
import { type FieldPath, type StatusCause } from "../../../api/index.js";
import { Causes } from "../../../api/status.js";
import { additionalSchema, type StructuralSchema } from "./json-schema.js";
import { Pattern, PatternError } from "../../text/pattern/pattern.js";

type Level = "root" | "item" | "field";

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

/** Errors sorted by their text, as upstream does. */
export function validateStructural(schema: StructuralSchema, path: FieldPath): readonly StatusCause[] {
  const errors = new Causes();
  errors.add(spine(schema, "root", path));
  errors.add(completeness(schema, schema, path, path));
  return errors.all.toSorted((a, b) => (`${a.field}: ${a.message}` < `${b.field}: ${b.message}` ? -1 : 1));
}

function* spine(schema: StructuralSchema, level: Level, path: FieldPath): Iterable<StatusCause> {
  yield* children(schema, level, path);
  yield* typeChecks(schema, level, path);
  yield* embeddedChecks(schema, path);
  yield* valueChecks(schema, path, isIntOrString(schema));
  yield* metaChecks(schema, level, path);
}

function* children(schema: StructuralSchema, level: Level, path: FieldPath): Iterable<StatusCause> {
  const { type, items, properties = {} } = schema;
  if (type === "array" && items === undefined) yield path.child("items").required("must be specified");
  if (items !== undefined && !Array.isArray(items)) yield* spine(items, "item", path.child("items"));
  for (const [name, property] of Object.entries(properties)) {
    yield* spine(property, "field", path.child("properties").key(name));
  }
  if (schema.additionalProperties === undefined) return;
  if (level === "root") yield path.child("additionalProperties").forbidden("must not be used at the root");
  const additional = additionalSchema(schema);
  if (additional !== undefined) yield* spine(additional, "field", path.child("additionalProperties"));
}

function* typeChecks(schema: StructuralSchema, level: Level, path: FieldPath): Iterable<StatusCause> {
  const { type = "" } = schema;
  const preserves = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const clash = "must be false if x-kubernetes-int-or-string is true";
  if (intOrString && preserves) yield path.child("x-kubernetes-preserve-unknown-fields").invalid(true, clash);
  if (intOrString && embedded) yield path.child("x-kubernetes-embedded-resource").invalid(true, clash);
  if (embedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    yield type === "" ? path.child("type").required(why) : path.child("type").invalid(type, why);
  } else if (type === "" && !intOrString && !preserves) yield path.child("type").required(emptyType[level]);
  if (level === "root" && type !== "" && type !== "object") {
    yield path.child("type").invalid(type, "must be object at the root");
  }
}

function* embeddedChecks(schema: StructuralSchema, path: FieldPath): Iterable<StatusCause> {
  if (schema["x-kubernetes-embedded-resource"] !== true) return;
  if (schema.additionalProperties !== undefined) {
    const why = "must not be used if x-kubernetes-embedded-resource is set";
    yield path.child("additionalProperties").forbidden(why);
  }
  const preserves = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (!preserves && Object.keys(schema.properties ?? {}).length === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    yield path.child("properties").required(why);
  }
}

function* metaChecks(schema: StructuralSchema, level: Level, path: FieldPath): Iterable<StatusCause> {
  const isObject = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  for (const [name, property] of Object.entries({ kind, apiVersion })) {
    if (!isObject || property === undefined || property.type === "string") continue;
    yield path
      .child("properties")
      .key(name)
      .child("type")
      .invalid(property.type ?? "", "must be string");
  }
  if (metadata === undefined) return;
  const at = path.child("properties").key("metadata");
  if (isObject && metadata.type !== "object") yield at.child("type").invalid(metadata.type ?? "", "must be object");
  const names = Object.keys(metadata.properties ?? {}).filter((name) => name !== "name" && name !== "generateName");
  if (level === "root" && names.length > 0) {
    yield at.forbidden(
      "must not specify anything other than name and generateName, but metadata is implicitly specified",
    );
  }
}

/** The only branches that may have a type: those of int-or-string. */
function isIntOrString({ anyOf, allOf }: StructuralSchema): boolean {
  const pattern = (branches: readonly StructuralSchema[] | undefined): boolean =>
    branches?.length === 2 && branches[0]?.type === "integer" && branches[1]?.type === "string";
  return pattern(anyOf) || pattern(allOf?.[0]?.anyOf);
}

function* valueChecks(schema: StructuralSchema, path: FieldPath, typesAllowed: boolean): Iterable<StatusCause> {
  const groups = { anyOf: schema.anyOf, allOf: schema.allOf, oneOf: schema.oneOf } as const;
  for (const [name, branches] of Object.entries(groups)) {
    for (const [i, branch] of (branches ?? []).entries()) {
      if (typesAllowed && (name === "anyOf" || (name === "allOf" && i === 0))) continue;
      yield* nested(branch, path.child(name).index(i));
    }
  }
  if (schema.not !== undefined) yield* nested(schema.not, path.child("not"));
  if (schema.pattern) {
    try {
      new Pattern(schema.pattern);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const why = `must be a valid regular expression, but isn't: ${error.message}`;
      yield path.child("pattern").invalid(schema.pattern, why);
    }
  }
}

/** Keywords that a branch must not have, with the message about each. */
const forbidden: Readonly<Record<string, string>> = lookup({
  type: "must be empty to be structural",
  additionalProperties: "must be undefined to be structural",
  default: "must be undefined to be structural",
  title: "must be empty to be structural",
  description: "must be empty to be structural",
  nullable: "must be false to be structural",
  "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
  "x-kubernetes-embedded-resource": "must be false to be structural",
  "x-kubernetes-int-or-string": "must be false to be structural",
  "x-kubernetes-list-map-keys": "must be empty to be structural",
  "x-kubernetes-list-type": "must be undefined to be structural",
  "x-kubernetes-map-type": "must be undefined to be structural",
  "x-kubernetes-validations": "must be empty to be structural",
});

function* nested(schema: StructuralSchema, path: FieldPath): Iterable<StatusCause> {
  yield* valueChecks(schema, path, false);
  if (schema.items !== undefined) yield* nested(schema.items, path.child("items"));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield* nested(property, path.child("properties").key(name));
    if (name === "metadata")
      yield path.child("properties").key("metadata").forbidden("must not be specified in a nested context");
  }
  for (const [name, why] of Object.entries(forbidden)) {
    const value = schema[name as keyof StructuralSchema];
    if (value !== undefined && value !== false && value !== "") yield path.child(name).forbidden(why);
  }
}

/** Every field that the branches mention must be declared in the structural part too. */
function* completeness(
  schema: StructuralSchema,
  own: StructuralSchema,
  spinePath: FieldPath,
  path: FieldPath,
): Iterable<StatusCause> {
  for (const name of ["anyOf", "allOf", "oneOf"] as const) {
    for (const [at, branch] of path.child(name).items(schema[name])) yield* branchComplete(branch, own, spinePath, at);
  }
  if (schema.not !== undefined) yield* branchComplete(schema.not, own, spinePath, path.child("not"));
}

function* branchComplete(
  branch: StructuralSchema,
  own: StructuralSchema | undefined,
  spinePath: FieldPath,
  path: FieldPath,
): Iterable<StatusCause> {
  if (own === undefined) {
    yield spinePath.required(`because it is defined in ${path}`);
    return;
  }
  yield* completeness(branch, own, spinePath, path);
  if (branch.items !== undefined)
    yield* branchComplete(branch.items, own.items, spinePath.child("items"), path.child("items"));
  for (const [name, property] of Object.entries(branch.properties ?? {})) {
    const step = `properties[${name}]`;
    yield* branchComplete(property, own.properties?.[name], spinePath.child(step), path.child(step));
  }
}
