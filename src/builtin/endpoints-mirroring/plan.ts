/** Slices that mirror hand-written Endpoints: takes the Endpoints and the existing slices, gives the writes. Pure. */
import {
  deepEqual,
  type Draft,
  type Endpoint,
  type EndpointAddress,
  type EndpointPort,
  Endpoints,
  type EndpointSlice,
  newControllerRef,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { type IpFamily, ipFamilyOf } from "../../base/net/ip-family.js";
import { managedByLabel, portsKey, serviceNameLabel, type SlicePlan } from "../endpoints/slices.js";
import { traceAnnotation } from "../../controller/index.js";
import { triggerTimeAnnotation } from "../endpoints/trigger-times.js";
import { generateNameFor } from "../pods/template.js";

export const mirroredBy = "endpointslicemirroring-controller.k8s.io";
/** The most addresses of a subset that are mirrored; an event tells of the others. */
export const perSubset = 1000;

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

interface Wanted {
  readonly family: IpFamily;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

export interface MirrorPlan extends SlicePlan {
  /** The number of addresses beyond the limit. */
  readonly skipped: number;
}

/** One slice for each address family and set of ports; further existing slices are deleted. */
export function planMirror(endpoints: Endpoints, existing: readonly EndpointSlice[]): MirrorPlan {
  const { wanted, skipped } = wantedSlices(endpoints);
  const create: Draft<EndpointSlice>[] = [];
  const update: EndpointSlice[] = [];
  const spare = new Set(existing);
  for (const [key, { family, ports, endpoints: byAddress }] of wanted) {
    const current = existing.find((slice) => keyOf(slice.addressType, slice.ports ?? []) === key);
    const held = [...byAddress.values()];
    const draft: Draft<EndpointSlice> = {
      metadata: metadataFor(endpoints),
      addressType: family,
      endpoints: held,
      ports,
    };
    if (current === undefined) {
      create.push({
        ...draft,
        metadata: { ...draft.metadata, generateName: generateNameFor(endpoints.metadata.name) },
      });
      continue;
    }
    spare.delete(current);
    const metadata = { ...current.metadata, ...draft.metadata };
    const next = { ...current, metadata, endpoints: held, ports };
    if (!sameSlice(next, current)) update.push(next);
  }
  return { create, update, delete: [...spare], skipped };
}

const keyOf = (family: string, ports: NonNullable<EndpointSlice["ports"]>): string => `${family} ${portsKey(ports)}`;

function wantedSlices({ subsets = [] }: Endpoints): { readonly wanted: Map<string, Wanted>; readonly skipped: number } {
  const wanted = new Map<string, Wanted>();
  let skipped = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const all = [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ];
    skipped += Math.max(0, all.length - perSubset);
    const named = ports.map((port) => ({ ...port, name: port.name ?? "", protocol: port.protocol ?? "TCP" }));
    for (const endpoint of all.slice(0, perSubset)) {
      const [address = ""] = endpoint.addresses;
      const family = ipFamilyOf(address);
      const key = keyOf(family, named);
      const group = wanted.get(key) ?? { family, ports: named, endpoints: new Map<string, Endpoint>() };
      wanted.set(key, group);
      group.endpoints.set(`${address} ${endpoint.targetRef?.uid ?? ""}`, endpoint);
    }
  }
  return { wanted, skipped };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...defined({ hostname: hostname || undefined, targetRef, nodeName }),
  };
}

function metadataFor(
  endpoints: Endpoints,
): Pick<EndpointSlice["metadata"], "labels" | "annotations" | "ownerReferences" | "namespace"> {
  const { namespace, name, labels } = endpoints.metadata;
  const { [triggerTimeAnnotation]: _time, [lastApplied]: _applied, ...annotations } = withoutTrace(endpoints);
  return {
    ...defined({ namespace }),
    labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirroredBy },
    annotations,
    ownerReferences: [newControllerRef(endpoints, Endpoints)],
  };
}

/** A writer's trace is about its own write: to mirror it would be a write, which leaves another trace, without end. */
function withoutTrace({ metadata }: Endpoints | EndpointSlice): Readonly<Record<string, string>> {
  const { [traceAnnotation]: _trace, ...annotations } = metadata.annotations ?? {};
  return annotations;
}

function sameSlice(a: EndpointSlice, b: EndpointSlice): boolean {
  const inOrder = ({ endpoints }: EndpointSlice): readonly Endpoint[] =>
    (endpoints ?? []).toSorted((one, other) => ((one.addresses[0] ?? "") < (other.addresses[0] ?? "") ? -1 : 1));
  return (
    deepEqual(inOrder(a), inOrder(b)) &&
    deepEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {}) &&
    deepEqual(withoutTrace(a), withoutTrace(b)) &&
    deepEqual(a.metadata.ownerReferences, b.metadata.ownerReferences)
  );
}
