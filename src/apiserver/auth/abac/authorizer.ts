/** ABAC: decides requests by a list of policies, each of which permits something and none of which forbids. */
import type { PolicyRule } from "../../../api/index.js";
import type { Authorizer, Granted } from "../../contracts/authorizer.js";
import { readVerbs, type RequestInfo } from "../../contracts/request.js";
import type { UserInfo } from "../../contracts/user.js";
import type { Policy } from "./policies.js";

/** An authorizer that also lists the permissions of a user. */
export interface RuledAuthorizer {
  readonly authorizer: Authorizer;
  rulesFor(user: UserInfo, namespace: string): Granted;
}

export const abacAuthorizer = (policies: readonly Policy[]): RuledAuthorizer => ({
  authorizer: (user, request) =>
    policies.some((policy) => isAbout(policy, user) && permits(policy, request))
      ? { allowed: true }
      : { allowed: false, reason: "No policy matched." },
  rulesFor: (user, namespace) => ({
    rules: policies.filter((policy) => isAbout(policy, user)).flatMap((policy) => rulesOf(policy, namespace)),
    errors: [],
  }),
});

/** A policy with a user and a group is about users who are both. */
function isAbout({ user, group }: Policy, { username, groups }: UserInfo): boolean {
  if (user === "" && group === "") return false;
  return (user === "" || fits(user, username)) && (group === "" || group === "*" || groups.includes(group));
}

/** A permission for a resource is one for its subresources. */
function permits(policy: Policy, request: RequestInfo): boolean {
  if (policy.readonly && !readVerbs.has(request.verb)) return false;
  if (request.type === "other") return fitsPath(policy.nonResourcePath, request.path);
  const { namespace, resource, group } = request;
  return fits(policy.namespace, namespace) && fits(policy.resource, resource) && fits(policy.apiGroup, group);
}

const fits = (pattern: string, value: string): boolean => pattern === "*" || pattern === value;

/** As upstream, all stars at the end of a pattern together stand for any rest of the path. */
function fitsPath(pattern: string, path: string): boolean {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === "*") end -= 1;
  return end === pattern.length ? pattern === path : path.startsWith(pattern.slice(0, end));
}

function rulesOf(policy: Policy, namespace: string): readonly PolicyRule[] {
  const verbs = policy.readonly ? [...readVerbs] : ["*"];
  const { apiGroup, resource, nonResourcePath } = policy;
  if (!fits(policy.namespace, namespace)) return [];
  return [
    ...(resource === "" ? [] : [{ verbs, apiGroups: [apiGroup], resources: [resource] }]),
    ...(nonResourcePath === "" ? [] : [{ verbs, nonResourceURLs: [nonResourcePath] }]),
  ];
}
