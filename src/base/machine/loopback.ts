/** Tells whether a host is this machine itself: a loopback address, or a name that RFC 6761, section 6.3, reserves for one. */

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
