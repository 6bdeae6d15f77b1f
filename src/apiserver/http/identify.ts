/** Takes the credentials of a request; gives the user whose request it is, and the user as whom it is handled. */
import { newUnauthorized } from "../../api/index.js";
import type { HttpHeaders } from "../../base/index.js";
import { authenticate, type Authenticator, type Credentials } from "../auth/authenticate.js";
import { requireAllowed } from "../auth/authorize.js";
import { asksToImpersonate, impersonation } from "../auth/impersonate.js";
import type { Authorizer } from "../contracts/authorizer.js";
import { anonymous, type UserInfo } from "../contracts/user.js";

export interface IdentifyOptions {
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  /** Whether a path may be read without authentication. */
  isPublic(path: string): boolean;
  /** Whether a request without credentials is that of a user, `system:anonymous`, to whom roles may permit something. */
  readonly anonymous: boolean;
}

/** Throws a 401 if the sender is nobody that the server knows. */
export function identify(options: IdentifyOptions, credentials: Credentials, path: string): UserInfo {
  const user = authenticate(options.authenticators, credentials);
  if (typeof user !== "string") return user;
  if (user === "none" && (options.anonymous || options.isPublic(path))) return anonymous;
  throw newUnauthorized();
}

/**
 * The user whom the headers ask for; undefined if they ask for none. The caller must be allowed to impersonate each part
 * of the other identity.
 */
export function impersonated(options: IdentifyOptions, caller: UserInfo, headers: HttpHeaders): UserInfo | undefined {
  // a stranger who may only read health is nobody else either
  if ((caller === anonymous && !options.anonymous) || !asksToImpersonate(headers)) return undefined;
  const { user, permissions } = impersonation(headers);
  for (const permission of permissions) requireAllowed(options.authorizer, caller, permission);
  return user;
}
