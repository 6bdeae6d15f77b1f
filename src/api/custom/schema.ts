/** Structural schemas as literals, and the TypeScript type that each literal describes. */
import type { DeepReadonly, KubeObject } from "../object.js";

/** A rule in the expression language CEL, as `x-kubernetes-validations` has it. */
export interface ValidationRuleLiteral {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The part of JSON Schema that custom kinds may use. It goes into the definition unchanged. */
export interface StructuralSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRuleLiteral[];
}

declare const described: unique symbol;

/** A schema whose TypeScript type comes from elsewhere, e.g. from zod. */
export interface TypedSchema<T> extends StructuralSchema {
  /** Exists for the compiler only; there is no such property at run time. */
  readonly [described]: T;
}

/**
 * The same schema, with the type never for an unknown keyword and for a required field that is not among the
 * properties: a slip is then a compile error at its place.
 */
export type CheckedSchema<S> = {
  readonly [Key in keyof S]: Key extends keyof StructuralSchema | symbol ? CheckedPart<S, Key> : never;
};

type CheckedPart<S, Key extends keyof S> = Key extends "properties"
  ? { readonly [Name in keyof S[Key]]: CheckedSchema<S[Key][Name]> }
  : Key extends "required"
    ? S extends { readonly properties: infer P }
      ? readonly (keyof P & string)[]
      : S[Key]
    : Key extends "items" | "not"
      ? CheckedSchema<S[Key]>
      : S[Key];

type Flat<T> = { readonly [Key in keyof T]: T[Key] };

/** Fields that every object from a server has: required ones, and fields with a default. */
type Present<P, R> = {
  [Key in keyof P]: Key extends R ? Key : P[Key] extends { readonly default: unknown } ? Key : never;
}[keyof P];

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Properties<P, R> = Flat<
  { readonly [Key in keyof P as Key extends Present<P, R> ? Key : never]: TypeFromSchema<P[Key]> } & {
    readonly [Key in keyof P as Key extends Present<P, R> ? never : Key]?: TypeFromSchema<P[Key]>;
  }
>;

type AnyObject = Readonly<Record<string, unknown>>;

type ObjectFrom<S> = S extends { readonly properties: infer P }
  ? S extends { readonly "x-kubernetes-preserve-unknown-fields": true }
    ? Properties<P, RequiredOf<S>> & AnyObject
    : Properties<P, RequiredOf<S>>
  : S extends { readonly additionalProperties: infer A extends StructuralSchema }
    ? Readonly<Record<string, TypeFromSchema<A>>>
    : AnyObject;

type Plain<S> = S extends { readonly "x-kubernetes-int-or-string": true }
  ? number | string
  : S extends { readonly "x-kubernetes-embedded-resource": true }
    ? KubeObject & AnyObject
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly type: "string" }
        ? string
        : S extends { readonly type: "integer" | "number" }
          ? number
          : S extends { readonly type: "boolean" }
            ? boolean
            : S extends { readonly type: "array" }
              ? S extends { readonly items: infer Items }
                ? readonly TypeFromSchema<Items>[]
                : readonly unknown[]
              : S extends { readonly type: "object" }
                ? ObjectFrom<S>
                : unknown;

/**
 * The type of the values that a schema literal describes, as a server gives them: fields with a default are present.
 * Readonly all the way down, even for a type from elsewhere, because objects are shared.
 */
export type TypeFromSchema<S> = S extends { readonly [described]: infer T }
  ? DeepReadonly<T>
  : S extends { readonly nullable: true }
    ? Plain<S> | null
    : Plain<S>;
