/** Authentication: tries authenticators in order; the first that knows the credentials decides. */
import type { HttpHeaders } from "../../base/index.js";
import type { UserInfo } from "../contracts/user.js";

/** The subject of a verified client certificate. */
export interface CertificateIdentity {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

export interface Credentials {
  readonly headers: HttpHeaders;
  /** "untrusted" if the client has sent one that the TLS layer could not verify against the client CA. */
  readonly certificate?: CertificateIdentity | "untrusted";
  /** Set by code in this process that acts for a user; never set from a socket. */
  readonly identity?: UserInfo;
}

/** Undefined if the credentials are not of this authenticator's sort; "refused" if they are, but invalid. */
export type Authenticator = (credentials: Credentials) => UserInfo | "refused" | undefined;

const everyone = "system:authenticated";

function known(user: UserInfo): UserInfo {
  return user.groups.includes(everyone) ? user : { ...user, groups: [...user.groups, everyone] };
}

export const byIdentity: Authenticator = ({ identity }) => identity && known(identity);

export const byCertificate: Authenticator = ({ certificate }) =>
  certificate === undefined || certificate === "untrusted"
    ? undefined
    : known({ username: certificate.commonName, groups: certificate.organizations });

function bearerToken({ headers }: Credentials): string | undefined {
  const value = headers["authorization"];
  const text = typeof value === "string" ? value : value?.[0];
  const match = /^bearer\s+(\S+)\s*$/i.exec(text ?? "");
  return match?.[1];
}

/** `lookUp` gives the user of a known token. */
export function byToken(lookUp: (token: string) => UserInfo | undefined): Authenticator {
  return (credentials) => {
    const token = bearerToken(credentials);
    if (token === undefined) return undefined;
    const user = lookUp(token);
    return user === undefined ? undefined : known(user);
  };
}

/**
 * "refused" for credentials that no authenticator accepts, "none" if there are none; the caller decides about anonymous
 * requests.
 */
export function authenticate(
  authenticators: readonly Authenticator[],
  credentials: Credentials,
): UserInfo | "refused" | "none" {
  for (const authenticator of authenticators) {
    const result = authenticator(credentials);
    if (result !== undefined) return result;
  }
  const { headers, certificate } = credentials;
  return headers["authorization"] === undefined && certificate === undefined ? "none" : "refused";
}
