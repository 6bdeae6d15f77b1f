/** The write pipeline's hook for managedFields and server-side apply. Called by the registry; implemented by apply/. */
import type { KubeObject } from "../../api/index.js";

/** Who writes where: the key under which ownership is recorded. */
export interface FieldManagerRequest {
  /** `fieldManager`, else the user agent up to the first slash. */
  readonly manager: string;
  /** group/version of the request, e.g. `apps/v1`. */
  readonly apiVersion: string;
  /** "" for the main endpoint. */
  readonly subresource: string;
  /** RFC 3339 seconds, for the entry's `time`. */
  readonly time: string;
}

/** Fields that an endpoint does not let through, so that nobody comes to own them there; paths as dotted names, e.g. `["status"]`. */
export type ResetFields = readonly (readonly string[])[];

/**
 * Keeps metadata.managedFields. Pure; objects are shared and frozen. Never throws on objects: if ownership cannot be computed, the
 * result keeps the live managedFields, as upstream does.
 */
export interface FieldManager {
  /**
   * After create, update or a non-apply patch: the object with managedFields brought up to date. `live` is what is stored
   * (an object without fields for a create). `object.metadata.managedFields` is what the client sent (`[{}]` or `[]` clears).
   */
  update(live: KubeObject | undefined, object: KubeObject, request: FieldManagerRequest): KubeObject;
  /**
   * Server-side apply: merges `applied` over `live` (undefined: creates) and gives the object to run through the rest of the
   * pipeline, with managedFields. Throws a 409 StatusError with FieldManagerConflict causes unless `force`.
   */
  apply(
    live: KubeObject | undefined,
    applied: KubeObject,
    request: FieldManagerRequest & { readonly force: boolean },
  ): KubeObject;
}
