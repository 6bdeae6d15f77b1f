/**
 * Extended resources that devices provide: takes a pod and the resources that a node has by itself, and gives the claim
 * of devices for the rest, as kube-scheduler makes it. Pure.
 */
import {
  type Container,
  type ContainerExtendedResourceRequest,
  type DeviceClass,
  type DeviceRequest,
  extendedClaimAnnotation,
  implicitResourcePrefix,
  parseQuantity,
  type Pod,
  type ResourceClaim,
} from "../../api/index.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import { isExtended } from "../state/resources.js";
import type { AllocationView } from "./allocate.js";
import { deviceId, isFor } from "./pools.js";
import { byName } from "../../api/meta/key.js";
import { byEntryName } from "../../base/members.js";

/** Of classes that name the same resource, the newest provides it; of equally old ones, the first by name. */
export function newestClass(classes: readonly DeviceClass[]): DeviceClass | undefined {
  const bornAt = ({ metadata }: DeviceClass): number => Date.parse(metadata.creationTimestamp ?? "") || 0;
  return classes.toSorted((a, b) => bornAt(b) - bornAt(a) || byName(a, b))[0];
}

export interface ExtendedView {
  /** The class whose devices are behind an extended resource. */
  classBehind(resource: string): DeviceClass | undefined;
  /** The claim that was made for the pod in an earlier attempt. */
  extendedClaim(pod: Pod): ResourceClaim | undefined;
}

/** The extended resources of a pod, of which devices may provide at least one. */
export interface ExtendedNeed {
  readonly pod: Pod;
  readonly resources: readonly string[];
  /** The claim of an attempt that failed: it has to go before the next one. */
  readonly stale: ResourceClaim | undefined;
}

export function extendedNeed({ pod, requests }: PodInfo, view: ExtendedView): ExtendedNeed | undefined {
  if (requests.others === undefined) return undefined;
  const resources = [...requests.others].flatMap(([name, amount]) =>
    amount !== 0 && (isExtended(name) || name.startsWith(implicitResourcePrefix)) ? [name] : [],
  );
  if (!resources.some((name) => view.classBehind(name) !== undefined)) return undefined;
  return { pod, resources, stale: view.extendedClaim(pod) };
}

/** A claim that exists in memory alone until its pod is bound. */
export interface ExtendedClaim {
  readonly claim: ResourceClaim;
  /** The requests that serve each container. */
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** The claim for a node; undefined if the node has all resources by itself; a text if it cannot have them. */
export function extendedOn(
  { pod, resources, stale }: ExtendedNeed,
  { allocatable }: NodeInfo,
  view: ExtendedView,
): ExtendedClaim | string | undefined {
  if (stale !== undefined) return "cannot schedule extended resource claim";
  const provided = new Map<string, string>();
  for (const name of resources) {
    const own = allocatable.others?.get(name);
    const deviceClass = own ? undefined : view.classBehind(name);
    if (deviceClass !== undefined) provided.set(name, deviceClass.metadata.name);
    else if (own === undefined) return "cannot fit resource";
  }
  return provided.size === 0 ? undefined : claimFor(pod, provided);
}

function claimFor(pod: Pod, provided: ReadonlyMap<string, string>): ExtendedClaim {
  const { name, namespace = "", uid = "" } = pod.metadata;
  const { requests, mappings } = requestsFor(pod, provided);
  const claim: ResourceClaim = {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: {
      // no claim on a server can have this name
      name: "<extended-resources>",
      namespace,
      uid: `extended-resources-of-${uid}`,
      generateName: `${name}-extended-resources-`,
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }],
      annotations: { [extendedClaimAnnotation]: "true" },
    },
    spec: { devices: { requests } },
  };
  return { claim, mappings };
}

