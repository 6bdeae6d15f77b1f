/** Starts a listener with its certificates, and makes the kubeconfig that leads to it. */
import { type Clock, type Closable, closable, isLoopback, type Logger } from "../../base/index.js";
import type { Handler } from "../http/handler.js";
import type { CertificateAuthority, KeyAndCertificate } from "../tls/certificate.js";
import { kubeconfigOf } from "../tls/kubeconfig.js";
import { listen, type ListenLimits } from "./listener.js";

export interface ListenAddress {
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** False for plain HTTP, on loopback only. Default true. */
  readonly tls?: boolean;
  /** Further names in the serving certificate. */
  readonly hosts?: readonly string[];
}

export interface ServerListener extends Closable {
  readonly url: string;
  readonly port: number;
  /** The administrator's kubeconfig for this address. */
  readonly kubeconfig: string;
  /** PEM of the authority; undefined without TLS. */
  readonly authority: string | undefined;
}

export interface ServeParts {
  readonly handle: Handler;
  readonly authority: CertificateAuthority;
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits: ListenLimits;
  /** The administrator's token. */
  readonly token: string;
  readonly username: string;
  readonly groups: readonly string[];
}

export async function serveOn(where: ListenAddress, parts: ServeParts): Promise<ServerListener> {
  const { address = "127.0.0.1", port = 0, tls = true, hosts = [] } = where;
  const { handle, authority, log, clock, limits } = parts;
  const serving = tls ? servingCertificate(authority, address, hosts) : undefined;
  const listener = await listen({
    handle,
    address,
    port,
    log,
    clock,
    limits,
    ...(serving === undefined
      ? {}
      : { tls: { key: serving.key, certificate: serving.certificate, clientAuthority: authority.certificate } }),
  });
  return {
    url: listener.url,
    port: listener.port,
    authority: tls ? authority.certificate : undefined,
    kubeconfig: kubeconfigFor(parts, tls ? reachable(address, listener) : undefined, listener.url),
    ...closable(() => listener.close()),
  };
}

/** A client cannot connect to a wildcard address. */
function reachable(address: string, { url, port }: { readonly url: string; readonly port: number }): string {
  return address === "0.0.0.0" || address === "::" ? `https://127.0.0.1:${port}` : url;
}

function kubeconfigFor(
  { authority, username, groups, token }: ServeParts,
  secure: string | undefined,
  plain: string,
): string {
  if (secure === undefined) return kubeconfigOf({ server: plain, token });
  const organizations = groups.filter((group) => group !== "system:authenticated");
  const client = authority.issue({ commonName: username, organizations, use: "client" });
  return kubeconfigOf({ server: secure, authority: authority.certificate, client });
}

const names = [
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

function servingCertificate(
  authority: CertificateAuthority,
  address: string,
  hosts: readonly string[],
): KeyAndCertificate {
  const own = isLoopback(address) || address === "0.0.0.0" || address === "::" ? [] : [address];
  const all = new Set([...names, "127.0.0.1", "::1", "10.96.0.1", ...own, ...hosts]);
  return authority.issue({ commonName: "coxswain-apiserver", use: "server", hosts: [...all] });
}
