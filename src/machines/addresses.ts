/** Addresses of simulated nodes and pods. Each is held by one pod of a node at a time. */

/** The address of the n-th simulated node, counted from 1; node-object.ts describes the network. */
export const nodeAddress = (index: number): string => `172.18.${(index >> 8) & 255}.${index & 255}`;

/** The range of 256 pod addresses of the n-th node. */
export const nodePodCidr = (index: number): string => `10.${244 + ((index >> 8) & 7)}.${index & 255}.0/24`;

/**
 * The addresses of one node's pods.
 * Invariants:
 * 1. No two pods have the same address.
 * 2. A pod keeps its address until it is released.
 */
export class PodAddresses {
  readonly #base: number;
  readonly #size: number;
  readonly #byPod = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 2;

  constructor(cidr: string) {
    const [network = "10.244.0.0", bits = "24"] = cidr.split("/");
    this.#base = toNumber(network);
    this.#size = 2 ** (32 - Number(bits));
  }

  /** The pod's address: the one that it has, the one in its status, or the next free one. */
  take(uid: string, earlier?: string): string {
    const held = this.#byPod.get(uid);
    if (held !== undefined) return toText(held);
    const wanted = earlier === undefined ? undefined : toNumber(earlier);
    const address = wanted !== undefined && this.#isFree(wanted) ? wanted : this.#free();
    this.#byPod.set(uid, address);
    this.#taken.add(address);
    return toText(address);
  }

  release(uid: string): void {
    const held = this.#byPod.get(uid);
    if (held === undefined) return;
    this.#byPod.delete(uid);
    this.#taken.delete(held);
  }

  #isFree(address: number): boolean {
    return address > this.#base && address < this.#base + this.#size - 1 && !this.#taken.has(address);
  }

  /**
   * Addresses are given out in rotation, so that none is reused at once. A node with more pods than addresses goes
   * beyond its range.
   */
  #free(): number {
    for (let tries = 0; tries < this.#size; tries++) {
      const candidate = this.#base + this.#next;
      this.#next = this.#next + 1 >= this.#size - 1 ? 2 : this.#next + 1;
      if (!this.#taken.has(candidate)) return candidate;
    }
    let beyond = this.#base + this.#size;
    while (this.#taken.has(beyond)) beyond++;
    return beyond;
  }
}

const toNumber = (text: string): number => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

const toText = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
