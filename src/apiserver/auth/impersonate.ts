/** Impersonation: takes the impersonation headers of an authenticated caller, gives the user as whom the request is handled. */
import { defined } from "../../base/defined.js";
import type { HttpHeaders } from "../../base/index.js";
import { newBadRequest } from "../../api/index.js";
import type { ResourceRequest } from "../contracts/request.js";
import { anonymous, type UserInfo } from "../contracts/user.js";

const extraPrefix = "impersonate-extra-";

/** Whether the headers ask for impersonation at all. As upstream, an empty user or uid is none. */
export function asksToImpersonate(headers: HttpHeaders): boolean {
  for (const name in headers) {
    if (!name.startsWith("impersonate-")) continue;
    if (name === "impersonate-group" || name.startsWith(extraPrefix)) return true;
    if ((name === "impersonate-user" || name === "impersonate-uid") && valuesOf(headers, name)[0]) return true;
  }
  return false;
}

/** The requested user, and the permissions that the caller needs for it: the verb `impersonate` on each resource. */
export interface Impersonation {
  readonly user: UserInfo;
  readonly permissions: readonly ResourceRequest[];
}

/** Groups in the headers replace all groups, except the one that tells authenticated from anonymous users. */
export function impersonation(headers: HttpHeaders): Impersonation {
  const [username = ""] = valuesOf(headers, "impersonate-user");
  const [uid = ""] = valuesOf(headers, "impersonate-uid");
  const given = valuesOf(headers, "impersonate-group");
  const extra = extraOf(headers);
  if (username === "")
    throw newBadRequest(`requested ${described({ uid, given, extra })} without impersonating a user`);
  const account = /^system:serviceaccount:(?<namespace>[^:]+):(?<name>[^:]+)$/.exec(username)?.groups;
  const ofAccount = account && ["system:serviceaccounts", `system:serviceaccounts:${account["namespace"]}`];
  return {
    user: {
      username,
      groups: withEveryone(username, given.length > 0 ? given : (ofAccount ?? [])),
      ...defined({ uid: uid || undefined }),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    },
    permissions: [
      account
        ? permission("serviceaccounts", account["name"] ?? "", { namespace: account["namespace"] ?? "" })
        : permission("users", username),
      ...given.map((group) => permission("groups", group)),
      ...Object.entries(extra).flatMap(([key, values]) =>
        values.map((value) => permission("userextras", value, { subresource: key, group: "authentication.k8s.io" })),
      ),
      ...(uid === "" ? [] : [permission("uids", uid, { group: "authentication.k8s.io" })]),
    ],
  };
}

function permission(resource: string, name: string, more: Partial<ResourceRequest> = {}): ResourceRequest {
  const plain = { group: "", version: "v1", namespace: "", inNamespace: false, subresource: "", rest: [] };
  return { type: "resource", verb: "impersonate", resource, name, ...plain, ...more };
}

const [unauthenticated = ""] = anonymous.groups;
const authenticated = "system:authenticated";

function withEveryone(username: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(unauthenticated)) return groups;
  if (username === anonymous.username) return [...groups, unauthenticated];
  return groups.includes(authenticated) ? groups : [...groups, authenticated];
}

function valuesOf(headers: HttpHeaders, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

function extraOf(headers: HttpHeaders): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(headers).filter((name) => name.startsWith(extraPrefix));
  return Object.fromEntries(names.map((name) => [decoded(name.slice(extraPrefix.length)), valuesOf(headers, name)]));
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

interface Asked {
  readonly uid: string;
  readonly given: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The request as Go prints upstream's list of object references. */
function described({ uid, given, extra }: Asked): string {
  const version = "authentication.k8s.io/v1";
  const references = [
    ...given.map((group) => `{Group  ${group}    }`),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((name) => `{UserExtra  ${name}  ${version}  ${key}}`),
    ),
    ...(uid === "" ? [] : [`{UID  ${uid}  ${version}  }`]),
  ];
  return `[${references.join(" ")}]`;
}
