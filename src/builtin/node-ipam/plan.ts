/** Ranges of pods' addresses for nodes: takes the cluster's ranges and the nodes' own, gives free ones. */
import type { Node } from "../../api/index.js";
import { type AddressRange, addressText, doOverlap, parseRange } from "../../base/net/ranges.js";

/** Names as upstream's flags have them. */
export interface NodeIpamSettings {
  /** One range, or one of each family: nodes get one of each, in this order. */
  readonly clusterCidrs: readonly string[];
  /** The prefix of a node's range, for a cluster of one family; by default 24, and 64 for IPv6. */
  readonly nodeMaskSize?: number;
  readonly nodeMaskSizeIpv4?: number;
  readonly nodeMaskSizeIpv6?: number;
  /** The ranges of services: no node gets a part of them. */
  readonly serviceCidrs?: readonly string[];
}

/** More parts of an IPv6 range would need a larger map of them than upstream has. */
const mostSharedBits = 16;

/**
 * The parts of one range of the cluster.
 * Invariants:
 * 1. A part that was given or found in use is not given again before it is released.
 * 2. Parts are given in turn, so that a released one is used again as late as possible.
 */
class Parts {
  readonly whole: AddressRange;
  /** The number of addresses of a part. */
  readonly #size: bigint;
  readonly #bits: number;
  readonly #count: number;
  readonly #used = new Set<number>();
  #next = 0;

  constructor(whole: AddressRange, wholeBits: number, bits: number) {
    this.whole = whole;
    this.#bits = bits;
    this.#count = 2 ** (bits - wholeBits);
    this.#size = (whole.last - whole.first + 1n) / BigInt(this.#count);
  }

  take(): string | undefined {
    if (this.#used.size >= this.#count) return undefined;
    while (this.#used.has(this.#next)) this.#next = (this.#next + 1) % this.#count;
    const part = this.#next;
    this.#used.add(part);
    this.#next = (part + 1) % this.#count;
    const value = this.whole.first + BigInt(part) * this.#size;
    return `${addressText({ family: this.whole.family, value })}/${this.#bits}`;
  }

  /** Marks the parts that the range touches. False if it lies elsewhere. */
  occupy(range: AddressRange): boolean {
    if (!doOverlap(range, this.whole)) return false;
    for (const part of this.#touched(range)) this.#used.add(part);
    return true;
  }

  release(range: AddressRange): void {
    if (doOverlap(range, this.whole)) for (const part of this.#touched(range)) this.#used.delete(part);
  }

  *#touched({ first, last }: AddressRange): Iterable<number> {
    const { whole } = this;
    const begin = first > whole.first ? Number((first - whole.first) / this.#size) : 0;
    const end = last < whole.last ? Number((last - whole.first) / this.#size) : this.#count - 1;
    for (let part = begin; part <= end; part++) yield part;
  }
}

/** The ranges of all nodes. */
export class NodeRanges {
  readonly #parts: readonly Parts[];

  /** Throws if the settings contradict each other. */
  constructor(settings: NodeIpamSettings) {
    const { clusterCidrs, serviceCidrs = [] } = settings;
    const ranges = clusterCidrs.map((text) => rangeOf(text, "--cluster-cidr"));
    checkFamilies(ranges);
    const bits = maskSizes(settings, ranges);
    this.#parts = ranges.map((range, i) => partsOf(range, clusterCidrs[i] as string, bits[i] as number));
    for (const text of serviceCidrs) {
      const service = rangeOf(text, "--service-cluster-ip-range");
      for (const parts of this.#parts) parts.occupy(service);
    }
  }

  /** A range of each family; undefined if one of the cluster's ranges has no part left. */
  take(): readonly string[] | undefined {
    const taken: string[] = [];
    for (const parts of this.#parts) {
      const range = parts.take();
      if (range === undefined) {
        this.release(taken);
        return undefined;
      }
      taken.push(range);
    }
    return taken;
  }

  /** Marks the ranges of a node that has some already. Throws if they do not belong to the cluster. */
  occupy({ metadata, spec }: Node): void {
    for (const [index, text] of (spec?.podCIDRs ?? []).entries()) {
      const parts = this.#parts[index];
      const range = parseRange(text);
      if (range !== undefined && parts?.occupy(range)) continue;
      throw new Error(`the range ${text} of node ${metadata.name} lies outside of the cluster's ranges`);
    }
  }

  release(ranges: readonly string[]): void {
    for (const [index, text] of ranges.entries()) {
      const range = parseRange(text);
      if (range !== undefined) this.#parts[index]?.release(range);
    }
  }
}

const prefixOf = (text: string): number => Number(text.split("/")[1]);

function rangeOf(text: string, flag: string): AddressRange {
  const range = parseRange(text.trim());
  if (range === undefined) throw new Error(`${flag}: "${text}" is not a range such as 10.244.0.0/16`);
  return range;
}

function checkFamilies(ranges: readonly AddressRange[]): void {
  if (ranges.length === 0) throw new Error("--allocate-node-cidrs needs --cluster-cidr");
  if (ranges.length > 2) throw new Error(`--cluster-cidr: ${ranges.length} ranges are more than one of each family`);
  if (ranges.length === 2 && ranges[0]?.family === ranges[1]?.family) {
    throw new Error("--cluster-cidr: two ranges have to be of different families");
  }
}

/** The prefixes of nodes' ranges, in the order of the cluster's. */
function maskSizes(settings: NodeIpamSettings, ranges: readonly AddressRange[]): readonly number[] {
  const { nodeMaskSize: both, nodeMaskSizeIpv4: v4, nodeMaskSizeIpv6: v6 } = settings;
  const isDual = ranges.length === 2;
  const isIpv6 = ranges[0]?.family === 6;
  if (both !== undefined && isDual) throw new Error("--node-cidr-mask-size does not say of which family it is");
  if (both !== undefined && (v4 ?? v6) !== undefined) {
    throw new Error("--node-cidr-mask-size excludes --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6");
  }
  if (!isDual && isIpv6 && v4 !== undefined) throw new Error("--node-cidr-mask-size-ipv4: the cluster has no IPv4");
  if (!isDual && !isIpv6 && v6 !== undefined) throw new Error("--node-cidr-mask-size-ipv6: the cluster has no IPv6");
  return ranges.map(({ family }) => both ?? (family === 4 ? (v4 ?? 24) : (v6 ?? 64)));
}

function partsOf(range: AddressRange, text: string, bits: number): Parts {
  const wholeBits = prefixOf(text);
  const most = range.family === 4 ? 32 : 128;
  if (bits < wholeBits || bits > most) {
    throw new Error(`--cluster-cidr: ${text} cannot be divided into ranges with the prefix ${bits}`);
  }
  if (range.family === 6 && bits - wholeBits > mostSharedBits) {
    throw new Error(`--cluster-cidr: ${text} has more than 2^${mostSharedBits} ranges with the prefix ${bits}`);
  }
  return new Parts(range, wholeBits, bits);
}
