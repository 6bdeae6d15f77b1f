/** The devices that claims hold, kept up to date claim by claim. */
import { type AllocationResult, parseQuantity, Quantity } from "../../api/index.js";
import type { CapacityShares } from "./capacity.js";
import { deviceId } from "./pools.js";

/** Devices that are in use. */
export interface DevicesInUse {
  /** Whether a claim has the device for itself. */
  isTaken(id: string): boolean;
  /** The capacity that claims share of the device; undefined if none does. */
  shared(id: string): CapacityShares | undefined;
}

interface Share {
  readonly claims: number;
  readonly amounts: CapacityShares;
}

/**
 * Invariants:
 * 1. `#taken` and `#shares` are sums over the allocations in `#byClaim`, without devices for administrators.
 * 2. No count in them is zero.
 */
export class AllocatedDevices implements DevicesInUse {
  readonly #byClaim = new Map<string, AllocationResult>();
  readonly #taken = new Map<string, number>();
  readonly #shares = new Map<string, Share>();

  isTaken(id: string): boolean {
    return this.#taken.has(id);
  }

  shared(id: string): CapacityShares | undefined {
    return this.#shares.get(id)?.amounts;
  }

  /** Sets the allocation of a claim, by its uid; undefined if it has none. */
  set(claim: string, allocation: AllocationResult | undefined): void {
    const before = this.#byClaim.get(claim);
    if (before === allocation) return;
    if (before !== undefined) this.#count(before, -1);
    if (allocation === undefined) this.#byClaim.delete(claim);
    else {
      this.#byClaim.set(claim, allocation);
      this.#count(allocation, 1);
    }
  }

  #count({ devices }: AllocationResult, by: 1 | -1): void {
    for (const { driver, pool, device, adminAccess, shareID, consumedCapacity = {} } of devices?.results ?? []) {
      if (adminAccess) continue;
      const id = deviceId(driver, pool, device);
      if (shareID === undefined) {
        const holders = (this.#taken.get(id) ?? 0) + by;
        if (holders > 0) this.#taken.set(id, holders);
        else this.#taken.delete(id);
      } else this.#share(id, consumedCapacity, by);
    }
  }

  #share(id: string, consumed: Readonly<Record<string, string>>, by: 1 | -1): void {
    const { claims, amounts } = this.#shares.get(id) ?? { claims: 0, amounts: new Map<string, Quantity>() };
    if (claims + by <= 0) {
      this.#shares.delete(id);
      return;
    }
    const sums = new Map(amounts);
    for (const [name, text] of Object.entries(consumed)) {
      const amount = parseQuantity(text);
      const sum = sums.get(name) ?? Quantity.zero;
      sums.set(name, by > 0 ? sum.add(amount) : sum.sub(amount));
    }
    this.#shares.set(id, { claims: claims + by, amounts: sums });
  }
}
