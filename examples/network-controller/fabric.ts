/**
 * A switch fabric in memory, which stands for the world outside the cluster: it builds segments, gives each a VLAN, and
 * can lose them.
 */

/** A segment to build. `uid` tells two networks of one name apart. */
export interface SegmentRequest {
  readonly uid: string;
  readonly cidr: string;
  readonly gateway: string;
  /** The VLAN that it had before, and keeps if it is still free. */
  readonly vlan?: number | undefined;
}

export interface Segment {
  readonly uid: string;
  readonly cidr: string;
  readonly gateway: string;
  readonly vlan: number;
  /** Without the range's first and last address and the gateway. */
  readonly usableAddresses: number;
}

/** The fabric cannot build a segment; the message names the obstacle. */
export class FabricError extends Error {
  override readonly name = "FabricError";
}

/**
 * Invariants:
 * 1. No two segments have the same VLAN; all VLANs are from 1 to `vlans`.
 * 2. No two segments' ranges overlap.
 */
export class Fabric {
  readonly #segments = new Map<string, Segment>();
  readonly #vlans: number;

  constructor({ vlans = 4094 }: { readonly vlans?: number } = {}) {
    this.#vlans = vlans;
  }

  /**
   * Builds or rebuilds the segment of this key; the same request again changes nothing. If it throws FabricError,
   * nothing has changed.
   */
  ensure(key: string, request: SegmentRequest): Segment {
    const built = this.#segments.get(key);
    if (built !== undefined && this.has(key, request)) return built;
    const range = rangeOf(request.cidr);
    for (const [other, segment] of this.#segments)
      if (other !== key && overlap(range, rangeOf(segment.cidr)))
        throw new FabricError(`${request.cidr} overlaps ${segment.cidr} of ${other}`);
    const kept = built?.uid === request.uid ? built.vlan : request.vlan;
    const { uid, cidr, gateway } = request;
    const vlan = this.#freeVlan(key, kept);
    const segment = { uid, cidr, gateway, vlan, usableAddresses: usable(range, gateway) };
    this.#segments.set(key, segment);
    return segment;
  }

  /** True if the segment of this key is as requested. */
  has(key: string, { uid, cidr, gateway }: SegmentRequest): boolean {
    const built = this.#segments.get(key);
    return built?.uid === uid && built.cidr === cidr && built.gateway === gateway;
  }

  get(key: string): Segment | undefined {
    return this.#segments.get(key);
  }

  /** Removes a segment; tests also use it as a failure of the fabric. */
  remove(key: string): Segment | undefined {
    const segment = this.#segments.get(key);
    this.#segments.delete(key);
    return segment;
  }

  #freeVlan(key: string, wanted: number | undefined): number {
    const taken = new Set<number>();
    for (const [other, { vlan }] of this.#segments) if (other !== key) taken.add(vlan);
    if (wanted !== undefined && wanted >= 1 && wanted <= this.#vlans && !taken.has(wanted)) return wanted;
    for (let vlan = 1; vlan <= this.#vlans; vlan++) if (!taken.has(vlan)) return vlan;
    throw new FabricError(`all ${this.#vlans} VLANs are in use`);
  }
}

interface Range {
  readonly first: number;
  readonly size: number;
}

function rangeOf(cidr: string): Range {
  const [address = "", length = ""] = cidr.split("/");
  const size = 2 ** (32 - Number(length));
  return { first: Math.floor(addressNumber(address) / size) * size, size };
}

function addressNumber(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function overlap(one: Range, other: Range): boolean {
  return one.first < other.first + other.size && other.first < one.first + one.size;
}

function usable({ first, size }: Range, gateway: string): number {
  const at = addressNumber(gateway) - first;
  return at === 0 || at === size - 1 ? size - 2 : size - 3;
}
