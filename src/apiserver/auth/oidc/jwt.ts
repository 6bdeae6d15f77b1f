/** JSON Web Tokens of other issuers: reads their parts without trusting them, and verifies their signatures (RFC 7515, RFC 7518). */
import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from "node:crypto";
import { isRecord, lookup } from "../../../base/members.js";

/** A token in its compact form, not verified yet. */
export interface ReadToken {
  readonly algorithm: string;
  readonly keyId: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The text that is signed. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** A public key of an issuer. */
export interface IssuerKey {
  readonly id: string;
  readonly key: KeyObject;
}

interface Algorithm {
  readonly type: "rsa" | "ec";
  readonly hash: string;
  readonly padding?: number;
  readonly curve?: string;
}

const { RSA_PKCS1_PADDING: pkcs1, RSA_PKCS1_PSS_PADDING: pss } = constants;

const algorithms: Readonly<Record<string, Algorithm>> = lookup({
  ES256: { type: "ec", hash: "sha256", curve: "prime256v1" },
  ES384: { type: "ec", hash: "sha384", curve: "secp384r1" },
  ES512: { type: "ec", hash: "sha512", curve: "secp521r1" },
  PS256: { type: "rsa", hash: "sha256", padding: pss },
  PS384: { type: "rsa", hash: "sha384", padding: pss },
  PS512: { type: "rsa", hash: "sha512", padding: pss },
  RS256: { type: "rsa", hash: "sha256", padding: pkcs1 },
  RS384: { type: "rsa", hash: "sha384", padding: pkcs1 },
  RS512: { type: "rsa", hash: "sha512", padding: pkcs1 },
});

/** Every algorithm that an issuer may sign with, sorted. */
export const signingAlgorithms: readonly string[] = Object.keys(algorithms).toSorted();

const minModulusBits = 1024;

/** Stricter than Node's decoder, which skips characters that do not belong there. */
function decoded(text: string): Buffer | undefined {
  return /^[A-Za-z0-9_-]*$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, "base64url") : undefined;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = decoded(text);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The issuer that a token names; undefined if the text is no token. Nothing is verified. */
export function namedIssuer(token: string): string | undefined {
  const [, body, , ...more] = token.split(".", 4);
  if (body === undefined || more.length > 0 || token.split(".", 3).length !== 3) return undefined;
  const issuer = objectIn(body)?.["iss"] ?? "";
  if (typeof issuer !== "string") return undefined;
  return issuer === "accounts.google.com" ? "https://accounts.google.com" : issuer;
}

/** A text if the token cannot be read. */
export function readToken(token: string): ReadToken | string {
  const [head = "", body = "", tail = "", ...more] = token.split(".", 4);
  if (more.length > 0) return "oidc: malformed jwt";
  const malformed = (why: string): string => `oidc: malformed jwt: ${why}`;
  const header = objectIn(head);
  const claims = objectIn(body);
  const signature = decoded(tail);
  if (header === undefined) return malformed("the header is no JSON in base64url");
  if (claims === undefined || signature === undefined) return malformed("a part is not in base64url");
  const { alg = "", kid = "", crit } = header;
  if (typeof alg !== "string" || typeof kid !== "string") return malformed("the header names no algorithm or key");
  // RFC 7515, section 4.1.11: nothing that such a header may name is understood here
  if (crit !== undefined) return malformed("the header has critical extensions");
  return { algorithm: alg, keyId: kid, claims, signed: `${head}.${body}`, signature };
}

/** Whether the key has signed the token. */
export function isSignedBy({ algorithm, signed, signature }: ReadToken, { key }: IssuerKey): boolean {
  const known = algorithms[algorithm];
  if (known === undefined || key.asymmetricKeyType !== known.type) return false;
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (known.type === "ec" ? namedCurve !== known.curve : modulusLength < minModulusBits) return false;
  const { hash, padding } = known;
  const by = padding === undefined ? { key, dsaEncoding: "ieee-p1363" as const } : { key, padding };
  try {
    return verify(hash, Buffer.from(signed), by, signature);
  } catch {
    return false;
  }
}

/** The keys of a JSON Web Key Set (RFC 7517); throws an Error about a set that cannot be used. */
export function keysIn(text: string): readonly IssuerKey[] {
  const set: unknown = JSON.parse(text);
  const keys = isRecord(set) ? (set["keys"] ?? []) : undefined;
  if (!Array.isArray(keys)) throw new Error("it is no JSON Web Key Set");
  return keys.map((jwk: unknown) => {
    if (!isRecord(jwk)) throw new Error("a key is no object");
    const { kid = "", kty } = jwk;
    if (typeof kid !== "string") throw new Error("the id of a key is no text");
    if (kty !== "RSA" && kty !== "EC" && kty !== "OKP")
      throw new Error(`go-jose/go-jose: unknown json web key type '${String(kty)}'`);
    return { id: kid, key: createPublicKey({ key: jwk as JsonWebKey, format: "jwk" }) };
  });
}
