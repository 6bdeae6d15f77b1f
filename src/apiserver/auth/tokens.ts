/** Service account tokens: signed and verified here. */
import { type JwsSigner, jwsSigner, type JwsVerifier, jwsVerifier } from "../../base/x509/jws.js";
import { isRecord } from "../../base/members.js";
import { isDeleting, type KubeObject, type Secret } from "../../api/index.js";
import { type Clock, Recent } from "../../base/index.js";
import type { Store } from "../storage/contract.js";
import { type DecodedObjects, decodedObjects } from "./decoded-objects.js";
import { sameSecret } from "./known-tokens.js";
import type { UserInfo } from "../contracts/user.js";
import { rememberedBy } from "./authenticate.js";
import { goQuotes } from "../../api/go-quote.js";

export interface TokenClaims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly iss: string;
  readonly jti: string;
  readonly sub: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
    readonly pod?: { readonly name: string; readonly uid: string };
    readonly secret?: { readonly name: string; readonly uid: string };
    /** The node of the pod; without a uid if only its name is known. */
    readonly node?: { readonly name: string; readonly uid?: string };
    /** For a token that lives longer than its holder was told: the end that the holder was told. */
    readonly warnafter?: number;
  };
}

/** The verdict on a token: valid for some of the requested audiences, or refused. */
type Verified =
  | { readonly type: "valid"; readonly claims: TokenClaims; readonly audiences: readonly string[] }
  | { readonly type: "refused"; readonly why: string };

export interface TokenIssuer {
  readonly issuer: string;
  /** The audiences of this server: the issuer alone unless others are given. */
  readonly audiences: readonly string[];
  sign(claims: TokenClaims): string;
  /**
   * Verifies a token that names this issuer: signed here, for one of the audiences, valid now, its account and bound
   * object still present. Undefined for other tokens.
   */
  verify(token: string, audiences: readonly string[]): Verified | undefined;
  user(claims: TokenClaims): UserInfo;
  /**
   * The user of a legacy token without expiry, as Secrets of service accounts hold them, if that Secret and its account
   * still exist.
   */
  legacyUser(token: string): UserInfo | undefined;
  /** The algorithms and the JSON Web Key Set by which others verify tokens. */
  keys(): { readonly algorithms: readonly string[]; readonly set: object };
}

/** Keys of service account tokens, in PEM. */
export interface TokenKeys {
  /** The private key that signs: RSA, or of the curve P-256, P-384 or P-521. */
  readonly signing: string;
  /** Public keys, private keys or certificates, several to a text perhaps. The signing key's own tokens if absent. */
  readonly accepted?: readonly string[];
}

/** The tokens of service accounts, where the server's own choice does not fit. */
export interface ServiceAccountTokens {
  /** Default `https://kubernetes.default.svc.cluster.local`. */
  readonly issuer?: string;
  /** Default: the issuer. */
  readonly audiences?: readonly string[];
  /** By default a key that the server makes. */
  readonly keys?: TokenKeys;
}

export interface TokenIssuerOptions extends Omit<ServiceAccountTokens, "keys"> {
  readonly store: Store;
  readonly clock: Clock;
  /** Called when the first token is needed. */
  keys(): TokenKeys;
}

/** The issuer and the audiences of tokens, where they are not given. */
export function tokenNames({
  issuer = "https://kubernetes.default.svc.cluster.local",
  audiences = [issuer],
}: Omit<ServiceAccountTokens, "keys">): { readonly issuer: string; readonly audiences: readonly string[] } {
  return { issuer, audiences };
}

export function createTokenIssuer({ store, clock, ...options }: TokenIssuerOptions): TokenIssuer {
  const { issuer, audiences } = tokenNames(options);
  const objects = decodedObjects(store);
  /**
   * The claims of tokens whose signature was found good, by token: a signature never becomes bad, and checking it costs
   * more than the rest of a small request. Everything that can change (time, account, bound object) is checked at each
   * use. Weighed by characters, so that long tokens do not fill the memory; bad tokens are not kept.
   */
  const signed = new Recent<string, TokenClaims | LegacyClaims>({ weight: 1 << 20 });
  /** The claims of a token that one of the two issuers here has signed. */
  const signedClaims = (token: string): TokenClaims | LegacyClaims | undefined => {
    const known = signed.get(token);
    if (known !== undefined) return known;
    const named = issuerOf(token);
    if (named !== issuer && named !== legacyIssuer) return undefined;
    const claims = claimsIn(token, pair().verifiers);
    if (claims !== undefined) signed.set(token, claims, token.length);
    return claims;
  };
  let keys: LoadedKeys | undefined;
  const pair = (): LoadedKeys => (keys ??= loadKeys(options.keys()));
  return {
    issuer,
    audiences,
    sign: (claims) => pair().sign(claims),
    verify(token, wanted) {
      const claims = signedClaims(token);
      if (claims === undefined) {
        return issuerOf(token) === issuer
          ? { type: "refused", why: "go-jose/go-jose: error in cryptographic primitive" }
          : undefined;
      }
      if (isLegacy(claims)) return undefined;
      const common = claims.aud.filter((audience) => wanted.includes(audience));
      const why = common.length === 0 ? forOthers(claims, wanted) : invalidity(objects, claims, clock.now());
      return why === undefined ? { type: "valid", claims, audiences: common } : { type: "refused", why };
    },
    user: rememberedBy(userOf),
    legacyUser(token) {
      const claims = signedClaims(token);
      return claims !== undefined && isLegacy(claims) ? legacyUserOf(objects, token, claims) : undefined;
    },
    keys() {
      const { verifiers } = pair();
      return {
        algorithms: [...new Set(verifiers.map(({ algorithm }) => algorithm))].toSorted(),
        set: {
          keys: verifiers.map(({ id: kid, algorithm: alg, publicKey }) => {
            const { kty, ...key } = publicKey.export({ format: "jwk" });
            return { use: "sig", kty, kid, alg, ...key };
          }),
        },
      };
    },
  };
}

