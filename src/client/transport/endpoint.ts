/** The address of an API server and the way to reach it. */
import type { SecureContextOptions } from "node:tls";

/** Certificates as PEM. The same object is given while they do not change, so that a change is seen by comparing. */
export type TlsMaterial = Pick<SecureContextOptions, "ca" | "cert" | "key">;

export interface Endpoint {
  /** `https://host:port/prefix`. */
  readonly server: URL;
  /** Called before each new connection and from time to time, so that rotated files are noticed. */
  readonly tls?: () => Promise<TlsMaterial>;
  /** The name that the server's certificate must have, if it is not the URL's. */
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** `http://`, `https://` or `socks5://`; none by default. */
  readonly proxy?: URL | undefined;
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : url.protocol === "http:" ? 80 : 1080;
}

/** The host; an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/** `https://host:port` without user, password or path: safe to print. */
export function printable(url: URL): string {
  return `${url.protocol}//${url.host}`;
}
