/** Types that find a built-in kind by its apiVersion and kind. No code. */
import type * as kinds from "./generated/kinds.js";
import type { KubeObject } from "./object.js";
import type { ApplyConfiguration } from "./partial.js";
import type { ObjectOf } from "./resource-type.js";

type Kinds = typeof kinds;

/** An object of any built-in kind. */
export type BuiltInObject = { [Name in keyof Kinds]: ObjectOf<Kinds[Name]> }[keyof Kinds];

/** The built-in kind with this apiVersion and kind; never if there is none. */
export type BuiltIn<ApiVersion extends string, Kind extends string> = Extract<
  BuiltInObject,
  { readonly apiVersion: ApiVersion; readonly kind: Kind }
>;

/** The part of an object that an applier sends, where apiVersion and kind name a built-in kind. */
export type BuiltInConfiguration<ApiVersion extends string, Kind extends string> = {
  readonly apiVersion: ApiVersion;
  readonly kind: Kind;
} & ([BuiltIn<ApiVersion, Kind>] extends [never] ? KubeObject : ApplyConfiguration<BuiltIn<ApiVersion, Kind>>);

/** Accepts every object whose apiVersion and kind do not name a built-in kind. */
export type NotBuiltIn<T extends KubeObject> = string extends T["apiVersion"]
  ? unknown
  : [BuiltIn<T["apiVersion"], T["kind"]>] extends [never]
    ? unknown
    : never;
