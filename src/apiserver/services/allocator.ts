/**
 * Allocates addresses and ports of services, in the same synchronous step as the commit. Every address in use is an
 * IPAddress object, written and deleted in the same transaction as its service, so that the two never disagree. The
 * Endpoints of a deleted service go in that transaction, too.
 */
import {
  fieldPath,
  formatTime,
  type IPAddress,
  isDeleting,
  newInvalid,
  type Service,
  type ServiceSpec,
} from "../../api/index.js";
import { type Clock, inOneGo, type Random } from "../../base/index.js";
import type { FieldManager } from "../contracts/field-manager.js";
import { newUid } from "../contracts/scope.js";
import { objectsIn, type Store, type StoreWrite } from "../storage/contract.js";
import { type IpFamily, ipFamilyOf } from "../../base/net/ip-family.js";
import { withFamilies } from "./families.js";
import { AddressRanges } from "./address-ranges.js";
import { type NodePortRange, withNodePorts } from "./node-ports.js";

export interface ServiceNetwork extends NodePortRange {
  /** A range, e.g. `10.96.0.0/16`, or two of both families with a comma between; services have the first one's by default. */
  readonly cidr: string;
}

export const defaultServiceNetwork: ServiceNetwork = {
  cidr: "10.96.0.0/16",
  firstNodePort: 30_000,
  lastNodePort: 32_767,
};

const addresses = "networking.k8s.io/ipaddresses";
const kind = { group: "", kind: "Service" };

export interface AllocatorOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly fieldManager: FieldManager;
  readonly network: ServiceNetwork;
}

export class ServiceAllocator {
  readonly #options: AllocatorOptions;
  readonly #ranges: AddressRanges;

  constructor(options: AllocatorOptions) {
    this.#options = options;
    this.#ranges = new AddressRanges(options);
  }

  /**
   * The service with everything that its type needs. Throws a 422 if a requested address or port is taken or out of
   * range. As upstream, a dry run may name an address that is taken or a port out of range, and gets made-up ones.
   */
  allocate(
    service: Service,
    { old, dryRun }: { readonly old: Service | undefined; readonly dryRun: boolean },
  ): Service {
    const { store, random, network } = this.#options;
    if (service.spec?.type === "ExternalName") {
      return { ...service, spec: withoutAddresses(service.spec, old?.spec) };
    }
    const configured = this.#ranges.families;
    const spec = withFamilies({ service, old: old?.spec, configured });
    const addressed = this.#withAddresses(service, spec, { old: old?.spec, dryRun });
    return {
      ...service,
      spec: withNodePorts(service, addressed, { store, random, range: network, old: old?.spec, dryRun }),
    };
  }

