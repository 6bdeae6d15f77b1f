/**
 * Prevents privilege escalation: a user cannot grant by roles and bindings more than the user may do, unless the user
 * may `escalate` or `bind`.
 */
import {
  type ClusterRole,
  type ClusterRoleBinding,
  deepEqual,
  type KubeObject,
  newFailure,
  newForbidden,
  newNotFound,
  type PolicyRule,
  type Role,
  type RoleBinding,
  type StatusError,
} from "../../../api/index.js";
import { type Authorizer, type Decide, deciding, type Granted } from "../../contracts/authorizer.js";
import type { ResourceRequest } from "../../contracts/request.js";
import type { Guard, GuardedWrite } from "../../contracts/scope.js";
import { mastersGroup, type UserInfo } from "../../contracts/user.js";
import type { Rbac } from "./authorizer.js";
import { gapsBetween, stepsFor } from "./coverage.js";
import { goQuote, goQuotes } from "../../../api/go-quote.js";

const group = "rbac.authorization.k8s.io";

/** The guards, by the collection that each guards. */
export function escalationGuards(rbac: Rbac, authorizer: Authorizer): ReadonlyMap<string, Guard> {
  const unlessTrusted =
    (check: (write: GuardedWrite, known: Known) => void): Guard =>
    (write) => {
      const { user, object, old } = write;
      const isTrusted = user.groups.includes(mastersGroup);
      if (isTrusted || (old !== undefined && sameGrant(object, old))) return [];
      return deciding(authorizer, (decide) => {
        check(write, { rbac, decide });
        return [];
      });
    };
  const [roles, bindings] = [unlessTrusted(checkRole), unlessTrusted(checkBinding)];
  return new Map([
    [`${group}/roles`, roles],
    [`${group}/clusterroles`, roles],
    [`${group}/rolebindings`, bindings],
    [`${group}/clusterrolebindings`, bindings],
  ]);
}

/** The rules that are known, and all permissions, of which some may come from elsewhere. */
interface Known {
  readonly rbac: Rbac;
  readonly decide: Decide;
}

/** Changes of owners and finalizers alone are always allowed, because the garbage collector needs them. */
function sameGrant(object: KubeObject, old: KubeObject): boolean {
  const { ownerReferences: _owners, finalizers: _holds, managedFields: _fields, ...metadata } = object.metadata;
  const { ownerReferences: _a, finalizers: _b, managedFields: _c, ...before } = old.metadata;
  return deepEqual({ ...object, metadata }, { ...old, metadata: before });
}

type Asked = Pick<ResourceRequest, "verb" | "resource" | "name" | "namespace">;

/** Whether the user has the permission that lifts a check (`escalate` or `bind`). */
function mayDo(decide: Decide, user: UserInfo, asked: Asked): boolean {
  const { namespace } = asked;
  const more = { group, version: "v1", inNamespace: namespace !== "", subresource: "", rest: [] };
  return decide(user, { type: "resource", ...asked, ...more }).allowed;
}

const fullAuthority: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function checkRole(write: GuardedWrite, { rbac, decide }: Known): void {
  const { resource, name, namespace, user, old } = write;
  if (mayDo(decide, user, { verb: "escalate", resource, name, namespace })) return;
  const role = write.object as Role | ClusterRole;
  refuseBeyond(write, role.rules ?? [], rbac);
  // an aggregation rule collects the rules of every role with the label, so its author must have all permissions
  if (!aggregates(role) && !aggregates(old)) return;
  const { rules } = held(rbac, user, namespace);
  if (gapsBetween(rules, fullAuthority, stepsFor(rules)).isEmpty) return;
  const why = "must have cluster-admin privileges to use the aggregationRule";
  throw newForbidden({ group, resource }, role.metadata.name ?? "", why);
}

/** The rules that the user has; the rules of a role that many bindings name come once. */
function held(rbac: Rbac, user: UserInfo, namespace: string): Granted {
  const { rules, errors } = rbac.rulesFor(user, namespace);
  return { rules: [...new Set(rules)], errors };
}

const aggregates = (role: KubeObject | undefined): boolean =>
  ((role as ClusterRole | undefined)?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;

const pluralOf: ReadonlyMap<string, string> = new Map([
  ["ClusterRole", "clusterroles"],
  ["Role", "roles"],
]);

function checkBinding(write: GuardedWrite, { rbac, decide }: Known): void {
  const { namespace, user } = write;
  const { roleRef } = write.object as RoleBinding | ClusterRoleBinding;
  const resource = pluralOf.get(roleRef.kind);
  if (resource === undefined) throw unsupportedKind(roleRef.kind);
  if (mayDo(decide, user, { verb: "bind", resource, name: roleRef.name, namespace })) return;
  const rules = rbac.rulesOf(roleRef, namespace);
  // upstream names the written resource here, not the missing one
  if (typeof rules === "string") throw newNotFound({ group, resource: write.resource }, roleRef.name);
  refuseBeyond(write, rules, rbac);
}

/** Has no reason, as upstream treats it as an internal error; validation, with a better message, runs later. */
function unsupportedKind(kind: string | undefined): StatusError {
  return newFailure({ message: `unsupported role reference kind: ${JSON.stringify(kind ?? "")}`, code: 500 });
}

function refuseBeyond(write: GuardedWrite, granted: readonly PolicyRule[], rbac: Rbac): void {
  const { resource, namespace, user, object } = write;
  const { rules, errors } = held(rbac, user, namespace);
  const steps = stepsFor(rules);
  const gaps = gapsBetween(rules, granted, steps);
  if (gaps.isEmpty) return;
  const lines = linesOf(gaps.missing());
  if (steps.areSpent) lines.push("(given up: the rules have too many combinations; grant them in smaller roles)");
  // upstream names the written resource here, not the missing one
  const missing = errors.map((error) => error.replace(/^\w+/, resource));
  const unresolved = missing.length === 0 ? "" : `; resolution errors: [${missing.join(", ")}]`;
  const why = `user ${whom(user)} is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}${unresolved}`;
  throw newForbidden({ group, resource }, object.metadata.name ?? "", why);
}

const whom = ({ username, groups }: UserInfo): string => `${goQuote(username)} (groups=${goQuotes(groups)})`;

/** Limit on the listed permissions: many times the need of any role in a real cluster, and a small message. */
const maxCharacters = 128 * 1024;

/** One line for each resource, in order; only some if there are too many. */
function linesOf(missing: Iterable<PolicyRule>): string[] {
  const told: PolicyRule[] = [];
  let characters = 0;
  let all = true;
  for (const rule of missing) {
    characters += JSON.stringify(rule).length;
    all = characters <= maxCharacters;
    if (!all) break;
    told.push(rule);
  }
  const lines = compacted(told).map(shown).toSorted();
  return all ? lines : [...lines, "and more"];
}

/** One rule for each resource, with all of its verbs. */
function compacted(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const simple = new Map<string, { readonly rule: PolicyRule; readonly verbs: string[] }>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    if (rule.resources === undefined) {
      others.push(rule);
      continue;
    }
    const id = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const same = simple.get(id);
    if (same === undefined) simple.set(id, { rule, verbs: [...rule.verbs] });
    else for (const verb of rule.verbs) same.verbs.push(verb);
  }
  return [...others, ...[...simple.values()].map(({ rule, verbs }) => ({ ...rule, verbs }))];
}

function shown({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = {
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  };
  const texts = Object.entries(parts).flatMap(([name, items]) =>
    items === undefined || items.length === 0 ? [] : [`${name}:${goQuotes(items)}`],
  );
  return `{${texts.join(", ")}}`;
}
