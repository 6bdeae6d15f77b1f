/** Derives the permissions that controllers need from the kinds that they declare. */
import type { ClusterRole, PolicyRule, ResourceType } from "../api/index.js";
import type { KindUse } from "../controller/index.js";

const reading = ["get", "list", "watch"] as const;
const writing = ["create", "delete", "patch", "update"] as const;
export const leaseVerbs: readonly string[] = ["create", "get", "update"];
export const candidateVerbs: readonly string[] = ["create", "delete", "get", "update"];

export interface RoleOptions {
  readonly name: string;
  readonly uses: readonly KindUse[];
  /** Leader election needs Leases; a coordinated one needs LeaseCandidates too. */
  readonly leaderElection: boolean | "coordinated";
  /** Permissions of other parts. */
  readonly more?: readonly { readonly group: string; readonly resource: string; readonly verbs: readonly string[] }[];
}

/** One rule for each kind and set of verbs, sorted, so that the output of two runs can be compared. */
export function clusterRole({ name, uses, leaderElection, more = [] }: RoleOptions): ClusterRole {
  const verbs = new Map<string, { readonly group: string; readonly resource: string; readonly verbs: Set<string> }>();
  const allow = (group: string, resource: string, add: readonly string[]): void => {
    const id = `${group}/${resource}`;
    const known = verbs.get(id) ?? { group, resource, verbs: new Set<string>() };
    for (const verb of add) known.verbs.add(verb);
    verbs.set(id, known);
  };
  for (const { type, use } of uses) {
    const { group, plural } = type;
    if (use !== "writes") allow(group, plural, reading);
    if (use === "owns" || use === "writes") allow(group, plural, writing);
    if (use !== "for") continue;
    allow(group, plural, ["patch", "update"]);
    if (type.subresources.includes("status")) allow(group, `${plural}/status`, ["get", "patch", "update"]);
    // the plug-in OwnerReferencesPermissionEnforcement asks for this if an owner reference blocks deletion
    allow(group, `${plural}/finalizers`, ["update"]);
  }
  allow("", "events", ["create", "patch"]);
  allow("events.k8s.io", "events", ["create", "patch"]);
  if (leaderElection !== false) allow("coordination.k8s.io", "leases", leaseVerbs);
  if (leaderElection === "coordinated") allow("coordination.k8s.io", "leasecandidates", candidateVerbs);
  for (const { group, resource, verbs: needed } of more) allow(group, resource, needed);
  const rules = [...verbs.values()]
    .toSorted((a, b) => `${a.group}/${a.resource}`.localeCompare(`${b.group}/${b.resource}`))
    .map(
      ({ group, resource, verbs: set }): PolicyRule => ({
        apiGroups: [group],
        resources: [resource],
        verbs: [...set].sort(),
      }),
    );
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules };
}

/** The missing rule as it stands in a role; that of list and watch unless other verbs are given. */
export function missingRule(
  { group, plural }: Pick<ResourceType, "group" | "plural">,
  verbs: readonly string[] = reading,
): string {
  return JSON.stringify({ apiGroups: [group], resources: [plural], verbs });
}
