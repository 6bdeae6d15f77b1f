/**
 * Allocates addresses and ports of services, in the same synchronous step as the commit. Every address in use is an
 * IPAddress object, written and deleted in the same transaction as its service, so that the two never disagree.
 */
import { BlockList, isIP } from "node:net";
import { fieldPath, type IPAddress, newInvalid, type Service, type ServiceSpec } from "../../api/index.js";
import { type Clock, inOneGo, type Random } from "../../base/index.js";
import type { FieldManager } from "../contracts/field-manager.js";
import { newUid, timestamp } from "../contracts/scope.js";
import type { Change, Store } from "../storage/contract.js";
import { withFamilies } from "./families.js";
import { type NodePortRange, withNodePorts } from "./node-ports.js";

export interface ServiceNetwork extends NodePortRange {
  /** An IPv4 range, e.g. `10.96.0.0/16`. */
  readonly cidr: string;
}

export const defaultServiceNetwork: ServiceNetwork = {
  cidr: "10.96.0.0/16",
  firstNodePort: 30_000,
  lastNodePort: 32_767,
};

const addresses = "networking.k8s.io/ipaddresses";
const kind = { group: "", kind: "Service" };

/** The address of the server's own service: the first of the range. */
export function firstAddress({ cidr }: ServiceNetwork): string {
  return addressAt(rangeOf(cidr).base + 1);
}

function rangeOf(cidr: string): { readonly base: number; readonly size: number } {
  const [address = "", bits = "16"] = cidr.split("/");
  const base = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  return { base, size: 2 ** (32 - Number(bits)) };
}

function addressAt(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

export interface AllocatorOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly fieldManager: FieldManager;
  readonly network: ServiceNetwork;
}

export class ServiceAllocator {
  readonly #options: AllocatorOptions;

  constructor(options: AllocatorOptions) {
    this.#options = options;
  }

  /** The service with everything that its type needs. Throws a 422 if a requested address or port is taken or out of range. */
  allocate(service: Service, old: Service | undefined): Service {
    const { store, random, network } = this.#options;
    if (service.spec?.type === "ExternalName") {
      return { ...service, spec: withoutAddresses(service.spec, old?.spec) };
    }
    const addressed = this.#withAddress(service, withFamilies(service, old?.spec), old?.spec);
    return {
      ...service,
      spec: withNodePorts(service, addressed, { store, random, range: network, old: old?.spec }),
    };
  }

  /** The changes to IPAddress objects when a service changes from `old` to `service`; undefined means that there is none. */
  companions(old: Service | undefined, service: Service | undefined): readonly Change[] {
    const before = addressesOf(old);
    const after = addressesOf(service);
    return [
      ...after.filter((one) => !before.includes(one)).map((one) => this.#written(one, service as Service)),
      ...before.filter((one) => !after.includes(one)).flatMap((one) => this.#removed(one, old as Service)),
    ];
  }

  /** Writes the IPAddress objects that are missing in an older store. */
  repair(): void {
    const { store } = this.#options;
    for (const { object } of store.list({ collection: "services", prefix: "", from: "" }).items) {
      const missing = addressesOf(object as Service).filter((one) => store.get(addresses, one) === undefined);
      if (missing.length > 0) store.commit(missing.map((one) => this.#written(one, object as Service)));
    }
  }

  #written(address: string, { metadata }: Service): Change {
    const { store, clock, random, fieldManager } = this.#options;
    const time = timestamp(clock.now());
    const { namespace = "", name } = metadata;
    const draft: IPAddress = {
      apiVersion: "networking.k8s.io/v1",
      kind: "IPAddress",
      metadata: {
        name: address,
        uid: newUid(random),
        creationTimestamp: time,
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
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

  #removed(address: string, { metadata }: Service): readonly Change[] {
    const current = this.#options.store.get(addresses, address);
    const owner = (current?.object as IPAddress | undefined)?.spec?.parentRef;
    if (current === undefined || owner?.name !== metadata.name || owner.namespace !== metadata.namespace) return [];
    return [{ type: "delete", collection: addresses, key: address, expected: current.revision }];
  }

  #withAddress(service: Service, spec: ServiceSpec, old: ServiceSpec | undefined): ServiceSpec {
    const before = old?.type === "ExternalName" ? undefined : old?.clusterIPs?.[0];
    const asked = spec.clusterIP || spec.clusterIPs?.[0] || before;
    if (asked === "None") return { ...spec, clusterIP: "None", clusterIPs: ["None"] };
    if (asked && asked !== before) this.#checkAddress(service, asked);
    const clusterIP = asked || this.#freeAddress();
    return { ...spec, clusterIP, clusterIPs: [clusterIP] };
  }

  #checkAddress(service: Service, address: string): void {
    const fail = (why: string): never => {
      const message = `failed to allocate IP ${address}: ${why}`;
      throw newInvalid(kind, service.metadata.name, [fieldPath("spec.clusterIPs").invalid([address], message)]);
    };
    const { cidr } = this.#options.network;
    const [base = "", bits = "16"] = cidr.split("/");
    const range = new BlockList();
    range.addSubnet(base, Number(bits));
    if (isIP(address) === 0 || !range.check(address)) fail("the provided network does not match the current range");
    if (this.#options.store.get(addresses, address) !== undefined) fail("provided IP is already allocated");
  }

  /** Starts at a random address and takes the next free one, so that a nearly full range costs one pass. */
  #freeAddress(): string {
    const { store, random, network } = this.#options;
    const { base, size } = rangeOf(network.cidr);
    const count = size - 2;
    const start = random.int(count);
    for (let i = 0; i < count; i++) {
      const address = addressAt(base + 1 + ((start + i) % count));
      if (address !== firstAddress(network) && store.get(addresses, address) === undefined) return address;
    }
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
