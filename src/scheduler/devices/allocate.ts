/**
 * Finds devices on a node for the claims of a pod: the first solution in the order of pools, slices and devices, as
 * kube-scheduler finds it. Pure.
 */
import { type Node, parseQuantity, Quantity, type ResourceClaim } from "../../api/index.js";
import { type CapacityShares, sharesOf } from "./capacity.js";
import { type DevicePool, deviceId, type PooledDevice, poolsOf, type SliceView } from "./pools.js";
import {
  type Alternative,
  claimName,
  type ClaimToAllocate,
  claimToAllocate,
  type DeviceSurroundings,
  mostDevicesOfClaim,
} from "./requests.js";
import { toleratesDeviceTaint } from "../../placement/device-claims.js";

/** A device that a request gets. */
export interface GivenDevice {
  readonly from: Alternative;
  readonly one: PooledDevice;
  /** The capacity that is taken of a device that serves several claims. */
  readonly shares: CapacityShares | undefined;
}

/** The devices of a claim. */
export interface ClaimDevices {
  readonly claim: ResourceClaim;
  readonly given: readonly GivenDevice[];
  /** The alternative that was taken of each request. */
  readonly taken: readonly Alternative[];
}

export interface AllocationView extends DeviceSurroundings, SliceView {}

/** The number of devices that a search on one node may try, because the number of combinations has no limit. */
const mostTrials = 10_000;

/** Why the node does not fit. */
type NoDevices = "cannot allocate all claims" | "invalid resource pools were encountered";

/** Throws if a claim or a class is at fault, whatever the node. */
export function allocate(
  claims: readonly ResourceClaim[],
  node: Node,
  view: AllocationView,
): readonly ClaimDevices[] | NoDevices {
  const pools = poolsOf(node, view);
  const asked = claims.map((claim) => claimToAllocate(claim, { node, pools, around: view }));
  const search = new Search(asked, { node: node.metadata.name, pools, view });
  if (search.run()) return search.found;
  return pools.some(({ state }) => state === "invalid")
    ? "invalid resource pools were encountered"
    : "cannot allocate all claims";
}

interface Counted {
  readonly available: Map<string, Quantity>;
  readonly consumed: Map<string, Quantity>;
}

/** `full`: the claim has no room for this number of devices, whichever they are. */
type Outcome = "done" | "no" | "full";

interface SearchOptions {
  readonly node: string;
  readonly pools: readonly DevicePool[];
  readonly view: AllocationView;
}

/**
 * A search with backtracking. Invariant: `#given`, `#holders`, `#shares`, the counters and the constraints tell of
 * exactly the devices on the current path; each step that fails takes its additions back.
 */
class Search {
  readonly #asked: readonly ClaimToAllocate[];
  readonly #options: SearchOptions;
  readonly #devices: readonly PooledDevice[];
  readonly #given: GivenDevice[][];
  readonly #taken: Alternative[][];
  /** The claims, by their place, that get a device on this path. */
  readonly #holders = new Map<string, number[]>();
  readonly #shares = new Map<string, CapacityShares[]>();
  readonly #counters = new Map<DevicePool, Counted>();
  #trials = 0;

  constructor(asked: readonly ClaimToAllocate[], options: SearchOptions) {
    this.#asked = asked;
    this.#options = options;
    this.#devices = options.pools.flatMap(({ devices }) => devices);
    this.#given = asked.map(() => []);
    this.#taken = asked.map(() => []);
  }

  run(): boolean {
    return this.#request(0, 0) === "done";
  }

