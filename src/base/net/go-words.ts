/** Takes the error of a connection that this program has tried to make; gives Go's words for it, which users search for. */
import { isIP } from "node:net";

const unknownAuthority = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

interface Address {
  readonly host: string;
  readonly port: number;
}

/** `late`: the time for the request was over. */
export function goWords(error: unknown, { host, port }: Address, late: boolean): string {
  const failure = lastOf(error);
  const { code = "", message, address = host } = failure;
  if (late) return "context deadline exceeded";
  if (code === "ECONNREFUSED") return `dial tcp ${hostAndPort(address, port)}: connect: connection refused`;
  if (code === "ECONNRESET") return "EOF";
  if (code === "ENOTFOUND") return `dial tcp: lookup ${host}: no such host`;
  if (unknownAuthority.has(code))
    return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  if (code === "CERT_HAS_EXPIRED")
    return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `tls: failed to verify certificate: x509: ${wrongName(failure)}`;
  return message;
}

interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly address?: string;
  /** The wanted name, and the certificate of a server that has other names. */
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

/** As crypto/x509 tells of a certificate for other names. */
function wrongName({ host = "", cert }: Failure): string {
  const names = (cert?.subjectaltname ?? "").split(", ").map((name) => name.split(":"));
  const isAddress = isIP(host) !== 0;
  const kind = isAddress ? "IP Address" : "DNS";
  const valid = names.flatMap(([type, ...rest]) => (type === kind ? [rest.join(":")] : []));
  if (valid.length > 0) return `certificate is valid for ${valid.join(", ")}, not ${host}`;
  return isAddress
    ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${host}`;
}

/** A name with several addresses fails with the errors of all of them. */
const lastOf = (error: unknown): Failure => ((error as AggregateError).errors?.at(-1) ?? error) as Failure;

/** A host and port as in a URL. */
export const hostAndPort = (host: string, port: number): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
