/** Tells whether an address can be reached from this machine only. For servers that listen. */

export const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);
