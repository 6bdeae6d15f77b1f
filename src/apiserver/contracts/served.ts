/** The groups that the server serves, their versions, and the resources of each, as discovery lists them. */
import type { ServedResource, ServedSubresource } from "../../api/schema/index.js";

export type { ServedResource, ServedSubresource };

/** All that is served now, in the order in which discovery lists it (group priority, then version priority). */
export interface ServedGroup {
  readonly group: string;
  /** Most preferred first. */
  readonly versions: readonly { readonly version: string; readonly resources: readonly ServedResource[] }[];
}
