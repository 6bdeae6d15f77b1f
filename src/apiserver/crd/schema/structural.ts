/** Validates that a schema is structural and that its patterns compile. */
import { lookup } from "../../../base/members.js";
import { type FieldPath, type StatusCause } from "../../../api/index.js";
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
  const errors = [...spine(schema, "root", path), ...completeness(schema, schema, path, path)];
  return errors.toSorted((a, b) => (`${a.field}: ${a.message}` < `${b.field}: ${b.message}` ? -1 : 1));
}

function spine(schema: StructuralSchema, level: Level, path: FieldPath): StatusCause[] {
  return [
    ...children(schema, level, path),
    ...typeChecks(schema, level, path),
    ...embeddedChecks(schema, path),
    ...valueChecks(schema, path, isIntOrString(schema)),
    ...metaChecks(schema, level, path),
  ];
}

function children(schema: StructuralSchema, level: Level, path: FieldPath): StatusCause[] {
  const errors: StatusCause[] = [];
  const { type, items, properties = {} } = schema;
  if (type === "array" && items === undefined) errors.push(path.child("items").required("must be specified"));
  if (items !== undefined && !Array.isArray(items)) errors.push(...spine(items, "item", path.child("items")));
  for (const [name, property] of Object.entries(properties)) {
    errors.push(...spine(property, "field", path.child("properties").key(name)));
  }
  if (schema.additionalProperties === undefined) return errors;
  if (level === "root") errors.push(path.child("additionalProperties").forbidden("must not be used at the root"));
  const additional = additionalSchema(schema);
  if (additional !== undefined) errors.push(...spine(additional, "field", path.child("additionalProperties")));
  return errors;
}

function typeChecks(schema: StructuralSchema, level: Level, path: FieldPath): StatusCause[] {
  const errors: StatusCause[] = [];
  const { type = "" } = schema;
  const preserves = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const clash = "must be false if x-kubernetes-int-or-string is true";
  if (intOrString && preserves) errors.push(path.child("x-kubernetes-preserve-unknown-fields").invalid(true, clash));
  if (intOrString && embedded) errors.push(path.child("x-kubernetes-embedded-resource").invalid(true, clash));
  if (embedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? path.child("type").required(why) : path.child("type").invalid(type, why));
  } else if (type === "" && !intOrString && !preserves) errors.push(path.child("type").required(emptyType[level]));
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(path.child("type").invalid(type, "must be object at the root"));
  }
  return errors;
}

function embeddedChecks(schema: StructuralSchema, path: FieldPath): StatusCause[] {
  const errors: StatusCause[] = [];
  if (schema["x-kubernetes-embedded-resource"] !== true) return errors;
  if (schema.additionalProperties !== undefined) {
    const why = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(path.child("additionalProperties").forbidden(why));
  }
  const preserves = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (!preserves && Object.keys(schema.properties ?? {}).length === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(path.child("properties").required(why));
  }
  return errors;
}

function metaChecks(schema: StructuralSchema, level: Level, path: FieldPath): StatusCause[] {
  const errors: StatusCause[] = [];
  const isObject = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  for (const [name, property] of Object.entries({ kind, apiVersion })) {
    if (!isObject || property === undefined || property.type === "string") continue;
    errors.push(
      path
        .child("properties")
        .key(name)
        .child("type")
        .invalid(property.type ?? "", "must be string"),
    );
  }
  if (metadata === undefined) return errors;
  const at = path.child("properties").key("metadata");
  if (isObject && metadata.type !== "object")
    errors.push(at.child("type").invalid(metadata.type ?? "", "must be object"));
  const names = Object.keys(metadata.properties ?? {}).filter((name) => name !== "name" && name !== "generateName");
  if (level === "root" && names.length > 0) {
    errors.push(
      at.forbidden("must not specify anything other than name and generateName, but metadata is implicitly specified"),
    );
  }
  return errors;
}

/** The only branches that may have a type: those of int-or-string. */
function isIntOrString({ anyOf, allOf }: StructuralSchema): boolean {
  const pattern = (branches: readonly StructuralSchema[] | undefined): boolean =>
    branches?.length === 2 && branches[0]?.type === "integer" && branches[1]?.type === "string";
  return pattern(anyOf) || pattern(allOf?.[0]?.anyOf);
}

function valueChecks(schema: StructuralSchema, path: FieldPath, typesAllowed: boolean): StatusCause[] {
  const errors: StatusCause[] = [];
  const groups = { anyOf: schema.anyOf, allOf: schema.allOf, oneOf: schema.oneOf } as const;
  for (const [name, branches] of Object.entries(groups)) {
    for (const [i, branch] of (branches ?? []).entries()) {
      if (typesAllowed && (name === "anyOf" || (name === "allOf" && i === 0))) continue;
      errors.push(...nested(branch, path.child(name).index(i)));
    }
  }
  if (schema.not !== undefined) errors.push(...nested(schema.not, path.child("not")));
  if (schema.pattern) {
    try {
      Pattern.of(schema.pattern);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const why = `must be a valid regular expression, but isn't: ${error.message}`;
      errors.push(path.child("pattern").invalid(schema.pattern, why));
    }
  }
  return errors;
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

function nested(schema: StructuralSchema, path: FieldPath): StatusCause[] {
  const errors = valueChecks(schema, path, false);
  if (schema.items !== undefined) errors.push(...nested(schema.items, path.child("items")));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...nested(property, path.child("properties").key(name)));
    if (name === "metadata")
      errors.push(path.child("properties").key("metadata").forbidden("must not be specified in a nested context"));
  }
  for (const [name, why] of Object.entries(forbidden)) {
    const value = schema[name as keyof StructuralSchema];
    if (value !== undefined && value !== false && value !== "") errors.push(path.child(name).forbidden(why));
  }
  return errors;
}

/** Every field that the branches mention must be declared in the structural part too. */
function completeness(
  schema: StructuralSchema,
  own: StructuralSchema,
  spinePath: FieldPath,
  path: FieldPath,
): StatusCause[] {
  const branches = (["anyOf", "allOf", "oneOf"] as const).flatMap((name) =>
    (schema[name] ?? []).flatMap((branch, i) => branchComplete(branch, own, spinePath, path.child(name).index(i))),
  );
  if (schema.not === undefined) return branches;
  return [...branches, ...branchComplete(schema.not, own, spinePath, path.child("not"))];
}

function branchComplete(
  branch: StructuralSchema,
  own: StructuralSchema | undefined,
  spinePath: FieldPath,
  path: FieldPath,
): StatusCause[] {
  if (own === undefined) return [spinePath.required(`because it is defined in ${path}`)];
  const errors = completeness(branch, own, spinePath, path);
  if (branch.items !== undefined)
    errors.push(...branchComplete(branch.items, own.items, spinePath.child("items"), path.child("items")));
  for (const [name, property] of Object.entries(branch.properties ?? {})) {
    const step = `properties[${name}]`;
    errors.push(...branchComplete(property, own.properties?.[name], spinePath.child(step), path.child(step)));
  }
  return errors;
}