  /** The changes to other objects when a service changes from `old` to `service`; undefined means that there is none. */
  companions(old: Service | undefined, service: Service | undefined): readonly StoreWrite[] {
    const before = addressesOf(old);
    const after = addressesOf(service);
    return [
      ...after.filter((one) => !before.includes(one)).map((one) => this.#written(one, service as Service)),
      ...before.filter((one) => !after.includes(one)).flatMap((one) => this.#removed(one, old as Service)),
      ...(old !== undefined && service === undefined ? this.#withoutEndpoints(old) : []),
    ];
  }

  /** Writes the IPAddress objects that are missing in an older store. */
  repair(): void {
    const { store } = this.#options;
    for (const service of objectsIn<Service>(store, "services")) {
      const missing = addressesOf(service).filter((one) => store.get(addresses, one) === undefined);
      if (missing.length > 0) store.commit(missing.map((one) => this.#written(one, service)));
    }
  }

  #written(address: string, { metadata }: Service): StoreWrite {
    const { store, clock, random, fieldManager } = this.#options;
    const time = formatTime(clock.now());
    const { namespace = "", name } = metadata;
    const draft: IPAddress = {
      apiVersion: "networking.k8s.io/v1",
      kind: "IPAddress",
      metadata: {
        name: address,
        uid: newUid(random),
        creationTimestamp: time,
        labels: {
          "ipaddress.kubernetes.io/ip-family": ipFamilyOf(address),
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
      },
      spec: { parentRef: { resource: "services", namespace, name } },
    };
    const write = { manager: "kube-apiserver", apiVersion: draft.apiVersion, subresource: "", time };
    const expected = store.get(addresses, address)?.revision ?? 0;
    const object = inOneGo(fieldManager.update(undefined, draft, write));
    return { type: "put", collection: addresses, key: address, expected, object };
  }

  #removed(address: string, { metadata }: Service): readonly StoreWrite[] {
    const current = this.#options.store.get(addresses, address);
    const owner = (current?.object as IPAddress | undefined)?.spec?.parentRef;
    if (current === undefined || owner?.name !== metadata.name || owner.namespace !== metadata.namespace) return [];
    return [{ type: "delete", collection: addresses, key: address, expected: current.revision }];
  }

  /** The Endpoints of a service's name go with it; ones that finalizers hold are marked. */
  #withoutEndpoints({ metadata: { namespace = "", name } }: Service): readonly StoreWrite[] {
    const { store, clock } = this.#options;
    const at = { collection: "endpoints", key: `${namespace}/${name}` };
    const current = store.get(at.collection, at.key);
    if (current === undefined) return [];
    const { object, revision: expected } = current;
    if ((object.metadata.finalizers ?? []).length === 0) return [{ type: "delete", ...at, expected }];
    if (isDeleting(object)) return [];
    const mark = { deletionTimestamp: formatTime(clock.now()), deletionGracePeriodSeconds: 0 };
    return [{ type: "put", ...at, expected, object: { ...object, metadata: { ...object.metadata, ...mark } } }];
  }

  /** Addresses that the service has stay; the families that lack one get a free one. */
  #withAddresses(
    service: Service,
    spec: ServiceSpec,
    { old, dryRun }: { readonly old: ServiceSpec | undefined; readonly dryRun: boolean },
  ): ServiceSpec {
    const before = old?.type === "ExternalName" ? [] : (old?.clusterIPs ?? []);
    const given = [...(spec.clusterIPs ?? [])];
    if (given.length === 0 && (spec.clusterIP || before[0])) given.push(spec.clusterIP || (before[0] ?? ""));
    if (given[0] === "None") return { ...spec, clusterIP: "None", clusterIPs: ["None"] };
    const families: readonly IpFamily[] = (spec.ipFamilies ?? []) as readonly IpFamily[];
    const clusterIPs = families.map((family, i) => {
      const asked = given[i] || before[i];
      if (asked && !before.includes(asked)) this.#checkAddress(service, asked, dryRun);
      return asked || (dryRun ? this.#ranges.base(family) : this.#freeAddress(family));
    });
    return { ...spec, clusterIP: clusterIPs[0] ?? "", clusterIPs };
  }

  #checkAddress(service: Service, address: string, dryRun: boolean): void {
    const fail = (why: string): never => {
      const message = `failed to allocate IP ${address}: ${why}`;
      throw newInvalid(kind, service.metadata.name, [fieldPath("spec.clusterIPs").invalid([address], message)]);
    };
    if (!this.#ranges.contain(address))
      fail(
        dryRun
          ? `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${this.#ranges.textOf(ipFamilyOf(address))}`
          : "the provided network does not match the current range",
      );
    if (!dryRun && this.#options.store.get(addresses, address) !== undefined) fail("provided IP is already allocated");
  }

  #freeAddress(family: IpFamily): string {
    const { store, random } = this.#options;
    const address = this.#ranges.free(family, {
      random,
      isTaken: (candidate) => store.get(addresses, candidate) !== undefined,
    });
    if (address !== undefined) return address;
    throw newInvalid(kind, "", [
      fieldPath("spec.clusterIPs").invalid([], "failed to allocate a serviceIP: range is full"),
    ]);
  }
}

function addressesOf(service: Service | undefined): readonly string[] {
  return (service?.spec?.clusterIPs ?? []).filter((one) => one !== "" && one !== "None");
}

/** The spec without its addresses, unless the write sets new ones. */
function withoutAddresses(spec: ServiceSpec, old: ServiceSpec | undefined): ServiceSpec {
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ...rest } = spec;
  if (clusterIP && clusterIP !== old?.clusterIP) return spec;
  void [clusterIPs, ipFamilies, ipFamilyPolicy];
  return rest;
}
