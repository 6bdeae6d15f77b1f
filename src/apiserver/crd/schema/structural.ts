/** Judges a schema itself: is it structural, do its patterns and rules compile. Used when a definition is written. */
import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldNotSupported,
  type StatusCause,
} from "../../../api/index.js";
import { compileExpression } from "../cel/rules.js";
import { additionalSchema, type JsonSchema, type ValidationRule } from "./json-schema.js";
import { goPattern, validateValue } from "./validate.js";

type Level = "root" | "item" | "field";

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

/** In the order of their text, as upstream has it. */
export function validateStructural(schema: JsonSchema, path: string): readonly StatusCause[] {
  const errors = [...spine(schema, "root", path), ...completeness(schema, schema, path)];
  return errors.toSorted((a, b) => (`${a.field}: ${a.message}` < `${b.field}: ${b.message}` ? -1 : 1));
}

function spine(schema: JsonSchema, level: Level, path: string): StatusCause[] {
  return [
    ...children(schema, level, path),
    ...typeChecks(schema, level, path),
    ...valueChecks(schema, path, isIntOrString(schema)),
    ...metaChecks(schema, level, path),
  ];
}

function children(schema: JsonSchema, level: Level, path: string): StatusCause[] {
  const errors: StatusCause[] = [];
  const { type, items, properties = {} } = schema;
  if (type === "array" && items === undefined) errors.push(fieldRequired(`${path}.items`, "must be specified"));
  if (items !== undefined) errors.push(...spine(items, "item", `${path}.items`));
  for (const [name, property] of Object.entries(properties)) {
    errors.push(...spine(property, "field", `${path}.properties[${name}]`));
  }
  if (schema.additionalProperties === undefined) return errors;
  if (level === "root") errors.push(fieldForbidden(`${path}.additionalProperties`, "must not be used at the root"));
  const additional = additionalSchema(schema);
  if (additional !== undefined) errors.push(...spine(additional, "field", `${path}.additionalProperties`));
  return errors;
}

function typeChecks(schema: JsonSchema, level: Level, path: string): StatusCause[] {
  const errors: StatusCause[] = [];
  const { type = "" } = schema;
  const preserves = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const clash = "must be false if x-kubernetes-int-or-string is true";
  if (intOrString && preserves) errors.push(fieldInvalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, clash));
  if (intOrString && embedded) errors.push(fieldInvalid(`${path}.x-kubernetes-embedded-resource`, true, clash));
  if (embedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? fieldRequired(`${path}.type`, why) : fieldInvalid(`${path}.type`, type, why));
  } else if (type === "" && !intOrString && !preserves) errors.push(fieldRequired(`${path}.type`, emptyType[level]));
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(fieldInvalid(`${path}.type`, type, "must be object at the root"));
  }
  return errors;
}

function metaChecks(schema: JsonSchema, level: Level, path: string): StatusCause[] {
  const errors: StatusCause[] = [];
  const isObject = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  for (const [name, property] of Object.entries({ kind, apiVersion })) {
    if (!isObject || property === undefined || property.type === "string") continue;
    errors.push(fieldInvalid(`${path}.properties[${name}].type`, property.type ?? "", "must be string"));
  }
  if (metadata === undefined) return errors;
  const at = `${path}.properties[metadata]`;
  if (isObject && metadata.type !== "object")
    errors.push(fieldInvalid(`${at}.type`, metadata.type ?? "", "must be object"));
  const names = Object.keys(metadata.properties ?? {}).filter((name) => name !== "name" && name !== "generateName");
  if (level === "root" && names.length > 0) {
    errors.push(
      fieldForbidden(
        at,
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
      ),
    );
  }
  return errors;
}

/** The one way in which branches may have a type. */
function isIntOrString({ anyOf, allOf }: JsonSchema): boolean {
  const pattern = (branches: readonly JsonSchema[] | undefined): boolean =>
    branches?.length === 2 && branches[0]?.type === "integer" && branches[1]?.type === "string";
  return pattern(anyOf) || pattern(allOf?.[0]?.anyOf);
}

function valueChecks(schema: JsonSchema, path: string, typesAllowed: boolean): StatusCause[] {
  const errors: StatusCause[] = [];
  const groups = { anyOf: schema.anyOf, allOf: schema.allOf, oneOf: schema.oneOf } as const;
  for (const [name, branches] of Object.entries(groups)) {
    for (const [i, branch] of (branches ?? []).entries()) {
      if (typesAllowed && (name === "anyOf" || (name === "allOf" && i === 0))) continue;
      errors.push(...nested(branch, `${path}.${name}[${i}]`));
    }
  }
  if (schema.not !== undefined) errors.push(...nested(schema.not, `${path}.not`));
  if (schema.pattern) {
    try {
      goPattern(schema.pattern);
    } catch (error) {
      const why = `must be a valid regular expression, but isn't: ${(error as Error).message}`;
      errors.push(fieldInvalid(`${path}.pattern`, schema.pattern, why));
    }
  }
  return errors;
}

/** What a branch must not say, with what it is told. */
const forbidden: Readonly<Record<string, string>> = {
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
};

