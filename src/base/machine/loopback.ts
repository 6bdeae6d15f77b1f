/** Which addresses no other machine can reach. To whoever listens. */

export const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);
