/** Takes the credentials of a request; gives the user whose request it is, and the user as whom it is handled. */
import { newUnauthorized } from "../../api/index.js";
import type { HttpHeaders } from "../../base/index.js";
import { authenticate, type Authenticator, type Credentials } from "../auth/authenticate.js";
import type { AnonymousUsers } from "../auth/anonymous.js";
import { wantedUser } from "../auth/impersonation/headers.js";
import type { Impersonated, Impersonation } from "../auth/impersonation/modes.js";
import type { RequestInfo } from "../contracts/request.js";
import { anonymous, type UserInfo } from "../contracts/user.js";
import { after } from "../../base/time/awaitable.js";

export interface IdentifyOptions {
  readonly authenticators: readonly Authenticator[];
  readonly impersonation: Impersonation;
  readonly anonymous: AnonymousUsers;
}

/**
 * Throws a 401 if the sender is nobody that the server knows. A promise only if another server has to be asked.
 * `found` is told of the outcome.
 */
export function identify(
  options: IdentifyOptions,
  credentials: Credentials,
  path: string,
  found: (user: UserInfo | "refused" | "none") => void,
): UserInfo | Promise<UserInfo> {
  const judge = (judged: UserInfo | "refused" | "none"): UserInfo => {
    const user = judged === "none" && options.anonymous.at(path) !== "refused" ? anonymous : judged;
    found(user);
    if (typeof user !== "string") return user;
    throw newUnauthorized();
  };
  return after(authenticate(options.authenticators, credentials), judge);
}

interface Asked {
  readonly headers: HttpHeaders;
  readonly path: string;
  /** The request as authorization sees it. */
  request(): RequestInfo;
}

/**
 * The user whom the headers ask for; undefined for a caller who can be nobody else. The caller must be allowed to
 * impersonate each part of the other identity.
 */
export function impersonated(
  options: IdentifyOptions,
  caller: UserInfo,
  { headers, path, request }: Asked,
): Impersonated | undefined | Promise<Impersonated> {
  // a stranger who may only read health is nobody else either
  if (caller === anonymous && options.anonymous.at(path) !== "user") return undefined;
  return options.impersonation.permitted({ caller, wanted: wantedUser(headers), request: request() });
}