  get found(): readonly ClaimDevices[] {
    return this.#asked.map(({ claim }, index) => ({
      claim,
      given: this.#given[index] ?? [],
      taken: this.#taken[index] ?? [],
    }));
  }

  /** Serves the requests of the claim from this one on, and all claims after it. */
  #request(claim: number, request: number): Outcome {
    const asked = this.#asked[claim];
    if (asked === undefined) return "done";
    const alternatives = asked.requests[request];
    if (alternatives === undefined) return this.#request(claim + 1, 0) === "done" ? "done" : "no";
    let isFull = alternatives.length > 0;
    for (const alternative of alternatives) {
      const outcome = this.#device({ claim, request, alternative }, 0, 0);
      if (outcome === "done") {
        (this.#taken[claim] as Alternative[])[request] = alternative;
        return "done";
      }
      isFull &&= outcome === "full";
    }
    return isFull ? "full" : "no";
  }

  /** Finds the device with this number for the request, beginning at `from`, and then all further ones. */
  #device(at: Attempt, number: number, from: number): Outcome {
    const { claim, request, alternative } = at;
    const { all, count } = alternative;
    if (all?.length === 0) return "no";
    if (number >= count) return this.#request(claim, request + 1);
    if ((this.#given[claim] as GivenDevice[]).length + count - number > mostDevicesOfClaim) return "full";
    const candidates = all ?? this.#devices;
    const last = all === undefined ? candidates.length : number + 1;
    for (let index = all === undefined ? from : number; index < last; index++) {
      if (this.#trials++ >= mostTrials) {
        throw new Error(`node ${this.#options.node}: timed out trying to allocate devices`);
      }
      const one = candidates[index] as PooledDevice;
      const undo = this.#take(at, one);
      if (undo === undefined) continue;
      const outcome = this.#device(at, number + 1, index + 1);
      if (outcome === "done") return "done";
      undo();
      if (outcome === "full") return "full";
    }
    return "no";
  }

  /** Gives the device to the request; undefined if it cannot have it. The result takes it back. */
  #take(at: Attempt, one: PooledDevice): (() => void) | undefined {
    const { claim, alternative } = at;
    const { wanted, all } = alternative;
    const { id, device } = one;
    const isShared = device.allowMultipleAllocations === true;
    const holders = this.#holders.get(id) ?? [];
    if (wanted.adminAccess ? holders.includes(claim) : this.#options.view.inUse.isTaken(id) || holders.length > 0) {
      return undefined;
    }
    if (all === undefined && !alternative.matches(one)) return undefined;
    const path = this.#shares.get(id) ?? [];
    const known = this.#options.view.inUse.shared(id);
    const shares = sharesOf(device, wanted.capacity, [known, ...path]);
    if (shares === undefined || isRepelled(one, alternative)) return undefined;
    // a device that is shared already has its counters
    const counts =
      (device.consumesCounters ?? []).length > 0 && !(isShared && (known !== undefined || path.length > 0));
    if (counts && !this.#countersSuffice(one)) return undefined;
    if (!this.#constrain(at, one)) return undefined;
    if (counts) this.#count(one, 1);
    if (isShared) this.#shares.set(id, [...path, shares]);
    else this.#holders.set(id, [...holders, claim]);
    const given = this.#given[claim] as GivenDevice[];
    given.push({ from: alternative, one, shares: isShared ? shares : undefined });
    return () => {
      given.pop();
      if (isShared) this.#shares.set(id, path);
      else this.#holders.set(id, holders);
      if (counts) this.#count(one, -1);
      for (const constraint of (this.#asked[claim] as ClaimToAllocate).constraints) constraint.remove(alternative.of);
    };
  }

  /** Adds the device to all constraints of its claim, or to none. */
  #constrain({ claim, alternative: { of, all } }: Attempt, { id, pool, device }: PooledDevice): boolean {
    const { claim: object, constraints } = this.#asked[claim] as ClaimToAllocate;
    const failing = constraints.findIndex((constraint) => !constraint.add(of, pool.driver, device));
    if (failing < 0) return true;
    for (const constraint of constraints.slice(0, failing)) constraint.remove(of);
    if (all === undefined) return false;
    throw new Error(
      `claim ${claimName(object)}, request ${of.alternative ?? of.request}: cannot add device ${id} because a claim constraint would not be satisfied`,
    );
  }

  #countersSuffice(one: PooledDevice): boolean {
    const { available, consumed } = this.#countersOf(one.pool);
    this.#count(one, 1);
    const suffices = [...available].every(([name, has]) => has.compare(consumed.get(name) ?? Quantity.zero) >= 0);
    this.#count(one, -1);
    return suffices;
  }

  #count({ device, pool }: PooledDevice, by: 1 | -1): void {
    const { consumed } = this.#countersOf(pool);
    for (const { name, value } of countersUsed(device)) {
      const before = consumed.get(name) ?? Quantity.zero;
      consumed.set(name, by > 0 ? before.add(value) : before.sub(value));
    }
  }

  #countersOf(pool: DevicePool): Counted {
    const known = this.#counters.get(pool);
    if (known !== undefined) return known;
    const available = new Map<string, Quantity>();
    for (const { name: set, counters } of pool.counterSets.values()) {
      for (const [name, { value }] of Object.entries(counters)) available.set(`${set}/${name}`, parseQuantity(value));
    }
    const { inUse } = this.#options.view;
    const use = (id: string, device: PooledDevice["device"]): void => {
      if (!inUse.isTaken(id) && inUse.shared(id) === undefined) return;
      for (const { name, value } of countersUsed(device)) {
        available.set(name, (available.get(name) ?? Quantity.zero).sub(value));
      }
    };
    for (const { id, device } of pool.devices) use(id, device);
    for (const { spec } of pool.elsewhere) {
      for (const device of spec.devices ?? []) use(deviceId(spec.driver, spec.pool.name, device.name), device);
    }
    const counted: Counted = { available, consumed: new Map() };
    this.#counters.set(pool, counted);
    return counted;
  }
}

interface Attempt {
  readonly claim: number;
  readonly request: number;
  readonly alternative: Alternative;
}

function* countersUsed({
  consumesCounters = [],
}: PooledDevice["device"]): Generator<{ name: string; value: Quantity }> {
  for (const { counterSet, counters } of consumesCounters) {
    for (const [name, { value }] of Object.entries(counters)) {
      yield { name: `${counterSet}/${name}`, value: parseQuantity(value) };
    }
  }
}

/** Whether a taint of the device keeps the request away. */
const isRepelled = ({ device }: PooledDevice, { wanted: { tolerations = [] } }: Alternative): boolean =>
  (device.taints ?? []).some(
    (taint) =>
      (taint.effect === "NoSchedule" || taint.effect === "NoExecute") &&
      !tolerations.some((one) => toleratesDeviceTaint(one, taint)),
  );
