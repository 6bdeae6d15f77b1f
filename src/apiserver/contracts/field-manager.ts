/** The interface of the write pipeline to managedFields and server-side apply. */
import type { KubeObject } from "../../api/index.js";
import type { Steps } from "../../base/index.js";

/** The identity under which ownership is recorded. */
export interface FieldManagerRequest {
  /** The `fieldManager` parameter, else the user agent up to the first slash. */
  readonly manager: string;
  /** The group and version of the request, e.g. `apps/v1`. */
  readonly apiVersion: string;
  /** "" for the main endpoint. */
  readonly subresource: string;
  /** RFC 3339 seconds, for the entry's `time`. */
  readonly time: string;
}

/**
 * Keeps metadata.managedFields, in steps, because an object of very many fields takes long. Pure; objects are shared and frozen. Never throws on objects: if ownership cannot be
 * computed, the result keeps the live managedFields, as upstream does.
 */
export interface FieldManager {
  /**
   * After a create, an update or a patch other than apply: gives the object with up-to-date managedFields. `live` is
   * the stored object (an object without fields for a create). `object.metadata.managedFields` is the client's (`[{}]`
   * or `[]` clears).
   */
  update(live: KubeObject | undefined, object: KubeObject, request: FieldManagerRequest): Steps<KubeObject>;
  /**
   * Server-side apply: merges `applied` over `live` (undefined for a create) and gives the object for the rest of the
   * pipeline, with managedFields. Throws a 409 StatusError with FieldManagerConflict causes unless `force`.
   */
  apply(
    live: KubeObject | undefined,
    applied: KubeObject,
    request: FieldManagerRequest & { readonly force: boolean },
  ): Steps<KubeObject>;
}
