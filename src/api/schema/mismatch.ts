/** Takes a value that a field cannot hold, and gives the message of Go's decoder. */
import { isNumeric } from "../values/exact-json.js";
import type { ObjectType, Shape } from "./shapes.js";

/** The value's type does not fit its field; the message is worded as Go words it. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
}

/**
 * The message of Go's decoder about a field that cannot take a value. `fields` are the names that lead to the field.
 */
export function mismatchWords(
  owner: ObjectType | undefined,
  fields: readonly string[],
  { given, wanted }: { readonly given: string; readonly wanted: Shape | "uint8" },
): string {
  const into = fields.length === 0 ? "Go value" : `Go struct field ${owner?.name ?? ""}.${fields.join(".")}`;
  return `json: cannot unmarshal ${given} into ${into} of type ${wanted === "uint8" ? wanted : goType(wanted)}`;
}

/**
 * Go's name for a JSON value that a field of this shape cannot take. For a field that takes integers, the name includes
 * the number.
 */
export function jsonKind(value: unknown, shape: Shape | "uint8"): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  const kind = shape === "uint8" ? shape : shape.kind;
  const numeric = kind === "int32" || kind === "int64" || kind === "intOrString" || kind === "uint8";
  if (isNumeric(value)) return numeric ? `number ${value}` : "number";
  return typeof value;
}

/** The name that Go prints for the type. */
function goType(shape: Shape): string {
  switch (shape.kind) {
    case "list":
      return `[]${goType(shape.items)}`;
    case "map":
      return `map[string]${goType(shape.items)}`;
    case "object":
      return `v${shape.type.package.split("/v")[1]}.${shape.type.name}`;
    case "boolean":
      return "bool";
    case "double":
      return "float64";
    case "bytes":
      return "[]uint8";
    case "intOrString":
      return "int32";
    case "time":
    case "microTime":
    case "duration":
      return "string";
    default:
      return shape.kind;
  }
}
