/** Devices behind extended resources, as the scheduler and the quota controller both find them: classes by resource, claims by pod. */
import {
  type DeviceClass,
  implicitResourcePrefix,
  ownerOfExtendedClaim,
  type Pod,
  type ResourceClaim,
} from "../api/index.js";
import type { FactoryInformer, ReadonlyStore } from "../informer/index.js";

const ofResource = "device-classes-of-resource";
const ofPod = "extended-claims-of-pod";

const resourcesOf = ({ spec }: DeviceClass): readonly string[] =>
  spec.extendedResourceName ? [spec.extendedResourceName] : [];

/** Call it while wiring, before the informers start. */
export function indexByExtendedResource(classes: FactoryInformer<DeviceClass>): void {
  classes.addIndexers({ [ofResource]: resourcesOf });
}

/** The classes that provide an extended resource, by its own name or by the implicit one of a class. */
export function classesBehind(classes: ReadonlyStore<DeviceClass>, resource: string): readonly DeviceClass[] {
  if (!resource.startsWith(implicitResourcePrefix)) return classes.byIndex(ofResource, resource);
  const named = classes.get(resource.slice(implicitResourcePrefix.length));
  return named === undefined ? [] : [named];
}

const podsOf = (claim: ResourceClaim): readonly string[] => {
  const owner = ownerOfExtendedClaim(claim);
  return owner === undefined ? [] : [owner.uid];
};

/** Call it while wiring, before the informers start. */
export function indexByExtendedPod(claims: FactoryInformer<ResourceClaim>): void {
  claims.addIndexers({ [ofPod]: podsOf });
}

/** The claims that the scheduler made for the extended resources of a pod. */
export const extendedClaimsOf = (claims: ReadonlyStore<ResourceClaim>, { metadata }: Pod): readonly ResourceClaim[] =>
  claims.byIndex(ofPod, metadata.uid ?? "");
