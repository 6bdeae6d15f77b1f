/** Warnings about addresses and ranges that are valid but not in the preferred form. */
import { isIP } from "node:net";
import { type FieldPath, goQuote } from "../../../../api/index.js";
import { canonicalAddress } from "../rules/addresses.js";

export function* addressWarning(at: FieldPath, address: string): Iterable<string> {
  const plain = plainForm(address);
  if (plain !== undefined) {
    yield `${at}: non-standard IP address ${goQuote(address)} is invalid: use ${goQuote(plain)}`;
    return;
  }
  if (isIP(address) !== 6 || canonicalAddress(address) === address) return;
  const canonical = goQuote(canonicalAddress(address));
  yield `${at}: IPv6 address ${goQuote(address)} should be in RFC 5952 canonical format (${canonical})`;
}

/** The plain form of an IPv4 address with leading zeros or written as IPv6; undefined if it is plain. */
function plainForm(address: string): string | undefined {
  const four = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1];
  const plain = four?.split(".").map(Number).join(".");
  return plain === address ? undefined : plain;
}

export function* rangeWarning(at: FieldPath, range: string): Iterable<string> {
  const [address = "", bits = ""] = range.split("/");
  if (isIP(address) !== 6 || canonicalAddress(address) === address) return;
  const canonical = goQuote(`${canonicalAddress(address)}/${bits}`);
  yield `${at}: IPv6 CIDR value ${goQuote(range)} should be in RFC 5952 canonical format (${canonical})`;
}
