/** The services that a change of a pod concerns: the same for EndpointSlices and Endpoints. */
import { metaNamespaceKey, type Pod, type Service, selectorFromSet } from "../../api/index.js";
import type { ObjectChange, Wake } from "../../controller/index.js";
import type { Lister } from "../../informer/index.js";
import { selects, servesAlike } from "./pods.js";

/** For `loop.watch`: wakes the services that select the pod now or did before. */
export function servicesOfPods(services: Lister<Service>): (change: ObjectChange<Pod>, wake: Wake) => void {
  return (change, wake) => {
    const { object } = change;
    const pods = change.type === "updated" ? [object, change.previous] : [object];
    if (change.type === "resync" || (change.type === "updated" && servesAlike(change.previous, object))) return;
    for (const service of services.namespace(object.metadata.namespace ?? "").list()) {
      if (!selects(service)) continue;
      const selector = selectorFromSet(service.spec?.selector);
      if (pods.some((pod) => selector.matches(pod.metadata.labels))) wake(metaNamespaceKey(service));
    }
  };
}

export const podsOf = (pods: Lister<Pod>, { metadata, spec }: Service): readonly Pod[] =>
  pods.namespace(metadata.namespace ?? "").list(selectorFromSet(spec?.selector));
