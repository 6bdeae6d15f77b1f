/** `authorizer` in expressions about requests: builds a question about permissions step by step. */
import { joinedErrors } from "../../../api/errors/field-error.js";
import type { Decide, Decision } from "../../contracts/authorizer.js";
import type { UserInfo } from "../../contracts/user.js";
import type { ResourceRequest } from "../../contracts/request.js";
import { type Library, overload, type Overload } from "../checker/environment.js";
import { opaque, type Type } from "../values/types.js";
import { Opaque, type Value } from "../values/value.js";

const space = "kubernetes.authorization";

export const authorizerType: Type = opaque(`${space}.Authorizer`);
export const resourceCheckType: Type = opaque(`${space}.ResourceCheck`);
const groupCheckType = opaque(`${space}.GroupCheck`);
const pathCheckType = opaque(`${space}.PathCheck`);
const decisionType = opaque(`${space}.Decision`);

type About = Partial<ResourceRequest>;

/** The user whose permissions are asked about, and the authorizer that decides. */
interface Asking {
  readonly decide: Decide;
  readonly user: UserInfo;
}

abstract class Question extends Opaque {
  readonly asking: Asking;

  constructor(asking: Asking) {
    super();
    this.asking = asking;
  }

  equals(other: this): boolean {
    return this === other;
  }
}

export class CelAuthorizer extends Question {
  readonly type: Type = authorizerType;
}

class GroupCheck extends Question {
  readonly type: Type = groupCheckType;
  readonly group: string;

  constructor(asking: Asking, group: string) {
    super(asking);
    this.group = group;
  }
}

class PathCheck extends Question {
  readonly type: Type = pathCheckType;
  readonly path: string;

  constructor(asking: Asking, path: string) {
    super(asking);
    this.path = path;
  }
}

export class ResourceCheck extends Question {
  readonly type: Type = resourceCheckType;
  readonly about: About;

  constructor(asking: Asking, about: About) {
    super(asking);
    this.about = about;
  }

  with(more: About): ResourceCheck {
    return new ResourceCheck(this.asking, { ...this.about, ...more });
  }

  check(verb: string): DecisionValue {
    const { decide, user } = this.asking;
    const nothing = { group: "", version: "", namespace: "", resource: "", name: "", subresource: "" };
    const about = { ...nothing, ...this.about };
    const inNamespace = about.namespace !== "";
    return new DecisionValue(decide(user, { ...about, type: "resource", verb, inNamespace, rest: [] }));
  }
}

class DecisionValue extends Opaque {
  readonly type: Type = decisionType;
  readonly decision: Decision;

  constructor(decision: Decision) {
    super();
    this.decision = decision;
  }

  equals(other: this): boolean {
    return this.decision.allowed === other.decision.allowed;
  }
}

const declared = (id: string, signature: string, run: (args: never) => Value): Overload =>
  overload(id, signature.replaceAll("@", `${space}.`), run as (args: readonly Value[]) => Value);

const narrowed = (id: string, more: (value: string) => About): Overload =>
  declared(id, "@ResourceCheck.(string) -> @ResourceCheck", ([check, value]: [ResourceCheck, string]) =>
    check.with(more(value)),
  );

const accountUser = (namespace: string, name: string): UserInfo => ({
  username: `system:serviceaccount:${namespace}:${name}`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
});

export const authorizerLibrary: Library = {
  path: [
    declared(
      "authorizer_path",
      "@Authorizer.(string) -> @PathCheck",
      ([{ asking }, path]: [CelAuthorizer, string]) => new PathCheck(asking, path),
    ),
  ],
  group: [
    declared(
      "authorizer_group",
      "@Authorizer.(string) -> @GroupCheck",
      ([{ asking }, group]: [CelAuthorizer, string]) => new GroupCheck(asking, group),
    ),
  ],
  serviceAccount: [
    declared(
      "authorizer_serviceaccount",
      "@Authorizer.(string, string) -> @Authorizer",
      ([{ asking }, namespace, name]: [CelAuthorizer, string, string]) =>
        new CelAuthorizer({ ...asking, user: accountUser(namespace, name) }),
    ),
  ],
  resource: [
    declared(
      "groupcheck_resource",
      "@GroupCheck.(string) -> @ResourceCheck",
      ([{ asking, group }, resource]: [GroupCheck, string]) =>
        new ResourceCheck(asking, { group, version: "*", resource }),
    ),
  ],
  subresource: [narrowed("resourcecheck_subresource", (subresource) => ({ subresource }))],
  namespace: [narrowed("resourcecheck_namespace", (namespace) => ({ namespace }))],
  name: [narrowed("resourcecheck_name", (name) => ({ name }))],
  // RBAC ignores selectors
  fieldSelector: [narrowed("authorizer_fieldselector", () => ({}))],
  labelSelector: [narrowed("authorizer_labelselector", () => ({}))],
  check: [
    declared(
      "pathcheck_check",
      "@PathCheck.(string) -> @Decision",
      ([{ asking, path }, verb]: [PathCheck, string]) =>
        new DecisionValue(asking.decide(asking.user, { type: "other", verb, path })),
    ),
    declared("resourcecheck_check", "@ResourceCheck.(string) -> @Decision", ([check, verb]: [ResourceCheck, string]) =>
      check.check(verb),
    ),
  ],
  allowed: [
    declared("decision_allowed", "@Decision.() -> bool", ([{ decision }]: [DecisionValue]) => decision.allowed),
  ],
  reason: [
    declared("decision_reason", "@Decision.() -> string", ([{ decision }]: [DecisionValue]) => decision.reason ?? ""),
  ],
  errored: [
    declared(
      "decision_errored",
      "@Decision.() -> bool",
      ([{ decision }]: [DecisionValue]) => decision.errors !== undefined,
    ),
  ],
  error: [
    declared("decision_error", "@Decision.() -> string", ([{ decision }]: [DecisionValue]) =>
      joinedErrors(decision.errors ?? []),
    ),
  ],
};
