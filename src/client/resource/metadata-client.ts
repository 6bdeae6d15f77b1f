/** The metadata of a kind's objects alone, a small part of large objects. */
import type { KubeObject, ObjectMeta } from "../../api/object.js";
import type { ResourceType } from "../../api/resource-type.js";
import { ResourceClient, type ResourceScope } from "./resource-client.js";
import type { ResourceContext } from "./verbs.js";

/** The result of a metadata-only read, whatever the kind. */
export interface PartialObjectMetadata extends KubeObject {
  readonly metadata: ObjectMeta;
}

/** The verbs that make sense on metadata alone. */
export type MetadataClient = Pick<
  ResourceClient<PartialObjectMetadata>,
  | "type"
  | "namespace"
  | "limits"
  | "get"
  | "getOrUndefined"
  | "list"
  | "stream"
  | "listAll"
  | "each"
  | "watch"
  | "patch"
  | "delete"
  | "deleteCollection"
>;

export function metadataClient(
  context: ResourceContext,
  type: ResourceType,
  scope: ResourceScope<PartialObjectMetadata>,
): MetadataClient {
  const partial = type as ResourceType<PartialObjectMetadata>;
  return new ResourceClient(context, partial, { ...scope, as: "metadata" });
}
