/** Quota usage of claims of devices, by their classes and by the extended resources that the classes provide. Pure. */
import type { Pod } from "../generated/core-v1.js";
import type { DeviceRequest, ResourceClaim } from "../generated/resource-v1.js";
import { controllerOf } from "../meta/owner.js";
import type { OwnerReference } from "../object.js";
import { Quantity } from "../values/quantity.js";
import type { Amounts } from "./amounts.js";

/** The classes and pods behind claims of devices. */
export interface QuotaDevices {
  /** The extended resource that the class with this name provides; undefined if there is no such class, or it has none. */
  resourceOf(className: string): string | undefined;
  /** Whether devices provide the extended resource. */
  isProvided(resource: string): boolean;
  pod(key: string): Pod | undefined;
  /** The claims that the scheduler made for the extended resources of a pod. */
  claimsMadeFor(pod: Pod): readonly ResourceClaim[];
}

/** Each class provides a resource of its own, named after it. */
export const implicitResourcePrefix = "deviceclass.resource.kubernetes.io/";
const classSuffix = ".deviceclass.resource.k8s.io/devices";
const countName = "count/resourceclaims.resource.k8s.io";
/** On a claim that the scheduler made for the extended resources of a pod. */
export const extendedClaimAnnotation = "resource.kubernetes.io/extended-resource-claim";
/** A claim for all devices may get this number. */
const mostDevices = 32;

/** Whether a quota name is one of an extended resource, or of a class under its implicit name. */
export const isExtendedQuota = (name: string): boolean =>
  name.startsWith("requests.") &&
  ((name.includes("/") && !name.includes("kubernetes.io/")) || name.startsWith(`requests.${implicitResourcePrefix}`));

export function isDeviceQuota(name: string, around: QuotaDevices | undefined): boolean {
  if (name === countName || name.endsWith(classSuffix)) return true;
  return isExtendedQuota(name) && (around?.isProvided(name.slice("requests.".length)) ?? false);
}

/** `podUsage` gives the amounts that a pod is charged for. */
export function deviceUsage(
  claim: ResourceClaim,
  { around, podUsage }: { readonly around: QuotaDevices | undefined; podUsage(pod: Pod): Amounts },
): Amounts {
  const byClass = devicesByClass(claim.spec.devices?.requests ?? []);
  const result = new Map<string, Quantity>([[countName, Quantity.of(1)]]);
  for (const [className, count] of byClass) result.set(`${className}${classSuffix}`, Quantity.of(count));
  const pod = around && podBehind(claim, around);
  const charged: Amounts = pod === undefined ? new Map() : podUsage(pod);
  for (const [className, count] of byClass) {
    const resource = around?.resourceOf(className);
    for (const name of [`${implicitResourcePrefix}${className}`, ...(resource ? [resource] : [])]) {
      const left = Quantity.of(count).sub(charged.get(`requests.${name}`) ?? Quantity.zero);
      if (left.sign > 0) result.set(`requests.${name}`, left);
    }
  }
  return result;
}

/** The most devices that the requests may get of each class. */
function devicesByClass(requests: readonly DeviceRequest[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { exactly, firstAvailable = [] } of requests) {
    const most = new Map<string, number>();
    for (const { deviceClassName, allocationMode = "ExactCount", count = 1 } of exactly ? [exactly] : firstAvailable) {
      const wanted = allocationMode === "All" ? mostDevices : allocationMode === "ExactCount" ? count : 0;
      most.set(deviceClassName, Math.max(most.get(deviceClassName) ?? 0, wanted));
    }
    for (const [className, count] of most) sums.set(className, (sums.get(className) ?? 0) + count);
  }
  return sums;
}

/** The pod for whose extended resources the scheduler made the claim; undefined for other claims. */
export function ownerOfExtendedClaim(claim: ResourceClaim): OwnerReference | undefined {
  if (claim.metadata.annotations?.[extendedClaimAnnotation] !== "true") return undefined;
  const owner = controllerOf(claim);
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined;
}

/** The pod that is charged for the claim already, because the claim was made for its extended resources. */
function podBehind(claim: ResourceClaim, around: QuotaDevices): Pod | undefined {
  const { namespace, name, creationTimestamp = "" } = claim.metadata;
  const owner = ownerOfExtendedClaim(claim);
  if (owner === undefined) return undefined;
  const pod = around.pod(`${namespace}/${owner.name}`);
  if (pod === undefined || pod.metadata.uid !== owner.uid) return undefined;
  const told = pod.status?.extendedResourceClaimStatus;
  if (told !== undefined) return told.resourceClaimName === name ? pod : undefined;
  // of several claims, the first alone is the pod's
  const isEarlier = ({ metadata }: ResourceClaim): boolean => {
    const since = metadata.creationTimestamp ?? "";
    return since < creationTimestamp || (since === creationTimestamp && metadata.name < name);
  };
  return around.claimsMadeFor(pod).some(isEarlier) ? undefined : pod;
}
