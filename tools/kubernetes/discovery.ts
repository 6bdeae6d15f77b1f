/** Reads groups, versions and resources from the discovery documents that the kubernetes module publishes. */
import { join } from "node:path";
import { type ModuleFolders, readJson } from "./modules.js";

interface DiscoveredKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface DiscoveredSubresource {
  readonly name: string;
  readonly responseKind: DiscoveredKind;
  readonly verbs: readonly string[];
}

export interface DiscoveredResource {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly storageVersionHash: string | undefined;
  readonly subresources: readonly DiscoveredSubresource[];
}

export interface DiscoveredVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly DiscoveredResource[];
}

interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** All versions, preferred ones first within their group; the core group first, then in the server's order. */
export async function readDiscovery(folders: ModuleFolders): Promise<readonly DiscoveredVersion[]> {
  const folder = join(folders.kubernetes, "api/discovery");
  const groups = await readJson<{ groups: { name: string; versions: { version: string }[] }[] }>(
    join(folder, "apis.json"),
  );
  const found = [await readVersion(join(folder, "api__v1.json"), "", "v1")];
  for (const { name, versions } of groups.groups) {
    for (const { version } of versions) {
      found.push(await readVersion(join(folder, `apis__${name}__${version}.json`), name, version));
    }
  }
  return found;
}

async function readVersion(path: string, group: string, version: string): Promise<DiscoveredVersion> {
  const { resources } = await readJson<{ resources: readonly ApiResource[] }>(path);
  const kinds = resources.filter(({ name }) => !name.includes("/"));
  const parentless = resources.filter(
    ({ name }) => !kinds.some((kind) => name.startsWith(`${kind.name}/`) || name === kind.name),
  );
  if (parentless.length > 0) throw new Error(`subresources without a parent: ${parentless.map(({ name }) => name)}`);
  return {
    group,
    version,
    resources: kinds.map((resource) => ({
      plural: resource.name,
      singular: resource.singularName,
      kind: resource.kind,
      namespaced: resource.namespaced,
      verbs: resource.verbs,
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      storageVersionHash: resource.storageVersionHash,
      subresources: resources
        .filter(({ name }) => name.startsWith(`${resource.name}/`))
        .map((sub) => ({
          name: sub.name.slice(resource.name.length + 1),
          responseKind: { group: sub.group ?? group, version: sub.version ?? version, kind: sub.kind },
          verbs: sub.verbs,
        })),
    })),
  };
}
