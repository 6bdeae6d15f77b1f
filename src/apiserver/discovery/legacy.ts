/** Legacy discovery: one document per group and version, as plain data. */
import { defined, unlessEmpty } from "../../base/defined.js";
import { apiVersionOf } from "../../api/index.js";
import type { ServedGroup, ServedResource } from "../contracts/served.js";

interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

export interface ApiResourceList {
  readonly kind: "APIResourceList";
  /** Absent in the core group's document, as upstream. */
  readonly apiVersion?: "v1";
  readonly groupVersion: string;
  readonly resources: readonly ApiResource[];
}

interface GroupVersionForDiscovery {
  readonly groupVersion: string;
  readonly version: string;
}

interface ApiGroup {
  readonly name: string;
  readonly versions: readonly GroupVersionForDiscovery[];
  readonly preferredVersion: GroupVersionForDiscovery;
}

/** The document at `/api`; `serverAddress` is the host and port under which the client reaches the server. */
export function apiVersions(serverAddress: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** The document at `/apis`. */
export function apiGroupList(groups: readonly ServedGroup[]): object {
  const named = groups.filter(({ group, versions }) => group !== "" && versions.length > 0);
  return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(groupOf) };
}

/** The document at `/apis/{group}`; undefined if the group is not served. */
export function apiGroup(groups: readonly ServedGroup[], name: string): object | undefined {
  const found = groups.find(({ group, versions }) => group === name && name !== "" && versions.length > 0);
  return found && { kind: "APIGroup", apiVersion: "v1", ...groupOf(found) };
}

/** The document at `/api/v1` or `/apis/{group}/{version}`; undefined if the version is not served. */
export function apiResourceList(
  groups: readonly ServedGroup[],
  group: string,
  version: string,
): ApiResourceList | undefined {
  const served = groups.find((entry) => entry.group === group)?.versions.find((entry) => entry.version === version);
  if (served === undefined) return undefined;
  return {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: served.resources.flatMap(resourcesOf),
  };
}

function groupOf({ group, versions }: ServedGroup): ApiGroup {
  const entries = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: entries, preferredVersion: entries[0] as GroupVersionForDiscovery };
}

function resourcesOf(resource: ServedResource): readonly ApiResource[] {
  const namespaced = resource.scope === "Namespaced";
  const own: ApiResource = {
    name: resource.plural,
    singularName: resource.singular,
    namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...defined({
      shortNames: unlessEmpty(resource.shortNames),
      categories: unlessEmpty(resource.categories),
      storageVersionHash: resource.storageVersionHash,
    }),
  };
  const subresources = resource.subresources.map(({ name, kind, verbs }) => {
    const foreign = kind.group !== resource.group || kind.version !== resource.version;
    return {
      name: `${resource.plural}/${name}`,
      singularName: "",
      namespaced,
      ...(foreign ? { group: kind.group, version: kind.version } : {}),
      kind: kind.kind,
      verbs,
    };
  });
  return [own, ...subresources];
}
