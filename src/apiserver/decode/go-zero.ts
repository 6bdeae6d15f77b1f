/** What Go writes for a field that has no value. */
import { type FieldType, type ObjectType, typeNamed } from "../../api/schema/index.js";

const zeroObjects = new WeakMap<ObjectType, Readonly<Record<string, unknown>>>();

/** Undefined: the field is left out. */
export function zeroOf(field: Pick<FieldType, "shape" | "pointer" | "omitEmpty" | "omitZero">): unknown {
  const { shape, pointer, omitEmpty, omitZero } = field;
  if (omitZero) return undefined;
  if (pointer) return omitEmpty ? undefined : null;
  switch (shape.kind) {
    case "object":
      return zeroObject(shape.type);
    // structs that are one word in JSON: `omitempty` never leaves a struct out
    case "time":
    case "microTime":
    case "rawExtension":
      return null;
    case "quantity":
      return "0";
    case "intOrString":
      return 0;
    case "duration":
      return "0s";
    default:
  }
  if (omitEmpty) return undefined;
  switch (shape.kind) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "int32":
    case "int64":
    case "double":
      return 0;
    default:
      return null;
  }
}

/** Frozen, and the same for all: a struct that nobody filled in. */
export function zeroObject(type: ObjectType): Readonly<Record<string, unknown>> {
  let zero = zeroObjects.get(type);
  if (zero === undefined) {
    const fields: Record<string, unknown> = {};
    for (const [name, field] of type.properties) {
      const value = zeroOf(field);
      if (value !== undefined) fields[name] = value;
    }
    zero = Object.freeze(fields);
    zeroObjects.set(type, zero);
  }
  return zero;
}

/** A JSON schema, or what may stand in its place: a list of them, a boolean, a list of names. */
export function schemaForm(value: unknown, form: (value: unknown, type: ObjectType) => unknown): unknown {
  const type = typeNamed("apiextensions/v1.JSONSchemaProps");
  if (type === undefined || typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) return form(value, type);
  const items = value.map((item: unknown) => (typeof item === "object" && item !== null ? form(item, type) : item));
  return items.every((item, index) => item === value[index]) ? value : items;
}
