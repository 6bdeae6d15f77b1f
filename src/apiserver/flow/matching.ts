/** Whether a flow schema's rules apply to a request, and to which of the schema's flows the request belongs. */
import type { FlowSchema, PolicyRulesWithSubjects, ResourcePolicyRule } from "../../api/index.js";
import type { RequestInfo } from "../contracts/request.js";
import type { UserInfo } from "../contracts/user.js";

type Subject = NonNullable<PolicyRulesWithSubjects["subjects"]>[number];
type Spec = NonNullable<FlowSchema["spec"]>;

export function applies({ rules = [] }: Spec, user: UserInfo, request: RequestInfo): boolean {
  return rules.some(
    ({ subjects, resourceRules = [], nonResourceRules = [] }) =>
      subjects.some((subject) => isOf(user, subject)) &&
      (request.type === "resource"
        ? resourceRules.some((rule) => ruleApplies(rule, request))
        : nonResourceRules.some(
            ({ verbs, nonResourceURLs }) =>
              includes(verbs, request.verb) && nonResourceURLs.some((url) => pathMatches(url, request.path)),
          )),
  );
}

/** "" if the schema's requests are all of one flow. */
export function distinguisherOf({ distinguisherMethod: method }: Spec, user: UserInfo, request: RequestInfo): string {
  if (method?.type === "ByUser") return user.username;
  return method?.type === "ByNamespace" && request.type === "resource" ? request.namespace : "";
}

function isOf({ username, groups }: UserInfo, { kind, user, group, serviceAccount }: Subject): boolean {
  switch (kind) {
    case "User":
      return user !== undefined && (user.name === "*" || user.name === username);
    case "Group":
      return group !== undefined && (group.name === "*" || groups.includes(group.name));
    case "ServiceAccount": {
      if (serviceAccount === undefined) return false;
      const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
      return serviceAccount.name === "*" ? username.startsWith(prefix) : username === prefix + serviceAccount.name;
    }
    default:
      return false;
  }
}

function ruleApplies(
  rule: ResourcePolicyRule,
  { verb, group, resource, subresource, namespace }: Extract<RequestInfo, { type: "resource" }>,
): boolean {
  if (!includes(rule.verbs, verb) || !includes(rule.apiGroups, group)) return false;
  if (!includes(rule.resources, subresource === "" ? resource : `${resource}/${subresource}`)) return false;
  return namespace === "" ? (rule.clusterScope ?? false) : includes(rule.namespaces ?? [], namespace);
}

const includes = (list: readonly string[], value: string): boolean => list[0] === "*" || list.includes(value);

/** A rule's path also covers the paths below it, as in kube-apiserver. */
function pathMatches(url: string, path: string): boolean {
  if (url === "*" || url === path) return true;
  const prefix = url.endsWith("*") ? url.slice(0, -1) : url;
  return path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}
