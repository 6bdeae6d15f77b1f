/** Who sent a request: tried in order, the first that knows the caller decides. To the handler. */
import type { HttpHeaders } from "../../base/index.js";
import type { UserInfo } from "./user.js";

/** What a verified client certificate says of its holder. */
export interface CertificateIdentity {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

export interface Credentials {
  readonly headers: HttpHeaders;
  /** Present only if the TLS layer has verified it against the client CA. */
  readonly certificate?: CertificateIdentity;
  /** Set by code in this process that speaks for somebody; never by a socket. */
  readonly identity?: UserInfo;
}

/** Undefined: not mine. "refused": credentials of my sort, but bad. */
export type Authenticator = (credentials: Credentials) => UserInfo | "refused" | undefined;

const everyone = "system:authenticated";

function known(user: UserInfo): UserInfo {
  return user.groups.includes(everyone) ? user : { ...user, groups: [...user.groups, everyone] };
}

export const byIdentity: Authenticator = ({ identity }) => identity && known(identity);

export const byCertificate: Authenticator = ({ certificate }) =>
  certificate && known({ username: certificate.commonName, groups: certificate.organizations });

function bearerToken({ headers }: Credentials): string | undefined {
  const value = headers["authorization"];
  const text = typeof value === "string" ? value : value?.[0];
  const match = /^bearer\s+(\S+)\s*$/i.exec(text ?? "");
  return match?.[1];
}

/** `lookUp` gives the user of a token that it knows. */
export function byToken(lookUp: (token: string) => UserInfo | undefined): Authenticator {
  return (credentials) => {
    const token = bearerToken(credentials);
    if (token === undefined) return undefined;
    const user = lookUp(token);
    return user === undefined ? undefined : known(user);
  };
}

/** Credentials that nobody knows are refused, as is having none; anonymous is up to the caller. */
export function authenticate(
  authenticators: readonly Authenticator[],
  credentials: Credentials,
): UserInfo | "refused" | "none" {
  for (const authenticator of authenticators) {
    const result = authenticator(credentials);
    if (result !== undefined) return result;
  }
  return credentials.headers["authorization"] === undefined ? "none" : "refused";
}
