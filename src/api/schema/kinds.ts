/** From an object's apiVersion and kind to its type in the table. */
import { apiVersionOf, type GroupVersionKind } from "../resource-type.js";
import type { ObjectType } from "./shapes.js";
import { packageOf, typeNamed } from "./table.js";

/** Kinds that belong to every group and version. */
const everywhere: ReadonlySet<string> = new Set(["DeleteOptions", "WatchEvent"]);

/** Kinds of the machinery itself: apiVersion `meta.k8s.io/v1`, or `v1` for those that are older than that name. */
const metaKinds: ReadonlySet<string> = new Set(["PartialObjectMetadata", "PartialObjectMetadataList"]);
const metaKindsOfV1: ReadonlySet<string> = new Set([
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "Status",
]);

/** By apiVersion and kind, the version whose type they share: no longer served, but still taken from those who send them. */
const sharedTypes: ReadonlyMap<string, string> = new Map([["policy/v1beta1 Eviction", "policy/v1"]]);

/** The type of a built-in kind (also of its list, of options and of Status), or undefined for a kind that is not built in. */
export function typeOf(apiVersion: string, kind: string): ObjectType | undefined {
  if (everywhere.has(kind)) return typeNamed(`meta/v1.${kind}`);
  if (apiVersion === "meta.k8s.io/v1" && metaKinds.has(kind)) return typeNamed(`meta/v1.${kind}`);
  if (apiVersion === "v1" && metaKindsOfV1.has(kind)) return typeNamed(`meta/v1.${kind}`);
  const shared = sharedTypes.get(`${apiVersion} ${kind}`);
  if (shared !== undefined) return typeOf(shared, kind);
  const home = packageOf(apiVersion);
  const type = home === undefined ? undefined : typeNamed(`${home}.${kind}`);
  return type?.apiVersion === apiVersion ? type : undefined;
}

export function typeOfKind(kind: GroupVersionKind): ObjectType | undefined {
  return typeOf(apiVersionOf(kind), kind.kind);
}
