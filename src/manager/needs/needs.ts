/** The demands of a manager on its cluster: definitions, permissions, webhooks. Takes declarations, gives data. */
import {
  crdOf,
  type CustomResourceDefinition,
  type CustomResourceType,
  isConvertible,
  type ResourceType,
} from "../../api/index.js";
import type { ClusterCache, KindUse } from "../../controller/index.js";
import type { NeededRule, ServedWebhooks, WebhookHost } from "../../webhook/index.js";
import type { CheckedOptions } from "../options.js";
import { mergedRules, neededRules } from "./rbac.js";
import { defined } from "../../base/defined.js";
import { byName } from "../../api/meta/key.js";

/** Everything that must be in a cluster so that the manager can do its work there. */
export interface ManagerNeeds {
  /** The definitions of the kinds that have a schema. */
  readonly definitions: readonly CustomResourceDefinition[];
  /** Sorted, and one for each resource, namespace and set of names. */
  readonly rules: readonly NeededRule[];
  /** Undefined if there are none. */
  readonly webhooks: ServedWebhooks | undefined;
  /** True if all replicas work, each on its shards: then there is no leader to elect. */
  readonly isSharded: boolean;
  /** The port of probes and metrics; undefined if they are not served. */
  readonly httpPort: number | undefined;
}

/** The declarations of a manager's author. */
export interface Declarations {
  readonly uses: readonly KindUse[];
  readonly cache: Pick<ClusterCache, "namespacesOf">;
  readonly webhooks: WebhookHost | undefined;
  readonly options: CheckedOptions;
}

export function permissionsOf({ uses, cache, webhooks, options }: Declarations): readonly NeededRule[] {
  const { leaderElection, sharding, events = "v1", permissions = [], namespaces = [""] } = options;
  const namespacesOf = (type: ResourceType): readonly string[] => cache.namespacesOf(type);
  const more = webhooks?.permissions() ?? [];
  return neededRules({
    uses,
    namespacesOf,
    leaderElection,
    group: sharding?.lease,
    events,
    permissions,
    namespaces,
    more,
  });
}

export function needsOf(declared: Declarations): ManagerNeeds {
  const uses = declared.uses.filter(({ cluster }) => cluster === "");
  const webhooks = declared.webhooks?.served();
  const types = [...uses.map(({ type }) => type), ...(declared.webhooks?.types ?? [])];
  return {
    definitions: definitionsOf(types, webhooks?.conversions ?? []),
    rules: mergedByNamespace(permissionsOf({ ...declared, uses })),
    webhooks,
    isSharded: declared.options.sharding !== undefined,
    httpPort: declared.options.http?.port,
  };
}

function definitionsOf(
  types: readonly ResourceType[],
  conversions: readonly CustomResourceDefinition[],
): readonly CustomResourceDefinition[] {
  const found = new Map<string, CustomResourceDefinition>();
  const isCustom = (type: ResourceType): type is CustomResourceType => "definition" in type;
  // a kind may be used with all of its versions in one place, and alone in another
  for (const type of types.filter(isCustom).toSorted((a, b) => Number(isConvertible(b)) - Number(isConvertible(a)))) {
    const definition = crdOf(type);
    const { name } = definition.metadata;
    if (found.has(name)) continue;
    const conversion = conversions.find(({ metadata }) => metadata.name === name)?.spec.conversion;
    const spec = { ...definition.spec, ...defined({ conversion }) };
    found.set(name, { ...definition, spec });
  }
  return [...found.values()].toSorted(byName);
}

function mergedByNamespace(needed: readonly NeededRule[]): readonly NeededRule[] {
  const namespaces = [...new Set(needed.map(({ namespace }) => namespace ?? ""))].toSorted();
  return namespaces.flatMap((namespace) => {
    const here = needed.filter((one) => (one.namespace ?? "") === namespace).map(({ rule }) => rule);
    return mergedRules(here).map((rule) => (namespace === "" ? { rule } : { namespace, rule }));
  });
}