interface Asked {
  readonly requests: readonly DeviceRequest[];
  readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** Containers that live as long as the pod have requests of their own; init containers share theirs, and use later ones. */
function requestsFor({ spec }: Pod, provided: ReadonlyMap<string, string>): Asked {
  const { initContainers = [], containers = [] } = spec ?? {};
  const every = [...initContainers, ...containers];
  const isBrief = (index: number): boolean => index < initContainers.length && every[index]?.restartPolicy !== "Always";
  const requests: DeviceRequest[] = [];
  const mappings: ContainerExtendedResourceRequest[] = [];
  for (const [resource, className] of [...provided].sort(byEntryName)) {
    const lasting: (DeviceRequest | undefined)[] = [];
    const brief: { readonly index: number; readonly container: Container }[] = [];
    for (const [index, container] of every.entries()) {
      if (isBrief(index)) {
        brief.push({ index, container });
        continue;
      }
      const asked = requestOf({ index, container, resource, className }, []);
      lasting[index] = asked?.request;
      mappings.push(...(asked?.mappings ?? []));
    }
    const asked = brief.flatMap(({ index, container }) => {
      const later = lasting.slice(index).filter((one) => one !== undefined);
      return requestOf({ index, container, resource, className }, later) ?? [];
    });
    const own = asked.flatMap(({ request }) => request ?? []);
    const largest = own.reduce<DeviceRequest | undefined>(
      (most, one) => (most === undefined || countOf(most) < countOf(one) ? one : most),
      undefined,
    );
    const ownNames = new Set(own.map(({ name }) => name));
    for (const mapping of asked.flatMap((one) => one.mappings)) {
      const isOwn = largest !== undefined && ownNames.has(mapping.requestName);
      mappings.push(isOwn ? { ...mapping, requestName: largest.name } : mapping);
    }
    requests.push(...(largest ? [largest] : []), ...lasting.filter((one) => one !== undefined));
  }
  return { requests: requests.sort((a, b) => (a.name < b.name ? -1 : 1)), mappings };
}

const countOf = ({ exactly }: DeviceRequest): number => exactly?.count ?? 0;

interface ContainerResource {
  /** The place among all containers, init containers first. */
  readonly index: number;
  readonly container: Container;
  readonly resource: string;
  readonly className: string;
}

/** The request for the devices that `reused` do not cover; undefined for a container that does not ask for the resource. */
function requestOf(
  { index, container, resource, className }: ContainerResource,
  reused: readonly DeviceRequest[],
): { readonly request?: DeviceRequest; readonly mappings: readonly ContainerExtendedResourceRequest[] } | undefined {
  const asked = container.resources?.requests ?? {};
  const wanted = asked[resource] === undefined ? 0 : Number(parseQuantity(String(asked[resource])).value());
  if (wanted === 0) return undefined;
  const mappings: ContainerExtendedResourceRequest[] = [];
  const use = (requestName: string): void => {
    mappings.push({ containerName: container.name, resourceName: resource, requestName });
  };
  let covered = 0;
  for (const one of reused) {
    covered += countOf(one);
    use(one.name);
    if (covered >= wanted) return { mappings };
  }
  const name = `container-${index}-request-${Object.keys(asked).sort().indexOf(resource)}`;
  use(name);
  const exactly = { deviceClassName: className, allocationMode: "ExactCount" as const, count: wanted - covered };
  return { request: { name, exactly }, mappings };
}

/** Counts the devices behind an extended resource on a node, and those of them that are in use. */
export function devicesBehind(
  resource: string,
  { node }: NodeInfo,
  view: ExtendedView & AllocationView,
): { readonly capacity: number; readonly used: number } | undefined {
  const deviceClass = view.classBehind(resource);
  if (deviceClass === undefined || node === undefined) return undefined;
  const selectors = deviceClass.spec.selectors ?? [];
  let [capacity, used] = [0, 0];
  try {
    for (const { spec } of [...view.onNode(node.metadata.name), ...view.shared()]) {
      if (!spec.perDeviceNodeSelection && !isFor(spec, node)) continue;
      for (const device of spec.devices ?? []) {
        if (spec.perDeviceNodeSelection && !isFor(device, node)) continue;
        if (!selectors.every(({ cel }) => view.selector(cel?.expression ?? "")(spec.driver, device))) continue;
        capacity++;
        const id = deviceId(spec.driver, spec.pool.name, device.name);
        if (view.inUse.isTaken(id) || view.inUse.shared(id) !== undefined) used++;
      }
    }
  } catch {
    // a selector that cannot be evaluated is told by the filter; it does not rate nodes
    return undefined;
  }
  return capacity === 0 ? undefined : { capacity, used };
}
