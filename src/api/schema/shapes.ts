/** What is known of a built-in type: its fields as JSON has them and as protobuf has them. From the table; to codecs, patches, apply, validation, OpenAPI. */

/** Values that are one word or number in JSON. */
export type ScalarKind =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  /** base64 in JSON */
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
  /** A JSON schema, or a list of them, a boolean, a list of strings. */
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

export interface ObjectShape {
  readonly kind: "object";
  /** Looked up when asked for: types refer to each other in circles. */
  readonly type: ObjectType;
}

export interface FieldType {
  /** In JSON. Empty for an inline field, whose own fields appear among those of its parent in JSON but not in protobuf. */
  readonly name: string;
  readonly shape: Shape;
  readonly inline: boolean;
  /** Among a type's properties: the names of the inline structs that the field comes through. */
  readonly through?: string;
  /** Absent and zero are two things. */
  readonly pointer: boolean;
  /** JSON leaves it out when it is empty: zero, "", false, no items; a struct is never empty. */
  readonly omitEmpty: boolean;
  /** JSON leaves it out when all of it is zero. */
  readonly omitZero: boolean;
  readonly required: boolean;
  /** Protobuf field number; undefined if protobuf leaves it out. */
  readonly number: number | undefined;
  readonly listType: "atomic" | "set" | "map" | undefined;
  /** For lists of type map. */
  readonly listMapKeys: readonly string[];
  readonly mapType: "atomic" | "granular" | undefined;
  /** Of strategic merge: `merge`, `retainKeys`, or both joined by a comma. */
  readonly patchStrategy: string | undefined;
  readonly patchMergeKey: string | undefined;
  /** What the published schema gives as default, zero values included. */
  readonly default: unknown;
}

export interface ObjectType {
  /** `PodSpec` */
  readonly name: string;
  /** `core/v1` */
  readonly package: string;
  /** As OpenAPI names it: `io.k8s.api.core.v1.PodSpec`. */
  readonly schemaName: string;
  /** The group and version whose kind this is; undefined for the parts of kinds. */
  readonly apiVersion: string | undefined;
  /** Changes as a whole under server-side apply. */
  readonly atomic: boolean;
  /** Not among the published schemas. */
  readonly hidden: boolean;
  /** In the order of declaration, inline fields as they are. */
  readonly fields: readonly FieldType[];
  /** By JSON name, with the fields of inline ones in their place. */
  readonly properties: ReadonlyMap<string, FieldType>;
}
