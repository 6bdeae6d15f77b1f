/**
 * Turns JSON Schema, as generators write it, into the structural form that custom kinds need. Knows no
 * generator by name.
 */
import type { StructuralSchema } from "./schema.js";
import { own, isRecord } from "../../base/members.js";

type Json = Readonly<Record<string, unknown>>;

/** Keywords that are left out: some constrain nothing, the others are expressed in another way. */
const dropped: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$comment",
  "$defs",
  "$ref",
  "id",
  "examples",
  "readOnly",
  "writeOnly",
  "deprecated",
  "contentEncoding",
  "contentMediaType",
]);

/** The keywords that a structural schema may have. Schemas nested inside them are converted in turn. */
const sayable: ReadonlySet<string> = new Set([
  "type",
  "title",
  "description",
  "format",
  "default",
  "enum",
  "nullable",
  "properties",
  "required",
  "items",
  "additionalProperties",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
]);

/** Throws where the schema has a constraint that a structural schema cannot express. */
export function structuralSchema(schema: object): StructuralSchema {
  return convert(schema as Json, schema as Json, "");
}

function convert(schema: Json, root: Json, path: string): StructuralSchema {
  const target = asMap(asEnum(resolve(schema, root, path), path));
  const nullable = withoutNull(target);
  if (nullable) return { ...convert(nullable, root, path), nullable: true };
  const { choices, ...only } = typeChoices(target, path);
  if (choices?.["x-kubernetes-int-or-string"]) return choices;
  if (choices) return { ...convert(only, root, path), ...choices };
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(target)) {
    if (dropped.has(key) || isDefaultBound(key, value)) continue;
    if (isTrivial(key, value)) continue;
    out[key] = member(key, value, { root, path });
  }
  if (out["type"] !== undefined && !types.has(out["type"])) throw unsayable(`type ${String(out["type"])}`, path);
  openOrClose(out, target["additionalProperties"], path);
  bounds(out, "Minimum");
  bounds(out, "Maximum");
  // a schema without a type allows any value
  if (out["type"] === undefined) out["x-kubernetes-preserve-unknown-fields"] = true;
  return out;
}

const types: ReadonlySet<unknown> = new Set(["object", "array", "string", "integer", "number", "boolean"]);

/** Constants, and choices between them, are values of one type. A server refuses null wherever there is an enum. */
function asEnum(schema: Json, path: string): Json {
  const { const: constant, enum: several, anyOf, ...rest } = schema;
  const alternatives = Array.isArray(anyOf) ? anyOf.map(constantsOf) : [];
  const values =
    "const" in schema
      ? [constant]
      : Array.isArray(several)
        ? (several as readonly unknown[])
        : alternatives.length > 1 && alternatives.every((one) => one !== undefined)
          ? alternatives.flat()
          : undefined;
  if (values === undefined) return schema;
  if (values.includes(null) || schema["nullable"] === true) throw unsayable("null among constants", path);
  const kinds = new Set(values.map((value) => typeof value));
  if (kinds.size !== 1 || kinds.has("object")) return schema;
  const [type] = kinds;
  return { type, ...rest, enum: values };
}

function constantsOf(part: unknown): readonly unknown[] | undefined {
  if (!isRecord(part)) return undefined;
  if ("const" in part) return [part["const"]];
  if (part["type"] === "null") return [null];
  return Array.isArray(part["enum"]) ? (part["enum"] as readonly unknown[]) : undefined;
}

/** A pattern that every name matches makes a map. */
function asMap(schema: Json): Json {
  const { patternProperties, ...rest } = schema;
  if (!isRecord(patternProperties) || Object.keys(patternProperties).join() !== "^.*$") return schema;
  return { ...rest, additionalProperties: patternProperties["^.*$"] };
}

/** Several types at once: only one type and null, or a string and an integer, can be expressed. */
function typeChoices(schema: Json, path: string): Json & { readonly choices?: StructuralSchema } {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const names = (type as readonly string[]).filter((name) => name !== "null");
  const nullable = names.length < type.length ? { nullable: true } : {};
  if (names.length === 1) return { ...rest, type: names[0], choices: nullable };
  const mixed =
    names.length === 2 && names.includes("string") && (names.includes("integer") || names.includes("number"));
  if (!mixed) throw new Error(`a structural schema cannot have several types at ${path || "the top"}`);
  return { choices: { ...nullable, "x-kubernetes-int-or-string": true } };
}

function member(key: string, value: unknown, { root, path }: { readonly root: Json; readonly path: string }): unknown {
  if (key === "properties") {
    const entries = Object.entries(value as Json);
    return Object.fromEntries(entries.map(([name, inner]) => [name, convert(inner as Json, root, `${path}.${name}`)]));
  }
  if ((key === "items" || key === "additionalProperties") && isRecord(value)) return convert(value, root, `${path}[]`);
  const isList = key === "items" && typeof value !== "object";
  if (isList || (key === "items" && Array.isArray(value)) || !(sayable.has(key) || key.startsWith("x-kubernetes-")))
    throw unsayable(key, path);
  return value;
}

function unsayable(what: string, path: string): Error {
  return new Error(`a structural schema cannot say ${what} at ${path || "the top"}: write this part by hand`);
}

/** True for a keyword that constrains nothing: names that need only be strings, and items that need not be unique. */
function isTrivial(key: string, value: unknown): boolean {
  if (key === "propertyNames") return isRecord(value) && Object.keys(value).every((word) => word === "type");
  return key === "uniqueItems" && value === false;
}

/** Objects are closed by pruning, not by the schema. An open object keeps unknown fields, but cannot have a schema for them. */
function openOrClose(out: Record<string, unknown>, others: unknown, path: string): void {
  if (out["properties"] === undefined && others !== false) return;
  delete out["additionalProperties"];
  if (others === undefined || others === false) return;
  const isAnything = others === true || (isRecord(others) && Object.keys(others).length === 0);
  if (!isAnything) throw unsayable("additionalProperties beside properties", path);
  out["x-kubernetes-preserve-unknown-fields"] = true;
}

function resolve(schema: Json, root: Json, path: string): Json {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  const name = /^#\/\$defs\/(.+)$/.exec(reference)?.[1];
  const found = name === undefined ? undefined : own(root["$defs"] as Json | undefined, name);
  if (!isRecord(found)) throw new Error(`a structural schema cannot refer to itself at ${path || "the top"}`);
  return found;
}

/** Generators write `anyOf: [X, null]` for an X that may be null. */
function withoutNull(schema: Json): Json | undefined {
  const choices = schema["anyOf"];
  if (!Array.isArray(choices) || choices.length !== 2) return undefined;
  const others = (choices as readonly Json[]).filter(({ type }) => type !== "null");
  const { anyOf: _, ...rest } = schema;
  return others.length === 1 ? { ...others[0], ...rest } : undefined;
}

/** Generators bound every integer by JavaScript's safe range; these bounds carry no intent. */
function isDefaultBound(key: string, value: unknown): boolean {
  return (key === "maximum" || key === "minimum") && Math.abs(value as number) === Number.MAX_SAFE_INTEGER;
}

/** Draft 2020-12 gives an exclusive bound as a number; draft 4, which Kubernetes uses, as a flag beside the bound. */
function bounds(out: Record<string, unknown>, which: "Minimum" | "Maximum"): void {
  const exclusive = out[`exclusive${which}`];
  if (typeof exclusive !== "number") return;
  out[which.toLowerCase()] = exclusive;
  out[`exclusive${which}`] = true;
}
