/** Authentication: tries authenticators in order; the first that knows the credentials decides. */
import { getOrMake } from "../../base/containers/recent.js";
import { after, type Awaitable, firstAnswer } from "../../base/time/awaitable.js";
import { defined } from "../../base/defined.js";
import type { HttpHeaders } from "../../base/index.js";
import { anonymous, type UserInfo } from "../contracts/user.js";
import type { TokenUnion } from "./token-union.js";

/** The subject of a verified client certificate. */
export interface CertificateIdentity {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uid?: string;
  /** SHA-256 of the certificate, in lower hexadecimal digits. */
  readonly fingerprint: string;
  /** The authorities that vouch for it: those of clients, those of proxies that speak for their users, or both. */
  readonly trustedAs: ReadonlySet<"client" | "front proxy">;
}

export interface Credentials {
  readonly headers: HttpHeaders;
  /** "untrusted" if the client has sent one that the TLS layer could not verify against the client CA. */
  readonly certificate?: CertificateIdentity | "untrusted" | undefined;
  /** Set by code in this process that acts for a user; never set from a socket. */
  readonly identity?: UserInfo;
}

/** Undefined if the credentials are not of this authenticator's sort, or not good: then the next one is asked. */
export type Authenticator = (credentials: Credentials) => Awaitable<UserInfo | undefined>;

const everyone = "system:authenticated";
const [strangers = ""] = anonymous.groups;

/** As upstream, an authenticator may say that a user is nobody. */
export function known(user: UserInfo): UserInfo {
  const { username, groups } = user;
  if (groups.includes(everyone) || groups.includes(strangers) || username === anonymous.username) return user;
  return { ...user, groups: [...groups, everyone] };
}

/** Makes the user of each value once, so that a user is the same object at each of their requests. */
export function rememberedBy<K extends object>(make: (from: K) => UserInfo): (from: K) => UserInfo {
  const made = new WeakMap<K, UserInfo>();
  return (from) => {
    return getOrMake(made, from, () => make(from));
  };
}

export const byIdentity: Authenticator = ({ identity }) => identity && known(identity);

export function byCertificate(): Authenticator {
  const subjectOf = rememberedBy(({ commonName, organizations, uid, fingerprint }: CertificateIdentity) => {
    const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] };
    return known({ username: commonName, groups: organizations, extra, ...defined({ uid }) });
  });
  return ({ certificate }) =>
    certificate === undefined || certificate === "untrusted" || !certificate.trustedAs.has("client")
      ? undefined
      : subjectOf(certificate);
}

function bearerToken({ headers }: Credentials): string | undefined {
  const value = headers["authorization"];
  const text = typeof value === "string" ? value : value?.[0];
  const match = /^bearer\s+(\S+)\s*$/i.exec(text ?? "");
  return match?.[1];
}

export function byToken(tokens: TokenUnion, audiences: readonly string[]): Authenticator {
  return (credentials) => {
    const token = bearerToken(credentials);
    if (token === undefined) return undefined;
    return after(tokens(token, audiences), (found) => (found.type === "user" ? known(found.user) : undefined));
  };
}

/**
 * "refused" for credentials that no authenticator accepts, "none" if there are none; the caller decides about anonymous
 * requests. A promise only if an authenticator has to wait.
 */
export function authenticate(
  authenticators: readonly Authenticator[],
  credentials: Credentials,
): Awaitable<UserInfo | "refused" | "none"> {
  const { headers, certificate } = credentials;
  const isEmpty = headers["authorization"] === undefined && certificate === undefined;
  const found = firstAnswer(authenticators, (knows) => knows(credentials));
  return after(found, (user) => user ?? (isEmpty ? "none" : "refused"));
}
