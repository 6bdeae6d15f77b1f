/** Subresources that lead to a node: logs, exec, attach, ports. They are forwarded to the node's kubelet. */
import { Readable } from "node:stream";
import {
  fieldPath,
  newBadRequest,
  newFailure,
  newForbidden,
  newGenericServerResponse,
  newInternalError,
  newInvalid,
  newNotFound,
  type Pod,
  type StatusCause,
  type StatusError,
} from "../../api/index.js";
import { allContainers } from "../../api/pods/containers.js";
import type { Answer } from "../contracts/answer.js";
import type { Verb, VerbRequest } from "../http/verbs.js";
import type { Kubelets } from "../kubelet/kubelets.js";
import { switched } from "../kubelet/switch.js";
import { forward, ForwardError } from "../outbound/forward.js";
import { parseQueryBool } from "../registry/write/delete-options.js";

const pods = { group: "", resource: "pods" };

export function storedObject<T>({ exchange }: VerbRequest, collection: string, key: string): T | undefined {
  return exchange.machinery.store.get(collection, key)?.object as T | undefined;
}

function podOf(operation: VerbRequest): Pod {
  const { namespace, name } = operation.info;
  const pod = storedObject<Pod>(operation, "pods", `${namespace}/${name}`);
  if (pod === undefined) throw newNotFound(pods, name);
  return pod;
}

/** The log of a pod without a node is empty. */
export function logVerb(kubelets: Kubelets): Verb {
  return async (operation) => {
    const causes = [...logFaults(operation.exchange.query)];
    if (causes.length > 0) throw newInvalid({ group: "", kind: "PodLogOptions" }, operation.info.name, causes);
    const pod = podOf(operation);
    const container = containerOf(operation, pod);
    const { nodeName } = pod.spec ?? {};
    if (!nodeName) return { status: 204, headers: {}, body: new Uint8Array() };
    const kubelet = kubelets.of(nodeName, "pods");
    const path = `${podPath("containerLogs", pod)}/${encodeURIComponent(container)}${logQuery(operation)}`;
    const { clock } = operation.exchange.machinery;
    const sent = { method: "GET", path, headers: { host: kubelet.url.slice("https://".length) } };
    const isSkipped = operation.exchange.query.get("insecureSkipTLSVerifyBackend") === "true";
    const backend = isSkipped
      ? { ...kubelet, reads: undefined, trust: { ...kubelet.trust, rejectUnauthorized: false } }
      : kubelet;
    try {
      return await readLog(operation, await forward(sent, backend, { clock, signal: operation.exchange.signal }));
    } catch (error) {
      if (!(error instanceof ForwardError)) throw error;
      throw newFailure({ message: `Get ${JSON.stringify(kubelet.url + path)}: ${error.message}`, code: 500 });
    }
  };
}

const podPath = (verb: string, { metadata }: Pod): string => `/${verb}/${metadata.namespace}/${metadata.name}`;

/** In the order of Go's encoder, and with the parameters that a kubelet knows. */
function logQuery({ exchange: { query } }: VerbRequest): string {
  const passed = new URLSearchParams();
  for (const name of ["follow", "limitBytes", "previous", "sinceSeconds", "sinceTime", "tailLines", "timestamps"]) {
    const value = query.get(name);
    const isFlag = ["follow", "previous", "timestamps"].includes(name);
    if (value && (!isFlag || parseQueryBool(value))) passed.set(name, isFlag ? "true" : value);
  }
  return passed.size === 0 ? "" : `?${passed}`;
}

/** Limit on the part of a refusal that is passed on. */
const maxRefusal = 50_000;

async function readLog({ info }: VerbRequest, answer: Answer): Promise<Answer> {
  const { status, body } = answer;
  if (status >= 200 && status <= 206) return { ...answer, status: 200, headers: { "content-type": "text/plain" } };
  let text = "";
  for await (const chunk of body instanceof Readable ? body : []) {
    text += String(chunk);
    if (text.length > maxRefusal) break;
  }
  throw refusalOf(status, text, info.name);
}

function refusalOf(code: number, text: string, name: string): StatusError {
  if (code === 500) return newInternalError(text);
  if (code === 400) return newBadRequest(text);
  if (code >= 300 && code <= 399) return newFailure({ message: "redirects forbidden", code: 500 });
  return newGenericServerResponse({
    code,
    verb: "",
    resource: { group: "", resource: "pods/log" },
    name,
    serverMessage: text,
  });
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

/** The container that is asked for; a pod of several containers needs to be told which. */
function containerOf({ exchange }: VerbRequest, { metadata, spec }: Pod): string {
  const { containers = [] } = spec ?? {};
  const names = allContainers(spec).map(({ name }) => name);
  const asked = exchange.query.get("container") ?? "";
  if (asked !== "") {
    if (!names.includes(asked)) throw newBadRequest(`container ${asked} is not valid for pod ${metadata.name}`);
    return asked;
  }
  if (containers.length > 1) {
    const choice = `[${names.join(" ")}]`;
    throw newBadRequest(`a container name must be specified for pod ${metadata.name}, choose one of: ${choice}`);
  }
  return containers[0]?.name ?? "";
}

/** The verb of exec and attach, which need a container, and of portforward. */
export function connectVerb(kubelets: Kubelets): Verb {
  return async (operation) => {
    await requireCreate(operation);
    const { exchange, info } = operation;
    const pod = podOf(operation);
    const isProcess = info.subresource !== "portforward";
    const container = isProcess ? containerOf(operation, pod) : "";
    const { nodeName } = pod.spec ?? {};
    if (!nodeName) throw newBadRequest(`pod ${info.name} does not have a host assigned`);
    const { request, from, switches, signal, machinery, query } = exchange;
    const place = isProcess
      ? `${podPath(info.subresource, pod)}/${encodeURIComponent(container)}?${processQuery(query)}`
      : `${podPath("portForward", pod)}${portQuery(query)}`;
    const streams = { streams: streamsOf(query) };
    const asked = {
      request,
      from,
      switches,
      signal,
      clock: machinery.clock,
      kubelet: kubelets.of(nodeName, "pods"),
      path: place,
    };
    return switched({ ...asked, ...(isProcess ? streams : {}) });
  };
}

/** As upstream, the right to read a pod does not suffice to run something in it, whatever the method of the request. */
async function requireCreate({ exchange, info }: VerbRequest): Promise<void> {
  if (info.verb === "create") return;
  const { allowed, reason = "" } = await exchange.machinery.authorizer(exchange.user, { ...info, verb: "create" });
  if (!allowed) throw newForbidden(pods, info.name, reason);
}

/** The names of the streams towards a kubelet. */
const parameters = [
  ["error", "stderr"],
  ["input", "stdin"],
  ["output", "stdout"],
  ["tty", "tty"],
] as const;

function processQuery(query: URLSearchParams): string {
  const passed = new URLSearchParams();
  for (const word of query.getAll("command")) passed.append("command", word);
  for (const [name, option] of parameters) if (parseQueryBool(query.get(option))) passed.set(name, "1");
  return String(passed);
}

const portQuery = (query: URLSearchParams): string => {
  const ports = query.getAll("ports").join(",");
  return ports === "" ? "" : `?port=${encodeURIComponent(ports)}`;
};

function streamsOf(query: URLSearchParams): readonly ("stdin" | "stdout" | "stderr" | "resize")[] {
  const asked = (["stdin", "stdout", "stderr"] as const).filter((name) => parseQueryBool(query.get(name)));
  if (!parseQueryBool(query.get("tty"))) return asked;
  return [...asked.filter((name) => name !== "stderr"), "resize"];
}
