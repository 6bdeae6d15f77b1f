/** Answers the plain requests to a simulated node's kubelet: health, pods, logs, measurements, short commands. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isBadRequest, type Pod } from "../../api/index.js";
import { allContainers } from "../../api/pods/containers.js";
import { messageOf } from "../../base/index.js";
import { podsOnNode } from "../../placement/pods-by-node.js";
import { kubeletMetrics, type Measured, resourceMetrics, summaryOf } from "../usage/measurements.js";
import { simulatedUsage } from "../usage/usage.js";
import { readLog } from "./logs.js";
import { refusalAtPort } from "./access.js";
import { podIn, type PortContext } from "./context.js";
import { outputOf } from "./process.js";

export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly node: string;
  readonly signal: AbortSignal;
}

const text = "text/plain; charset=utf-8";
const json = "application/json";

/** Never rejects. */
export async function answer(asked: Asked, context: PortContext): Promise<void> {
  const { request, response, node } = asked;
  request.resume();
  const send = (status: number, body: string, type = text): void => {
    response.writeHead(status, { "content-type": type });
    response.end(request.method === "HEAD" ? undefined : body);
  };
  try {
    const refusal = await refusalAtPort(asked, context);
    if (refusal !== undefined) return send(refusal.status, refusal.text);
    const { path, query } = requestTarget(request);
    const report = reports[path.join("/")];
    if (report !== undefined) return send(200, ...report(node, context));
    const [verb = "", namespace = "", name = "", container = ""] = path;
    if (verb !== "containerLogs" && verb !== "run") return send(404, "404 page not found\n");
    const pod = podOf(context, node, { namespace, name });
    if (pod === undefined) return send(404, `pod ${JSON.stringify(`${namespace}/${name}`)} not found\n`);
    if (!allContainers(pod.spec).some((one) => one.name === container)) {
      return send(404, `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(name)}\n`);
    }
    if (verb === "run") return await run({ ...asked, pod, container, query }, context);
    const log = await readLog({ pod, container, query, signal: asked.signal }, context);
    response.writeHead(200, { "content-type": text });
    response.flushHeaders();
    await pipeline(Readable.from(log), response);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else send(isBadRequest(error) ? 400 : 500, messageOf(error));
  }
}

/** Segments of the path, decoded, and the query. */
export function requestTarget({ url = "/" }: IncomingMessage): {
  readonly path: string[];
  readonly query: URLSearchParams;
} {
  const [path = "", query = ""] = url.split("?");
  const parts = path.split("/").filter((part) => part !== "");
  return { path: parts.map(decoded), query: new URLSearchParams(query) };
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** The pod of that name, if it is bound to the node. */
export function podOf(
  context: PortContext,
  node: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Pod | undefined {
  const pod = podIn(context, namespace, name);
  return pod?.spec?.nodeName === node ? pod : undefined;
}

type Report = (node: string, context: PortContext) => readonly [string, string?];

function measured(node: string, { nodes, pods, clock, speed, rules }: PortContext): Measured | undefined {
  const object = nodes.get(node);
  const usage = simulatedUsage({ speed, rules })(pods.list(), clock.now());
  return object && { node: object, pods: podsOnNode(pods, node), usage };
}

const healthy: Report = () => ["ok"];

const podList: Report = (node, { pods }) => {
  const items = podsOnNode(pods, node);
  return [JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items }), json];
};

const reports: Readonly<Record<string, Report | undefined>> = Object.assign(Object.create(null), {
  healthz: healthy,
  "healthz/ping": healthy,
  "healthz/syncloop": healthy,
  pods: podList,
  runningpods: podList,
  "stats/summary": (node, context) => {
    const found = measured(node, context);
    return [JSON.stringify(found === undefined ? {} : summaryOf(found)), json];
  },
  metrics: (node, { pods }) => [kubeletMetrics(podsOnNode(pods, node))],
  "metrics/resource": (node, context) => {
    const found = measured(node, context);
    return [found === undefined ? "" : resourceMetrics(found, context.work)];
  },
} satisfies Record<string, Report>);

interface Running extends Asked {
  readonly pod: Pod;
  readonly container: string;
  readonly query: URLSearchParams;
}

/** `/run`: the command is one text of words, and its output is the answer. */
async function run({ request, response, pod, container, query, signal }: Running, context: PortContext): Promise<void> {
  if (request.method !== "POST") {
    response.writeHead(405, { allow: "POST" });
    response.end();
    return;
  }
  const command = (query.get("cmd") ?? "").split(" ").filter((word) => word !== "");
  const { output, code } = await outputOf({ pod, container, command, signal }, context);
  response.writeHead(code === 0 ? 200 : 500, { "content-type": text });
  response.end(code === 0 ? output : `${output}command '${command.join(" ")}' exited with ${code}: `);
}
