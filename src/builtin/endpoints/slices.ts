/** EndpointSlices of a service: takes its pods and the existing slices, gives the few writes that make the slices match. Pure. */
import {
  deepEqual,
  type Draft,
  type Endpoint,
  type EndpointPort,
  type EndpointSlice,
  isDeleting,
  newControllerRef,
  type Node,
  type Pod,
  Service,
} from "../../api/index.js";
import { defined, unlessEmpty } from "../../base/defined.js";
import type { IpFamily } from "../../base/net/ip-family.js";
import { isReady } from "../pods/state.js";
import {
  addressOf,
  familiesOf,
  hostnameFor,
  isEligible,
  mirroredLabels,
  portsOn,
  podReference,
  zoneOf,
} from "./pods.js";
import { withTriggerTime } from "./trigger-times.js";

export const serviceNameLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const managedBy = "endpointslice-controller.k8s.io";

export interface ObservedService {
  readonly service: Service;
  readonly pods: readonly Pod[];
  readonly slices: readonly EndpointSlice[];
  readonly node: (name: string) => Node | undefined;
  /** The most endpoints that a slice may have. */
  readonly capacity: number;
  /** The time of the change that caused this sync, for the annotation of slices that are written. */
  readonly triggerTime: string | undefined;
}

/**
 * A pod that is left out because its node is not known, so its zone cannot be told. A service with
 * `publishNotReadyAddresses` includes it.
 */
interface LeftOut {
  readonly pod: string;
  readonly node: string;
}

export interface ServicePlan extends SlicePlan {
  readonly leftOut: readonly LeftOut[];
}

