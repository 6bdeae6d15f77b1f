/** Turns the structural schema of a custom kind into its ApplyType. */
import type { StructuralSchema } from "../../api/index.js";
import { typeNamed } from "../../api/schema/index.js";
import { BuiltInTypes } from "./merge/built-in-types.js";
import {
  type ApplyType,
  deduced,
  type FieldOfMap,
  type ListType,
  type MapType,
  type ScalarType,
  untypedAtomic,
} from "./merge/types.js";

/** The type of a custom kind's objects in one version. Without a schema, all of it is deduced from the values. */
export function customType(schema: StructuralSchema | undefined): ApplyType {
  return schema === undefined ? deduced : objectWithMeta(schema, false);
}

const text: FieldOfMap = { type: { scalar: "string" } };

function metaFields(): Readonly<Record<string, FieldOfMap>> {
  const meta = typeNamed("meta/v1.ObjectMeta");
  return {
    apiVersion: text,
    kind: text,
    metadata: { type: meta === undefined ? deduced : new BuiltInTypes().of(meta) },
  };
}

/** apiVersion, kind and metadata have the form that all objects share, whatever the schema says of them. */
function objectWithMeta(schema: StructuralSchema, preserve: boolean): ApplyType {
  const inner = typeOfSchema({ ...schema, "x-kubernetes-embedded-resource": false }, preserve).map;
  const meta = metaFields();
  return {
    map: {
      atomic: inner?.atomic ?? false,
      field: (name) => (Object.hasOwn(meta, name) ? meta[name] : inner?.field(name)),
      others: inner?.others,
    },
  };
}

function typeOfSchema(schema: StructuralSchema, inherited: boolean): ApplyType {
  const preserve = inherited || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema["x-kubernetes-embedded-resource"] === true) return objectWithMeta(schema, preserve);
  switch (schema.type) {
    case "object":
      return { map: mapType(schema, preserve) };
    case "array":
      return { list: listType(schema, preserve) };
    case "string":
      return { scalar: stringType(schema.format) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    default:
      return { scalar: "untyped", list: listType(schema, preserve), map: mapType(schema, preserve) };
  }
}

function stringType(format: string | undefined): ScalarType {
  return format === undefined || format === "" || format === "byte" ? "string" : "untyped";
}

function mapType(schema: StructuralSchema, preserve: boolean): MapType {
  const fields = new Map<string, FieldOfMap>();
  const { properties = {} } = schema;
  const others = othersOf(schema, preserve);
  return {
    atomic: schema["x-kubernetes-map-type"] === "atomic",
    field(name) {
      if (!Object.hasOwn(properties, name)) return undefined;
      let field = fields.get(name);
      if (field === undefined) {
        const property = properties[name] as StructuralSchema;
        field = { type: typeOfSchema(property, preserve), default: property.default };
        fields.set(name, field);
      }
      return field;
    },
    others,
    deduced: others === deduced && Object.keys(properties).length === 0,
  };
}

function othersOf(
  { additionalProperties, properties = {} }: StructuralSchema,
  preserve: boolean,
): ApplyType | undefined {
  if (additionalProperties === undefined) {
    return preserve || Object.keys(properties).length === 0 ? deduced : undefined;
  }
  if (typeof additionalProperties === "boolean") return additionalProperties ? deduced : undefined;
  return typeOfSchema(additionalProperties, preserve);
}

function listType(schema: StructuralSchema, preserve: boolean): ListType {
  const items = schema.items === undefined ? untypedAtomic : typeOfSchema(schema.items, preserve);
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return { atomic: false, keys: schema["x-kubernetes-list-map-keys"] ?? [], items };
    case "set":
      return { atomic: false, keys: [], items };
    default:
      return { atomic: true, keys: [], items };
  }
}
