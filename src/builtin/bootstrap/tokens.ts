/** Bootstrap tokens, which are Secrets: their end, their part in signing, and the signatures that they make. Pure. */
import { createHmac } from "node:crypto";
import { parseTime, type Secret } from "../../api/index.js";

const tokenType = "bootstrap.kubernetes.io/token";
const tokenNamespace = "kube-system";

export const isBootstrapToken = ({ type, metadata }: Secret): boolean =>
  type === tokenType && metadata.namespace === tokenNamespace;

const textOf = ({ data }: Secret, field: string): string => Buffer.from(data?.[field] ?? "", "base64").toString();

/** The time that is left, in milliseconds; undefined for a token without an end. One that cannot be read is over. */
export function timeLeft(secret: Secret, now: number): number | undefined {
  const expiration = textOf(secret, "expiration");
  if (expiration === "") return undefined;
  try {
    return parseTime(expiration) - now;
  } catch {
    return 0;
  }
}

export interface SigningToken {
  readonly id: string;
  readonly secret: string;
}

/** Undefined for a Secret that is no valid token, or not one for signing. */
export function signingToken(secret: Secret, now: number): SigningToken | undefined {
  const [id, value] = [textOf(secret, "token-id"), textOf(secret, "token-secret")];
  if (id === "" || value === "" || secret.metadata.name !== `bootstrap-token-${id}`) return undefined;
  if ((timeLeft(secret, now) ?? 1) <= 0 || textOf(secret, "usage-bootstrap-signing") !== "true") return undefined;
  return { id, secret: value };
}

/** A JWS (RFC 7515) without its content, which stands beside it. */
export function detachedSignature(content: string, { id, secret }: SigningToken): string {
  const encode = (text: string): string => Buffer.from(text).toString("base64url");
  const header = encode(JSON.stringify({ alg: "HS256", kid: id }));
  const signature = createHmac("sha256", secret)
    .update(`${header}.${encode(content)}`)
    .digest("base64url");
  return `${header}..${signature}`;
}
