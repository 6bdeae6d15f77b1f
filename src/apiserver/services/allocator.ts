/** Gives services their addresses and ports, from what all services in the store have now. Called in the same turn as the commit. */
import { BlockList, isIP } from "node:net";
import { fieldInvalid, newInvalid, type Service, type ServicePort, type ServiceSpec } from "../../api/index.js";
import type { Random } from "../../base/index.js";
import type { Store } from "../storage/storage.js";

export interface ServiceNetwork {
  /** IPv4, e.g. `10.96.0.0/16`. */
  readonly cidr: string;
  readonly firstNodePort: number;
  readonly lastNodePort: number;
}

export const defaultServiceNetwork: ServiceNetwork = {
  cidr: "10.96.0.0/16",
  firstNodePort: 30_000,
  lastNodePort: 32_767,
};

const collection = "services";
const kind = { group: "", kind: "Service" };

interface Taken {
  readonly addresses: ReadonlySet<string>;
  readonly ports: ReadonlySet<string>;
}

function takenBy(store: Store, except: Service): Taken {
  const addresses = new Set<string>();
  const ports = new Set<string>();
  for (const { object } of store.list({ collection, prefix: "", from: "" }).items) {
    const { metadata, spec } = object as Service;
    if (metadata.name === except.metadata.name && metadata.namespace === except.metadata.namespace) continue;
    for (const address of spec?.clusterIPs ?? []) addresses.add(address);
    for (const { nodePort, protocol = "TCP" } of spec?.ports ?? []) if (nodePort) ports.add(`${nodePort}/${protocol}`);
    if (spec?.healthCheckNodePort) ports.add(`${spec.healthCheckNodePort}/TCP`);
  }
  return { addresses, ports };
}

/** The first address of the range is the server's own service. */
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

export class ServiceAllocator {
  readonly #store: Store;
  readonly #random: Random;
  readonly #network: ServiceNetwork;

  constructor(store: Store, random: Random, network: ServiceNetwork) {
    this.#store = store;
    this.#random = random;
    this.#network = network;
  }

  /** The service with everything that its type needs; throws a 422 if what it asks for is taken or out of range. */
  allocate(service: Service, old: Service | undefined): Service {
    const spec = service.spec ?? {};
    const taken = takenBy(this.#store, service);
    if (spec.type === "ExternalName") return { ...service, spec: withoutAddresses(spec, old?.spec) };
    const addressed = this.#withAddress(service, spec, { taken, old: old?.spec });
    const ported = this.#withPorts(service, addressed, { taken, old: old?.spec });
    return { ...service, spec: this.#withHealthPort(ported, taken) };
  }

  #withAddress(
    service: Service,
    spec: ServiceSpec,
    { taken, old }: { readonly taken: Taken; readonly old: ServiceSpec | undefined },
  ): ServiceSpec {
    const policy = spec.ipFamilyPolicy ?? "SingleStack";
    const before = old?.type === "ExternalName" ? undefined : old?.clusterIPs?.[0];
    const asked = spec.clusterIP || spec.clusterIPs?.[0] || before;
    const families = spec.ipFamilies ?? ["IPv4"];
    if (asked === "None")
      return { ...spec, clusterIP: "None", clusterIPs: ["None"], ipFamilies: families, ipFamilyPolicy: policy };
    if (asked && asked !== before) this.#checkAddress(service, asked, taken);
    const clusterIP = asked || this.#freeAddress(taken);
    return { ...spec, clusterIP, clusterIPs: [clusterIP], ipFamilies: families, ipFamilyPolicy: policy };
  }

  #checkAddress(service: Service, address: string, { addresses }: Taken): void {
    const fail = (why: string): never => {
      const message = `failed to allocate IP ${address}: ${why}`;
      throw newInvalid(kind, service.metadata.name, [fieldInvalid("spec.clusterIPs", [address], message)]);
    };
    const { cidr } = this.#network;
    const [base = "", bits = "16"] = cidr.split("/");
    const range = new BlockList();
    range.addSubnet(base, Number(bits));
    if (isIP(address) === 0 || !range.check(address))
      fail(`the provided IP (${address}) is not in the valid range. The range of valid IPs is ${cidr}`);
    if (addresses.has(address)) fail("provided IP is already allocated");
  }

