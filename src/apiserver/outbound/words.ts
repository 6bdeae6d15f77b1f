/** Takes the error of a connection that this server has tried to make; gives Go's words for it, which users search for. */
import { isIP } from "node:net";
import type { Received } from "./send.js";
import type { Address } from "./service-address.js";

const unknownAuthority = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

/** `late`: the time for the request was over. */
export function goWords(error: unknown, { host, port }: Address, late: boolean): string {
  const { code = "", message, address = host } = lastOf(error);
  if (late) return "context deadline exceeded";
  if (code === "ECONNREFUSED") return `dial tcp ${joined(address, port)}: connect: connection refused`;
  if (code === "ECONNRESET") return "EOF";
  if (code === "ENOTFOUND") return `dial tcp: lookup ${host}: no such host`;
  if (unknownAuthority.has(code))
    return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  if (code === "CERT_HAS_EXPIRED")
    return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `tls: failed to verify certificate: x509: ${message}`;
  return message;
}

interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly address?: string;
}

/** A name with several addresses fails with the errors of all of them. */
const lastOf = (error: unknown): Failure => ((error as AggregateError).errors?.at(-1) ?? error) as Failure;

/** The error for an answer whose status is not 200, in the words of Kubernetes' client. */
export function clientWords({ status, headers, text }: Pick<Received, "status" | "headers" | "text">): string {
  const type = headers["content-type"] ?? "";
  if (status === 404) return "the server could not find the requested resource";
  if (status === 503) return "the server is currently unable to handle the request";
  const isText = type === "" || type.startsWith("text/");
  if (status >= 500)
    return `an error on the server (${JSON.stringify((isText && text.trim()) || "unknown")}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

/** A host and port as in a URL. */
export const joined = (host: string, port: number): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