interface LoadedKeys {
  readonly sign: JwsSigner;
  readonly verifiers: readonly JwsVerifier[];
}

const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

function loadKeys({ signing, accepted = [signing] }: TokenKeys): LoadedKeys {
  const blocks = accepted.flatMap((text) => text.match(pemBlock) ?? []);
  return { sign: jwsSigner(signing), verifiers: blocks.filter(holdsKey).map(jwsVerifier) };
}

/** OpenSSL writes the parameters of a curve beside its key. */
const holdsKey = (block: string): boolean => !block.startsWith("-----BEGIN EC PARAMETERS");

/** The issuer that a token names, read before the token is verified; undefined if the token cannot be read. */
function issuerOf(token: string): unknown {
  try {
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as unknown;
    return isRecord(claims) ? claims["iss"] : undefined;
  } catch {
    return undefined;
  }
}

/** The claims of a token, if one of the keys has signed it. */
function claimsIn(token: string, keys: readonly JwsVerifier[]): TokenClaims | LegacyClaims | undefined {
  for (const key of keys) {
    const claims = key.claims(token);
    if (claims !== undefined) return claims as TokenClaims | LegacyClaims;
  }
  return undefined;
}

const legacyIssuer = "kubernetes/serviceaccount";

interface LegacyClaims {
  readonly iss: typeof legacyIssuer;
  readonly "kubernetes.io/serviceaccount/namespace": string;
  readonly "kubernetes.io/serviceaccount/secret.name": string;
  readonly "kubernetes.io/serviceaccount/service-account.name": string;
  readonly "kubernetes.io/serviceaccount/service-account.uid": string;
}

const isLegacy = (claims: TokenClaims | LegacyClaims): claims is LegacyClaims => claims.iss === legacyIssuer;

function legacyUserOf(objects: DecodedObjects, token: string, claims: LegacyClaims): UserInfo | undefined {
  const namespace = claims["kubernetes.io/serviceaccount/namespace"];
  const name = claims["kubernetes.io/serviceaccount/service-account.name"];
  const uid = claims["kubernetes.io/serviceaccount/service-account.uid"];
  const secretName = claims["kubernetes.io/serviceaccount/secret.name"];
  const secret = objects.get<Secret>("secrets", `${namespace}/${secretName}`);
  if (secret === undefined || isDeleting(secret)) return undefined;
  if (!sameSecret(secret.data?.["token"] ?? "", Buffer.from(token).toString("base64"))) return undefined;
  const account = objects.get("serviceaccounts", `${namespace}/${name}`);
  if (account?.metadata.uid !== uid || isDeleting(account)) return undefined;
  return { username: `system:serviceaccount:${namespace}:${name}`, uid, groups: groupsIn(namespace) };
}

const groupsIn = (namespace: string): readonly string[] => [
  "system:serviceaccounts",
  `system:serviceaccounts:${namespace}`,
  "system:authenticated",
];

const forOthers = ({ aud }: TokenClaims, wanted: readonly string[]): string =>
  `token audiences ${goQuotes(aud)} is invalid for the target audiences ${goQuotes(wanted)}`;

/** Tolerance for clocks that differ, and for accounts and objects that are being deleted but may still make requests. */
const leewayMs = 60_000;

/** The reason why a token is no longer, or not yet, valid; undefined if it is valid. */
function invalidity(objects: DecodedObjects, claims: TokenClaims, now: number): string | undefined {
  if (now - leewayMs > claims.exp * 1000) return "service account token has expired";
  if (now + leewayMs < claims.nbf * 1000) return "service account token is not valid yet";
  const { namespace, serviceaccount, pod, secret, node } = claims["kubernetes.io"];
  const account = objects.get("serviceaccounts", `${namespace}/${serviceaccount.name}`);
  if (account === undefined) return `serviceaccounts ${JSON.stringify(serviceaccount.name)} not found`;
  if (isOver(account, now)) return invalidated;
  if (account.metadata.uid !== serviceaccount.uid) {
    return `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`;
  }
  const bound = [
    pod && (["pod", objects.get("pods", `${namespace}/${pod.name}`), pod] as const),
    secret && (["secret", objects.get("secrets", `${namespace}/${secret.name}`), secret] as const),
    // for a token bound to a pod, the node is only information and is not checked
    pod === undefined && node && (["node", objects.get("nodes", node.name), node] as const),
  ];
  for (const one of bound) {
    if (!one) continue;
    const [kind, object, { uid }] = one;
    if (object === undefined || isOver(object, now)) return invalidated;
    const found = object.metadata.uid;
    if (found !== uid) return `${kind} UID (${found}) does not match service account ${kind} ref claim (${uid})`;
  }
  return undefined;
}

const invalidated = "service account token has been invalidated";

const isOver = ({ metadata: { deletionTimestamp } }: KubeObject, now: number): boolean =>
  deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - leewayMs;

function userOf(claims: TokenClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims["kubernetes.io"];
  return {
    username: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: groupsIn(namespace),
    extra: {
      "authentication.kubernetes.io/credential-id": [`JTI=${claims.jti}`],
      ...(node === undefined
        ? {}
        : {
            "authentication.kubernetes.io/node-name": [node.name],
            ...(node.uid === undefined ? {} : { "authentication.kubernetes.io/node-uid": [node.uid] }),
          }),
      ...(pod === undefined
        ? {}
        : { "authentication.kubernetes.io/pod-name": [pod.name], "authentication.kubernetes.io/pod-uid": [pod.uid] }),
    },
  };
}
