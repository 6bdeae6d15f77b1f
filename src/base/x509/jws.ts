/** JSON Web Signatures in the compact form (RFC 7515): takes keys in PEM, signs claims and reads signed ones. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { lookup } from "../members.js";

export type JwsSigner = (claims: object) => string;

/** A public key, with the names by which a JSON Web Key Set gives it. */
export interface JwsVerifier {
  readonly id: string;
  /** RFC 7518, section 3.1. */
  readonly algorithm: string;
  readonly publicKey: KeyObject;
  /** The claims of a token; undefined if this key has not signed it. */
  claims(token: string): unknown;
}

const curves: Readonly<Record<string, readonly [algorithm: string, hash: string]>> = lookup({
  prime256v1: ["ES256", "sha256"],
  secp384r1: ["ES384", "sha384"],
  secp521r1: ["ES512", "sha512"],
});

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** `pem` is a private key, RSA or on one of the three common curves; throws for any other. */
export function jwsSigner(pem: string): JwsSigner {
  const key = createPrivateKey(pem);
  const [alg, hash] = algorithmOf(key);
  const kid = keyId(createPublicKey(key));
  return (claims) => {
    const body = `${encode({ alg, kid })}.${encode(claims)}`;
    return `${body}.${sign(hash, Buffer.from(body), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
  };
}

/** `pem` is one public key, private key or certificate. */
export function jwsVerifier(pem: string): JwsVerifier {
  const key = createPublicKey(pem);
  const [algorithm, hash] = algorithmOf(key);
  return {
    id: keyId(key),
    algorithm,
    publicKey: key,
    claims(token) {
      const [head = "", body = "", signature = "", ...more] = token.split(".");
      if (more.length > 0 || signature === "") return undefined;
      try {
        const by = { key, dsaEncoding: "ieee-p1363" } as const;
        const good = verify(hash, Buffer.from(`${head}.${body}`), by, Buffer.from(signature, "base64url"));
        return good ? (JSON.parse(Buffer.from(body, "base64url").toString()) as unknown) : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** The id that Kubernetes gives a key: the SHA-256 of its public half. */
const keyId = (key: KeyObject): string =>
  createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");

function algorithmOf(key: KeyObject): readonly [algorithm: string, hash: string] {
  if (key.asymmetricKeyType === "rsa") return ["RS256", "sha256"];
  const known = curves[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (key.asymmetricKeyType !== "ec" || known === undefined) {
    throw new TypeError(
      `a service account key is RSA or of the curve P-256, P-384 or P-521, not ${key.asymmetricKeyType}`,
    );
  }
  return known;
}
