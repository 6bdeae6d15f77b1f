/** Takes the OpenAPI v3 schemas of a server and gives the types of their values, each when an expression asks for it. */
import { own } from "../../../base/members.js";
import type { TypeProvider } from "../checker/environment.js";
import { escapedName } from "../values/names.js";
import * as types from "../values/types.js";
import type { Type } from "../values/types.js";

/** The members of a schema that decide the type of a value. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** An OpenAPI v3 document, of which the schemas count. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

/** A schema without a reference at its top, and the references that lead to it. */
interface Place {
  readonly schema: OpenApiSchema;
  readonly document: OpenApiDocument;
  readonly within: readonly string[];
}

const text: OpenApiSchema = { type: "string" };
const formats: Readonly<Record<string, Type>> = {
  byte: types.bytes,
  duration: types.duration,
  date: types.timestamp,
  "date-time": types.timestamp,
};

/**
 * Invariants:
 * 1. Each struct type that was given out is in `#structs` by its name, which is the path from the root.
 * 2. A schema inside itself is an object without fields, so that each path is finite.
 */
export class SchemaTypes implements TypeProvider {
  readonly #structs = new Map<string, Place>();

  /**
   * The type of a whole object, under this name; undefined if the document does not describe the kind, `dyn` if its
   * values have no type.
   */
  objectType(document: OpenApiDocument, of: GroupVersionKind, name: string): Type | undefined {
    const isOf = (one: GroupVersionKind): boolean =>
      one.group === of.group && one.version === of.version && one.kind === of.kind;
    for (const [key, schema] of Object.entries(document.components?.schemas ?? {})) {
      if (schema["x-kubernetes-group-version-kind"]?.some(isOf))
        return this.#typeOf({ schema, document, within: [key] }, name, true) ?? types.dyn;
    }
    return undefined;
  }

  fieldType(struct: string, field: string): Type | undefined {
    const place = this.#structs.get(struct);
    for (const [property, schema] of Object.entries(place?.schema.properties ?? {})) {
      if (escapedName(property) === field) return this.#inner(place as Place, schema, `${struct}.${field}`);
    }
    return undefined;
  }

  named(name: string): Type | undefined {
    return this.#structs.has(name) ? types.struct(name) : undefined;
  }

  #inner({ document, within }: Place, schema: OpenApiSchema, name: string): Type | undefined {
    const place = resolved({ schema, document, within });
    return place && this.#typeOf(place, name, place.schema["x-kubernetes-embedded-resource"] === true);
  }

  /** Undefined if expressions cannot read the value. `root` is true for an object with kind, apiVersion and metadata. */
  #typeOf(place: Place, name: string, root: boolean): Type | undefined {
    const { schema } = place;
    if (schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string") return types.dyn;
    switch (schema.type) {
      case "array": {
        const item = schema.items && this.#inner(place, schema.items, `${name}.@idx`);
        return item && types.list(item);
      }
      case "object": {
        const { additionalProperties: additional } = schema;
        if (typeof additional === "object") {
          const value = this.#inner(place, additional, `${name}.@elem`);
          return value && types.map(types.string, value);
        }
        this.#structs.set(name, root ? withTypeMeta(place) : place);
        return types.struct(name);
      }
      case "string":
        return own(formats, schema.format ?? "") ?? types.string;
      case "boolean":
        return types.bool;
      case "number":
        return types.double;
      case "integer":
        return types.int;
      default:
        return undefined;
    }
  }
}

/** Follows references; undefined if one leads nowhere. */
function resolved(place: Place): Place | undefined {
  const ref = refOf(place.schema);
  if (ref === undefined) return place;
  if (place.within.includes(ref)) return { ...place, schema: { type: "object" } };
  const schema = own(place.document.components?.schemas ?? {}, ref);
  return schema && resolved({ ...place, schema, within: [...place.within, ref] });
}

/** A reference that has a description beside it stands in `allOf`. */
function refOf({ $ref, allOf = [] }: OpenApiSchema): string | undefined {
  const ref = $ref ?? allOf.find((one) => one.$ref !== undefined)?.$ref;
  return ref?.replace(/^#\/components\/schemas\//, "");
}

/** Expressions may always read these members of an object, whatever its schema says. */
function withTypeMeta(place: Place): Place {
  const { schema, document, within } = place;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const named = metadata && resolved({ schema: metadata, document, within })?.schema.properties;
  const isText = (one: OpenApiSchema | undefined): boolean => one?.type === "string";
  if ([kind, apiVersion, named?.["name"], named?.["generateName"]].every(isText)) return place;
  const least: OpenApiSchema = { type: "object", properties: { name: text, generateName: text } };
  return {
    ...place,
    schema: { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata: least } },
  };
}
