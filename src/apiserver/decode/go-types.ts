/** The names of types as they stand in Go's decoding errors. */
import type { Shape } from "../../api/schema/index.js";

export function goTypeText(shape: Shape): string {
  switch (shape.kind) {
    case "list":
      return `[]${goTypeText(shape.items)}`;
    case "map":
      return `map[string]${goTypeText(shape.items)}`;
    case "object":
      return `${shape.type.package.slice(shape.type.package.indexOf("/") + 1)}.${shape.type.name}`;
    case "boolean":
      return "bool";
    case "double":
      return "float64";
    case "bytes":
      return "[]uint8";
    case "quantity":
      return "resource.Quantity";
    case "intOrString":
      return "intstr.IntOrString";
    case "int32":
    case "int64":
      return shape.kind;
    default:
      return "string";
  }
}

export function jsonTypeText(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "number" : `number ${value}`;
  return typeof value;
}
