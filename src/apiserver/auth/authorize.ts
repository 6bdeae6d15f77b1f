/** Authorization: the question that every request and every access review asks. Answered by rbac/, or always with yes. */
import {
  type FieldSelector,
  isPathSegmentName,
  newForbidden,
  parseFieldSelector,
  type StatusError,
} from "../../api/index.js";
import { joinedErrors } from "../../api/errors/field-error.js";
import type { RequestInfo, ResourceRequest } from "../contracts/request.js";
import type { Rbac } from "./rbac/authorizer.js";
import type { Authorizer, Decide, Decision, Granted } from "../contracts/authorizer.js";
import type { UserInfo } from "../contracts/user.js";
import { after } from "../../base/time/awaitable.js";

/** The server's source of permissions. */
export interface Authorization {
  readonly authorizer: Authorizer;
  /** The rules that apply to a user in a namespace, as far as they are known as rules. */
  rulesFor(user: UserInfo, namespace: string): Granted;
  /** Present if permissions come from roles. */
  readonly rbac?: Rbac;
  /** Follows objects that decisions depend on; disposed with the server. */
  readonly following?: Disposable;
}

export const allRules: Granted = {
  rules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
  errors: [],
};

/** Decides by the given function; without one, allows everything. */
export const authorizationBy = (authorizer: Authorizer = () => ({ allowed: true })): Authorization => ({
  authorizer,
  rulesFor: () => allRules,
});

/**
 * The request as authorization sees it: a Namespace counts as an object inside itself, and a list that a field selector
 * narrows to one name has that name.
 */
export function judged(request: RequestInfo, query: URLSearchParams): RequestInfo {
  if (request.type === "other") return request;
  const { name, verb } = request;
  if (name !== "" || !selecting.has(verb)) return inItself(request);
  const labels = query.get("labelSelector") ?? "";
  const selected = labels === "" ? request : { ...request, labels };
  const fields = selectorIn(query.get("fieldSelector") ?? "");
  if (fields === undefined) return selected;
  const only = verb === "deletecollection" ? undefined : nameIn(fields);
  return only === undefined ? { ...selected, fields } : { ...selected, fields, name: only };
}

const selecting: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);

/** A malformed selector is reported later. */
function selectorIn(text: string): FieldSelector | undefined {
  if (text === "") return undefined;
  try {
    return parseFieldSelector(text);
  } catch {
    return undefined;
  }
}

/** The single name that a field selector matches, if there is one. */
function nameIn(fields: FieldSelector): string | undefined {
  const name = fields.exactMatch("metadata.name");
  return name === undefined || isPathSegmentName(name).length > 0 ? undefined : name;
}

/**
 * A Namespace counts as an object inside itself, so that a user who may do everything in a namespace may change the
 * Namespace object, too.
 */
export function inItself(request: ResourceRequest): ResourceRequest {
  const { group, resource, name } = request;
  return group === "" && resource === "namespaces" && name !== "" ? { ...request, namespace: name } : request;
}

/** `cannot list resource "pods" in API group "" in the namespace "n"`: the text for a refused user. */
export function describeRefusal({ username }: UserInfo, request: RequestInfo): string {
  if (request.type === "other")
    return `User ${JSON.stringify(username)} cannot ${request.verb} path ${JSON.stringify(request.path)}`;
  const { verb, group, resource, subresource, namespace } = request;
  const name = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `User ${JSON.stringify(username)} cannot ${verb} resource ${JSON.stringify(name)} in API group ${JSON.stringify(group)} ${where}`;
}

/** Learns of decisions. */
interface Witness {
  decided(decision: Decision): void;
}

/** Throws a 403 unless the user is allowed to make the request; gives a promise only if the authorizer has to wait. */
export function requireAllowed(
  authorizer: Authorizer,
  user: UserInfo,
  request: RequestInfo,
  witness?: Witness,
): void | Promise<void> {
  const judge = (decision: Decision): void => {
    witness?.decided(decision);
    if (decision.allowed) return;
    // as upstream, an authorizer that could not decide is a fault of the server
    if (decision.errors !== undefined) throw new AuthorizationFailure(joinedErrors(decision.errors));
    throw refusal(user, request, decision);
  };
  return after(authorizer(user, request), judge);
}

/** The 403 for a request that the user is not allowed to make. */
export function refusalOf(decide: Decide, user: UserInfo, request: RequestInfo): StatusError | undefined {
  const decision = decide(user, request);
  return decision.allowed ? undefined : refusal(user, request, decision);
}

/** No authorizer has allowed the request, and one could not decide. */
export class AuthorizationFailure extends Error {
  override readonly name = "AuthorizationFailure";
}

export function refusal(user: UserInfo, request: RequestInfo, { reason = "" }: Decision): StatusError {
  const why = `${describeRefusal(user, request)}${reason === "" ? "" : `: ${reason}`}`;
  if (request.type === "other") return newForbidden({ group: "", resource: "" }, "", why);
  return newForbidden({ group: request.group, resource: request.resource }, request.name, why);
}
