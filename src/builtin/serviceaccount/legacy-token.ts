/** Service account tokens without expiry, as Secrets hold them: takes the cluster's token key, gives signed claims. */
import { lookup } from "../../base/members.js";
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";

interface LegacyTokenSubject {
  readonly namespace: string;
  readonly account: string;
  readonly accountUid: string;
  readonly secret: string;
}

export type LegacyTokenSigner = (subject: LegacyTokenSubject) => string;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const curveHashes: Readonly<Record<string, readonly [algorithm: string, hash: string]>> = lookup({
  prime256v1: ["ES256", "sha256"],
  secp384r1: ["ES384", "sha384"],
  secp521r1: ["ES512", "sha512"],
});

/** `pem` is a private key, RSA or on one of the three common curves; throws for any other. */
export function legacyTokenSigner(pem: string): LegacyTokenSigner {
  const key = createPrivateKey(pem);
  const [alg, hash] = algorithmOf(key);
  const kid = createHash("sha256")
    .update(createPublicKey(key).export({ type: "spki", format: "der" }))
    .digest("base64url");
  return ({ namespace, account, accountUid, secret }) => {
    const claims = {
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/namespace": namespace,
      "kubernetes.io/serviceaccount/secret.name": secret,
      "kubernetes.io/serviceaccount/service-account.name": account,
      "kubernetes.io/serviceaccount/service-account.uid": accountUid,
      sub: `system:serviceaccount:${namespace}:${account}`,
    };
    const body = `${encode({ alg, kid })}.${encode(claims)}`;
    const signature = sign(hash, Buffer.from(body), { key, dsaEncoding: "ieee-p1363" });
    return `${body}.${signature.toString("base64url")}`;
  };
}

function algorithmOf(key: KeyObject): readonly [algorithm: string, hash: string] {
  if (key.asymmetricKeyType === "rsa") return ["RS256", "sha256"];
  const known = curveHashes[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (key.asymmetricKeyType !== "ec" || known === undefined) {
    throw new TypeError(
      `a service account key is RSA or of the curve P-256, P-384 or P-521, not ${key.asymmetricKeyType}`,
    );
  }
  return known;
}
