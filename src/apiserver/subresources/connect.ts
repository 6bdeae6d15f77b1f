/** Subresources that lead to a node: logs, exec, ports, proxies. They work only if a NodeBackend is given. */
import { newBadRequest, newInternalError, newNotFound, type Pod } from "../../api/index.js";
import type { HttpResponse } from "../../base/index.js";
import type { Operation, Verb } from "../http/verbs.js";

/** Answers a request to a node in the server's place; undefined if it does not know the node. */
export type NodeBackend = (operation: Operation, nodeName: string) => Promise<HttpResponse> | undefined;

const pods = { group: "", resource: "pods" };

function podOf({ exchange, info: { namespace, name } }: Operation): Pod {
  const pod = exchange.machinery.store.get("pods", `${namespace}/${name}`)?.object as Pod | undefined;
  if (pod === undefined) throw newNotFound(pods, name);
  return pod;
}

/** The log of a pod without a node is empty. */
export function logVerb(backend: NodeBackend | undefined): Verb {
  return async (operation) => {
    const { nodeName } = podOf(operation).spec ?? {};
    if (!nodeName) return { status: 204, headers: {}, body: new Uint8Array() };
    return toNode(operation, nodeName, backend);
  };
}

/** The verb of exec, attach, portforward and proxy. */
export function connectVerb(backend: NodeBackend | undefined): Verb {
  return async (operation) => {
    const { nodeName } = podOf(operation).spec ?? {};
    if (!nodeName) throw newBadRequest(`pod ${operation.info.name} does not have a host assigned`);
    return toNode(operation, nodeName, backend);
  };
}

function toNode(operation: Operation, nodeName: string, backend: NodeBackend | undefined): Promise<HttpResponse> {
  const answer = backend?.(operation, nodeName);
  if (answer === undefined)
    throw newInternalError(`error dialing backend: no route to node ${JSON.stringify(nodeName)}`);
  return answer;
}

/** Nodes and services would be reached through a proxy, which does not exist here. */
export const proxyVerb: Verb = async ({ exchange, endpoint, info: { resource, namespace, name } }) => {
  // the name may stand between a scheme and a port
  const parts = name.split(":");
  const plain = (parts.length === 3 ? parts[1] : parts[0]) as string;
  const key = namespace === "" ? plain : `${namespace}/${plain}`;
  if (exchange.machinery.store.get(endpoint.collection, key) === undefined) {
    throw newNotFound({ group: "", resource }, plain);
  }
  throw newInternalError(
    `error trying to reach ${resource} ${JSON.stringify(name)}: there is no network behind this server`,
  );
};
