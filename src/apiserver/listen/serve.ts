/** Starts a listener with its certificates, and makes the kubeconfig that leads to it. */
import { type Clock, type Closable, closable, isLoopback, type Logger, type Timer } from "../../base/index.js";
import { defined } from "../../base/defined.js";
import type { FrontProxyOptions } from "../auth/front-proxy.js";
import type { Handler } from "../http/handler.js";
import type { CertificateAuthority, KeyAndCertificate } from "../../base/x509/certificate.js";
import { kubeconfigOf } from "../tls/kubeconfig.js";
import { listen, type ListenLimits, type TlsOptions } from "./listener.js";

export interface ListenAddress {
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** False for plain HTTP, on loopback only. Default true. */
  readonly tls?: boolean;
  /** Further names in the serving certificate. */
  readonly hosts?: readonly string[];
  /** The serving certificate, with those of its authorities, and its key, in PEM. The server signs one itself if absent. */
  readonly certificate?: KeyAndCertificate;
  /**
   * The certificates, in PEM, of the authorities whose client certificates are accepted, in place of the server's own: the
   * kubeconfig of this listener then has the administrator's token.
   */
  readonly clientAuthority?: string;
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
  /** Proxies that speak for their users. */
  readonly trustedProxies?: FrontProxyOptions | undefined;
}

export async function serveOn(where: ListenAddress, parts: ServeParts): Promise<ServerListener> {
  const { address = "127.0.0.1", port = 0, tls = true, hosts = [] } = where;
  const { handle, authority, log, clock, limits } = parts;
  const certificate = (): TlsOptions => ({
    ...(where.certificate ?? servingCertificate(authority, { address, hosts, now: clock.now() })),
    clientAuthority: where.clientAuthority ?? authority.certificate,
    ...defined({ trustedProxies: parts.trustedProxies }),
  });
  const listener = await listen({
    handle,
    address,
    port,
    log,
    clock,
    limits,
    ...(tls ? { tls: certificate() } : {}),
  });
  const renewal =
    tls && where.certificate === undefined ? renewing(clock, () => listener.present(certificate())) : undefined;
  return {
    url: listener.url,
    port: listener.port,
    authority: tls ? (where.certificate ?? authority).certificate : undefined,
    kubeconfig: kubeconfigFor(parts, where, tls ? reachable(address, listener) : listener.url),
    ...closable(async () => {
      renewal?.[Symbol.dispose]();
      await listener.close();
    }),
  };
}

const dayMs = 24 * 3_600_000;
/** A certificate is good for a year. */
const renewAfterMs = 240 * dayMs;

/**
 * Calls `renew` whenever the serving certificate has become old. It looks at the date each day, because timers stand
 * still while a machine sleeps.
 */
function renewing(clock: Clock, renew: () => void): Disposable {
  let renewedAt = clock.now();
  let timer: Timer;
  const look = (): void => {
    if (clock.now() - renewedAt >= renewAfterMs) {
      renew();
      renewedAt = clock.now();
    }
    timer = clock.timer(dayMs, look);
  };
  timer = clock.timer(dayMs, look);
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/** A client cannot connect to a wildcard address. */
function reachable(address: string, { url, port }: { readonly url: string; readonly port: number }): string {
  return address === "0.0.0.0" || address === "::" ? `https://127.0.0.1:${port}` : url;
}

function kubeconfigFor(
  { authority, clock, username, groups, token }: ServeParts,
  { tls = true, certificate = authority, clientAuthority }: ListenAddress,
  server: string,
): string {
  if (!tls) return kubeconfigOf({ server, token });
  if (clientAuthority !== undefined) return kubeconfigOf({ server, authority: certificate.certificate, token });
  const organizations = groups.filter((group) => group !== "system:authenticated");
  const client = authority.issue({ commonName: username, organizations, use: "client", now: clock.now() });
  return kubeconfigOf({ server, authority: certificate.certificate, client });
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
  { address, hosts, now }: { readonly address: string; readonly hosts: readonly string[]; readonly now: number },
): KeyAndCertificate {
  const own = isLoopback(address) || address === "0.0.0.0" || address === "::" ? [] : [address];
  const all = new Set([...names, "127.0.0.1", "::1", "10.96.0.1", ...own, ...hosts]);
  return authority.issue({ commonName: "coxswain-apiserver", use: "server", hosts: [...all], now });
}
