/** RBAC: decides requests by the roles and bindings in the store. */
import type { ClusterRole, PolicyRule, Role, RoleRef, Subject } from "../../../api/index.js";
import type { RequestInfo } from "../../contracts/request.js";
import type { Store } from "../../storage/contract.js";
import { decodedObjects } from "../decoded-objects.js";
import type { Authorizer, Decision, Granted } from "../../contracts/authorizer.js";
import { mastersGroup, type UserInfo } from "../../contracts/user.js";
import { type Binding, Bindings, subjectFor } from "./bindings.js";
import { allows } from "./rules.js";
import { joinedErrors } from "../../../api/errors/field-error.js";

const group = "rbac.authorization.k8s.io";

/** The rules of a role that applies to a user, with the binding that grants it; or the error of a binding without a role. */
type Found =
  | { readonly type: "rules"; readonly rules: readonly PolicyRule[]; readonly binding: Binding }
  | { readonly type: "missing"; readonly error: string };

/** Follows the bindings in the store until it is disposed. */
export interface Rbac extends Disposable {
  readonly authorizer: Authorizer;
  /** `namespace` is "" for cluster-wide rules. */
  rulesFor(user: UserInfo, namespace: string): Granted;
  /** The rules of the role that a binding names; a text if the role does not exist. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | string;
}

export function startRbac(store: Store): Rbac {
  const objects = decodedObjects(store);
  const ofCluster = new Bindings(store, `${group}/clusterrolebindings`).start();
  const ofNamespaces = new Bindings(store, `${group}/rolebindings`).start();
  const rulesOf = ({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | string => {
    const isOfCluster = kind === "ClusterRole";
    const role = objects.get<Role | ClusterRole>(
      `${group}/${isOfCluster ? "clusterroles" : "roles"}`,
      isOfCluster ? name : `${namespace}/${name}`,
    );
    if (role === undefined) return `${kind.toLowerCase()}.${group} ${JSON.stringify(name)} not found`;
    return role.rules ?? [];
  };
  const found = (binding: Binding): Found => {
    const rules = rulesOf(binding.roleRef, binding.metadata.namespace ?? "");
    return typeof rules === "string" ? { type: "missing", error: rules } : { type: "rules", rules, binding };
  };
  const bindingsOf = (user: UserInfo, namespace: string): readonly Binding[] => {
    const everywhere = ofCluster.of(user, "");
    return namespace === "" ? everywhere : [...everywhere, ...ofNamespaces.of(user, namespace)];
  };
  return {
    rulesOf,
    authorizer: (user, request) => decide(user, request, { bindingsOf, found }),
    rulesFor(user, namespace) {
      const rules: PolicyRule[] = [];
      const errors: string[] = [];
      for (const binding of bindingsOf(user, namespace)) {
        const one = found(binding);
        if (one.type === "missing") errors.push(one.error);
        else for (const rule of one.rules) rules.push(rule);
      }
      return { rules, errors };
    },
    [Symbol.dispose]() {
      ofCluster[Symbol.dispose]();
      ofNamespaces[Symbol.dispose]();
    },
  };
}

/** The reason is put into words when somebody reads it. */
class AllowedBy implements Decision {
  readonly allowed = true;
  readonly #binding: Binding;
  readonly #user: UserInfo;

  constructor(binding: Binding, user: UserInfo) {
    this.#binding = binding;
    this.#user = user;
  }

  get reason(): string {
    return `RBAC: allowed by ${described(this.#binding, this.#user)}`;
  }
}

/** The bindings that name a user, and the roles that they grant. */
interface Granting {
  bindingsOf(user: UserInfo, namespace: string): readonly Binding[];
  found(binding: Binding): Found;
}

function decide(user: UserInfo, request: RequestInfo, { bindingsOf, found }: Granting): Decision {
  if (user.groups.includes(mastersGroup)) return { allowed: true };
  const errors: string[] = [];
  /** A role that many bindings name is judged once. */
  const judged = new Set<readonly PolicyRule[]>();
  for (const binding of bindingsOf(user, request.type === "resource" ? request.namespace : "")) {
    const one = found(binding);
    if (one.type === "missing") errors.push(one.error);
    else if (!judged.has(one.rules)) {
      if (one.rules.some((rule) => allows(rule, request))) return new AllowedBy(binding, user);
      judged.add(one.rules);
    }
  }
  if (errors.length === 0) return { allowed: false };
  return { allowed: false, reason: `RBAC: ${joinedErrors(errors)}` };
}

function described(binding: Binding, user: UserInfo): string {
  const { metadata, roleRef } = binding;
  // the binding was found by a subject that is the user
  const { kind, name, namespace } = subjectFor(binding, user) as Subject;
  const place =
    metadata.namespace === undefined
      ? `ClusterRoleBinding ${JSON.stringify(metadata.name)}`
      : `RoleBinding ${JSON.stringify(`${metadata.name}/${metadata.namespace}`)}`;
  const whom = kind === "ServiceAccount" ? `${name}/${namespace || metadata.namespace}` : name;
  return `${place} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${kind} ${JSON.stringify(whom)}`;
}
