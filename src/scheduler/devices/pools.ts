/** Takes the resource slices that a node can see; gives its pools of devices, in the order in which they are tried. Pure. */
import {
  type CounterSet,
  type Device,
  type Node,
  type NodeSelector,
  nodeSelectorTerm,
  type ResourceSlice,
} from "../../api/index.js";
import { compareText, repeats } from "../../base/members.js";
import { byName } from "../../api/meta/key.js";

/** A device that the node can reach. */
export interface PooledDevice {
  /** Unique in the cluster. */
  readonly id: string;
  readonly device: Device;
  readonly slice: ResourceSlice;
  readonly pool: DevicePool;
}

export interface DevicePool {
  readonly driver: string;
  readonly name: string;
  /** `incomplete`: slices of it are missing. `invalid`: its slices contradict one another. Neither gives devices. */
  readonly state: "usable" | "incomplete" | "invalid";
  readonly devices: readonly PooledDevice[];
  /** Slices of the pool for other nodes, whose devices may use the same counters. */
  readonly elsewhere: readonly ResourceSlice[];
  readonly counterSets: ReadonlyMap<string, CounterSet>;
}

/** Reads the cache of slices. */
export interface SliceView {
  /** The slices that name this node. */
  onNode(name: string): readonly ResourceSlice[];
  /** The slices that name no node, and those with shared counters. */
  shared(): readonly ResourceSlice[];
  ofPool(id: string): readonly ResourceSlice[];
}

export const poolIdOf = ({ spec }: ResourceSlice): string => `${spec.driver}/${spec.pool.name}`;
export const deviceId = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`;

interface Place {
  readonly nodeName?: string;
  readonly allNodes?: boolean;
  readonly nodeSelector?: NodeSelector;
}

/** Whether a slice or a device is for the node. */
export function isFor({ nodeName, allNodes, nodeSelector }: Place, node: Node): boolean {
  if (nodeName) return nodeName === node.metadata.name;
  if (allNodes) return true;
  return nodeSelector?.nodeSelectorTerms.some((term) => nodeSelectorTerm(term)(node)) ?? false;
}

const hasCounters = ({ spec }: ResourceSlice): boolean => (spec.sharedCounters ?? []).length > 0;

function isRelevant(slice: ResourceSlice, node: Node): boolean {
  const { spec } = slice;
  if (hasCounters(slice)) return true;
  return spec.perDeviceNodeSelection ? (spec.devices ?? []).some((device) => isFor(device, node)) : isFor(spec, node);
}

/** The node's pools by driver and name; pools with binding conditions come last. */
export function poolsOf(node: Node, view: SliceView): readonly DevicePool[] {
  const byPool = new Map<string, ResourceSlice[]>();
  for (const slice of [...view.onNode(node.metadata.name), ...view.shared()]) {
    if (!isRelevant(slice, node)) continue;
    const id = poolIdOf(slice);
    const known = byPool.get(id);
    const newer = slice.spec.pool.generation - (known?.[0]?.spec.pool.generation ?? -1);
    if (known === undefined || newer > 0) byPool.set(id, [slice]);
    else if (newer === 0) known.push(slice);
  }
  const pools: DevicePool[] = [];
  for (const [id, slices] of byPool) {
    const pool = poolOf(id, slices, view);
    if (pool !== undefined) pools.push(pool);
  }
  const isLate = ({ devices }: DevicePool): number => Number(devices.some(({ device }) => device.bindingConditions));
  return pools.sort((a, b) => isLate(a) - isLate(b) || compareText(a.driver, b.driver) || compareText(a.name, b.name));
}

/** Undefined if the cluster has a newer generation of the pool, without a slice for this node. */
function poolOf(id: string, slices: readonly ResourceSlice[], view: SliceView): DevicePool | undefined {
  const { driver, pool: described } = (slices[0] as ResourceSlice).spec;
  const { name, generation, resourceSliceCount } = described;
  const unusable = (state: "incomplete" | "invalid"): DevicePool => ({
    driver,
    name,
    state,
    devices: [],
    elsewhere: [],
    counterSets: new Map(),
  });
  let elsewhere: readonly ResourceSlice[] = [];
  if (slices.length !== resourceSliceCount) {
    const all = view.ofPool(id);
    if (all.some(({ spec }) => spec.pool.generation > generation)) return undefined;
    const same = all.filter(({ spec }) => spec.pool.generation === generation);
    if (same.length !== resourceSliceCount) return unusable("incomplete");
    elsewhere = same.filter((slice) => !slices.includes(slice));
  }
  const counterSets = countersOf(slices.filter(hasCounters));
  if (counterSets === undefined || ![...slices, ...elsewhere].every((slice) => isCounted(slice, counterSets))) {
    return unusable("invalid");
  }
  const devices: PooledDevice[] = [];
  const pool: DevicePool = { driver, name, state: "usable", devices, elsewhere, counterSets };
  const isRepeat = repeats();
  for (const slice of slices.toSorted(byName)) {
    if (hasCounters(slice)) continue;
    for (const device of slice.spec.devices ?? []) {
      const own = deviceId(slice.spec.driver, slice.spec.pool.name, device.name);
      if (isRepeat(own)) return unusable("invalid");
      devices.push({ id: own, device, slice, pool });
    }
  }
  return pool;
}

/** Undefined if two sets have one name. */
function countersOf(slices: readonly ResourceSlice[]): ReadonlyMap<string, CounterSet> | undefined {
  const sets = new Map<string, CounterSet>();
  for (const { spec } of slices) {
    for (const set of spec.sharedCounters ?? []) {
      if (sets.has(set.name)) return undefined;
      sets.set(set.name, set);
    }
  }
  return sets;
}

/** Whether all counters that the slice's devices use are there. */
const isCounted = ({ spec }: ResourceSlice, sets: ReadonlyMap<string, CounterSet>): boolean =>
  (spec.devices ?? []).every(({ consumesCounters = [] }) =>
    consumesCounters.every(({ counterSet, counters }) => {
      const known = sets.get(counterSet)?.counters;
      return known !== undefined && Object.keys(counters).every((name) => Object.hasOwn(known, name));
    }),
  );