  /** Chosen at random, then the next free one, so that a nearly full range costs one walk. */
  #freeAddress({ addresses }: Taken): string {
    const { base, size } = rangeOf(this.#network.cidr);
    const count = size - 2;
    const start = this.#random.int(count);
    for (let i = 0; i < count; i++) {
      const address = addressAt(base + 1 + ((start + i) % count));
      if (!addresses.has(address) && address !== firstAddress(this.#network)) return address;
    }
    throw newInvalid(kind, "", [fieldInvalid("spec.clusterIPs", [], "failed to allocate a serviceIP: range is full")]);
  }

  #withPorts(
    service: Service,
    spec: ServiceSpec,
    { taken, old }: { readonly taken: Taken; readonly old: ServiceSpec | undefined },
  ): ServiceSpec {
    const ports = spec.ports ?? [];
    if (!needsNodePorts(spec)) {
      const had = new Map((old?.ports ?? []).map((port) => [portId(port), port.nodePort]));
      // ports that were only kept from before go with the type that needed them
      const kept = ports.map((port) => {
        const { nodePort, ...rest } = port;
        return nodePort !== undefined && had.get(portId(port)) === nodePort ? rest : port;
      });
      return ports.length === 0 ? spec : { ...spec, ports: kept };
    }
    const used = new Set(taken.ports);
    for (const { nodePort, protocol = "TCP" } of ports) if (nodePort) used.add(`${nodePort}/${protocol}`);
    const before = new Map((old?.ports ?? []).map((port) => [portId(port), port.nodePort]));
    const numbered = ports.map((port, i): ServicePort => {
      const { protocol = "TCP" } = port;
      if (port.nodePort) {
        this.#checkPort(service, port, { index: i, taken });
        return port;
      }
      const had = before.get(portId(port));
      const nodePort = had && !taken.ports.has(`${had}/${protocol}`) ? had : this.#freePort(used, protocol);
      used.add(`${nodePort}/${protocol}`);
      return { ...port, nodePort };
    });
    return { ...spec, ports: numbered };
  }

  #checkPort(
    service: Service,
    { nodePort = 0, protocol = "TCP" }: ServicePort,
    { index, taken }: { readonly index: number; readonly taken: Taken },
  ): void {
    const { firstNodePort, lastNodePort } = this.#network;
    const at = `spec.ports[${index}].nodePort`;
    if (nodePort < firstNodePort || nodePort > lastNodePort) {
      const why = `provided port is not in the valid range. The range of valid ports is ${firstNodePort}-${lastNodePort}`;
      throw newInvalid(kind, service.metadata.name, [fieldInvalid(at, nodePort, why)]);
    }
    if (taken.ports.has(`${nodePort}/${protocol}`)) {
      throw newInvalid(kind, service.metadata.name, [fieldInvalid(at, nodePort, "provided port is already allocated")]);
    }
  }

  #freePort(used: ReadonlySet<string>, protocol: string): number {
    const { firstNodePort, lastNodePort } = this.#network;
    const count = lastNodePort - firstNodePort + 1;
    const start = this.#random.int(count);
    for (let i = 0; i < count; i++) {
      const port = firstNodePort + ((start + i) % count);
      if (!used.has(`${port}/${protocol}`)) return port;
    }
    throw newInvalid(kind, "", [fieldInvalid("spec.ports", [], "failed to allocate a nodePort: range is full")]);
  }

  #withHealthPort(spec: ServiceSpec, { ports }: Taken): ServiceSpec {
    const needed = spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
    if (!needed || spec.healthCheckNodePort) return spec;
    const used = new Set([...ports, ...(spec.ports ?? []).map(({ nodePort }) => `${nodePort}/TCP`)]);
    return { ...spec, healthCheckNodePort: this.#freePort(used, "TCP") };
  }
}

const portId = ({ port, protocol = "TCP", name = "" }: ServicePort): string => `${name} ${port}/${protocol}`;

function needsNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
}

/** Given back if they are still those of before. */
function withoutAddresses(spec: ServiceSpec, old: ServiceSpec | undefined): ServiceSpec {
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ...rest } = spec;
  if (clusterIP && clusterIP !== old?.clusterIP) return spec;
  void [clusterIPs, ipFamilies, ipFamilyPolicy];
  return rest;
}
