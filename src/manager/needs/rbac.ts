/** Derives the permissions that controllers need from the kinds that they declare: rules, and where each is needed. */
import type { ClusterRole, PolicyRule, ResourceType } from "../../api/index.js";
import type { KindUse } from "../../controller/index.js";
import { type NeededRule, rulesByName } from "../../webhook/index.js";
import { byEntryName } from "../../base/members.js";

const reading = ["get", "list", "watch"] as const;
const writing = ["create", "delete", "patch", "update"] as const;
export const leaseVerbs: readonly string[] = ["create", "get", "update"];
/** The verbs on the Leases of a sharded group. */
export const groupVerbs: readonly string[] = ["create", "delete", "get", "list", "update"];
export const candidateVerbs: readonly string[] = ["create", "delete", "get", "update"];

/** The facts of a manager from which its permissions follow. */
export interface RuleSources {
  readonly uses: readonly KindUse[];
  /** The namespaces in which a kind is used; `""` stands for all of them, and for the cluster scope. */
  readonly namespacesOf: (type: ResourceType) => readonly string[];
  readonly leaderElection:
    | { readonly lease: { readonly name: string; readonly namespace: string }; readonly coordinated?: unknown }
    | undefined;
  /** The Lease with whose name those of a sharded group begin. */
  readonly group: { readonly namespace: string } | undefined;
  readonly events: "v1" | "events.k8s.io/v1";
  /** Rules that follow from no declaration; the author gives them. */
  readonly permissions: readonly PolicyRule[];
  /** The namespaces of the manager; those of `permissions`. */
  readonly namespaces: readonly string[];
  /** Permissions of other parts. */
  readonly more: readonly NeededRule[];
}

const rule = (group: string, resource: string, verbs: readonly string[]): PolicyRule => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
});

const inEach = (namespaces: readonly string[], rules: readonly PolicyRule[]): readonly NeededRule[] =>
  namespaces.flatMap((namespace) => rules.map((one) => (namespace === "" ? { rule: one } : { namespace, rule: one })));

/** Everything that the manager asks the server for, and no more. */
export function neededRules(sources: RuleSources): readonly NeededRule[] {
  const { uses, namespacesOf, leaderElection, group, permissions, namespaces, more } = sources;
  const isResourceless = ({ nonResourceURLs }: PolicyRule): boolean => nonResourceURLs !== undefined;
  return [
    ...uses.flatMap((use) => inEach(namespacesOf(use.type), rulesOfUse(use))),
    ...eventRules(sources),
    ...(leaderElection === undefined ? [] : leaseRules(leaderElection)),
    ...(group === undefined ? [] : inEach([group.namespace], [rule("coordination.k8s.io", "leases", groupVerbs)])),
    ...inEach([""], permissions.filter(isResourceless)),
    ...inEach(
      namespaces,
      permissions.filter((one) => !isResourceless(one)),
    ),
    ...more,
  ];
}

function rulesOfUse({ type, use, finalizes }: KindUse): readonly PolicyRule[] {
  const { group, plural, subresources } = type;
  const rules: PolicyRule[] = [];
  if (use !== "writes") rules.push(rule(group, plural, reading));
  if (use === "owns" || use === "writes") rules.push(rule(group, plural, writing));
  if (use !== "for") return rules;
  if (finalizes) rules.push(rule(group, plural, ["patch"]));
  if (subresources.includes("status")) rules.push(rule(group, `${plural}/status`, ["get", "patch", "update"]));
  // the plug-in OwnerReferencesPermissionEnforcement asks for this if an owner reference blocks deletion
  rules.push(rule(group, `${plural}/finalizers`, ["update"]));
  return rules;
}

/** An event stands in the namespace of its object; of an object in cluster scope, in `default`. */
function eventRules({ uses, namespacesOf, leaderElection, events }: RuleSources): readonly NeededRule[] {
  const about = uses.filter(({ use }) => use === "for").map(({ type }) => type);
  const places = new Set(about.flatMap((type) => (type.scope === "Cluster" ? ["default"] : namespacesOf(type))));
  if (leaderElection !== undefined) places.add(leaderElection.lease.namespace);
  const namespaces = places.has("") ? [""] : [...places];
  return inEach(namespaces, [rule(events === "v1" ? "" : "events.k8s.io", "events", ["create", "patch"])]);
}

function leaseRules({ lease, coordinated }: NonNullable<RuleSources["leaderElection"]>): readonly NeededRule[] {
  const group = "coordination.k8s.io";
  const rules = rulesByName(group, "leases", { names: [lease.name], verbs: leaseVerbs });
  // a candidate has the name of its replica
  if (coordinated !== undefined) rules.push(rule(group, "leasecandidates", candidateVerbs));
  return inEach([lease.namespace], rules);
}

/** One rule for each resource and set of names, sorted, so that the output of two runs can be compared. */
export function mergedRules(rules: Iterable<PolicyRule>): readonly PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  for (const one of rules) {
    const { verbs, ...about } = one;
    const id = JSON.stringify([about.apiGroups, about.resources, about.resourceNames, about.nonResourceURLs]);
    const known = merged.get(id)?.verbs ?? [];
    merged.set(id, { ...about, verbs: [...new Set([...known, ...verbs])].sort() });
  }
  return Array.from(merged)
    .toSorted(byEntryName)
    .map(([, one]) => one);
}

/** All rules in one role, wherever they are needed. */
export function clusterRole(name: string, needed: readonly NeededRule[]): ClusterRole {
  const rules = mergedRules(needed.map((one) => one.rule));
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules };
}

/** The missing rule as it stands in a role; that of list and watch unless other verbs are given. */
export function missingRule(
  { group, plural }: Pick<ResourceType, "group" | "plural">,
  verbs: readonly string[] = reading,
): string {
  return JSON.stringify({ apiGroups: [group], resources: [plural], verbs });
}
