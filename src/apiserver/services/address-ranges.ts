/** The ranges from which services get addresses: the server's own, and those of ServiceCIDRs that are ready. */
import { findCondition, type ServiceCIDR } from "../../api/index.js";
import type { Random } from "../../base/index.js";
import { type AddressRange, addressText, isWithin, readAddress, parseRange } from "../../base/net/ranges.js";
import { objectsIn, type Store } from "../storage/contract.js";
import type { IpFamily } from "../../base/net/ip-family.js";

const collection = "networking.k8s.io/servicecidrs";
/** The object that tells of the server's own ranges. */
const ownName = "kubernetes";

const familyOfRange = ({ family }: AddressRange): IpFamily => (family === 4 ? "IPv4" : "IPv6");

/** The ranges of a network: one, or two of different families. Throws for a text that is neither. */
function rangesIn(cidrs: string): readonly AddressRange[] {
  const ranges = cidrs.split(",").map((text) => {
    const range = parseRange(text.trim());
    if (range === undefined)
      throw new RangeError(`the range of services' addresses is a CIDR such as 10.96.0.0/16, not "${text}"`);
    return range;
  });
  if (ranges.length > 2 || (ranges.length === 2 && ranges[0]?.family === ranges[1]?.family)) {
    throw new RangeError(`the ranges of services' addresses are at most two, one of each family, not "${cidrs}"`);
  }
  return ranges;
}

/** The address of the server's own service: the first one after the base of the first range. */
export function firstAddress(cidrs: string): string {
  const [range] = rangesIn(cidrs);
  return range === undefined ? "" : addressText({ family: range.family, value: range.first + 1n });
}

interface Search {
  readonly random: Random;
  isTaken(address: string): boolean;
}

export class AddressRanges {
  readonly #store: Store;
  readonly #own: readonly AddressRange[];
  readonly #texts: readonly string[];

  constructor({ store, network }: { readonly store: Store; readonly network: { readonly cidr: string } }) {
    this.#store = store;
    this.#own = rangesIn(network.cidr);
    this.#texts = network.cidr.split(",").map((text) => text.trim());
  }

  /** Of the server's own ranges, the default family first. */
  get families(): readonly IpFamily[] {
    return this.#own.map(familyOfRange);
  }

  /** The text of the server's own range of the family. */
  textOf(family: IpFamily): string {
    return this.#texts[this.families.indexOf(family)] ?? "";
  }

  /** The address at which the server's own range of the family begins; no service has it. */
  base(family: IpFamily): string {
    const range = this.#own.find((one) => familyOfRange(one) === family);
    return range === undefined ? "" : addressText({ family: range.family, value: range.first });
  }

  contain(address: string): boolean {
    const parsed = readAddress(address);
    return parsed !== undefined && this.#all().some((range) => isWithin(parsed, range));
  }

  /** A free address of the family; undefined if every range of it is full. */
  free(family: IpFamily, search: Search): string | undefined {
    for (const range of this.#all()) {
      const found = familyOfRange(range) === family ? this.#freeIn(range, search) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #all(): readonly AddressRange[] {
    return [...this.#own, ...objectsIn<ServiceCIDR>(this.#store, collection).flatMap(readyRanges)];
  }

  /** Starts at a random address and takes the next free one, so that a nearly full range costs one pass. */
  #freeIn({ family, first, last }: AddressRange, { random, isTaken }: Search): string | undefined {
    // neither the base nor, in IPv4, the broadcast address; of a huge range a part is enough
    const size = last - first - (family === 4 ? 1n : 0n);
    const count = Number(size > 2n ** 16n ? 2n ** 16n : size);
    if (count <= 0) return undefined;
    const start = random.int(count);
    const reserved = this.#own[0]?.first;
    for (let i = 0; i < count; i++) {
      const value = first + 1n + BigInt((start + i) % count);
      if (reserved !== undefined && value === reserved + 1n) continue;
      const address = addressText({ family, value });
      if (!isTaken(address)) return address;
    }
    return undefined;
  }
}

function readyRanges({ metadata, spec, status }: ServiceCIDR): readonly AddressRange[] {
  if (metadata.name === ownName || metadata.deletionTimestamp !== undefined) return [];
  if (findCondition(status?.conditions, "Ready")?.status !== "True") return [];
  return (spec?.cidrs ?? []).flatMap((text) => parseRange(text) ?? []);
}
