/** Gives simulated nodes and pods their addresses. From the kubelet; every address is held by one pod of a node at a time. */

/** The n-th simulated node, counted from 1, has this address; documentation of the network is in node-object.ts. */
export const nodeAddress = (index: number): string => `172.18.${(index >> 8) & 255}.${index & 255}`;

/** 256 addresses for pods of the n-th node. */
export const nodePodCidr = (index: number): string => `10.${244 + ((index >> 8) & 7)}.${index & 255}.0/24`;

/**
 * The addresses of one node's pods.
 * 1. No two pods have the same address.   2. A pod keeps its address until it is released.
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

  /** The pod's address: the one it has, the one it says it had, or the next free one. */
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

  /** Addresses are handed out in a round, so that one is not reused at once. A node with more pods than addresses goes beyond its range. */
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
