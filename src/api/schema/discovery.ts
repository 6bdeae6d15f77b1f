/**
 * The groups, versions and resources of a Kubernetes server, in the order of discovery. Read from the generated table
 * at first use.
 *
 * The table: `=group version` opens a version; `plural,Kind,singular,scope,verbs,shortNames,categories,hash,storage` is
 * a resource (scope `N` or `C`; verbs as letters; lists joined by `;`; storage as group/version where that differs);
 * `/name,verbs,Kind,group,version` is a subresource of the resource before it, in the same group and version unless
 * others are given.
 */
import { defined } from "../../base/defined.js";
import { lazy } from "../../base/lazy.js";
import { lookup } from "../../base/members.js";
import { discoveryTable } from "../generated/discovery.js";
import type { GroupVersionKind, ResourceNames } from "../resource-type.js";

export interface ServedSubresource {
  /** The name without its parent: `status`. */
  readonly name: string;
  /** The kind of the body, which may be of another group: `Scale` of autoscaling/v1, `Eviction` of policy/v1. */
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

/** One resource in one version, as discovery shows it. The same type serves built-in and custom kinds. */
export interface ServedResource extends ResourceNames {
  readonly verbs: readonly string[];
  readonly subresources: readonly ServedSubresource[];
  /** The hash that legacy discovery shows; absent for kinds that are not stored, and for custom kinds without one. */
  readonly storageVersionHash?: string;
}

export interface BuiltInResource extends ServedResource {
  /** The apiVersion in which the kind is stored. */
  readonly storageVersion: string;
}

export interface BuiltInVersion {
  readonly group: string;
  readonly version: string;
  /** True for stable versions; false for versions that must be switched on. */
  readonly servedByDefault: boolean;
  readonly resources: readonly BuiltInResource[];
}

const verbOf: Readonly<Record<string, string>> = lookup({
  c: "create",
  d: "delete",
  D: "deletecollection",
  g: "get",
  l: "list",
  p: "patch",
  u: "update",
  w: "watch",
});

/**
 * All versions that Kubernetes knows: the core group first, and the preferred version of each group before its others.
 */
export const builtInVersions: () => readonly BuiltInVersion[] = lazy(readTable);

function readTable(): readonly BuiltInVersion[] {
  const found: {
    group: string;
    version: string;
    resources: (BuiltInResource & { subresources: ServedSubresource[] })[];
  }[] = [];
  for (const line of discoveryTable.split("\n")) {
    if (line === "") continue;
    if (line.startsWith("=")) {
      const [group = "", version = ""] = line.slice(1).split(" ");
      found.push({ group, version, resources: [] });
      continue;
    }
    const current = found.at(-1)!;
    if (line.startsWith("/")) current.resources.at(-1)?.subresources.push(readSubresource(line, current));
    else current.resources.push(readResource(line, current));
  }
  return found.map((version) => ({ ...version, servedByDefault: /^v\d+$/.test(version.version) }));
}

function readResource(
  line: string,
  { group, version }: { readonly group: string; readonly version: string },
): BuiltInResource & { subresources: ServedSubresource[] } {
  const [plural = "", kind = "", singular, scope, verbs = "", shortNames, categories, hash, storage] = line.split(",");
  const own = group === "" ? version : `${group}/${version}`;
  return {
    group,
    version,
    kind,
    plural,
    singular: singular || kind.toLowerCase(),
    listKind: `${kind}List`,
    scope: scope === "N" ? "Namespaced" : "Cluster",
    shortNames: words(shortNames),
    categories: words(categories),
    verbs: readVerbs(verbs),
    subresources: [],
    ...defined({ storageVersionHash: hash || undefined }),
    storageVersion: storage ? storage.replace(/^\//, "") : own,
  };
}

function readSubresource(line: string, home: { readonly group: string; readonly version: string }): ServedSubresource {
  const [name = "", verbs = "", kind = "", group = home.group, version = home.version] = line.slice(1).split(",");
  return { name, kind: { group, version, kind }, verbs: readVerbs(verbs) };
}

function words(list: string | undefined): readonly string[] {
  return list ? list.split(";") : [];
}

function readVerbs(letters: string): readonly string[] {
  return letters.split("").map((letter) => verbOf[letter] as string);
}
