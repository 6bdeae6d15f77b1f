/** Aggregated discovery: one document per root (`/api`, `/apis`), as plain data. */
import { defined, unlessEmpty } from "../../base/defined.js";
import { apiVersionOf, type GroupVersionKind } from "../../api/index.js";
import { packageOf } from "../../api/schema/index.js";
import type { ServedGroup, ServedResource, ServedVersion } from "../contracts/served.js";

/** The media type of the request's Accept header and of the answer. */
export const aggregatedMediaType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** `/api` has the core group, `/apis` all other groups. */
export function aggregatedDiscovery(groups: readonly ServedGroup[], root: "/api" | "/apis"): object {
  const items = groups.filter(({ group, versions }) => (group === "") === (root === "/api") && versions.length > 0);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: items.map(({ group, versions }) => ({
      metadata: defined({ name: group || undefined }),
      versions: versions.map(versionOf),
    })),
  };
}

function versionOf({ version, resources, remote }: ServedVersion): object {
  if (remote === undefined) return { version, resources: resources.map(resourceOf), freshness: "Current" };
  const listed = remote.entries.length > 0 ? { resources: remote.entries } : {};
  return { version, ...listed, freshness: remote.current ? "Current" : "Stale" };
}

function resourceOf(resource: ServedResource): object {
  const subresources = resource.subresources.map(({ name, kind, verbs }) => ({
    subresource: name,
    responseKind: responseKind(kind, resource),
    verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: responseKind(resource, resource),
    scope: resource.scope,
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...defined({
      shortNames: unlessEmpty(resource.shortNames),
      categories: unlessEmpty(resource.categories),
      subresources: unlessEmpty(subresources),
    }),
  };
}

/** Built-in kinds leave out their group and version, custom kinds repeat them, as upstream. */
function responseKind({ group, version, kind }: GroupVersionKind, home: ServedResource): GroupVersionKind {
  const own = group === home.group && version === home.version;
  const builtIn = packageOf(apiVersionOf(home)) !== undefined;
  return own && builtIn ? { group: "", version: "", kind } : { group, version, kind };
}
