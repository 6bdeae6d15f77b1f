/** Addresses and ranges that are valid, but not written as they should be. */
import { isIP } from "node:net";
import { type FieldPath, goQuote } from "../../../../api/index.js";
import { canonicalAddress } from "../rules/addresses.js";

export function* addressWarning(at: FieldPath, address: string): Iterable<string> {
  if (isIP(address) !== 6 || canonicalAddress(address) === address) return;
  const canonical = goQuote(canonicalAddress(address));
  yield `${at}: IPv6 address ${goQuote(address)} should be in RFC 5952 canonical format (${canonical})`;
}

export function* rangeWarning(at: FieldPath, range: string): Iterable<string> {
  const [address = "", bits = ""] = range.split("/");
  if (isIP(address) !== 6 || canonicalAddress(address) === address) return;
  const canonical = goQuote(`${canonicalAddress(address)}/${bits}`);
  yield `${at}: IPv6 CIDR value ${goQuote(range)} should be in RFC 5952 canonical format (${canonical})`;
}
