/** May they: the question that is asked of every request, and of access reviews. Answered by rbac/, or always with yes. */
import { isPathSegmentName, newForbidden, parseFieldSelector, type PolicyRule } from "../../api/index.js";
import type { RequestInfo, ResourceRequest } from "../http/request-info.js";
import type { Rbac } from "./rbac/authorizer.js";
import type { UserInfo } from "./user.js";

export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string;
}

export type Authorizer = (user: UserInfo, request: RequestInfo) => Decision;

/** All that the server asks about permissions. */
export interface Authorization {
  readonly authorizer: Authorizer;
  /** What a user may do in a namespace, as far as it is known in rules. */
  rulesFor(user: UserInfo, namespace: string): Granted;
  /** Where permissions come from roles. */
  readonly rbac?: Rbac;
}

export interface Granted {
  readonly rules: readonly PolicyRule[];
  /** Of bindings that name no role. */
  readonly errors: readonly string[];
}

const everything: Granted = {
  rules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
  errors: [],
};

/** By the given rule, or with yes to everything. */
export const authorizationBy = (authorizer: Authorizer = () => ({ allowed: true })): Authorization => ({
  authorizer,
  rulesFor: () => everything,
});

/** What a request counts as when it is judged: a namespace is in itself, and one that is listed by its name has it. */
export function judged(request: RequestInfo, query: URLSearchParams): RequestInfo {
  if (request.type === "other") return request;
  const { name, verb } = request;
  if (name !== "" || (verb !== "list" && verb !== "watch")) return inItself(request);
  const only = nameIn(query.get("fieldSelector") ?? "");
  return only === undefined ? request : { ...request, name: only };
}

/** The single name that a field selector matches, if there is one; a malformed selector is reported later. */
function nameIn(selector: string): string | undefined {
  if (selector === "") return undefined;
  try {
    const name = parseFieldSelector(selector).exactMatch("metadata.name");
    return name === undefined || isPathSegmentName(name).length > 0 ? undefined : name;
  } catch {
    return undefined;
  }
}

/** A namespace counts as an object inside itself, so that a user who may do everything in a namespace may change it, too. */
export function inItself(request: ResourceRequest): ResourceRequest {
  const { group, resource, name } = request;
  return group === "" && resource === "namespaces" && name !== "" ? { ...request, namespace: name } : request;
}

/** `cannot list resource "pods" in API group "" in the namespace "n"`: what a refused user is told. */
export function describeRefusal({ username }: UserInfo, request: RequestInfo): string {
  if (request.type === "other")
    return `User ${JSON.stringify(username)} cannot ${request.verb} path ${JSON.stringify(request.path)}`;
  const { verb, group, resource, subresource, namespace } = request;
  const name = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `User ${JSON.stringify(username)} cannot ${verb} resource ${JSON.stringify(name)} in API group ${JSON.stringify(group)} ${where}`;
}

/** Throws a 403 unless the user may do it. */
export function requireAllowed(authorizer: Authorizer, user: UserInfo, request: RequestInfo): void {
  const { allowed, reason = "" } = authorizer(user, request);
  if (allowed) return;
  const why = `${describeRefusal(user, request)}${reason === "" ? "" : `: ${reason}`}`;
  if (request.type === "other") throw newForbidden({ group: "", resource: "" }, "", why);
  throw newForbidden({ group: request.group, resource: request.resource }, request.name, why);
}
