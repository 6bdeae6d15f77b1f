/** Gives strategic merge patches their view of the type table. */
import type { GroupVersionKind } from "../resource-type.js";
import { typeOfKind } from "./kinds.js";
import type { FieldType, ObjectType, Shape } from "./shapes.js";

/** Structurally the PatchSchema of ../patch. */
interface TypeSchema {
  field(name: string): FieldSchema | undefined;
}

interface FieldSchema {
  readonly type?: TypeSchema | undefined;
  readonly patchStrategy?: string | undefined;
  readonly mergeKey?: string | undefined;
  readonly list?: boolean | undefined;
}

const schemas = new WeakMap<ObjectType, TypeSchema>();
const fields = new WeakMap<FieldType, FieldSchema>();

/** The patch schema of a built-in kind; undefined for any other kind. */
export function patchSchemaOfKind(kind: GroupVersionKind): TypeSchema | undefined {
  const type = typeOfKind(kind);
  return type && schemaOf(type);
}

function schemaOf(type: ObjectType): TypeSchema {
  let schema = schemas.get(type);
  if (schema === undefined) {
    schema = {
      field(name) {
        const field = type.properties.get(name);
        return field && fieldOf(field);
      },
    };
    schemas.set(type, schema);
  }
  return schema;
}

function fieldOf(field: FieldType): FieldSchema {
  let schema = fields.get(field);
  if (schema === undefined) {
    schema = {
      type: elementType(field.shape),
      patchStrategy: field.patchStrategy,
      mergeKey: field.patchMergeKey,
      list: field.shape.kind === "list",
    };
    fields.set(field, schema);
  }
  return schema;
}

/** The object type of a value, of a list's items, or of a map's values. */
function elementType(shape: Shape): TypeSchema | undefined {
  if (shape.kind === "object") return schemaOf(shape.type);
  if (shape.kind === "list") return elementType(shape.items);
  return undefined;
}
