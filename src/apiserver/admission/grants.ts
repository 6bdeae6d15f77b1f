/** Nobody grants by roles and bindings what they may not do themselves, unless they may `escalate` or `bind`. After the judgement of RBAC. */
import {
  type ClusterRole,
  type ClusterRoleBinding,
  deepEqual,
  type KubeObject,
  newForbidden,
  newNotFound,
  type PolicyRule,
  type Role,
  type RoleBinding,
} from "../../api/index.js";
import type { Rbac } from "../auth/rbac/authorizer.js";
import { uncovered } from "../auth/rbac/rules.js";
import type { UserInfo } from "../auth/user.js";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.js";

const group = "rbac.authorization.k8s.io";

export function grants(rbac: Rbac): AdmissionPlugin {
  return {
    name: "RBAC",
    validate(request) {
      const { resource, object, old, user } = request;
      if (resource.group !== group || object === undefined || user.groups.includes("system:masters")) return;
      if (old !== undefined && sameGrant(object, old)) return;
      if (resource.resource.endsWith("roles")) checkRole(request, object as Role | ClusterRole, rbac);
      else checkBinding(request, object as RoleBinding | ClusterRoleBinding, rbac);
    },
  };
}

/** Owners and finalizers may be changed by anybody: garbage must be collected. */
function sameGrant(object: KubeObject, old: KubeObject): boolean {
  const { ownerReferences: _owners, finalizers: _holds, managedFields: _fields, ...metadata } = object.metadata;
  const { ownerReferences: _a, finalizers: _b, managedFields: _c, ...before } = old.metadata;
  return deepEqual({ ...object, metadata }, { ...old, metadata: before });
}

function checkRole(request: AdmissionRequest, { metadata, rules = [] }: Role | ClusterRole, rbac: Rbac): void {
  const { resource, namespace, user } = request;
  const asked = {
    type: "resource",
    version: resource.version,
    inNamespace: namespace !== "",
    subresource: "",
    rest: [],
  } as const;
  const escalate = { ...asked, verb: "escalate", group, resource: resource.resource, name: metadata.name, namespace };
  if (rbac.authorizer(user, escalate).allowed) return;
  refuseBeyond(request, rules, rbac);
}

function checkBinding(request: AdmissionRequest, { roleRef }: RoleBinding | ClusterRoleBinding, rbac: Rbac): void {
  const { namespace, user } = request;
  const resource = roleRef.kind === "ClusterRole" ? "clusterroles" : "roles";
  const asked = { type: "resource", version: "v1", inNamespace: namespace !== "", subresource: "", rest: [] } as const;
  if (rbac.authorizer(user, { ...asked, verb: "bind", group, resource, name: roleRef.name, namespace }).allowed) return;
  const rules = rbac.rulesOf(roleRef, namespace);
  if (typeof rules === "string") throw newNotFound({ group, resource: request.resource.resource }, roleRef.name);
  refuseBeyond(request, rules, rbac);
}

function refuseBeyond(
  { resource, name, namespace, user }: AdmissionRequest,
  granted: readonly PolicyRule[],
  rbac: Rbac,
): void {
  const { rules, errors } = rbac.rulesFor(user, namespace);
  const beyond = uncovered(rules, granted);
  if (beyond.length === 0) return;
  const lines = compacted(beyond).map(shown).toSorted();
  // upstream names what is being written, not what is missing
  const missing = errors.map((error) => error.replace(/^\w+/, resource.resource));
  const unresolved = missing.length === 0 ? "" : `; resolution errors: [${missing.join(", ")}]`;
  const why = `user ${whom(user)} is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}${unresolved}`;
  throw newForbidden({ group, resource: resource.resource }, name, why);
}

const whom = ({ username, groups }: UserInfo): string =>
  `${JSON.stringify(username)} (groups=[${groups.map((one) => JSON.stringify(one)).join(" ")}])`;

/** One line for each resource, with all of its verbs. */
function compacted(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const simple = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    if (rule.resources === undefined) {
      others.push(rule);
      continue;
    }
    const id = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const same = simple.get(id);
    simple.set(id, same === undefined ? rule : { ...same, verbs: [...same.verbs, ...rule.verbs] });
  }
  return [...others, ...simple.values()];
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
    items === undefined || items.length === 0
      ? []
      : [`${name}:[${items.map((item) => JSON.stringify(item)).join(" ")}]`],
  );
  return `{${texts.join(", ")}}`;
}