function nested(schema: JsonSchema, path: string): StatusCause[] {
  const errors = valueChecks(schema, path, false);
  if (schema.items !== undefined) errors.push(...nested(schema.items, `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...nested(property, `${path}.properties[${name}]`));
    if (name === "metadata")
      errors.push(fieldForbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
  for (const [name, why] of Object.entries(forbidden)) {
    const value = schema[name as keyof JsonSchema];
    if (value !== undefined && value !== false && value !== "") errors.push(fieldForbidden(`${path}.${name}`, why));
  }
  return errors;
}

/** Whatever a branch speaks of must stand on the spine too. */
function completeness(schema: JsonSchema, own: JsonSchema | undefined, path: string): StatusCause[] {
  const errors: StatusCause[] = [];
  for (const name of ["anyOf", "allOf", "oneOf"] as const) {
    for (const [i, branch] of (schema[name] ?? []).entries())
      errors.push(...branchComplete(branch, own, `${path}`, `${path}.${name}[${i}]`));
  }
  if (schema.not !== undefined) errors.push(...branchComplete(schema.not, own, path, `${path}.not`));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...completeness(property, property, `${path}.properties[${name}]`));
  if (schema.items !== undefined) errors.push(...completeness(schema.items, schema.items, `${path}.items`));
  const additional = additionalSchema(schema);
  if (additional !== undefined) errors.push(...completeness(additional, additional, `${path}.additionalProperties`));
  return errors;
}

function branchComplete(
  branch: JsonSchema,
  own: JsonSchema | undefined,
  spinePath: string,
  path: string,
): StatusCause[] {
  const errors: StatusCause[] = [];
  for (const [name, property] of Object.entries(branch.properties ?? {})) {
    const at = `${spinePath}.properties[${name}]`;
    const mine = own?.properties?.[name];
    if (mine === undefined) errors.push(fieldRequired(at, `because it is defined in ${path}.properties[${name}]`));
    else errors.push(...branchComplete(property, mine, at, `${path}.properties[${name}]`));
  }
  if (branch.items !== undefined) {
    if (own?.items === undefined)
      errors.push(fieldRequired(`${spinePath}.items`, `because it is defined in ${path}.items`));
    else errors.push(...branchComplete(branch.items, own.items, `${spinePath}.items`, `${path}.items`));
  }
  return errors;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** Rules, defaults and list types, at every node of the spine. */
export function validateExtensions(schema: JsonSchema, path: string): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  for (const [i, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    errors.push(...ruleErrors(rule, `${path}.x-kubernetes-validations[${i}]`));
  }
  if (schema.default !== undefined) {
    const wrong = validateValue(schema.default, { ...schema, default: undefined } as JsonSchema, {
      path: "",
      old: undefined,
    });
    errors.push(
      ...wrong.map(({ field, ...cause }) => ({
        ...cause,
        field: field === "" || field === "<nil>" ? `${path}.default` : `${path}.default.${field}`,
      })),
    );
  }
  errors.push(...listErrors(schema, path));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...validateExtensions(property, `${path}.properties[${name}]`));
  if (schema.items !== undefined) errors.push(...validateExtensions(schema.items, `${path}.items`));
  const additional = additionalSchema(schema);
  if (additional !== undefined) errors.push(...validateExtensions(additional, `${path}.additionalProperties`));
  return errors;
}

function ruleErrors(rule: ValidationRule, path: string): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  if (!rule.rule?.trim()) return [fieldRequired(`${path}.rule`, "rule is not specified")];
  if (rule.reason !== undefined && !reasons.includes(rule.reason))
    errors.push(fieldNotSupported(`${path}.reason`, rule.reason, reasons));
  if (rule.message?.includes("\n"))
    errors.push(fieldInvalid(`${path}.message`, rule.message, "message must not contain line breaks"));
  for (const [name, expression] of [
    ["rule", rule.rule],
    ["messageExpression", rule.messageExpression],
  ] as const) {
    if (!expression) continue;
    try {
      compileExpression(expression);
    } catch (error) {
      const { summary } = error as { summary?: string };
      errors.push(
        fieldInvalid(
          `${path}.${name}`,
          name === "rule" ? rule : expression,
          `compilation failed: ERROR: <input>: ${summary ?? String(error)}`,
        ),
      );
    }
  }
  return errors;
}

function listErrors(schema: JsonSchema, path: string): readonly StatusCause[] {
  const type = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const errors: StatusCause[] = [];
  if (type !== undefined && !["atomic", "set", "map"].includes(type)) {
    errors.push(fieldNotSupported(`${path}.x-kubernetes-list-type`, type, ["atomic", "set", "map"]));
  }
  if (type !== undefined && schema.type !== "array") {
    errors.push(fieldInvalid(`${path}.type`, schema.type ?? "", `must be array if x-kubernetes-list-type is ${type}`));
  }
  if (keys.length > 0 && type !== "map") {
    errors.push(
      fieldInvalid(
        `${path}.x-kubernetes-list-type`,
        type ?? "",
        "must be map if x-kubernetes-list-map-keys is non-empty",
      ),
    );
  }
  if (type === "map" && keys.length === 0) {
    errors.push(
      fieldRequired(`${path}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"),
    );
  }
  for (const [i, key] of keys.entries()) {
    const property = schema.items?.properties?.[key];
    if (property === undefined) {
      errors.push(
        fieldInvalid(`${path}.x-kubernetes-list-map-keys[${i}]`, key, "entries must all be names of item properties"),
      );
    } else if (!schema.items?.required?.includes(key) && property.default === undefined) {
      errors.push(
        fieldRequired(
          `${path}.items.properties[${key}].default`,
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        ),
      );
    }
  }
  return errors;
}
