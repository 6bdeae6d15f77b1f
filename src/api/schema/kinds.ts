/** Finds the type of an object by its apiVersion and kind. */
import { apiVersionOf, type GroupVersionKind } from "../resource-type.js";
import type { ObjectType } from "./shapes.js";
import { packageOf, typeNamed } from "./table.js";

/** Kinds that belong to every group and version. */
const everywhere: ReadonlySet<string> = new Set(["DeleteOptions", "WatchEvent"]);

/** Kinds of the API machinery: apiVersion `meta.k8s.io/v1`, or `v1` for kinds that are older than that group. */
const metaKinds: ReadonlySet<string> = new Set(["PartialObjectMetadata", "PartialObjectMetadataList"]);
const metaKindsOfV1: ReadonlySet<string> = new Set([
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "Status",
]);

/** Kinds that are no longer served but still accepted in requests, each with the version whose type it shares. */
const sharedTypes: ReadonlyMap<string, string> = new Map([["policy/v1beta1 Eviction", "policy/v1"]]);

/** The type of a built-in kind (lists, options and Status included), or undefined for a kind that is not built in. */
export function builtInTypeOf(apiVersion: string, kind: string): ObjectType | undefined {
  if (everywhere.has(kind)) return typeNamed(`meta/v1.${kind}`);
  if (apiVersion === "meta.k8s.io/v1" && metaKinds.has(kind)) return typeNamed(`meta/v1.${kind}`);
  if (apiVersion === "v1" && metaKindsOfV1.has(kind)) return typeNamed(`meta/v1.${kind}`);
  const shared = sharedTypes.get(`${apiVersion} ${kind}`);
  if (shared !== undefined) return builtInTypeOf(shared, kind);
  const home = packageOf(apiVersion);
  const type = home === undefined ? undefined : typeNamed(`${home}.${kind}`);
  return type?.apiVersion === apiVersion ? type : undefined;
}

export function typeOfKind(kind: GroupVersionKind): ObjectType | undefined {
  return builtInTypeOf(apiVersionOf(kind), kind.kind);
}
