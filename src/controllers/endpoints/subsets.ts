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
  const mayHaveNoPorts = service.spec?.clusterIP === "None" && (service.spec.ports ?? []).length === 0;
  for (const pod of pods.filter((one) => isEligible(one, service.spec?.publishNotReadyAddresses === true))) {
    const ip = addressOf(pod, family);
    const ports = portsOn(pod, service).map(withoutEmptyName);
    if (ip === undefined || (ports.length === 0 && !mayHaveNoPorts)) continue;
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, ready: [], notReady: [] };
    groups.set(key, group);
    (publishes(service, pod) ? group.ready : group.notReady).push(addressEntry(service, pod, ip));
  }
  return truncated([...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => subsetOf(group)));
}

/** If there are too many, ready ones stay before others, and each subset keeps its part of those that stay. */
function truncated(subsets: readonly EndpointSubset[]): Subsets {
  const sum = (of: "addresses" | "notReadyAddresses"): number =>
    subsets.reduce((count, subset) => count + (subset[of]?.length ?? 0), 0);
  const [ready, notReady] = [sum("addresses"), sum("notReadyAddresses")];
  if (ready + notReady <= capacity) return { subsets, truncated: false };
  const [list, total, most] =
    ready > capacity
      ? (["addresses", ready, capacity] as const)
      : (["notReadyAddresses", notReady, capacity - ready] as const);
  let room: number = most;
  const kept = subsets.map((subset): EndpointSubset => {
    const { [list]: addresses = [], notReadyAddresses: _others, ...rest } = subset;
    const some = addresses.slice(0, Math.min(room, Math.ceil((addresses.length / total) * most)));
    room -= some.length;
    return some.length === 0 ? rest : { ...rest, [list]: some };
  });
  return { subsets: kept, truncated: true };
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
