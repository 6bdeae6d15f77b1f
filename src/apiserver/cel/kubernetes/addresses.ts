/** `ip(text)` and `cidr(text)`: addresses and networks. */
import { isIP } from "node:net";
import { goQuote } from "../../../api/index.js";
import { type Library, overload, type Overload } from "../checker/environment.js";
import { opaque } from "../values/types.js";
import type { Meter } from "../values/meter.js";
import { ErrorValue, noSuchOverload, Opaque, type Value } from "../values/value.js";
import { addressText, addressValue } from "../../../base/net/ranges.js";

const ipType = opaque("net.IP");
const cidrType = opaque("net.CIDR");

class Ip extends Opaque {
  readonly type = ipType;
  readonly version: 4 | 6;
  readonly bits: bigint;

  constructor(version: 4 | 6, bits: bigint) {
    super();
    this.version = version;
    this.bits = bits;
  }

  get width(): number {
    return this.version === 4 ? 32 : 128;
  }

  override get size(): number {
    return this.width / 8;
  }

  equals(other: this): boolean {
    return this.version === other.version && this.bits === other.bits;
  }

  /** The first `count` bits as a number. */
  leading(count: number): bigint {
    return this.bits >> BigInt(this.width - count);
  }

  /** The canonical text. */
  override toString(): string {
    return addressText({ family: this.version, value: this.bits });
  }
}

class Cidr extends Opaque {
  readonly type = cidrType;
  readonly address: Ip;
  readonly length: number;

  constructor(address: Ip, length: number) {
    super();
    this.address = address;
    this.length = length;
  }

  override get size(): number {
    return Math.ceil(this.length / 8);
  }

  equals(other: this): boolean {
    return this.length === other.length && this.address.equals(other.address);
  }

  masked(): Cidr {
    const rest = BigInt(this.address.width - this.length);
    return new Cidr(new Ip(this.address.version, (this.address.bits >> rest) << rest), this.length);
  }

  contains(address: Ip): boolean {
    return (
      address.version === this.address.version && address.leading(this.length) === this.address.leading(this.length)
    );
  }

  override toString(): string {
    return `${this.address.toString()}/${this.length}`;
  }
}

