/** Addresses of simulated nodes and pods. Each is held by one pod of a node at a time. */
import { type AddressRange, addressText, parseRange, readAddress } from "../base/net/ranges.js";

/** The address of the n-th simulated node, counted from 1; node-object.ts describes the network. */
export const nodeAddress = (index: number): string => `172.18.${(index >> 8) & 255}.${index & 255}`;

/** The range that contains those of all simulated nodes. */
export const podNetwork = "10.128.0.0/9";

/** The range of 256 pod addresses of the n-th node: from 10.244.0.0 on, then from the beginning of the network. */
export const nodePodCidr = (index: number): string => `10.${128 + ((116 + (index >> 8)) & 127)}.${index & 255}.0/24`;

/** The range of a node's pods if the node names none that is one. */
const anyNode: AddressRange = {
  family: 4,
  first: (10n << 24n) + (244n << 16n),
  last: (10n << 24n) + (245n << 16n) - 1n,
};

/** Pods of an IPv6 range, which has no end, take their addresses from its beginning. */
const mostAddresses = 65_536n;

/**
 * The addresses of one node's pods.
 * Invariants:
 * 1. No two pods have the same address.
 * 2. A pod keeps its address until it is released.
 */
export class PodAddresses {
  readonly #range: AddressRange;
  readonly #size: number;
  readonly #byPod = new Map<string, { readonly place: number; readonly text: string }>();
  readonly #taken = new Set<number>();
  #next = 2;

  constructor(cidr = "") {
    this.#range = parseRange(cidr) ?? anyNode;
    const { first, last } = this.#range;
    const all = last - first + 1n;
    this.#size = Number(all < mostAddresses ? all : mostAddresses);
  }

  /** The pod's address: the one that it has, the one in its status, or the next free one. */
  take(uid: string, earlier?: string): string {
    const held = this.#byPod.get(uid);
    if (held !== undefined) return held.text;
    const wanted = this.#place(earlier);
    const place = wanted !== undefined && !this.#taken.has(wanted) ? wanted : this.#free();
    const text = addressText({ family: this.#range.family, value: this.#range.first + BigInt(place) });
    this.#byPod.set(uid, { place, text });
    this.#taken.add(place);
    return text;
  }

  release(uid: string): void {
    const held = this.#byPod.get(uid);
    if (held === undefined) return;
    this.#byPod.delete(uid);
    this.#taken.delete(held.place);
  }

  /** The place of an address in the range; undefined for another one. */
  #place(text = ""): number | undefined {
    const address = readAddress(text);
    if (address === undefined || address.family !== this.#range.family) return undefined;
    const place = address.value - this.#range.first;
    return place > 0n && place < BigInt(this.#size - 1) ? Number(place) : undefined;
  }

  /**
   * Addresses are given out in rotation, so that none is reused at once. A node with more pods than addresses goes
   * beyond its range.
   */
  #free(): number {
    for (let tries = 0; tries < this.#size; tries++) {
      const candidate = this.#next;
      this.#next = this.#next + 1 >= this.#size - 1 ? 2 : this.#next + 1;
      if (!this.#taken.has(candidate)) return candidate;
    }
    let beyond = this.#size;
    while (this.#taken.has(beyond)) beyond++;
    return beyond;
  }
}
