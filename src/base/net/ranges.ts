/** IP addresses as numbers, and ranges of them (CIDR). Pure. */
import { isIP } from "node:net";

/** An address; the same number means another address in each family. */
export interface NumericAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export interface AddressRange {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

/** Undefined for a text that is no address, or one with a zone. */
export function readAddress(text: string): NumericAddress | undefined {
  const family = text.includes("%") ? 0 : isIP(text);
  return family === 4 || family === 6 ? { family, value: addressValue(text) } : undefined;
}

/** The number of a valid address. */
export function addressValue(address: string): bigint {
  if (!address.includes(":")) {
    return address.split(".").reduce((sum, part) => sum * 256n + BigInt(Number(part)), 0n);
  }
  const parts = canonicalIpv6(address).split("::");
  const words = (text: string | undefined): string[] => (text === undefined || text === "" ? [] : text.split(":"));
  const head = words(parts[0]);
  const tail = words(parts[1]);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].reduce((sum, word) => sum * 65_536n + BigInt(`0x${word}`), 0n);
}

/** The octets of a valid address, in network order. */
export function addressBytes(address: string): Buffer {
  const digits = address.includes(":") ? 32 : 8;
  return Buffer.from(addressValue(address).toString(16).padStart(digits, "0"), "hex");
}

/** The form of RFC 5952. */
export const canonicalIpv6 = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1);

/** In canonical form. */
export function addressText({ family, value }: NumericAddress): string {
  const size = family === 4 ? { parts: 4, bits: 8n } : { parts: 8, bits: 16n };
  const mask = (1n << size.bits) - 1n;
  const parts = Array.from(
    { length: size.parts },
    (_, i) => (value >> (size.bits * BigInt(size.parts - 1 - i))) & mask,
  );
  return family === 4 ? parts.join(".") : canonicalIpv6(parts.map((part) => part.toString(16)).join(":"));
}

/** Undefined for a text that is no range. Bits beyond the prefix are taken for zeros. */
export function parseRange(text: string): AddressRange | undefined {
  const [address = "", digits = "", ...rest] = text.split("/");
  const base = readAddress(address);
  if (base === undefined || rest.length > 0 || !/^[0-9]{1,3}$/.test(digits)) return undefined;
  const host = BigInt(base.family === 4 ? 32 : 128) - BigInt(digits);
  if (host < 0n) return undefined;
  const first = (base.value >> host) << host;
  return { family: base.family, first, last: first + (1n << host) - 1n };
}

export const isWithin = ({ family, value }: NumericAddress, range: AddressRange): boolean =>
  family === range.family && value >= range.first && value <= range.last;

/** Whether the first range lies within the second; a range lies within itself. */
export const isPartOf = (inner: AddressRange, outer: AddressRange): boolean =>
  inner.family === outer.family && inner.first >= outer.first && inner.last <= outer.last;

/** Ranges are aligned: two that overlap lie one within the other. */
export const doOverlap = (a: AddressRange, b: AddressRange): boolean => isPartOf(a, b) || isPartOf(b, a);
