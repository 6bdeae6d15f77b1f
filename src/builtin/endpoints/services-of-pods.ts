/** Which services a change of a pod concerns: the same for EndpointSlices and Endpoints. */
import { type Pod, type Service, sameRevision, selectorFromSet } from "../../api/index.js";
import { deletedObject, type ReadonlyStore, type ResourceEventHandler } from "../../informer/index.js";
import { selects, servesAlike } from "./pods.js";

/** Wakes the services that select the pod now, and those that did before. */
export function podHandler(
  services: ReadonlyStore<Service>,
  enqueue: (service: Service) => void,
): ResourceEventHandler<Pod> {
  const wake = (...pods: readonly Pod[]): void => {
    const [{ metadata } = { metadata: undefined }] = pods;
    for (const service of services.byIndex("namespace", metadata?.namespace ?? "")) {
      if (!selects(service)) continue;
      const selector = selectorFromSet(service.spec?.selector);
      if (pods.some((pod) => selector.matches(pod.metadata.labels))) enqueue(service);
    }
  };
  return {
    onAdd: (pod) => wake(pod),
    onUpdate(previous, pod) {
      if (!sameRevision(previous, pod) && !servesAlike(previous, pod)) wake(pod, previous);
    },
    onDelete(gone) {
      const pod = deletedObject(gone);
      if (pod !== undefined) wake(pod);
    },
  };
}

export function podsOf(pods: ReadonlyStore<Pod>, service: Service): readonly Pod[] {
  const selector = selectorFromSet(service.spec?.selector);
  return pods
    .byIndex("namespace", service.metadata.namespace ?? "")
    .filter(({ metadata }) => selector.matches(metadata.labels));
}
