/** Turns the generated types of the built-in kinds into ApplyTypes. */
import type { FieldType, ObjectType, Shape } from "../../../api/schema/index.js";
import { type ApplyType, deduced, type FieldOfMap, type ListType, untypedAtomic } from "./types.js";

const objectTypes = new WeakMap<ObjectType, Map<string, ApplyType>>();

/** The type of a built-in kind, or of a part of one. */
export function applyTypeOf(type: ObjectType, mapType?: FieldType["mapType"]): ApplyType {
  let variants = objectTypes.get(type);
  if (variants === undefined) {
    variants = new Map();
    objectTypes.set(type, variants);
  }
  let applyType = variants.get(mapType ?? "");
  if (applyType === undefined) {
    applyType = objectType(type, mapType === undefined ? type.atomic : mapType === "atomic");
    variants.set(mapType ?? "", applyType);
  }
  return applyType;
}

function objectType(type: ObjectType, atomic: boolean): ApplyType {
  const known = new Map<string, FieldOfMap>();
  return {
    map: {
      atomic,
      field(name) {
        let found = known.get(name);
        if (found === undefined) {
          const field = type.properties.get(name);
          if (field === undefined) return undefined;
          found = { type: fieldType(field), default: field.default };
          known.set(name, found);
        }
        return found;
      },
      // an object type without declared fields takes any member
      others: type.properties.size === 0 ? deduced : undefined,
    },
  };
}

function fieldType(field: FieldType): ApplyType {
  return typeOfShape(field.shape, field);
}

const string: ApplyType = { scalar: "string" };
const boolean: ApplyType = { scalar: "boolean" };
const numeric: ApplyType = { scalar: "numeric" };
const untyped: ApplyType = { scalar: "untyped" };

function typeOfShape(shape: Shape, field?: FieldType): ApplyType {
  switch (shape.kind) {
    case "object":
      return applyTypeOf(shape.type, field?.mapType);
    case "list":
      return { list: listType(shape.items, field) };
    case "map":
      return { map: { atomic: field?.mapType === "atomic", field: () => undefined, others: typeOfShape(shape.items) } };
    case "string":
    case "bytes":
    case "duration":
      return string;
    case "boolean":
      return boolean;
    case "int32":
    case "int64":
    case "double":
      return numeric;
    case "time":
    case "microTime":
    case "quantity":
    case "intOrString":
      return untyped;
    case "fieldsV1":
      return { map: { atomic: false, field: () => undefined, others: deduced, deduced: true } };
    case "rawExtension":
      return untypedAtomic;
    default:
      return deduced;
  }
}

function listType(items: Shape, field?: FieldType): ListType {
  const type = typeOfShape(items);
  if (field?.listType === "map") return { atomic: false, keys: field.listMapKeys, items: type };
  if (field?.listType === "set") return { atomic: false, keys: [], items: type };
  if (field?.listType === undefined && field?.patchStrategy?.startsWith("merge") === true) {
    return { atomic: false, keys: field.patchMergeKey === undefined ? [] : [field.patchMergeKey], items: type };
  }
  return { atomic: true, keys: [], items: type };
}
