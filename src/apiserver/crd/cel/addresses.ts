/** IP addresses and networks as CEL's `ip()` and `cidr()` have them. */
import { isIP } from "node:net";

export class IpAddress {
  readonly version: 4 | 6;
  readonly bits: bigint;

  constructor(version: 4 | 6, bits: bigint) {
    this.version = version;
    this.bits = bits;
  }

  get width(): bigint {
    return this.version === 4 ? 32n : 128n;
  }

  get isLoopback(): boolean {
    return this.version === 4 ? this.bits >> 24n === 127n : this.bits === 1n;
  }

  get isLinkLocal(): boolean {
    return this.version === 4 ? this.bits >> 16n === 0xa9fen : this.bits >> 118n === 0x3fan;
  }

  get isGlobal(): boolean {
    const multicast = this.version === 4 ? this.bits >> 28n === 0xen : this.bits >> 120n === 0xffn;
    return this.bits !== 0n && !this.isLoopback && !this.isLinkLocal && !multicast;
  }
}

export class Cidr {
  readonly address: IpAddress;
  readonly length: number;

  constructor(address: IpAddress, length: number) {
    this.address = address;
    this.length = length;
  }

  masked(): Cidr {
    const rest = this.address.width - BigInt(this.length);
    return new Cidr(new IpAddress(this.address.version, (this.address.bits >> rest) << rest), this.length);
  }

  contains({ version, bits }: IpAddress): boolean {
    const rest = this.address.width - BigInt(this.length);
    return version === this.address.version && bits >> rest === this.address.bits >> rest;
  }
}

export function parseIp(text: string): IpAddress {
  const version = isIP(text);
  if (version === 0) throw new Error(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
  return version === 4
    ? new IpAddress(4, bitsOf(text.split(".").map(Number), 8n))
    : new IpAddress(6, bitsOf(wordsOf(text), 16n));
}

const bitsOf = (parts: readonly number[], width: bigint): bigint =>
  parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);

function wordsOf(text: string): readonly number[] {
  const [head = "", tail] = text.split("::");
  const words = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16));
  const left = words(head);
  if (tail === undefined) return left;
  const right = words(tail);
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

export function isCidrText(text: string): boolean {
  try {
    parseCidr(text);
    return true;
  } catch {
    return false;
  }
}

export function parseCidr(text: string): Cidr {
  const [address = "", bits = "", ...more] = text.split("/");
  const ip = isIP(address) === 0 ? undefined : parseIp(address);
  if (ip === undefined || more.length > 0 || !/^\d{1,3}$/.test(bits) || BigInt(bits) > ip.width) {
    throw new Error(`network address parse error during conversion from string: ${text}`);
  }
  return new Cidr(ip, Number(bits));
}
