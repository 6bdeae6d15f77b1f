/** May they: the question that is asked of every request, and of access reviews. RBAC stands here when it comes. */
import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "./user.js";

export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string;
}

export type Authorizer = (user: UserInfo, request: RequestInfo) => Decision;

export const allowEveryone: Authorizer = () => ({ allowed: true });

/** `cannot list resource "pods" in API group "" in the namespace "n"`: what a refused user is told. */
export function describeRefusal({ username }: UserInfo, request: RequestInfo): string {
  if (request.type === "other")
    return `User ${JSON.stringify(username)} cannot ${request.verb} path ${JSON.stringify(request.path)}`;
  const { verb, group, resource, subresource, namespace } = request;
  const name = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `User ${JSON.stringify(username)} cannot ${verb} resource ${JSON.stringify(name)} in API group ${JSON.stringify(group)} ${where}`;
}
