/** Opens a connection to an endpoint: TCP, through a proxy if there is one, then TLS. */
import { lookup } from "../../base/members.js";
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type Clock, onAbort } from "../../base/index.js";
import { timeLimit } from "../../base/time/time-limit.js";
import { ConnectionError, messageOf } from "../failure.js";
import { type Endpoint, hostOf, portOf, printable, type TlsMaterial } from "./endpoint.js";
import { throughProxy } from "./proxy-tunnel.js";

export interface DialOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Protocols offered in the TLS handshake, best first. */
  readonly alpn?: readonly string[];
  /** True for a connection to the proxy itself, where each request names its target. */
  readonly forwarded?: boolean;
  /** The way of reading a plain TCP connection, if nothing else has read from it before. */
  readonly onread?: OnReadOpts | undefined;
}

export interface Dialled {
  readonly socket: Socket | TLSSocket;
  /** The protocol that the server chose, if the connection is TLS. */
  readonly protocol: string | undefined;
  /** The certificates used. */
  readonly material: TlsMaterial | undefined;
}

const dialTimeoutMs = 30_000;
const keepAliveMs = 30_000;

/** Rejects with a ConnectionError that names the place and the reason; nothing was sent, so any request may be tried again. */
export async function dial(endpoint: Endpoint, options: DialOptions): Promise<Dialled> {
  const where = printable(endpoint.server);
  const late = (): Error => new ConnectionError("timeout", `no connection to ${where} within ${dialTimeoutMs} ms`);
  using abort = timeLimit(options.clock, dialTimeoutMs, late, options.signal);
  try {
    // the first dial runs much code for the first time, so other work gets a turn in between
    await new Promise((resolve) => setImmediate(resolve));
    const material = endpoint.server.protocol === "https:" ? await endpoint.tls?.() : undefined;
    const tunnel =
      endpoint.proxy === undefined
        ? undefined
        : await openTunnel(endpoint, endpoint.proxy, { forwarded: options.forwarded === true, signal: abort.signal });
    const { alpn = [], onread } = options;
    const socket = await open(endpoint, { tunnel, material, alpn, onread, signal: abort.signal });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveMs);
    return { socket, protocol: "alpnProtocol" in socket ? socket.alpnProtocol || undefined : undefined, material };
  } catch (error) {
    if (abort.signal.aborted) throw abort.signal.reason;
    throw error instanceof ConnectionError ? error : dialFailure(where, error);
  }
}

interface Opening {
  /** A connection through a proxy, if there is one. */
  readonly tunnel: Socket | undefined;
  readonly material: TlsMaterial | undefined;
  readonly alpn: readonly string[];
  readonly onread: OnReadOpts | undefined;
  readonly signal: AbortSignal;
}

async function open(endpoint: Endpoint, opening: Opening): Promise<Socket | TLSSocket> {
  const { server } = endpoint;
  const { tunnel, material, alpn, onread, signal } = opening;
  const to = { host: hostOf(server), port: portOf(server) };
  if (server.protocol !== "https:") return tunnel ?? settled(connectTcp({ ...to, onread }), "connect", signal);
  const { checkServerIdentity, connect: connectTls } = await import("node:tls");
  const name = endpoint.tlsServerName ?? to.host;
  const secure = connectTls({
    ...material,
    ...(tunnel === undefined ? to : { socket: tunnel }),
    // an IP address is checked against the certificate's addresses, but must not be sent as a server name (RFC 6066,
    // section 3)
    ...(isIP(name) === 0
      ? { servername: name }
      : { checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate) }),
    ALPNProtocols: [...alpn],
    rejectUnauthorized: endpoint.insecureSkipTlsVerify !== true,
  });
  return settled(secure, "secureConnect", signal);
}

