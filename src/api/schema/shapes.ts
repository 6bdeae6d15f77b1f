/** The shape of a built-in type: its fields in JSON and in protobuf. */

/** Values that are one string or number in JSON. */
export type ScalarKind =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  /** Base64 in JSON. */
  | "bytes"
  | "time"
  | "microTime"
  | "duration"
  | "quantity"
  | "intOrString";

/** Values that the type does not describe further. */
export type OpaqueKind =
  /** Any object with a kind. */
  | "rawExtension"
  | "fieldsV1"
  /** Any JSON value. */
  | "json"
  /** A JSON schema, or in its place a list of schemas, a boolean, or a list of strings. */
  | "schemaOrArray"
  | "schemaOrBool"
  | "schemaOrStrings";

export type Shape =
  | { readonly kind: ScalarKind; readonly enum?: readonly string[] }
  | { readonly kind: OpaqueKind }
  | ObjectShape
  /** `wrapped`: protobuf puts the list into a message of its own. */
  | { readonly kind: "list"; readonly items: Shape; readonly wrapped: boolean }
  /** Keys are strings. */
  | { readonly kind: "map"; readonly items: Shape };

interface ObjectShape {
  readonly kind: "object";
  /** Resolved at each access: types refer to each other in circles. */
  readonly type: ObjectType;
}

export interface FieldType {
  /** The name in JSON. Empty for an inline field, whose own fields appear among its parent's in JSON but not in protobuf. */
  readonly name: string;
  readonly shape: Shape;
  readonly inline: boolean;
  /** In `properties` only: the names of the inline structs that the field comes through. */
  readonly through?: string;
  /** True if absent and zero are different values. */
  readonly pointer: boolean;
  /** True if JSON leaves the field out when it is empty: zero, "", false, no items. A struct is never empty. */
  readonly omitEmpty: boolean;
  /** True if JSON leaves the field out when all of it is zero. */
  readonly omitZero: boolean;
  readonly required: boolean;
  /** The protobuf field number; undefined if protobuf leaves the field out. */
  readonly number: number | undefined;
  readonly listType: "atomic" | "set" | "map" | undefined;
  /** The keys of a list of type map. */
  readonly listMapKeys: readonly string[];
  readonly mapType: "atomic" | "granular" | undefined;
  /** The strategy of strategic merge: `merge`, `retainKeys`, or both joined by a comma. */
  readonly patchStrategy: string | undefined;
  readonly patchMergeKey: string | undefined;
  /** The default of the published schema, zero values included. */
  readonly default: unknown;
}

export interface ObjectType {
  /** `PodSpec` */
  readonly name: string;
  /** `core/v1` */
  readonly package: string;
  /** The name in OpenAPI: `io.k8s.api.core.v1.PodSpec`. */
  readonly schemaName: string;
  /** The group and version of a kind; undefined for a type that is only a part of kinds. */
  readonly apiVersion: string | undefined;
  /** True if server-side apply treats the value as a whole. */
  readonly atomic: boolean;
  /** True if the type is not among the published schemas. */
  readonly hidden: boolean;
  /** In the order of declaration; an inline field is one entry. */
  readonly fields: readonly FieldType[];
  /** By JSON name; the fields of an inline struct stand in its place. */
  readonly properties: ReadonlyMap<string, FieldType>;
  /** By protobuf number, the highest first, which is the order of a writer that works from the end. */
  readonly numbered: ReadonlyMap<number, FieldType>;
}