function parseIp(text: string): Ip | ErrorValue {
  const zoned = text.includes("%");
  const version = isIP(zoned ? text.slice(0, text.indexOf("%")) : text);
  if (version === 0)
    return new ErrorValue(
      `IP Address ${goQuote(text)} parse error during conversion from string: ParseAddr(${goQuote(text)}): ${ipFault(text)}`,
    );
  if (zoned) return new ErrorValue(`IP address ${goQuote(text)} with zone value is not allowed`);
  const ip = new Ip(version === 4 ? 4 : 6, addressValue(text));
  return version === 6 && ip.leading(96) === 0xffffn
    ? new ErrorValue(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
    : ip;
}

function ipFault(text: string): string {
  if (text === "") return "unable to parse IP";
  if (text.includes(":")) return "each colon-separated field must have at least one digit";
  if (!text.includes(".")) return "unable to parse IP";
  const parts = text.split(".");
  if (parts.some((part) => part === "")) return "IPv4 field must have at least one digit";
  if (parts.some((part) => !/^\d+$/.test(part))) return "unexpected character";
  if (parts.some((part) => /^0\d/.test(part))) return "IPv4 field has octet with leading zero";
  if (parts.some((part) => Number(part) > 255)) return "IPv4 field has value >255";
  return parts.length < 4 ? "IPv4 address too short" : "IPv4 address too long";
}

function parseCidr(text: string): Cidr | ErrorValue {
  const slash = text.lastIndexOf("/");
  const why = (fault: string): ErrorValue =>
    new ErrorValue(
      `network address parse error during conversion from string: netip.ParsePrefix(${goQuote(text)}): ${fault}`,
    );
  if (slash < 0) return why("no '/'");
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  const version = isIP(address);
  if (version !== 0 && address.includes("%")) return why("IPv6 zones cannot be present in a prefix");
  if (version === 0) return why(`ParseAddr(${goQuote(address)}): ${ipFault(address)}`);
  if (!/^(?:0|[1-9]\d*)$/.test(bits)) return why(`bad bits after slash: ${goQuote(bits)}`);
  if (Number(bits) > (version === 4 ? 32 : 128)) return why("prefix length out of range");
  const ip = parseIp(address);
  return ip instanceof ErrorValue
    ? new ErrorValue(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
    : new Cidr(ip, Number(bits));
}

function containsCidr(outer: Cidr, inner: Cidr): boolean {
  return inner.length >= outer.length && outer.contains(inner.address);
}

const reading =
  <T extends Value>(use: (text: string) => T) =>
  ([text]: readonly Value[], meter: Meter): T => {
    meter.read((text as string).length);
    return use(text as string);
  };

const ofIp = (id: string, is: (ip: Ip) => boolean): Overload =>
  overload(id, "net.IP.() -> bool", ([ip]: [Ip]) => is(ip));

const isMulticast = (ip: Ip): boolean => (ip.version === 4 ? ip.leading(4) === 0xen : ip.leading(8) === 0xffn);
const isLoopback = (ip: Ip): boolean => (ip.version === 4 ? ip.leading(8) === 127n : ip.bits === 1n);
const isLinkLocal = (ip: Ip): boolean => (ip.version === 4 ? ip.leading(16) === 0xa9fen : ip.leading(10) === 0x3fan);
const isBroadcast = (ip: Ip): boolean => ip.version === 4 && ip.bits === 0xffffffffn;

export const addressLibrary: Library = {
  ip: [
    overload("string_to_ip", "(string) -> net.IP", reading(parseIp)),
    overload("cidr_ip", "net.CIDR.() -> net.IP", ([{ address }]: [Cidr]) => address),
  ],
  "ip.isCanonical": [
    overload(
      "ip_is_canonical",
      "(string) -> bool",
      reading((text) => {
        const ip = parseIp(text);
        return ip instanceof ErrorValue ? ip : ip.toString() === text;
      }),
    ),
  ],
  isIP: [
    overload(
      "is_ip",
      "(string) -> bool",
      reading((text) => !(parseIp(text) instanceof ErrorValue)),
    ),
  ],
  family: [overload("ip_family", "net.IP.() -> int", ([ip]: [Ip]) => BigInt(ip.version))],
  isUnspecified: [ofIp("ip_is_unspecified", (ip) => ip.bits === 0n)],
  isLoopback: [ofIp("ip_is_loopback", isLoopback)],
  isLinkLocalMulticast: [
    ofIp("ip_is_link_local_multicast", (ip) =>
      ip.version === 4 ? ip.leading(24) === 0xe00000n : ip.leading(16) === 0xff02n,
    ),
  ],
  isLinkLocalUnicast: [ofIp("ip_is_link_local_unicast", isLinkLocal)],
  isGlobalUnicast: [
    ofIp(
      "ip_is_global_unicast",
      (ip) => ip.bits !== 0n && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocal(ip) && !isBroadcast(ip),
    ),
  ],
  string: [
    overload("ip_to_string", "(net.IP) -> string", ([ip]: [Ip]) => ip.toString()),
    overload("cidr_to_string", "(net.CIDR) -> string", ([cidr]: [Cidr]) => cidr.toString()),
  ],
  cidr: [
    overload(
      "string_to_cidr",
      "(string) -> net.CIDR",
      reading((text) => {
        const cidr = parseCidr(text);
        return cidr instanceof ErrorValue
          ? new ErrorValue(`network address parse error during conversion from string: ${cidr.message}`)
          : cidr;
      }),
    ),
  ],
  isCIDR: [
    overload(
      "is_cidr",
      "(string) -> bool",
      reading((text) => !(parseCidr(text) instanceof ErrorValue)),
    ),
  ],
  masked: [overload("cidr_masked", "net.CIDR.() -> net.CIDR", ([cidr]: [Cidr]) => cidr.masked())],
  prefixLength: [overload("cidr_prefix_length", "net.CIDR.() -> int", ([{ length }]: [Cidr]) => BigInt(length))],
  containsIP: [
    overload("cidr_contains_ip_string", "net.CIDR.(string) -> bool", ([cidr, text]: [Cidr, string], meter) => {
      meter.read(text.length);
      const ip = parseIp(text);
      return ip instanceof ErrorValue ? noSuchOverload : cidr.contains(ip);
    }),
    overload("cidr_contains_ip_ip", "net.CIDR.(net.IP) -> bool", ([cidr, ip]: [Cidr, Ip]) => cidr.contains(ip)),
  ],
  containsCIDR: [
    overload("cidr_contains_cidr_string", "net.CIDR.(string) -> bool", ([cidr, text]: [Cidr, string], meter) => {
      meter.read(text.length);
      const other = parseCidr(text);
      return other instanceof ErrorValue ? noSuchOverload : containsCidr(cidr, other);
    }),
    overload("cidr_contains_cidr", "net.CIDR.(net.CIDR) -> bool", ([cidr, other]: [Cidr, Cidr]) =>
      containsCidr(cidr, other),
    ),
  ],
};
