/** Proxies that authenticate users themselves: takes the headers by which a proxy with a trusted certificate names its user. */
import { headerValues } from "../../base/http.js";
import type { HttpHeaders } from "../../base/index.js";
import { remoteHeaders } from "../contracts/user.js";
import { type Authenticator, known } from "./authenticate.js";
import { decodedKey } from "./impersonation/headers.js";
import { defined, unlessEmpty } from "../../base/defined.js";

/** kube-apiserver's flags `--requestheader-…`. */
export interface FrontProxyOptions {
  /** The authorities of the proxies' certificates, in PEM. */
  readonly authority: string;
  /** The common names that a proxy's certificate may have. Default: any. */
  readonly allowedNames?: readonly string[];
  /** Default `X-Remote-User`; of several the first with a value counts. */
  readonly usernameHeaders?: readonly string[];
  /** Default `X-Remote-Uid`. */
  readonly uidHeaders?: readonly string[];
  /** Default `X-Remote-Group`. */
  readonly groupHeaders?: readonly string[];
  /** Default `X-Remote-Extra-`. */
  readonly extraHeaderPrefixes?: readonly string[];
}

const lower = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());

/** Whether a header may name a part of a user, so that its values must not be joined. */
export function isUserHeader(options: FrontProxyOptions): (name: string) => boolean {
  const { user, uid, group, extra } = namesIn(options);
  const names = new Set([...user, ...uid, ...group]);
  return (name) => names.has(name) || extra.some((prefix) => name.startsWith(prefix));
}

interface Names {
  readonly user: readonly string[];
  readonly uid: readonly string[];
  readonly group: readonly string[];
  readonly extra: readonly string[];
}

function namesIn(options: FrontProxyOptions): Names {
  return {
    user: lower(options.usernameHeaders ?? [remoteHeaders.user]),
    uid: lower(options.uidHeaders ?? [remoteHeaders.uid]),
    group: lower(options.groupHeaders ?? [remoteHeaders.group]),
    extra: lower(options.extraHeaderPrefixes ?? [remoteHeaders.extraPrefix]),
  };
}

export function byFrontProxy(options: FrontProxyOptions): Authenticator {
  const { allowedNames = [] } = options;
  const names = namesIn(options);
  return ({ certificate, headers }) => {
    if (certificate === undefined || certificate === "untrusted") return undefined;
    const { commonName, trustedAs } = certificate;
    if (!trustedAs.has("front proxy") || (allowedNames.length > 0 && !allowedNames.includes(commonName)))
      return undefined;
    const username = firstOf(headers, names.user);
    if (username === "") return undefined;
    const uid = firstOf(headers, names.uid);
    const groups = names.group.flatMap((name) => headerValues(headers, name).filter((value) => value !== ""));
    const extra = extraOf(headers, names.extra);
    return known({
      username,
      groups,
      ...defined({ uid: uid || undefined, extra: unlessEmpty(extra) }),
    });
  };
}

const firstOf = (headers: HttpHeaders, names: readonly string[]): string =>
  names.map((name) => headerValues(headers, name)[0] ?? "").find((value) => value !== "") ?? "";

function extraOf(headers: HttpHeaders, prefixes: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes) {
    for (const name of Object.keys(headers)) {
      if (!name.startsWith(prefix)) continue;
      const key = decodedKey(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...headerValues(headers, name)]);
    }
  }
  return Object.fromEntries(extra);
}
