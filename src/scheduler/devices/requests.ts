/** Reads the requests of a claim: the alternatives of each, with the devices that match them. */
import type {
  DeviceClass,
  DeviceSelector,
  DeviceSubRequest,
  ExactDeviceRequest,
  Node,
  ResourceClaim,
} from "../../api/index.js";
import { sharesOf } from "./capacity.js";
import { type Constraint, constraintOf, type RequestName } from "./constraints.js";
import type { DevicesInUse } from "./allocated.js";
import { type DevicePool, isFor, type PooledDevice } from "./pools.js";
import { messageOf } from "../../base/index.js";

/** A test of devices, by driver and device; throws if the selector cannot be evaluated. */
export type DeviceTest = (driver: string, device: PooledDevice["device"]) => boolean;

export interface DeviceSurroundings {
  readonly inUse: DevicesInUse;
  deviceClass(name: string): DeviceClass | undefined;
  /** Compiles the expression of a selector; throws if it is wrong. */
  selector(expression: string): DeviceTest;
}

/** One way to satisfy a request. */
export interface Alternative {
  readonly of: RequestName;
  readonly wanted: Omit<ExactDeviceRequest, keyof DeviceSubRequest> & Omit<DeviceSubRequest, "name">;
  readonly deviceClass: DeviceClass;
  readonly count: number;
  /** The devices to take, if the request asks for all that match. */
  readonly all: readonly PooledDevice[] | undefined;
  matches(one: PooledDevice): boolean;
}

export interface ClaimToAllocate {
  readonly claim: ResourceClaim;
  /** The alternatives of each request, the most wanted first. */
  readonly requests: readonly (readonly Alternative[])[];
  readonly constraints: readonly Constraint[];
}

export const claimName = ({ metadata: { namespace, name } }: ResourceClaim): string => `${namespace}/${name}`;

/** A claim has room for this number of devices. */
export const mostDevicesOfClaim = 32;

/** Throws if the claim can be allocated on no node, in kube-scheduler's words. */
export function claimToAllocate(
  claim: ResourceClaim,
  {
    node,
    pools,
    around,
  }: { readonly node: Node; readonly pools: readonly DevicePool[]; readonly around: DeviceSurroundings },
): ClaimToAllocate {
  const { requests = [], constraints = [] } = claim.spec.devices ?? {};
  const alternatives = requests.map(({ name: request, exactly, firstAvailable = [] }) => {
    const named =
      exactly === undefined
        ? firstAvailable.map(({ name, ...wanted }) => ({ of: { request, alternative: name }, wanted }))
        : [{ of: { request, alternative: undefined }, wanted: exactly }];
    return named.map(({ of, wanted }) => alternativeOf({ claim, of, wanted }, { node, pools, around }));
  });
  const least = alternatives.reduce((sum, each) => sum + Math.min(...each.map(({ count }) => count)), 0);
  if (least > mostDevicesOfClaim) {
    throw new Error(
      `claim ${claimName(claim)}: number of requested devices ${least} exceeds the claim limit of ${mostDevicesOfClaim}`,
    );
  }
  const checks = constraints.map((constraint, index) => {
    const known = constraintOf(constraint);
    if (known !== undefined) return known;
    throw new Error(`claim ${claimName(claim)}, constraint #${index}: empty constraint (unsupported constraint type?)`);
  });
  return { claim, requests: alternatives, constraints: checks };
}

function alternativeOf(
  { claim, of, wanted }: Pick<Alternative, "of" | "wanted"> & { readonly claim: ResourceClaim },
  {
    node,
    pools,
    around,
  }: { readonly node: Node; readonly pools: readonly DevicePool[]; readonly around: DeviceSurroundings },
): Alternative {
  const where = `claim ${claimName(claim)}, request ${of.alternative ?? of.request}`;
  const { deviceClassName: className, allocationMode = "ExactCount" } = wanted;
  const deviceClass = around.deviceClass(className);
  if (deviceClass === undefined) {
    const missing = `deviceclass.resource.k8s.io "${className}" not found`;
    throw new Error(`${where}: could not retrieve device class ${className}: ${missing}`);
  }
  const sources = [
    { of: `class ${className}`, selectors: deviceClass.spec.selectors ?? [] },
    { of: `claim ${claimName(claim)}`, selectors: wanted.selectors ?? [] },
  ];
  const tests = sources.flatMap((source) =>
    source.selectors.map((selector, index) => testOf(selector, `${source.of}: selector #${index}`, around)),
  );
  const known = new Map<PooledDevice, boolean>();
  const matches = (one: PooledDevice): boolean => {
    const before = known.get(one);
    if (before !== undefined) return before;
    const { device, pool, slice } = one;
    const now =
      tests.every((test) => test(pool.driver, device)) && (!slice.spec.perDeviceNodeSelection || isFor(device, node));
    known.set(one, now);
    return now;
  };
  const common = { of, wanted, deviceClass, matches };
  if (allocationMode === "ExactCount") return { ...common, count: wanted.count ?? 1, all: undefined };
  if (allocationMode !== "All") throw new Error(`${where}: unsupported count mode ${allocationMode}`);
  const all: PooledDevice[] = [];
  for (const { state, driver, name, devices } of pools) {
    if (state !== "usable") {
      const now = state === "incomplete" ? "being updated" : "invalid";
      throw new Error(`${where}: asks for all devices, but resource pool ${driver}/${name} is currently ${now}`);
    }
    for (const one of devices) {
      if (matches(one) && sharesOf(one.device, wanted.capacity, [around.inUse.shared(one.id)])) all.push(one);
    }
  }
  return { ...common, count: all.length, all };
}

/** Compiles the selector when it is first asked, so that a wrong one is no error where there are no devices. */
function testOf({ cel }: DeviceSelector, where: string, { selector }: DeviceSurroundings): DeviceTest {
  return (driver, device) => {
    try {
      return selector(cel?.expression ?? "")(driver, device);
    } catch (error) {
      throw new Error(`${where}: ${messageOf(error)}`, { cause: error });
    }
  };
}
