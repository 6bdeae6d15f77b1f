/** Decides when a pod must leave tainted devices: takes its claims and their devices. Pure. */
import {
  type Device,
  type DeviceRequestAllocationResult,
  isOwnedBy,
  type Pod,
  type ResourceClaim,
  type ResourceSlice,
} from "../../api/index.js";
import { claimNameOf, toleratesDeviceTaint } from "../../placement/device-claims.js";

export interface DeviceLookup {
  claim(key: string): ResourceClaim | undefined;
  /** The slices of a pool, in all generations. */
  slicesOf(driver: string, pool: string): readonly ResourceSlice[];
}

/** The time at which the pod must go, in milliseconds since 1970; undefined if it may stay. */
export function evictionTime(pod: Pod, lookup: DeviceLookup): number | undefined {
  if (!pod.spec?.nodeName) return undefined;
  let earliest: number | undefined;
  for (const entry of pod.spec.resourceClaims ?? []) {
    const name = claimNameOf(pod, entry);
    const claim = name ? lookup.claim(`${pod.metadata.namespace}/${name}`) : undefined;
    if (claim === undefined || (entry.resourceClaimName === undefined && !isOwnedBy(claim, pod))) continue;
    if (!claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid)) continue;
    for (const result of claim.status.allocation?.devices?.results ?? []) {
      const at = timeOf(result, deviceOf(result, lookup));
      if (at !== undefined && (earliest === undefined || at < earliest)) earliest = at;
    }
  }
  return earliest;
}

/** The device as the newest slices of its pool describe it. */
function deviceOf({ driver, pool, device }: DeviceRequestAllocationResult, lookup: DeviceLookup): Device | undefined {
  const slices = lookup.slicesOf(driver, pool);
  const newest = slices.reduce((most, { spec }) => Math.max(most, spec.pool.generation), 0);
  for (const { spec } of slices) {
    if (spec.pool.generation !== newest) continue;
    const found = spec.devices?.find(({ name }) => name === device);
    if (found !== undefined) return found;
  }
  return undefined;
}

function timeOf({ tolerations = [] }: DeviceRequestAllocationResult, device: Device | undefined): number | undefined {
  let earliest: number | undefined;
  for (const taint of device?.taints ?? []) {
    if (taint.effect !== "NoExecute") continue;
    const used = tolerations.filter((one) => one.effect === "NoExecute" && toleratesDeviceTaint(one, taint));
    if (used.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) continue;
    const seconds = used.map(({ tolerationSeconds = 0 }) => Math.max(0, tolerationSeconds));
    const at =
      Date.parse(taint.timeAdded ?? "1970-01-01T00:00:00Z") + 1_000 * Math.min(...(used.length > 0 ? seconds : [0]));
    if (earliest === undefined || at < earliest) earliest = at;
  }
  return earliest;
}
