/** Allocates node ports that no service in the store has. */
import { fieldPath, newInvalid, type Service, type ServicePort, type ServiceSpec } from "../../api/index.js";
import type { Random } from "../../base/index.js";
import { objectsIn, type Store } from "../storage/contract.js";

const kind = { group: "", kind: "Service" };

export interface NodePortRange {
  readonly firstNodePort: number;
  readonly lastNodePort: number;
}

export interface NodePortOptions {
  readonly store: Store;
  readonly random: Random;
  readonly range: NodePortRange;
  readonly dryRun: boolean;
}

function takenBy(store: Store, except: Service): ReadonlySet<string> {
  const ports = new Set<string>();
  for (const { metadata, spec } of objectsIn<Service>(store, "services")) {
    if (metadata.name === except.metadata.name && metadata.namespace === except.metadata.namespace) continue;
    for (const { nodePort, protocol = "TCP" } of spec?.ports ?? []) if (nodePort) ports.add(`${nodePort}/${protocol}`);
    if (spec?.healthCheckNodePort) ports.add(`${spec.healthCheckNodePort}/TCP`);
  }
  return ports;
}

/** The spec with the node ports that its type needs. Throws a 422 if a requested port is taken or out of range. */
export function withNodePorts(
  service: Service,
  spec: ServiceSpec,
  { old, ...options }: NodePortOptions & { readonly old: ServiceSpec | undefined },
): ServiceSpec {
  const before = new Map((old?.ports ?? []).map((port) => [portId(port), port.nodePort]));
  const needsHealth = spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
  const wanted = needsNodePorts(spec);
  if (!wanted && !needsHealth) return withoutKeptPorts(spec, before);
  const taken = takenBy(options.store, service);
  const used = new Set(taken);
  for (const { nodePort, protocol = "TCP" } of spec.ports ?? []) if (nodePort) used.add(`${nodePort}/${protocol}`);
  let made = options.dryRun ? dummyPort(spec) : 0;
  const next = (protocol: string): number => (options.dryRun ? (made += 1) : freePort(used, protocol, options));
  const number = (port: ServicePort, i: number): ServicePort => {
    const { protocol = "TCP" } = port;
    if (port.nodePort) {
      checkPort(service, port, { index: i, taken, ...options });
      return port;
    }
    const had = before.get(portId(port));
    const nodePort = had && !taken.has(`${had}/${protocol}`) ? had : next(protocol);
    used.add(`${nodePort}/${protocol}`);
    return { ...port, nodePort };
  };
  const numbered = wanted
    ? { ...spec, ...(spec.ports && { ports: spec.ports.map(number) }) }
    : withoutKeptPorts(spec, before);
  const health = needsHealth && !spec.healthCheckNodePort ? { healthCheckNodePort: next("TCP") } : {};
  return { ...numbered, ...health };
}

/** Node ports that were only carried over from the old service are dropped with the type that needed them. */
function withoutKeptPorts(spec: ServiceSpec, before: ReadonlyMap<string, number | undefined>): ServiceSpec {
  const ports = spec.ports ?? [];
  if (ports.length === 0) return spec;
  const kept = ports.map((port) => {
    const { nodePort, ...rest } = port;
    return nodePort !== undefined && before.get(portId(port)) === nodePort ? rest : port;
  });
  return { ...spec, ports: kept };
}

/** The number before the first port that a dry run makes up: as upstream, it comes after the ports that the service names. */
function dummyPort({ ports = [] }: ServiceSpec): number {
  const named = ports.map(({ nodePort = 0 }) => nodePort);
  const highest = Math.max(0, ...named);
  return highest === 0 ? 32_768 : highest;
}

function checkPort(
  service: Service,
  { nodePort = 0, protocol = "TCP" }: ServicePort,
  {
    index,
    taken,
    range,
    dryRun,
  }: { readonly index: number; readonly taken: ReadonlySet<string> } & Pick<NodePortOptions, "range" | "dryRun">,
): void {
  const { firstNodePort, lastNodePort } = range;
  const at = fieldPath("spec", "ports").index(index).child("nodePort");
  if (!dryRun && (nodePort < firstNodePort || nodePort > lastNodePort)) {
    const why = `provided port is not in the valid range. The range of valid ports is ${firstNodePort}-${lastNodePort}`;
    throw newInvalid(kind, service.metadata.name, [at.invalid(nodePort, why)]);
  }
  if (taken.has(`${nodePort}/${protocol}`)) {
    throw newInvalid(kind, service.metadata.name, [at.invalid(nodePort, "provided port is already allocated")]);
  }
}

/**
 * The number of ports at the start of the range that are reserved for explicit requests; others get them only when the
 * rest is used up.
 */
const askedFor = (count: number): number => (count <= 16 ? 0 : Math.min(128, Math.max(16, Math.floor(count / 32))));

function freePort(used: ReadonlySet<string>, protocol: string, { random, range }: NodePortOptions): number {
  const { firstNodePort, lastNodePort } = range;
  const count = lastNodePort - firstNodePort + 1;
  const kept = askedFor(count);
  for (const [from, size] of [
    [firstNodePort + kept, count - kept],
    [firstNodePort, kept],
  ] as const) {
    const start = size === 0 ? 0 : random.int(size);
    for (let i = 0; i < size; i++) {
      const port = from + ((start + i) % size);
      if (!used.has(`${port}/${protocol}`)) return port;
    }
  }
  throw newInvalid(kind, "", [fieldPath("spec.ports").invalid([], "failed to allocate a nodePort: range is full")]);
}

const portId = ({ port, protocol = "TCP", name = "" }: ServicePort): string => `${name} ${port}/${protocol}`;

function needsNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
}