async function openTunnel(
  { server }: Endpoint,
  proxy: URL,
  { forwarded, signal }: { readonly forwarded: boolean; readonly signal: AbortSignal },
): Promise<Socket> {
  let socket: Socket | undefined;
  try {
    socket = await openProxy(proxy, signal);
    return forwarded ? socket : await throughProxy(socket, { proxy, server, signal });
  } catch (error) {
    socket?.destroy();
    if (error instanceof ConnectionError || signal.aborted) throw error;
    throw new ConnectionError("proxy", `cannot reach the proxy ${printable(proxy)}: ${messageOf(error)}`, {
      cause: error,
      unprocessed: true,
    });
  }
}

/** A proxy that itself speaks TLS is verified by the system's authorities. */
async function openProxy(proxy: URL, signal: AbortSignal): Promise<Socket> {
  const to = { host: hostOf(proxy), port: portOf(proxy) };
  if (proxy.protocol !== "https:") return settled(connectTcp(to), "connect", signal);
  const { connect: connectTls } = await import("node:tls");
  return settled(
    connectTls({ ...to, ...(isIP(to.host) === 0 ? { servername: to.host } : {}) }),
    "secureConnect",
    signal,
  );
}

/** Gives the socket once it is ready; a socket that fails to get ready is destroyed. */
function settled<S extends Socket>(socket: S, event: "connect" | "secureConnect", signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const finish = (error?: Error): void => {
      aborting[Symbol.dispose]();
      socket.off(event, done).off("error", finish).off("close", closed);
      // a later error is followed by a close, which the owner of the socket handles
      socket.on("error", () => {});
      if (error === undefined) resolve(socket);
      else {
        socket.destroy();
        reject(error);
      }
    };
    const done = (): void => finish();
    const closed = (): void => finish(new Error("the connection was closed before it was ready"));
    socket.once(event, done).once("error", finish).once("close", closed);
    const aborting = onAbort(signal, (reason) => queueMicrotask(() => finish(reason)));
  });
}

const refusedCodes = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "ENOENT", "EADDRNOTAVAIL"]);
const unresolvedCodes = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA"]);

function dialFailure(where: string, error: unknown): ConnectionError {
  const code = codeOf(error);
  const because = { cause: error, unprocessed: true };
  if (refusedCodes.has(code)) return new ConnectionError("refused", `cannot connect to ${where}: ${code}`, because);
  if (unresolvedCodes.has(code)) return new ConnectionError("unresolved", `cannot resolve ${where}: ${code}`, because);
  if (isTlsCode(code)) {
    return new ConnectionError("certificate", `no trusted connection to ${where}: ${tlsText(code, error)}`, because);
  }
  return new ConnectionError("closed", `connecting to ${where}: ${messageOf(error)}`, because);
}

/** The error for the end of an open connection: a refused certificate is often reported only then. */
export function brokenConnection(origin: URL, error: Error): ConnectionError {
  const code = codeOf(error);
  const where = printable(origin);
  const because = { cause: error };
  if (isTlsCode(code)) {
    return new ConnectionError("certificate", `no trusted connection to ${where}: ${tlsText(code, error)}`, because);
  }
  return new ConnectionError("closed", `the connection to ${where} broke: ${messageOf(error)}`, because);
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}

/** TLS faults have OpenSSL's names for certificate states, or ERR_TLS_… and ERR_SSL_… codes. */
function isTlsCode(code: string): boolean {
  return /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/.test(
    code,
  );
}

const tlsHints: Readonly<Record<string, string>> = lookup({
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed and not among the trusted authorities",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is signed by an authority that is not trusted here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is signed by an authority that is not trusted here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate is signed by an authority that is not trusted here",
  CERT_SIGNATURE_FAILURE: "the server's certificate is not signed by the trusted authority of that name",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "the server says that the client's certificate has expired",
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "the server does not trust the client's certificate",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the server requires a client certificate",
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: "the server does not accept the client's certificate",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS",
});

function tlsText(code: string, error: unknown): string {
  const hint = tlsHints[code];
  return hint === undefined ? `${messageOf(error)} (${code})` : `${hint} (${code})`;
}