export interface SlicePlan {
  readonly create: readonly Draft<EndpointSlice>[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
}

/** Endpoints with the same ports, keyed by their identity. */
interface PortGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

export function planSlices(observed: ObservedService): ServicePlan {
  const families = familiesOf(observed.service);
  const isStrange = (slice: EndpointSlice): boolean =>
    !families.includes(slice.addressType as IpFamily) || !isOf(observed.service, slice);
  const slices = observed.slices.filter((slice) => !isStrange(slice));
  const strange = observed.slices.filter(isStrange);
  const leftOut = observed.pods.filter((pod) => isEligible(pod, true) && isNowhere(observed, pod));
  const plans = families.map((family) => planFamily({ ...observed, slices }, family));
  return {
    leftOut: leftOut.map(({ metadata, spec }) => ({ pod: metadata.name, node: spec?.nodeName ?? "" })),
    create: plans.flatMap(({ create }) => create),
    update: plans.flatMap(({ update }) => update),
    delete: [...strange, ...plans.flatMap((plan) => plan.delete)],
  };
}

/** An earlier service of the same name may still have slices, until they are collected: the uid tells them apart. */
const isOf = ({ metadata: { uid } }: Service, { metadata }: EndpointSlice): boolean =>
  metadata.ownerReferences?.some(
    (owner) => owner.uid === uid && owner.kind === "Service" && owner.apiVersion === "v1",
  ) ?? false;

const isNowhere = ({ service, node }: ObservedService, { spec }: Pod): boolean =>
  service.spec?.publishNotReadyAddresses !== true && node(spec?.nodeName ?? "") === undefined;

/** The zones or nodes that a ready endpoint is for, if the service asks for local traffic. */
function hintsFor({ metadata, spec }: Service, { nodeName, zone }: Endpoint): Endpoint["hints"] {
  const { annotations = {} } = metadata;
  const mode =
    annotations["service.kubernetes.io/topology-aware-hints"] ?? annotations["service.kubernetes.io/topology-mode"];
  const { trafficDistribution = "" } = spec ?? {};
  const isNear = ["PreferClose", "PreferSameZone", "PreferSameNode"].includes(trafficDistribution);
  if (!isNear || mode === "Auto" || mode === "auto") return undefined;
  const forNodes = trafficDistribution === "PreferSameNode" && nodeName !== undefined ? [{ name: nodeName }] : [];
  if (zone === undefined && forNodes.length === 0) return undefined;
  return {
    ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
    ...defined({ forNodes: unlessEmpty(forNodes) }),
  };
}

function endpointOf({ service, node }: ObservedService, pod: Pod, address: string): Endpoint {
  const serving = isReady(pod);
  const terminating = isDeleting(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameFor(pod, service);
  const { nodeName } = pod.spec ?? {};
  const zone = zoneOf(nodeName ? node(nodeName) : undefined);
  const endpoint: Endpoint = {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...defined({ hostname }),
    targetRef: podReference(pod),
    ...defined({ nodeName: nodeName || undefined, zone: zone || undefined }),
  };
  const hints = ready ? hintsFor(service, endpoint) : undefined;
  return hints === undefined ? endpoint : { ...endpoint, hints };
}

const identityOf = ({ addresses, targetRef }: Endpoint): string => `${addresses.join(",")}|${targetRef?.uid ?? ""}`;
export const portsKey = (ports: NonNullable<EndpointSlice["ports"]>): string =>
  JSON.stringify(
    ports
      .map(({ name, port, protocol, appProtocol }) => [name ?? "", port, protocol ?? "TCP", appProtocol ?? ""])
      .toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
  );

function groupsOf(observed: ObservedService, family: IpFamily): Map<string, PortGroup> {
  const groups = new Map<string, PortGroup>();
  for (const pod of observed.pods) {
    const address = isEligible(pod, true) ? addressOf(pod, family) : undefined;
    if (address === undefined || isNowhere(observed, pod)) continue;
    const ports = portsOn(pod, observed.service);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() };
    groups.set(key, group);
    const endpoint = endpointOf(observed, pod, address);
    group.endpoints.set(identityOf(endpoint), endpoint);
  }
  return groups;
}

/** The planned content of a slice; `slice` is the existing one to update, if there is one. */
interface Packed {
  readonly slice: EndpointSlice | undefined;
  readonly ports: readonly EndpointPort[];
  endpoints: readonly Endpoint[];
}

function planFamily(observed: ObservedService, family: IpFamily): SlicePlan {
  const groups = groupsOf(observed, family);
  const existing = observed.slices.filter(({ addressType }) => addressType === family);
  const packed = [...groups.values()].flatMap((group) => packGroup(group, existing, observed));
  // a service without endpoints gets one empty slice, which says that there are none
  if (packed.length === 0) packed.push({ slice: undefined, ports: [], endpoints: [] });
  const kept = new Set(packed.map(({ slice }) => slice));
  const spare = existing.filter((slice) => !kept.has(slice));
  const create: Draft<EndpointSlice>[] = [];
  const update: EndpointSlice[] = [];
  for (const { slice, ports, endpoints } of packed) {
    const recycled = slice ?? spare.shift();
    const metadata = labelled(observed.service, recycled);
    const annotations = withTriggerTime(recycled?.metadata.annotations, observed.triggerTime);
    if (recycled === undefined) {
      create.push({
        metadata: { generateName: `${observed.service.metadata.name}-`, ...metadata, annotations },
        addressType: family,
        endpoints,
        ports,
      });
      continue;
    }
    const next = { ...recycled, metadata: { ...recycled.metadata, ...metadata, annotations }, endpoints, ports };
    if (!sameSlice(next, recycled)) update.push(next);
  }
  return { create, update, delete: spare };
}

const sameSlice = (a: EndpointSlice, b: EndpointSlice): boolean =>
  deepEqual(a.endpoints ?? [], b.endpoints ?? []) &&
  portsKey(a.ports ?? []) === portsKey(b.ports ?? []) &&
  deepEqual(a.metadata.labels, b.metadata.labels);

/**
 * Leaves endpoints in their slices. New endpoints go first to slices that change anyway, then to one with room, then to
 * new slices.
 */
function packGroup(
  { ports, endpoints }: PortGroup,
  existing: readonly EndpointSlice[],
  { service, capacity }: ObservedService,
): Packed[] {
  const rest = new Map(endpoints);
  const key = portsKey(ports);
  const packed: (Packed & { changed: boolean })[] = [];
  for (const slice of existing.filter((one) => portsKey(one.ports ?? []) === key)) {
    const before = slice.endpoints ?? [];
    const stay = before.flatMap((endpoint) => {
      const wanted = rest.get(identityOf(endpoint));
      rest.delete(identityOf(endpoint));
      return wanted === undefined ? [] : [wanted];
    });
    const changed = !deepEqual(stay, before) || !deepEqual(slice.metadata.labels, labelsOf(service));
    if (stay.length > 0) packed.push({ slice, ports, endpoints: stay, changed });
  }
  const left = [...rest.values()];
  const fill = (slot: Packed): void => {
    slot.endpoints = [...slot.endpoints, ...left.splice(0, Math.max(0, capacity - slot.endpoints.length))];
  };
  const fullestFirst = (a: Packed, b: Packed): number => b.endpoints.length - a.endpoints.length;
  for (const slot of packed.filter(({ changed }) => changed).toSorted(fullestFirst)) fill(slot);
  const roomy = packed
    .filter(({ changed, endpoints: held }) => !changed && held.length + left.length <= capacity)
    .toSorted(fullestFirst)[0];
  if (left.length > 0 && roomy !== undefined) fill(roomy);
  while (left.length > 0) packed.push({ slice: undefined, ports, endpoints: left.splice(0, capacity), changed: true });
  return packed;
}

type SliceMeta = Pick<EndpointSlice["metadata"], "labels" | "ownerReferences" | "namespace">;

/** The service's own labels, and the labels that name the slice's service and its manager. */
function labelsOf(service: Service): Readonly<Record<string, string>> {
  return { ...mirroredLabels(service), [serviceNameLabel]: service.metadata.name, [managedByLabel]: managedBy };
}

function labelled(service: Service, slice: EndpointSlice | undefined): SliceMeta {
  const { namespace } = service.metadata;
  return {
    ...defined({ namespace }),
    labels: labelsOf(service),
    ownerReferences: slice?.metadata.ownerReferences ?? [newControllerRef(service, Service)],
  };
}
