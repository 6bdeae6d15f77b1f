/**
 * apply: takes a write and its manager, gives the object with its owners (`managedFields`), and merges applied
 * configurations. Pure.
 */
import { getOrMake } from "../../base/containers/recent.js";
import type { KubeObject } from "../../api/index.js";
import { type ObjectType, typedForm, builtInTypeOf } from "../../api/schema/index.js";
import type { FieldManager } from "../contracts/field-manager.js";
import { fieldManagerOf } from "./field-manager.js";
import { BuiltInTypes } from "./merge/built-in-types.js";
import type { PathSet } from "./merge/path-set.js";
import type { ApplyType } from "./merge/types.js";
import { builtInOwnable, customOwnable } from "./reset-fields.js";

export { metadataKeptByStatus } from "./reset-fields.js";
export { ownersAfterScale, ownersOfScale } from "./scale-owners.js";
export { customType } from "./custom-types.js";

/** A custom kind in one version. The same object must come back as long as its definition does not change. */
export interface CustomKind {
  readonly type: ApplyType;
  readonly hasStatus: boolean;
}

export interface ApplyOptions {
  /** A custom kind in a version; undefined if the version is not served. */
  readonly customKind?: (apiVersion: string, kind: string) => CustomKind | undefined;
  /** Converts between versions of one kind. Without it only the apiVersion changes, as for kinds whose versions are all alike. */
  readonly convert?: (object: KubeObject, apiVersion: string) => KubeObject | undefined;
}

export function createFieldManager({ customKind, convert }: ApplyOptions = {}): FieldManager {
  const builtInTypes = new BuiltInTypes();
  const emptyObjects = new Map<ObjectType, Readonly<Record<string, unknown>>>();
  return fieldManagerOf({
    typeOf(apiVersion, kind) {
      const builtIn = builtInTypeOf(apiVersion, kind);
      return builtIn === undefined ? customKind?.(apiVersion, kind)?.type : builtInTypes.of(builtIn);
    },
    emptyObject(apiVersion, kind) {
      const type = builtInTypeOf(apiVersion, kind);
      if (type === undefined) return { apiVersion, kind };
      return getOrMake(emptyObjects, type, () => typedForm(type, { apiVersion, kind }));
    },
    convert: convert ?? ((object, apiVersion) => ({ ...object, apiVersion })),
    ownable(set, { apiVersion, kind, subresource }): PathSet {
      const builtIn = builtInTypeOf(apiVersion, kind);
      if (builtIn === undefined) {
        return customOwnable(set, customKind?.(apiVersion, kind)?.hasStatus === true, subresource);
      }
      // a kind without a status resets no fields
      return builtIn.properties.has("status") ? builtInOwnable(set, kind, subresource) : set;
    },
  });
}
