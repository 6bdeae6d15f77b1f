/** Subresources that lead to a node: logs, exec, attach, ports. They work only if a NodeBackend is given. */
import {
  fieldPath,
  newBadRequest,
  newInternalError,
  newInvalid,
  newNotFound,
  type Node,
  type Pod,
  type StatusCause,
  newFailure,
} from "../../api/index.js";
import type { HttpResponse } from "../../base/index.js";
import type { VerbRequest, Verb } from "../http/verbs.js";

/** Answers a request to a node in the server's place; undefined if it does not know the node. */
export type NodeBackend = (operation: VerbRequest, nodeName: string) => Promise<HttpResponse> | undefined;

const pods = { group: "", resource: "pods" };

export function stored<T>({ exchange }: VerbRequest, collection: string, key: string): T | undefined {
  return exchange.machinery.store.get(collection, key)?.object as T | undefined;
}

function podOf(operation: VerbRequest): Pod {
  const { namespace, name } = operation.info;
  const pod = stored<Pod>(operation, "pods", `${namespace}/${name}`);
  if (pod === undefined) throw newNotFound(pods, name);
  return pod;
}

/** The log of a pod without a node is empty. */
export function logVerb(backend: NodeBackend | undefined): Verb {
  return async (operation) => {
    const causes = [...logFaults(operation.exchange.query)];
    if (causes.length > 0) throw newInvalid({ group: "", kind: "PodLogOptions" }, operation.info.name, causes);
    const pod = podOf(operation);
    requireContainer(operation, pod);
    const { nodeName } = pod.spec ?? {};
    if (!nodeName) return { status: 204, headers: {}, body: new Uint8Array() };
    return toNode(operation, nodeName, backend);
  };
}

function* logFaults(query: URLSearchParams): Iterable<StatusCause> {
  const [tail, bytes, seconds] = ["tailLines", "limitBytes", "sinceSeconds"].map((name) => integerOf(query, name));
  if (tail !== undefined && tail < 0) {
    yield fieldPath("tailLines").invalid(tail, "must be greater than or equal to 0");
  }
  if (bytes !== undefined && bytes < 1) yield fieldPath("limitBytes").invalid(bytes, "must be greater than 0");
  if (seconds !== undefined && query.has("sinceTime")) {
    // upstream's path has no name
    yield fieldPath("[]").forbidden("at most one of `sinceTime` or `sinceSeconds` may be specified");
  } else if (seconds !== undefined && seconds < 1) {
    yield fieldPath("sinceSeconds").invalid(seconds, "must be greater than 0");
  }
  if (query.has("stream")) yield fieldPath("stream").forbidden("may not be specified");
}

function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text)) {
    throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

/** A pod of several containers needs to be told which. */
function requireContainer({ exchange }: VerbRequest, { metadata, spec }: Pod): void {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  const asked = exchange.query.get("container") ?? "";
  if (asked !== "") {
    if (!names.includes(asked)) throw newBadRequest(`container ${asked} is not valid for pod ${metadata.name}`);
  } else if (containers.length > 1) {
    const choice = `[${names.join(" ")}]`;
    throw newBadRequest(`a container name must be specified for pod ${metadata.name}, choose one of: ${choice}`);
  }
}

/** The verb of exec and attach, which need a container, and of portforward. */
export function connectVerb(backend: NodeBackend | undefined): Verb {
  return async (operation) => {
    const pod = podOf(operation);
    if (operation.info.subresource !== "portforward") requireContainer(operation, pod);
    const { nodeName } = pod.spec ?? {};
    if (!nodeName) throw newBadRequest(`pod ${operation.info.name} does not have a host assigned`);
    return toNode(operation, nodeName, backend);
  };
}

function toNode(operation: VerbRequest, nodeName: string, backend: NodeBackend | undefined): Promise<HttpResponse> {
  const answer = backend?.(operation, nodeName);
  if (answer !== undefined) return answer;
  const node = stored<Node>(operation, "nodes", nodeName);
  if (node === undefined) throw newNotFound(pods, nodeName);
  addressOfNode(node);
  throw newInternalError(`error dialing backend: no route to node ${JSON.stringify(nodeName)}`);
}

const preferred = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

/** Throws if the node has no address. */
export function addressOfNode({ status }: Node): string {
  const addresses = status?.addresses ?? [];
  for (const type of preferred) {
    const found = addresses.find((address) => address.type === type);
    if (found !== undefined) return found.address;
  }
  const message = "no preferred addresses found; known addresses: []";
  throw newFailure({ message, code: 500 });
}
