/** RBAC: decides requests by the roles and bindings in the store. */
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from "../../../api/index.js";
import type { RequestInfo } from "../../contracts/request.js";
import type { Store, Stored } from "../../storage/contract.js";
import { decodedObjects } from "../decoded-objects.js";
import type { Granted } from "../authorize.js";
import type { Authorizer, Decision } from "../../contracts/authorizer.js";
import type { UserInfo } from "../../contracts/user.js";
import { allows } from "./rules.js";

const group = "rbac.authorization.k8s.io";
/** Members of this group may do everything, whatever the roles say, so that somebody can repair the roles. */
const masters = "system:masters";

/** The rules of a role that applies to a user, with the binding that grants it; or the error of a binding without a role. */
type Found =
  | { readonly type: "rules"; readonly rules: readonly PolicyRule[]; source(): string }
  | { readonly type: "missing"; readonly error: string };

export interface Rbac {
  readonly authorizer: Authorizer;
  /** `namespace` is "" for cluster-wide rules. */
  rulesFor(user: UserInfo, namespace: string): Granted;
  /** The rules of the role that a binding names; a text if the role does not exist. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | string;
}

type Binding = Pick<RoleBinding | ClusterRoleBinding, "metadata" | "roleRef" | "subjects">;

export function createRbac(store: Store): Rbac {
  const objects = decodedObjects(store);
  const rulesOf = ({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | string => {
    const ofCluster = kind === "ClusterRole";
    const role = objects.get<Role | ClusterRole>(
      `${group}/${ofCluster ? "clusterroles" : "roles"}`,
      ofCluster ? name : `${namespace}/${name}`,
    );
    if (role === undefined) return `${kind.toLowerCase()}.${group} ${JSON.stringify(name)} not found`;
    return role.rules ?? [];
  };
  const visit = function* (user: UserInfo, namespace: string): Generator<Found> {
    const bindings = function* (): Generator<readonly [Binding, string]> {
      const all = (plural: string, prefix: string): readonly Stored[] =>
        store.list({ collection: `${group}/${plural}`, prefix, from: "" }).items;
      for (const stored of all("clusterrolebindings", "")) yield [objects.of<ClusterRoleBinding>(stored), ""];
      if (namespace === "") return;
      for (const stored of all("rolebindings", `${namespace}/`)) yield [objects.of<RoleBinding>(stored), namespace];
    };
    const isUser = matcherOf(user);
    for (const [binding, home] of bindings()) {
      const subject = (binding.subjects ?? []).find((one) => isUser(one, home));
      if (subject === undefined) continue;
      const rules = rulesOf(binding.roleRef, home);
      if (typeof rules === "string") yield { type: "missing", error: rules };
      else yield { type: "rules", rules, source: () => described(binding, subject, home) };
    }
  };
  return {
    rulesOf,
    authorizer: (user, request) => decide(user, request, visit),
    rulesFor(user, namespace) {
      const rules: PolicyRule[] = [];
      const errors: string[] = [];
      for (const found of visit(user, namespace)) {
        if (found.type === "missing") errors.push(found.error);
        else for (const rule of found.rules) rules.push(rule);
      }
      return { rules, errors };
    },
  };
}

function decide(
  user: UserInfo,
  request: RequestInfo,
  visit: (user: UserInfo, namespace: string) => Iterable<Found>,
): Decision {
  if (user.groups.includes(masters)) return { allowed: true };
  const errors: string[] = [];
  /** A role that many bindings name is judged once. */
  const judged = new Set<readonly PolicyRule[]>();
  for (const found of visit(user, request.type === "resource" ? request.namespace : "")) {
    if (found.type === "missing") errors.push(found.error);
    else if (!judged.has(found.rules)) {
      if (found.rules.some((rule) => allows(rule, request)))
        return { allowed: true, reason: `RBAC: allowed by ${found.source()}` };
      judged.add(found.rules);
    }
  }
  if (errors.length === 0) return { allowed: false };
  const [first] = errors;
  return { allowed: false, reason: `RBAC: ${errors.length === 1 ? first : `[${[...new Set(errors)].join(", ")}]`}` };
}

/** Tells whether a subject of a binding in namespace `home` is the user. A user may have very many groups. */
function matcherOf({ username, groups }: UserInfo): (subject: Subject, home: string) => boolean {
  const names = new Set(groups);
  return ({ kind, name, namespace }, home) => {
    switch (kind) {
      case "User":
        return username === name;
      case "Group":
        return names.has(name);
      case "ServiceAccount": {
        const place = namespace || home;
        return place !== "" && username === `system:serviceaccount:${place}:${name}`;
      }
      default:
        return false;
    }
  };
}

function described({ metadata, roleRef }: Binding, { kind, name, namespace }: Subject, home: string): string {
  const binding =
    home === ""
      ? `ClusterRoleBinding ${JSON.stringify(metadata.name)}`
      : `RoleBinding ${JSON.stringify(`${metadata.name}/${home}`)}`;
  const whom = kind === "ServiceAccount" ? `${name}/${namespace || home}` : name;
  return `${binding} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${kind} ${JSON.stringify(whom)}`;
}
