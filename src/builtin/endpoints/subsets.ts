/** The older Endpoints object of a service: takes its pods, gives subsets of addresses with the same ports. Pure. */
import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from "../../api/index.js";
import { defined, unlessEmpty } from "../../base/defined.js";
import { addressOf, familiesOf, hostnameFor, isEligible, portsOn, publishes, podReference } from "./pods.js";
import { compareText } from "../../base/members.js";

/** Upstream's limit: a larger Endpoints object would be too expensive for its watchers. */
const capacity = 1000;

export interface Subsets {
  readonly subsets: readonly EndpointSubset[];
  readonly truncated: boolean;
}

/** The pods behind one port, or behind a headless service without ports. */
interface Backends {
  readonly port: EndpointPort | undefined;
  readonly ready: EndpointAddress[];
  readonly notReady: EndpointAddress[];
}

/** Ports with the same pods behind them share a subset, in the service's order. */
export function subsetsOf(service: Service, pods: readonly Pod[]): Subsets {
  const byPods = new Map<string, Backends[]>();
  for (const backends of backendsByPort(service, pods)) {
    const key = JSON.stringify(
      [backends.ready, backends.notReady].map((addresses) => addresses.map(identityOf).toSorted()),
    );
    byPods.set(key, [...(byPods.get(key) ?? []), backends]);
  }
  return truncated([...byPods.values()].map(subsetOf).toSorted(byPorts));
}

function backendsByPort(service: Service, pods: readonly Pod[]): readonly Backends[] {
  const [family = "IPv4"] = familiesOf(service);
  const byPort = new Map<string, Backends>();
  const mayHaveNoPorts = service.spec?.clusterIP === "None" && (service.spec.ports ?? []).length === 0;
  for (const pod of pods.filter((one) => isEligible(one, service.spec?.publishNotReadyAddresses === true))) {
    const ip = addressOf(pod, family);
    if (ip === undefined) continue;
    const address = addressEntry(service, pod, ip);
    for (const port of mayHaveNoPorts ? [undefined] : portsOn(pod, service).map(withoutEmptyName)) {
      const key = JSON.stringify(port ?? null);
      const backends = byPort.get(key) ?? { port, ready: [], notReady: [] };
      byPort.set(key, backends);
      (publishes(service, pod) ? backends.ready : backends.notReady).push(address);
    }
  }
  return [...byPort.values()];
}

/** If there are too many addresses, ready ones are kept first, and each subset keeps its share. */
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
    ...defined({ hostname }),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: podReference(pod),
  };
}

function subsetOf(alike: readonly Backends[]): EndpointSubset {
  const [{ ready, notReady } = { ready: [], notReady: [] }] = alike;
  const ports = alike.flatMap(({ port }) => (port === undefined ? [] : [port]));
  return {
    ...(ready.length === 0 ? {} : { addresses: ready.toSorted(byIdentity) }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady.toSorted(byIdentity) }),
    ...defined({ ports: unlessEmpty(ports) }),
  };
}

const identityOf = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ""}`;
const byIdentity = (a: EndpointAddress, b: EndpointAddress): number => compareText(identityOf(a), identityOf(b));
const byPorts = (a: EndpointSubset, b: EndpointSubset): number =>
  compareText(JSON.stringify(a.ports ?? []), JSON.stringify(b.ports ?? []));
