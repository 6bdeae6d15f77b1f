/** The classes and pods behind claims of devices, straight from the store. */
import {
  type DeviceClass,
  implicitResourcePrefix,
  ownerOfExtendedClaim,
  type Pod,
  type QuotaDevices,
  type ResourceClaim,
} from "../../../api/index.js";
import { objectsIn, type Store } from "../../storage/contract.js";

const classes = "resource.k8s.io/deviceclasses";
const claims = "resource.k8s.io/resourceclaims";

export function devicesIn(store: Store): QuotaDevices {
  const classNamed = (name: string): DeviceClass | undefined =>
    store.get(classes, name)?.object as DeviceClass | undefined;
  return {
    resourceOf: (className) => classNamed(className)?.spec.extendedResourceName,
    isProvided: (resource) =>
      resource.startsWith(implicitResourcePrefix)
        ? classNamed(resource.slice(implicitResourcePrefix.length)) !== undefined
        : objectsIn<DeviceClass>(store, classes).some(({ spec }) => spec.extendedResourceName === resource),
    pod: (key) => store.get("pods", key)?.object as Pod | undefined,
    claimsMadeFor: ({ metadata: { namespace = "", uid } }) =>
      objectsIn<ResourceClaim>(store, claims, namespace).filter((claim) => ownerOfExtendedClaim(claim)?.uid === uid),
  };
}
