/** The classes and pods behind claims of devices, from the caches. */
import {
  controllerOf,
  DeviceClass,
  type QuotaDevices,
  extendedClaimAnnotation,
  implicitResourcePrefix,
  Pod,
  ResourceClaim,
} from "../../api/index.js";
import type { SharedInformerFactory } from "../../informer/index.js";

const ofResource = "quota-classes-of-resource";
const madeFor = "quota-claims-made-for-pod";

/** Call it while wiring, before the informers start. */
export function followDevices(informers: SharedInformerFactory): QuotaDevices {
  const classes = informers.informer(DeviceClass);
  const claims = informers.informer(ResourceClaim);
  const pods = informers.informer(Pod);
  classes.addIndexers({ [ofResource]: ({ spec }) => (spec.extendedResourceName ? [spec.extendedResourceName] : []) });
  claims.addIndexers({
    [madeFor]: (claim) => {
      const owner = claim.metadata.annotations?.[extendedClaimAnnotation] === "true" ? controllerOf(claim) : undefined;
      return owner === undefined ? [] : [owner.uid];
    },
  });
  return {
    resourceOf: (className) => classes.indexer.get(className)?.spec.extendedResourceName,
    isProvided: (resource) =>
      resource.startsWith(implicitResourcePrefix)
        ? classes.indexer.get(resource.slice(implicitResourcePrefix.length)) !== undefined
        : classes.indexer.indexKeys(ofResource, resource).length > 0,
    pod: (key) => pods.indexer.get(key),
    claimsMadeFor: ({ metadata: { uid = "" } }) => claims.indexer.byIndex(madeFor, uid),
  };
}
