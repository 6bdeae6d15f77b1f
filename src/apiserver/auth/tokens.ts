/** Service account tokens: signed here, checked here. Issued by `serviceaccounts/token`; believed by authentication and TokenReview. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { KubeObject } from "../../api/index.js";
import type { Clock } from "../../base/index.js";
import type { Store } from "../storage/storage.js";
import type { UserInfo } from "./user.js";

export interface BoundObject {
  readonly kind: "Pod" | "Secret" | "Node";
  readonly name: string;
  readonly uid: string;
}

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
    readonly node?: { readonly name: string; readonly uid: string };
  };
}

export interface TokenIssuer {
  readonly issuer: string;
  sign(claims: TokenClaims): string;
  /** The claims of a token that was signed here, is valid now, and whose account and bound object still exist. */
  verify(token: string): TokenClaims | undefined;
  user(claims: TokenClaims): UserInfo;
  /** The user of a token without end, as Secrets of service accounts hold them, if that Secret and its account are still there. */
  legacyUser(token: string): UserInfo | undefined;
  /** JSON Web Key Set. */
  keys(): object;
}

export interface TokenIssuerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly issuer?: string;
  /** PEM; asked for when the first token is. */
  key(): string;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const boundCollections = { pod: "pods", secret: "secrets" } as const;

export function createTokenIssuer({
  store,
  clock,
  issuer = "https://kubernetes.default.svc.cluster.local",
  key,
}: TokenIssuerOptions): TokenIssuer {
  let keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject; readonly id: string } | undefined;
  const keyPair = (): NonNullable<typeof keys> => (keys ??= loadKeys(key()));
  return {
    issuer,
    sign(claims) {
      const { privateKey, id } = keyPair();
      const body = `${encode({ alg: "ES256", kid: id })}.${encode(claims)}`;
      return `${body}.${sign("sha256", Buffer.from(body), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
    },
    verify(token) {
      const claims = signedClaims<TokenClaims>(token, keyPair().publicKey);
      if (claims === undefined || claims.iss !== issuer) return undefined;
      const now = clock.now() / 1000;
      if (claims.exp <= now || claims.nbf > now + 60) return undefined;
      return stillThere(store, claims) ? claims : undefined;
    },
    user: userOf,
    legacyUser(token) {
      const claims = signedClaims<LegacyClaims>(token, keyPair().publicKey);
      return claims?.iss === legacyIssuer ? legacyUserOf(store, token, claims) : undefined;
    },
    keys() {
      const { publicKey, id } = keyPair();
      return { keys: [{ use: "sig", kid: id, alg: "ES256", ...publicKey.export({ format: "jwk" }) }] };
    },
  };
}

function loadKeys(pem: string): {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly id: string;
} {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const id = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { privateKey, publicKey, id };
}

function signedClaims<Claims>(token: string, publicKey: KeyObject): Claims | undefined {
  const [head = "", body = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || signature === "") return undefined;
  try {
    const good = verify(
      "sha256",
      Buffer.from(`${head}.${body}`),
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
    return good ? (JSON.parse(Buffer.from(body, "base64url").toString()) as Claims) : undefined;
  } catch {
    return undefined;
  }
}

const legacyIssuer = "kubernetes/serviceaccount";

interface LegacyClaims {
  readonly iss: string;
  readonly "kubernetes.io/serviceaccount/namespace": string;
  readonly "kubernetes.io/serviceaccount/secret.name": string;
  readonly "kubernetes.io/serviceaccount/service-account.name": string;
  readonly "kubernetes.io/serviceaccount/service-account.uid": string;
}

function legacyUserOf(store: Store, token: string, claims: LegacyClaims): UserInfo | undefined {
  const namespace = claims["kubernetes.io/serviceaccount/namespace"];
  const name = claims["kubernetes.io/serviceaccount/service-account.name"];
  const uid = claims["kubernetes.io/serviceaccount/service-account.uid"];
  const secretName = claims["kubernetes.io/serviceaccount/secret.name"];
  const secret = store.get("secrets", `${namespace}/${secretName}`)?.object as
    | (KubeObject & { readonly data?: Readonly<Record<string, string>> })
    | undefined;
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return undefined;
  if (secret.data?.["token"] !== Buffer.from(token).toString("base64")) return undefined;
  const account = store.get("serviceaccounts", `${namespace}/${name}`)?.object;
  if (account?.metadata.uid !== uid || account.metadata.deletionTimestamp !== undefined) return undefined;
  return { username: `system:serviceaccount:${namespace}:${name}`, uid, groups: groupsIn(namespace) };
}

const groupsIn = (namespace: string): readonly string[] => [
  "system:serviceaccounts",
  `system:serviceaccounts:${namespace}`,
  "system:authenticated",
];

function stillThere(store: Store, claims: TokenClaims): boolean {
  const { namespace, serviceaccount, ...bound } = claims["kubernetes.io"];
  const account = store.get("serviceaccounts", `${namespace}/${serviceaccount.name}`)?.object;
  if (account?.metadata.uid !== serviceaccount.uid || account.metadata.deletionTimestamp !== undefined) return false;
  for (const [kind, collection] of Object.entries(boundCollections)) {
    const reference = bound[kind as keyof typeof boundCollections];
    if (reference === undefined) continue;
    if (store.get(collection, `${namespace}/${reference.name}`)?.object.metadata.uid !== reference.uid) return false;
  }
  return true;
}

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
            "authentication.kubernetes.io/node-uid": [node.uid],
          }),
      ...(pod === undefined
        ? {}
        : { "authentication.kubernetes.io/pod-name": [pod.name], "authentication.kubernetes.io/pod-uid": [pod.uid] }),
    },
  };
}
