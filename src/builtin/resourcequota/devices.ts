/** The classes and pods behind claims of devices, from the caches. */
import { DeviceClass, Pod, type QuotaDevices, ResourceClaim } from "../../api/index.js";
import type { SharedInformerFactory } from "../../informer/index.js";
import {
  classesBehind,
  extendedClaimsOf,
  indexByExtendedPod,
  indexByExtendedResource,
} from "../../placement/extended-claims.js";

/** Call it while wiring, before the informers start. */
export function followDevices(informers: SharedInformerFactory): QuotaDevices {
  const classes = informers.informer(DeviceClass);
  const claims = informers.informer(ResourceClaim);
  const pods = informers.informer(Pod);
  indexByExtendedResource(classes);
  indexByExtendedPod(claims);
  return {
    resourceOf: (className) => classes.indexer.get(className)?.spec.extendedResourceName,
    isProvided: (resource) => classesBehind(classes.indexer, resource).length > 0,
    pod: (key) => pods.indexer.get(key),
    claimsMadeFor: (pod) => extendedClaimsOf(claims.indexer, pod),
  };
}
