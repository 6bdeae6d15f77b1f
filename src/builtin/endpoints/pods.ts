/** Pods as a service sees them: their addresses, ports and readiness. Pure; the same for EndpointSlices and Endpoints. */
import {
  type EndpointPort,
  isDeleting,
  type Node,
  type ObjectReference,
  type Pod,
  type Service,
  type ServicePort,
} from "../../api/index.js";
import { runningContainers } from "../../api/pods/containers.js";
import { defined } from "../../base/defined.js";
import { type IpFamily, ipFamilyOf } from "../../base/net/ip-family.js";
import { isReady, isTerminal } from "../pods/state.js";

const zoneLabel = "topology.kubernetes.io/zone";

/** False for a service without a selector, whose endpoints somebody else writes, and for an ExternalName service. */
export function selects({ spec }: Service): boolean {
  return spec?.type !== "ExternalName" && spec?.selector !== undefined && Object.keys(spec.selector).length > 0;
}

const headlessLabel = "service.kubernetes.io/headless";

/** The service's labels, for its endpoints. The headless label is always the controller's own. */
export function mirroredLabels({ metadata, spec }: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _said, ...labels } = metadata.labels ?? {};
  return spec?.clusterIP && spec.clusterIP !== "None" ? labels : { ...labels, [headlessLabel]: "" };
}

/** The address families of the service. */
export function familiesOf({ spec }: Service): readonly IpFamily[] {
  if (spec?.ipFamilies !== undefined && spec.ipFamilies.length > 0) return spec.ipFamilies as readonly IpFamily[];
  return [spec?.clusterIP && spec.clusterIP !== "None" ? ipFamilyOf(spec.clusterIP) : "IPv4"];
}

export function addressOf({ status }: Pod, family: IpFamily): string | undefined {
  const addresses = status?.podIPs?.map(({ ip }) => ip) ?? (status?.podIP ? [status.podIP] : []);
  return addresses.find((address) => ipFamilyOf(address) === family);
}

/** Finished pods serve no traffic; terminating ones still may. */
export function isEligible(pod: Pod, includeTerminating: boolean): boolean {
  if (isTerminal(pod) || !pod.status?.podIP) return false;
  return includeTerminating || !isDeleting(pod);
}

/** The port's number on this pod; a named port is looked up in its containers. Undefined if the pod has no such port. */
function portOn({ spec }: Pod, { targetPort, port, protocol = "TCP" }: ServicePort): number | undefined {
  const target = targetPort ?? port;
  if (typeof target === "number") return target === 0 ? port : target;
  for (const { ports = [] } of runningContainers(spec)) {
    for (const one of ports) if (one.name === target && (one.protocol ?? "TCP") === protocol) return one.containerPort;
  }
  return undefined;
}

export function portsOn(pod: Pod, service: Service): readonly EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((port) => {
    const number = portOn(pod, port);
    if (number === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = port;
    return [{ name, port: number, protocol, ...defined({ appProtocol }) }];
  });
}

export function podReference({ metadata: { namespace, name, uid } }: Pod): ObjectReference {
  return {
    kind: "Pod",
    ...defined({ namespace }),
    name,
    ...defined({ uid }),
  };
}

export const zoneOf = (node: Node | undefined): string | undefined => node?.metadata.labels?.[zoneLabel];

/** The hostname of a pod under a headless service: set if the pod names the service as its subdomain. */
export function hostnameFor({ metadata, spec }: Pod, service: Service): string | undefined {
  const own = spec?.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
  return own && spec?.hostname ? spec.hostname : undefined;
}

export function publishes(service: Service, pod: Pod): boolean {
  return service.spec?.publishNotReadyAddresses === true || isReady(pod);
}

/** True if nothing that matters for endpoints differs between two states of a pod. */
export function servesAlike(a: Pod, b: Pod): boolean {
  const view = ({ metadata, spec, status }: Pod): string =>
    JSON.stringify([
      metadata.labels,
      metadata.deletionTimestamp === undefined,
      spec?.hostname,
      spec?.subdomain,
      spec?.nodeName,
      status?.podIP,
      status?.podIPs,
    ]);
  return isReady(a) === isReady(b) && isTerminal(a) === isTerminal(b) && view(a) === view(b);
}
