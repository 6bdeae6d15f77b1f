/** The families of IP addresses, in the words of Service.spec.ipFamilies and EndpointSlice.addressType. */
import { isIP } from "node:net";

export type IpFamily = "IPv4" | "IPv6";

/** The family of a text that is known to be an address. */
export const ipFamilyOf = (address: string): IpFamily => (isIP(address) === 6 ? "IPv6" : "IPv4");
