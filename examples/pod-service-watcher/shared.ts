/**
 * One factory, two informers, two handlers each. Both handlers of a kind share one watch and one cache; each has a
 * queue of its own, so that a slow one does not delay the other.
 */
import { type Client, DeletedFinalStateUnknown, Pod, Service, SharedInformerFactory } from "coxswain";
import {
  byNode,
  bySelector,
  changed,
  nameOf,
  podIndexers,
  podState,
  selectorValue,
  selects,
  serviceIndexers,
  serviceState,
} from "./describe.js";

export type Print = (line: string) => void;

/** Runs until the signal aborts. */
export async function watchShared(client: Client, print: Print, signal: AbortSignal): Promise<void> {
  const factory = new SharedInformerFactory(client);
  const pods = factory.informer(Pod);
  const services = factory.informer(Service);
  pods.addIndexers(podIndexers);
  services.addIndexers(serviceIndexers);

  const say = (line: string | undefined): void => (line === undefined ? undefined : print(line));
  // a deletion that the watch missed arrives as a tombstone, which always has the key
  const gone = (object: Pod | Service | DeletedFinalStateUnknown<unknown>): string =>
    object instanceof DeletedFinalStateUnknown ? object.key : nameOf(object);

  // the first handler of each kind prints the change of the object
  pods.addEventHandler({
    onAdd: (pod) => print(`pod ${nameOf(pod)}: added, ${podState(pod)}`),
    onUpdate: (old, now) => say(changed("pod", podState, { old, now })),
    onDelete: (pod) => print(`pod ${gone(pod)}: deleted`),
  });
  services.addEventHandler({
    onAdd: (service) => print(`service ${nameOf(service)}: added, ${serviceState(service)}`),
    onUpdate: (old, now) => say(changed("service", serviceState, { old, now })),
    onDelete: (service) => print(`service ${gone(service)}: deleted`),
  });

  // the second handler prints the effect on other objects, by the indices
  const tellNode = (pod: Pod): void => {
    const node = pod.spec?.nodeName;
    if (node) print(`node ${node}: ${count(pods.indexer.indexKeys(byNode, node).length, "pod")}`);
  };
  const servicesOf = (pod: Pod): readonly Service[] => {
    const labels = Object.entries(pod.metadata.labels ?? {});
    const candidates = labels.flatMap((label) =>
      services.indexer.byIndex(bySelector, selectorValue(pod.metadata.namespace, label)),
    );
    return [...new Set(candidates)].filter((service) => selects(service, pod));
  };
  pods.addEventHandler({
    onAdd(pod) {
      tellNode(pod);
      for (const service of servicesOf(pod)) print(`service ${nameOf(service)}: gains ${nameOf(pod)}`);
    },
    onUpdate: (old, now) => (old.spec?.nodeName === now.spec?.nodeName ? undefined : tellNode(now)),
    onDelete(deleted) {
      const pod = deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted;
      if (pod === undefined) return;
      tellNode(pod);
      for (const service of servicesOf(pod)) print(`service ${nameOf(service)}: loses ${nameOf(pod)}`);
    },
  });
  const tellPods = (service: Service): void => {
    const behind = pods.lister.namespace(service.metadata.namespace ?? "").list();
    print(
      `service ${nameOf(service)}: ${count(behind.filter((pod) => selects(service, pod)).length, "pod")} behind it`,
    );
  };
  services.addEventHandler({
    onAdd: tellPods,
    onUpdate: (old, now) => (serviceState(old) === serviceState(now) ? undefined : tellPods(now)),
  });

  await using running = factory.start({ signal });
  await factory.waitForCacheSync({ signal });
  print(`watching ${count(pods.indexer.size, "pod")} and ${count(services.indexer.size, "service")}`);
  await running.done;
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
