/** Parses and validates IP addresses and ranges as strictly as kube-apiserver. */
import { isIP } from "node:net";
import { type FieldError } from "../../../../api/index.js";
import type { IpFamily } from "../../../../base/net/ip-family.js";
import { addressValue, canonicalIpv6 } from "../../../../base/net/ranges.js";
import type { Issues, Path } from "./issues.js";

const withZeros = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/;

/** The family of the address that somebody wrote, or undefined if the text is none. Leading zeros are accepted here, and reported elsewhere. */
export function writtenFamily(address: string): IpFamily | undefined {
  const version = isIP(address.includes("%") ? "" : address);
  if (version !== 0) return version === 4 || isMapped(address) ? "IPv4" : "IPv6";
  return withZeros.test(address) && address.split(".").every((part) => Number(part) <= 255) ? "IPv4" : undefined;
}

const isMapped = (address: string): boolean =>
  /^::ffff:(?:0:)?[0-9]+\.|^::ffff:[0-9a-f]{1,4}:[0-9a-f]{1,4}$/i.test(address);

function notStrict(address: string): string | undefined {
  if (isIP(address) === 0) return "must not have leading 0s";
  return isMapped(address) ? "must not be an IPv4-mapped IPv6 address" : undefined;
}

/** For fields that are older than the requirement of a canonical form. */
export function* ipAddress(at: Path, address: string): Issues {
  if (writtenFamily(address) === undefined) {
    yield at.invalid(address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    return;
  }
  const wrong = notStrict(address);
  if (wrong !== undefined) yield at.invalid(address, wrong);
}

/** For newer fields, which require the canonical form. */
export function* canonicalIpAddress(at: Path, address: string): Issues {
  const errors: FieldError[] = [...ipAddress(at, address)];
  yield* errors;
  if (errors.length > 0) return;
  const canonical = canonicalAddress(address);
  if (canonical !== address) yield at.invalid(address, `must be in canonical form ("${canonical}")`);
}

/** The canonical form: RFC 5952 for IPv6; IPv4 has one form. */
export function canonicalAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  return canonicalIpv6(address);
}

interface Range {
  readonly address: string;
  readonly bits: number;
  readonly family: IpFamily;
}

export function parseCidr(text: string): Range | undefined {
  const slash = text.indexOf("/");
  if (slash === -1) return undefined;
  const address = text.slice(0, slash);
  const family = writtenFamily(address);
  const digits = text.slice(slash + 1);
  if (family === undefined || !/^[0-9]{1,3}$/.test(digits)) return undefined;
  const bits = Number(digits);
  return bits <= (address.includes(":") ? 128 : 32) ? { address, bits, family } : undefined;
}

/** For fields that are older than the requirement of a canonical form. */
export function* cidr(at: Path, text: string): Issues {
  const range = parseCidr(text);
  if (range === undefined) {
    yield at.invalid(text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
    return;
  }
  const digits = text.slice(text.indexOf("/") + 1);
  if (isIP(range.address) === 0 || (digits.length > 1 && digits.startsWith("0"))) {
    yield at.invalid(text, "must not have leading 0s in IP or prefix length");
  } else if (isMapped(range.address)) {
    yield at.invalid(text, "must not have an IPv4-mapped IPv6 address");
  } else if (maskedAddress(range) !== addressValue(range.address)) {
    yield at.invalid(text, "must not have bits set beyond the prefix length");
  }
}

/** An address of a network interface, with the length of its network's prefix; in canonical form. */
export function* interfaceAddress(at: Path, text: string): Issues {
  const range = parseCidr(text);
  if (range === undefined) {
    yield at.invalid(text, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)");
    return;
  }
  const isIpv4 = range.family === "IPv4";
  const address = isIpv4 ? dotted(addressValue(range.address)) : canonicalAddress(range.address);
  const canonical = `${address}/${isIpv4 && range.bits > 32 ? range.bits - 96 : range.bits}`;
  if (text !== canonical) yield at.invalid(text, `must be in canonical form ("${canonical}")`);
}

/** The last four bytes of an address, as an IPv4 address. */
const dotted = (address: bigint): string => [24n, 16n, 8n, 0n].map((bits) => (address >> bits) & 255n).join(".");

function maskedAddress({ address, bits }: Range): bigint {
  const size = BigInt(address.includes(":") ? 128 : 32);
  const host = size - BigInt(bits);
  return (addressValue(address) >> host) << host;
}

/** True if the first range lies within the second and differs from it. */
export function isStrictSubset(inner: string, outer: string): boolean {
  const [a, b] = [parseCidr(inner), parseCidr(outer)];
  if (a === undefined || b === undefined || a.address.includes(":") !== b.address.includes(":")) return false;
  return a.bits > b.bits && maskedAddress({ ...a, bits: b.bits }) === maskedAddress(b);
}

/** Refuses addresses that cannot be the far end of a connection. */
export function* endpointAddress(at: Path, address: string): Issues {
  const family = writtenFamily(address);
  if (family === undefined) {
    yield at.invalid(address, "must be a valid IP address");
    return;
  }
  const value = addressValue(isIP(address) === 0 ? address.replace(/\b0+(?=\d)/g, "") : address);
  const six = address.includes(":");
  const within = (first: bigint, bits: bigint): boolean => value >> ((six ? 128n : 32n) - bits) === first;
  const complain = (why: string): FieldError => at.invalid(address, `may not be ${why}`);
  if (value === 0n) yield complain(`unspecified (${address})`);
  if (six ? value === 1n : within(127n, 8n)) yield complain("in the loopback range (127.0.0.0/8, ::1/128)");
  if (six ? within(0xfe80n >> 6n, 10n) : within(0xa9fen, 16n)) {
    yield complain("in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (six ? (value >> 112n) % 0x100n === 0x02n && value >> 120n === 0xffn : within(0xe00000n, 24n)) {
    yield complain("in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}
