/** Parses discovery documents, aggregated and legacy. Pure. */
import type { KubeObject } from "../../api/object.js";
import { apiVersionOf, parseGroupVersion, type ResourceType } from "../../api/resource-type.js";

/** An object of a kind that is not known at compile time. */
export type Unstructured = KubeObject & Readonly<Record<string, unknown>>;

/** A descriptor made from discovery, for `client.resource`. */
export interface DiscoveredResource extends ResourceType<Unstructured> {
  readonly verbs: readonly string[];
}

export interface DiscoveredGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** In the server's order: the first is preferred. */
  readonly versions: readonly string[];
}

/** A part that could not be read; the rest is valid. */
export interface DiscoveryFailure {
  readonly apiVersion: string;
  readonly error: Error;
}

export interface Discovered {
  readonly groups: readonly DiscoveredGroup[];
  readonly resources: readonly DiscoveredResource[];
  readonly failures: readonly DiscoveryFailure[];
}

export interface AggregatedList {
  readonly kind: "APIGroupDiscoveryList";
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly AggregatedVersion[];
  }[];
}

interface AggregatedVersion {
  readonly version: string;
  readonly freshness?: "Current" | "Stale";
  readonly resources?: readonly AggregatedResource[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind?: string };
  readonly scope?: "Namespaced" | "Cluster";
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

export function isAggregated(document: unknown): document is AggregatedList {
  return (document as { readonly kind?: unknown } | null)?.kind === "APIGroupDiscoveryList";
}

export function fromAggregated(list: AggregatedList): Discovered {
  const groups: DiscoveredGroup[] = [];
  const resources: DiscoveredResource[] = [];
  const failures: DiscoveryFailure[] = [];
  for (const { metadata, versions = [] } of list.items ?? []) {
    const group = metadata?.name ?? "";
    groups.push({ name: group, versions: versions.map(({ version }) => version) });
    for (const { version, freshness, resources: listed = [] } of versions) {
      if (freshness === "Stale") {
        const apiVersion = apiVersionOf({ group, version });
        failures.push({ apiVersion, error: new Error(`${apiVersion}: the server that has it cannot be reached`) });
      }
      for (const entry of listed) {
        const kind = entry.responseKind?.kind;
        // a resource that exists only through its subresources has no kind of its own
        if (kind) resources.push(descriptorOf(entry, { group, version, kind }));
      }
    }
  }
  return { groups, resources, failures };
}

function descriptorOf(
  entry: AggregatedResource,
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
): DiscoveredResource {
  return {
    group,
    version,
    kind,
    plural: entry.resource,
    singular: entry.singularResource || kind.toLowerCase(),
    listKind: `${kind}List`,
    scope: entry.scope ?? "Namespaced",
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    subresources: (entry.subresources ?? []).map(({ subresource }) => subresource),
    verbs: entry.verbs ?? [],
  };
}

/** The legacy `/apis` document: names only; resources are asked for version by version. */
export interface LegacyGroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions?: readonly { readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
}

/** The preferred version first, then the others in the server's order. */
export function fromLegacyGroups({ groups = [] }: LegacyGroupList): readonly DiscoveredGroup[] {
  return groups.map(({ name, versions = [], preferredVersion }) => {
    const all = versions.map(({ version }) => version);
    const preferred = preferredVersion?.version;
    return { name, versions: preferred ? [preferred, ...all.filter((version) => version !== preferred)] : all };
  });
}

export interface LegacyResourceList {
  readonly groupVersion: string;
  readonly resources?: readonly {
    /** `pods`, or `pods/status`. */
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

export function fromLegacyResources({
  groupVersion,
  resources = [],
}: LegacyResourceList): readonly DiscoveredResource[] {
  const place = parseGroupVersion(groupVersion);
  const parts = resources
    .filter(({ name }) => name.includes("/"))
    .map(({ name }) => name.split("/") as [string, string]);
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, singularName, namespaced, kind, verbs = [], shortNames = [], categories = [] }) => ({
      ...place,
      kind,
      plural: name,
      singular: singularName || kind.toLowerCase(),
      listKind: `${kind}List`,
      scope: namespaced ? "Namespaced" : "Cluster",
      shortNames,
      categories,
      subresources: parts.filter(([of]) => of === name).map(([, part]) => part),
      verbs,
    }));
}

export function merged(...parts: readonly Discovered[]): Discovered {
  return {
    groups: parts.flatMap(({ groups }) => groups),
    resources: parts.flatMap(({ resources }) => resources),
    failures: parts.flatMap(({ failures }) => failures),
  };
}
