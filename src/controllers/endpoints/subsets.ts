/** The older Endpoints object of a service: takes its pods, gives subsets of addresses with the same ports. Pure. */
import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from "../../api/index.js";
import { addressOf, familiesOf, hostnameFor, isEligible, portsOn, publishes, referenceTo } from "./pods.js";

/** Beyond this an Endpoints object would be too large for everybody who watches it. */
export const capacity = 1000;

export interface Subsets {
  readonly subsets: readonly EndpointSubset[];
  readonly truncated: boolean;
}

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly ready: EndpointAddress[];
  readonly notReady: EndpointAddress[];
}

export function subsetsOf(service: Service, pods: readonly Pod[]): Subsets {
  const [family = "IPv4"] = familiesOf(service);
  const groups = new Map<string, Group>();
  let room = capacity;
  let truncated = false;
  const mayHaveNoPorts = service.spec?.clusterIP === "None" && (service.spec.ports ?? []).length === 0;
  const candidates = pods.filter((pod) => isEligible(pod, service.spec?.publishNotReadyAddresses === true));
  // if there are too many, ready ones stay
  const order = candidates.toSorted((a, b) => Number(publishes(service, b)) - Number(publishes(service, a)));
  for (const pod of order) {
    const ip = addressOf(pod, family);
    const ports = portsOn(pod, service).map(withoutEmptyName);
    if (ip === undefined || (ports.length === 0 && !mayHaveNoPorts)) continue;
    if (room === 0) {
      truncated = true;
      break;
    }
    room--;
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, ready: [], notReady: [] };
    groups.set(key, group);
    (publishes(service, pod) ? group.ready : group.notReady).push(addressEntry(service, pod, ip));
  }
  const subsets = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => subsetOf(group));
  return { subsets, truncated };
}

function withoutEmptyName({ name, ...port }: EndpointPort): EndpointPort {
  return name ? { name, ...port } : port;
}

function addressEntry(service: Service, pod: Pod, ip: string): EndpointAddress {
  const hostname = hostnameFor(pod, service);
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: referenceTo(pod),
  };
}

function subsetOf({ ports, ready, notReady }: Group): EndpointSubset {
  const byIp = (a: EndpointAddress, b: EndpointAddress): number => (a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : 0);
  return {
    ...(ready.length === 0 ? {} : { addresses: ready.toSorted(byIp) }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady.toSorted(byIp) }),
    ...(ports.length === 0 ? {} : { ports }),
  };
}
