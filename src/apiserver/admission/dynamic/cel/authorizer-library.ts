/** `authorizer` in the expressions of policies: questions about permissions, put together step by step. To expressions. */
import type { Environment } from "@marcbachmann/cel-js";
import type { Authorizer, Decision } from "../../../auth/authorize.js";
import type { UserInfo } from "../../../auth/user.js";
import type { ResourceRequest } from "../../../http/request-info.js";

export class CelAuthorizer {
  readonly user: UserInfo;
  readonly decide: Authorizer;
  /** What the request itself is about. */
  readonly requestResource: CelResourceCheck;

  constructor(decide: Authorizer, user: UserInfo, about: Partial<ResourceRequest>) {
    this.decide = decide;
    this.user = user;
    this.requestResource = new CelResourceCheck(this, about);
  }
}

export class CelResourceCheck {
  readonly authorizer: CelAuthorizer;
  readonly about: Partial<ResourceRequest>;

  constructor(authorizer: CelAuthorizer, about: Partial<ResourceRequest>) {
    this.authorizer = authorizer;
    this.about = about;
  }

  with(more: Partial<ResourceRequest>): CelResourceCheck {
    return new CelResourceCheck(this.authorizer, { ...this.about, ...more });
  }

  check(verb: string): CelDecision {
    const { decide, user } = this.authorizer;
    const nothing = { group: "", version: "", namespace: "", resource: "", name: "", subresource: "" };
    const about = { ...nothing, ...this.about };
    const inNamespace = about.namespace !== "";
    return new CelDecision(decide(user, { ...about, type: "resource", verb, inNamespace, rest: [] }));
  }
}

class CelGroupCheck {
  readonly authorizer: CelAuthorizer;
  readonly group: string;

  constructor(authorizer: CelAuthorizer, group: string) {
    this.authorizer = authorizer;
    this.group = group;
  }
}

class CelPathCheck {
  readonly authorizer: CelAuthorizer;
  readonly path: string;

  constructor(authorizer: CelAuthorizer, path: string) {
    this.authorizer = authorizer;
    this.path = path;
  }
}

class CelDecision {
  readonly decision: Decision;

  constructor(decision: Decision) {
    this.decision = decision;
  }
}

const [auth, group, resource, path, decision] = [
  "kubernetes.authorization.Authorizer",
  "kubernetes.authorization.GroupCheck",
  "kubernetes.authorization.ResourceCheck",
  "kubernetes.authorization.PathCheck",
  "kubernetes.authorization.Decision",
];

export function registerAuthorizer(environment: Environment): void {
  const about = (name: string, more: (value: string) => Partial<ResourceRequest>): void => {
    environment.registerFunction(`${resource}.${name}(string): ${resource}`, (one: CelResourceCheck, value: string) =>
      one.with(more(value)),
    );
  };
  environment
    .registerType(auth as string, { ctor: CelAuthorizer, fields: { requestResource: "dyn" } })
    .registerType(group as string, CelGroupCheck)
    .registerType(resource as string, CelResourceCheck)
    .registerType(path as string, CelPathCheck)
    .registerType(decision as string, CelDecision)
    .registerFunction(
      `${auth}.group(string): ${group}`,
      (one: CelAuthorizer, name: string) => new CelGroupCheck(one, name),
    )
    .registerFunction(
      `${auth}.path(string): ${path}`,
      (one: CelAuthorizer, name: string) => new CelPathCheck(one, name),
    )
    .registerFunction(
      `${auth}.serviceAccount(string, string): ${auth}`,
      ({ decide }: CelAuthorizer, namespace: string, name: string) =>
        new CelAuthorizer(decide, account(namespace, name), {}),
    )
    .registerFunction(
      `${group}.resource(string): ${resource}`,
      (one: CelGroupCheck, name: string) =>
        new CelResourceCheck(one.authorizer, { group: one.group, version: "*", resource: name }),
    )
    .registerFunction(
      `${path}.check(string): ${decision}`,
      ({ authorizer, path: asked }: CelPathCheck, verb: string) =>
        new CelDecision(authorizer.decide(authorizer.user, { type: "other", verb, path: asked })),
    )
    .registerFunction(`${resource}.check(string): ${decision}`, (one: CelResourceCheck, verb: string) =>
      one.check(verb),
    )
    .registerFunction(`${decision}.allowed(): bool`, (one: CelDecision) => one.decision.allowed)
    .registerFunction(`${decision}.reason(): string`, (one: CelDecision) => one.decision.reason ?? "")
    .registerFunction(`${decision}.errored(): bool`, () => false)
    .registerFunction(`${decision}.error(): string`, () => "");
  about("namespace", (namespace) => ({ namespace }));
  about("name", (name) => ({ name }));
  about("subresource", (subresource) => ({ subresource }));
}

const account = (namespace: string, name: string): UserInfo => ({
  username: `system:serviceaccount:${namespace}:${name}`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
});
