/** The classes and pods behind claims of devices, straight from the store. */
import {
  type DeviceClass,
  implicitResourcePrefix,
  ownerOfExtendedClaim,
  type Pod,
  type QuotaDevices,
  type ResourceClaim,
} from "../../../api/index.js";
import type { Store } from "../../storage/contract.js";
import { inNamespace } from "./in-namespace.js";

const classes = "resource.k8s.io/deviceclasses";
const claims = "resource.k8s.io/resourceclaims";

export function devicesIn(store: Store): QuotaDevices {
  const classNamed = (name: string): DeviceClass | undefined =>
    store.get(classes, name)?.object as DeviceClass | undefined;
  const all = (): readonly DeviceClass[] =>
    store.count(classes) === 0
      ? []
      : store.list({ collection: classes, prefix: "", from: "" }).items.map(({ object }) => object as DeviceClass);
  return {
    resourceOf: (className) => classNamed(className)?.spec.extendedResourceName,
    isProvided: (resource) =>
      resource.startsWith(implicitResourcePrefix)
        ? classNamed(resource.slice(implicitResourcePrefix.length)) !== undefined
        : all().some(({ spec }) => spec.extendedResourceName === resource),
    pod: (key) => store.get("pods", key)?.object as Pod | undefined,
    claimsMadeFor: ({ metadata: { namespace = "", uid } }) =>
      inNamespace<ResourceClaim>(store, claims, namespace).filter((claim) => ownerOfExtendedClaim(claim)?.uid === uid),
  };
}
