/** Tells whether a host is this machine itself, and whether a request was sent to it by a name that only this machine has. */
import { isIP } from "node:net";

/** A loopback address, or a name that RFC 6761, section 6.3, reserves for one. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);

/**
 * True for the `Host` of a request that names localhost or an address. A site may have its own name resolve to this machine
 * (DNS rebinding), and then its pages would read the answers.
 */
export function isUnnamedHost(header: string): boolean {
  const name = header.replace(/:\d+$/, "");
  return name === "localhost" || isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}
