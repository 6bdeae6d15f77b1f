/** `proxy` of pods, services and nodes: finds the place that a request goes to, and forwards it there. */
import { BlockList, isIP } from "node:net";
import type { Duplex } from "node:stream";
import {
  type Endpoints,
  newBadRequest,
  newNotFound,
  newServiceUnavailable,
  type Pod,
  type Service,
} from "../../api/index.js";
import type { Answer } from "../contracts/answer.js";
import type { Verb, VerbRequest } from "../http/verbs.js";
import type { Kubelets } from "../kubelet/kubelets.js";
import { type Backend, forward, ForwardError } from "../outbound/forward.js";
import { clientHeaders, framing } from "../outbound/headers.js";
import { hostAndPort } from "../../base/net/go-words.js";
import { storedObject } from "./connect.js";

/** Gives a connection to an address of a pod, or refuses it; undefined for an address of the machine's own network. */
export type PodNetwork = (host: string, port: number) => Duplex | "refused" | undefined;

interface Target {
  readonly scheme: "http" | "https";
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
  return { scheme: scheme === "https" ? "https" : "http", name, port };
}

/** Addresses at which no other machine answers: Go does not call them global unicast. */
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

/**
 * Forwards the request with the path behind `proxy`. As upstream, a reader of the bare path is first sent to the one with
 * a slash, and the place's certificate is not checked.
 */
async function proxied({ exchange, info }: VerbRequest, backend: Backend): Promise<Answer> {
  const { request, from, signal, machinery } = exchange;
  const { method } = request;
  const body = request.body ?? exchange.streamBody?.();
  const [path = "", query] = request.path.split("?");
  const suffix = query === undefined ? "" : `?${query}`;
  if ((method === "GET" || method === "HEAD") && info.rest.length === 0 && !path.endsWith("/")) {
    return { status: 301, headers: { location: `${path}/${suffix}` }, body: new Uint8Array() };
  }
  const behind = path
    .split("/")
    .slice(info.namespace === "" ? 6 : 8)
    .join("/");
  const switches = exchange.switches && request.headers["upgrade"] !== undefined;
  const authority = hostAndPort(backend.address.host, backend.address.port);
  const forwarding = switches
    ? {}
    : {
        "X-Forwarded-Host": String(request.headers["host"] ?? authority),
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Uri": path,
      };
  const headers = {
    ...clientHeaders(request.headers, { switches, from }),
    ...forwarding,
    host: authority,
    ...framing(request, body),
  };
  const sent = { method, path: `/${behind}${suffix}`, headers, body, switches };
  try {
    return await forward(sent, backend, { clock: machinery.clock, signal });
  } catch (error) {
    if (!(error instanceof ForwardError)) throw error;
    throw newServiceUnavailable(`error trying to reach service: ${error.message}`);
  }
}

export interface ProxyPlaces {
  readonly kubelets: Kubelets;
  readonly podNetwork: PodNetwork | undefined;
}

/** The backend at an address of a pod. */
function backendAt({ podNetwork }: ProxyPlaces, scheme: Target["scheme"], host: string, port: number): Backend {
  const address = { host, port };
  if (scheme === "https") return { address, trust: { rejectUnauthorized: false } };
  const connection = podNetwork?.(host, port);
  if (connection !== "refused") return { address, trust: undefined, connection };
  const why = `dial tcp ${hostAndPort(host, port)}: connect: connection refused`;
  throw newServiceUnavailable(`error trying to reach service: ${why}`);
}

const portIn = (text: string, scheme: Target["scheme"]): number => {
  if (text === "") return scheme === "https" ? 443 : 80;
  if (!/^\d{1,5}$/.test(text))
    throw newServiceUnavailable(`error trying to reach service: address tcp/${text}: unknown port`);
  return Number(text);
};

export function podProxyVerb(places: ProxyPlaces): Verb {
  return async (operation) => {
    const { namespace, name: id } = operation.info;
    const { scheme, name, port } = targetOf(id, "pod");
    const pod = storedObject<Pod>(operation, "pods", `${namespace}/${name}`);
    if (pod === undefined) throw newNotFound({ group: "", resource: "pods" }, name);
    const address = pod.status?.podIP ?? "";
    requireGlobal(address);
    const first = pod.spec?.containers.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort;
    return proxied(operation, backendAt(places, scheme, address, portIn(port || String(first ?? ""), scheme)));
  };
}

export function nodeProxyVerb({ kubelets }: ProxyPlaces): Verb {
  return async (operation) => {
    const { scheme, name, port } = targetOf(operation.info.name, "node");
    const kubelet = kubelets.of(name, "nodes");
    const { host } = kubelet.address;
    // nodes that share one address have a port each; clients ask for the usual one all the same
    const isUsual = kubelets.onLoopback && host === "127.0.0.1" && port === "10250";
    const isKubelet = port === "" || isUsual || port === String(kubelet.port);
    if (isIP(host) !== 0 && !(kubelets.onLoopback && isKubelet)) requireGlobal(host);
    if (isKubelet) return proxied(operation, kubelet);
    const address = { host, port: portIn(port, scheme) };
    return proxied(operation, { address, trust: scheme === "https" ? { rejectUnauthorized: false } : undefined });
  };
}

export function serviceProxyVerb(places: ProxyPlaces): Verb {
  return async (operation) => {
    const { namespace, name: id } = operation.info;
    const { scheme, name, port } = targetOf(id, "service");
    const portName = /^[+-]?\d+$/.test(port) ? nameOfPort(operation, name, Number(port)) : port;
    const endpoints = storedObject<Endpoints>(operation, "endpoints", `${namespace}/${name}`);
    // upstream's storage of endpoints names the service
    if (endpoints === undefined) throw newNotFound({ group: "", resource: "services" }, name);
    const subsets = endpoints.subsets ?? [];
    const shown = subsets.length === 0 ? name : id;
    const isPod = ({ kind, name: pod, namespace: home }: { kind?: string; name?: string; namespace?: string } = {}) =>
      kind === "Pod" && home === namespace && storedObject<Pod>(operation, "pods", `${namespace}/${pod}`) !== undefined;
    const found = subsets.flatMap(({ addresses = [], ports = [] }) => {
      const named = ports.find((one) => (one.name ?? "") === portName);
      return named === undefined
        ? []
        : addresses.filter(({ targetRef }) => isPod(targetRef)).map(({ ip }) => ({ ip, port: named.port }));
    });
    if (found.length === 0) throw newServiceUnavailable(`no endpoints available for service ${JSON.stringify(shown)}`);
    const chosen = found[operation.exchange.machinery.random.int(found.length)] as (typeof found)[number];
    return proxied(operation, backendAt(places, scheme, chosen.ip, chosen.port));
  };
}

function nameOfPort(operation: VerbRequest, name: string, port: number): string {
  const service = storedObject<Service>(operation, "services", `${operation.info.namespace}/${name}`);
  if (service === undefined) throw newNotFound({ group: "", resource: "services" }, name);
  const declared = (service.spec?.ports ?? []).find((one) => one.port === port);
  const why = `no service port ${port} found for service ${JSON.stringify(name)}`;
  if (declared === undefined) throw newServiceUnavailable(why);
  return declared.name ?? "";
}
