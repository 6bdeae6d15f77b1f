/** Resources that nobody may use unless a quota covers them: the settings of ResourceQuota, and the refusal by them. */
import {
  type Amounts,
  type GroupResource,
  type KubeObject,
  newFailure,
  newForbidden,
  quotaScopeMatches,
  type ScopedResourceSelectorRequirement,
} from "../../../api/index.js";

export interface LimitedResource {
  readonly group: string;
  /** The plural name of a kind. */
  readonly resource: string;
  /** A used amount whose name contains one of these texts must be covered. */
  readonly matchContains: readonly string[];
  /** An object in one of these scopes must be covered by a quota that selects by that scope. */
  readonly matchScopes: readonly ScopedResourceSelectorRequirement[];
}

export interface QuotaUse {
  readonly of: GroupResource;
  readonly name: string;
  readonly object: KubeObject;
  readonly usage: Amounts;
  /** The names of amounts that quotas for the object limit. */
  readonly names: ReadonlySet<string>;
  /** The scopes of the namespace's quotas that the object is in. */
  readonly scopes: readonly ScopedResourceSelectorRequirement[];
}

/** Throws if the object uses something that must be covered and no quota covers. */
export function requireCoverage(limited: readonly LimitedResource[], use: QuotaUse): void {
  const { of, name, object, usage, names, scopes } = use;
  const texts = limited
    .filter(({ group, resource }) => group === of.group && resource === of.resource)
    .flatMap(({ matchContains }) => matchContains);
  const used = [...usage].filter(([, amount]) => amount.sign > 0).map(([key]) => key);
  const bare = used.filter((key) => !names.has(key) && texts.some((text) => key.includes(text))).toSorted();
  if (bare.length > 0) throw newForbidden(of, name, `insufficient quota to consume: ${bare.join(",")}`);
  const open = limited
    .flatMap(({ matchScopes }) => matchScopes)
    .filter((scope) => quotaScopeMatches(of, object, scope))
    .filter(({ scopeName }) => !scopes.some((one) => one.scopeName === scopeName));
  if (open.length === 0) return;
  const printed = open.map(
    ({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(" ")}]}`,
  );
  // upstream's plug-in gives this error without a status
  throw newFailure({ message: `insufficient quota to match these scopes: [${printed.join(" ")}]`, code: 500 });
}
