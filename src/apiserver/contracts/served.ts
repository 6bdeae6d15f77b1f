/** The groups that the server serves, their versions, and the resources of each, as discovery lists them. */
import type { ServedResource, ServedSubresource } from "../../api/schema/index.js";

export type { ServedResource, ServedSubresource };

/** All that is served now, in the order in which discovery lists it (group priority, then version priority). */
export interface ServedGroup {
  readonly group: string;
  /** Most preferred first. */
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  /** Empty if another server answers for the version. */
  readonly resources: readonly ServedResource[];
  /** Present if another server answers for the version. */
  readonly remote?: RemoteVersion;
}

/** The documents of another server about a version, as far as they could be read. */
export interface RemoteVersion {
  /** The resources as aggregated discovery lists them. */
  readonly entries: readonly object[];
  /** Whether the server gave this list when it was asked last. */
  readonly current: boolean;
  /** Its OpenAPI v3 document, if there is one. */
  readonly openApiV3?: RemoteOpenApiV3;
  /** Its part of the OpenAPI v2 document. */
  readonly openApi?: OpenApiPart;
}

export interface RemoteOpenApiV3 {
  /** A server that has none of its own gets one that is made from its part of the v2 document. */
  readonly source: "own" | "v2";
  /** "" if the server gives none. */
  readonly hash: string;
}

export interface OpenApiPart {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Readonly<Record<string, object>>;
}
