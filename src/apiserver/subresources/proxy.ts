/**
 * `proxy` of pods, services and nodes: finds the place that a request would go to, in upstream's words if there is none.
 * No request leaves the server, because there is no network behind it.
 */
import { BlockList, isIP } from "node:net";
import {
  type Endpoints,
  newBadRequest,
  newNotFound,
  newServiceUnavailable,
  type Node,
  type Pod,
  type Service,
} from "../../api/index.js";
import type { HttpResponse } from "../../base/index.js";
import type { VerbRequest, Verb } from "../http/verbs.js";
import { addressOfNode, type NodeBackend, stored } from "./connect.js";

interface Target {
  readonly name: string;
  readonly port: string;
}

/** Reads `name`, `name:port` or `scheme:name:port`. */
function targetOf(id: string, noun: string): Target {
  const parts = id.split(":");
  const [scheme = "", name = "", port = ""] = parts.length === 3 ? parts : ["", ...parts];
  if (parts.length > 3 || name === "" || !["", "http", "https"].includes(scheme)) {
    throw newBadRequest(`invalid ${noun} request ${JSON.stringify(id)}`);
  }
  return { name, port };
}

/** Addresses at which no other machine answers: those that Go does not call global unicast. */
const special = new BlockList();
for (const [address, bits, family] of [
  ["0.0.0.0", 32, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["224.0.0.0", 4, "ipv4"],
  ["255.255.255.255", 32, "ipv4"],
  ["::", 127, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
] as const)
  special.addSubnet(address, bits, family);

function requireGlobal(address: string): void {
  const version = isIP(address);
  if (version === 0 || special.check(address, version === 4 ? "ipv4" : "ipv6"))
    throw newBadRequest("address not allowed");
}

/** Nothing answers there. As upstream, a reader of the bare path is first sent to the one with a slash. */
function unreachable({ exchange, info }: VerbRequest): HttpResponse {
  const { method } = exchange.request;
  const [path = "", query] = exchange.request.path.split("?");
  if ((method === "GET" || method === "HEAD") && info.rest.length === 0 && !path.endsWith("/")) {
    const location = `${path}/${query === undefined ? "" : `?${query}`}`;
    return { status: 301, headers: { location }, body: new Uint8Array() };
  }
  throw newServiceUnavailable("error trying to reach service: there is no network behind this server");
}

/** A pod on a node that the backend stands for is the backend's. */
export function podProxyVerb(backend: NodeBackend | undefined): Verb {
  return async (operation) => {
    const { namespace, name: id } = operation.info;
    const { name } = targetOf(id, "pod");
    const pod = stored<Pod>(operation, "pods", `${namespace}/${name}`);
    if (pod === undefined) throw newNotFound({ group: "", resource: "pods" }, name);
    const answer = pod.spec?.nodeName ? backend?.(operation, pod.spec.nodeName) : undefined;
    if (answer !== undefined) return answer;
    requireGlobal(pod.status?.podIP ?? "");
    return unreachable(operation);
  };
}

export const nodeProxyVerb: Verb = async (operation) => {
  const { name } = targetOf(operation.info.name, "node");
  const node = stored<Node>(operation, "nodes", name);
  if (node === undefined) throw newNotFound({ group: "", resource: "nodes" }, name);
  const address = addressOfNode(node);
  if (isIP(address) !== 0) requireGlobal(address);
  return unreachable(operation);
};

export const serviceProxyVerb: Verb = async (operation) => {
  const { namespace, name: id } = operation.info;
  const { name, port } = targetOf(id, "service");
  const portName = /^[+-]?\d+$/.test(port) ? nameOfPort(operation, name, Number(port)) : port;
  const endpoints = stored<Endpoints>(operation, "endpoints", `${namespace}/${name}`);
  // upstream's storage of endpoints names the service
  if (endpoints === undefined) throw newNotFound({ group: "", resource: "services" }, name);
  const subsets = endpoints.subsets ?? [];
  const shown = subsets.length === 0 ? name : id;
  const isPod = ({ kind, name: pod, namespace: home }: { kind?: string; name?: string; namespace?: string } = {}) =>
    kind === "Pod" && home === namespace && stored<Pod>(operation, "pods", `${namespace}/${pod}`) !== undefined;
  const found = subsets.some(
    ({ addresses = [], ports = [] }) =>
      ports.some((one) => (one.name ?? "") === portName) && addresses.some(({ targetRef }) => isPod(targetRef)),
  );
  if (!found) throw newServiceUnavailable(`no endpoints available for service ${JSON.stringify(shown)}`);
  return unreachable(operation);
};

function nameOfPort(operation: VerbRequest, name: string, port: number): string {
  const service = stored<Service>(operation, "services", `${operation.info.namespace}/${name}`);
  if (service === undefined) throw newNotFound({ group: "", resource: "services" }, name);
  const declared = (service.spec?.ports ?? []).find((one) => one.port === port);
  const why = `no service port ${port} found for service ${JSON.stringify(name)}`;
  if (declared === undefined) throw newServiceUnavailable(why);
  return declared.name ?? "";
}
