/** Shares of devices: the capacity that a request takes from a device that serves several claims at once. Pure. */
import {
  type CapacityRequestPolicy,
  type CapacityRequestPolicyRange,
  type CapacityRequirements,
  type Device,
  type DeviceCapacity,
  parseQuantity,
  Quantity,
} from "../../api/index.js";

/** CapacityShares by the name of a capacity. */
export type CapacityShares = ReadonlyMap<string, Quantity>;

/** The amounts that a request takes of the device; undefined if the device cannot serve it. */
export function sharesOf(
  { capacity = {} }: Device,
  wanted: CapacityRequirements | undefined,
  used: readonly (CapacityShares | undefined)[],
): CapacityShares | undefined {
  const requests = wanted?.requests ?? {};
  if (Object.keys(requests).some((name) => !Object.hasOwn(capacity, name))) return undefined;
  const shares = new Map<string, Quantity>();
  for (const [name, one] of Object.entries(capacity)) {
    const share = shareOf(one, Object.hasOwn(requests, name) ? parseQuantity(requests[name] as string) : undefined);
    if (violates(share, one.requestPolicy)) return undefined;
    const total = used.reduce((sum, amounts) => sum.add(amounts?.get(name) ?? Quantity.zero), share);
    if (total.compare(parseQuantity(one.value)) > 0) return undefined;
    shares.set(name, share);
  }
  return shares;
}

/** Rounds a request up to the next amount that the policy allows. */
function shareOf({ value, requestPolicy }: DeviceCapacity, wanted: Quantity | undefined): Quantity {
  if (wanted === undefined) return parseQuantity(requestPolicy?.default ?? value);
  if (requestPolicy?.validRange !== undefined) return inRange(wanted, requestPolicy.validRange);
  const valid = requestPolicy?.validValues?.map((one) => parseQuantity(one));
  return valid?.find((one) => wanted.compare(one) <= 0) ?? wanted;
}

function inRange(wanted: Quantity, { min, step }: CapacityRequestPolicyRange): Quantity {
  const least = parseQuantity(min);
  if (wanted.compare(least) < 0) return least;
  if (step === undefined) return wanted;
  const [from, by] = [least.value(), parseQuantity(step).value()];
  const steps = (wanted.value() - from + by - 1n) / by;
  return Quantity.of(from + by * steps, { format: "BinarySI" });
}

function violates(share: Quantity, policy: CapacityRequestPolicy | undefined): boolean {
  if (policy === undefined) return false;
  if (policy.default !== undefined && share.equals(parseQuantity(policy.default))) return false;
  if (policy.validRange !== undefined) {
    const { min, max, step } = policy.validRange;
    if (max !== undefined && share.compare(parseQuantity(max)) > 0) return true;
    return step !== undefined && (share.value() - parseQuantity(min).value()) % parseQuantity(step).value() !== 0n;
  }
  const valid = policy.validValues ?? [];
  return valid.length > 0 && !valid.some((one) => parseQuantity(one).equals(share));
}
