/**
 * The requests to a simulated node's kubelet that switch protocols: exec, attach and portForward, each over SPDY/3.1 or a
 * WebSocket.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Pod } from "../../api/index.js";
import { allContainers } from "../../api/pods/containers.js";
import { messageOf } from "../../base/index.js";
import { SpdySession, type SpdyStream } from "../../base/spdy/session.js";
import { isTerminal } from "../../placement/pod-phase.js";
import { forwardOverSpdy, forwardOverWebSocket } from "./forwarding.js";
import { refusalAtPort } from "./access.js";
import { endOf, type PortContext } from "./context.js";
import { attachTo, type CommandRequest, type ProcessStreams, runProcess } from "./process.js";
import { podOf, requestTarget } from "./routes.js";
import { type Accepted, spdyProcess, type StreamsAsked, webSocketProcess } from "./channels.js";

export interface Switching {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly node: string;
  readonly signal: AbortSignal;
}

/** Resolves when the connection is closed or handed over; never rejects. */
export async function upgrade(asked: Switching, context: PortContext): Promise<void> {
  const { socket } = asked;
  socket.on("error", () => {});
  try {
    await switchTo(asked, context);
  } catch (error) {
    context.log.warn("a stream to a simulated container broke off", { error: messageOf(error) });
    socket.destroy();
  }
}

function refuse(socket: Duplex, status: number, text: string): void {
  const head = `HTTP/1.1 ${status} ${status === 401 ? "Unauthorized" : "Refused"}`;
  socket.end(`${head}\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n\r\n${text}`);
}

async function switchTo(asked: Switching, context: PortContext): Promise<void> {
  const { request, socket, node, signal } = asked;
  const refusal = await refusalAtPort(asked, context);
  if (refusal !== undefined) return refuse(socket, refusal.status, refusal.text);
  const { path, query } = requestTarget(request);
  const [verb = "", namespace = "", name = "", container = ""] = path;
  if (!["exec", "attach", "portForward"].includes(verb)) return refuse(socket, 404, "404 page not found\n");
  const pod = podOf(context, node, { namespace, name });
  if (pod === undefined) return refuse(socket, 404, "pod does not exist\n");
  const isWebSocket = /^websocket$/i.test(request.headers.upgrade ?? "");
  if (verb === "portForward") {
    void closeAtEndOf(pod, asked, context);
    const forward = { pod, podPorts: context.podPorts };
    if (isWebSocket) return forwardOverWebSocket(asked, { ...forward, ports: query.get("port") ?? "" });
    const session = overSpdy(asked, context, ["portforward.k8s.io"]);
    return session === undefined ? undefined : forwardOverSpdy(session, { ...forward, clock: context.clock });
  }
  if (!allContainers(pod.spec).some((one) => one.name === container)) {
    return refuse(socket, 404, `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(name)}\n`);
  }
  const process: CommandRequest = { pod, container, command: query.getAll("command"), signal };
  const run = (streams: ProcessStreams, ending: AbortSignal): Promise<number> =>
    (verb === "exec" ? runProcess : attachTo)({ ...process, signal: ending }, streams, context);
  const streams = askedStreams(query);
  if (isWebSocket) return webSocketProcess(asked, streams, run);
  const session = overSpdy(asked, context, ["v4.channel.k8s.io"]);
  if (session !== undefined) await spdyProcess(session, { streams, run, clock: context.clock, signal });
}

/** The network of a pod ends with the pod, and every connection to it. Never rejects. */
async function closeAtEndOf(pod: Pod, { socket, signal: stopping }: Switching, context: PortContext): Promise<void> {
  const closed = new AbortController();
  socket.once("close", () => closed.abort(new Error("the connection is closed")));
  const signal = AbortSignal.any([closed.signal, stopping]);
  try {
    await endOf(pod, { goesOn: (now) => !isTerminal(now), signal }, context);
  } catch {
    return;
  }
  socket.destroy();
}

function askedStreams(query: URLSearchParams): StreamsAsked {
  const has = (name: string): boolean => query.get(name) === "1" || query.get(name) === "true";
  const tty = has("tty");
  return { stdin: has("input"), stdout: has("output"), stderr: has("error") && !tty, tty };
}

/** Undefined if no protocol of the client is known; it has been told. */
function overSpdy(
  { request, socket, head }: Switching,
  { clock }: PortContext,
  known: readonly string[],
): Accepted | undefined {
  if (!/^spdy\/3\.1$/i.test(request.headers.upgrade ?? "")) {
    refuse(socket, 400, "unable to upgrade: unknown protocol\n");
    return undefined;
  }
  const offered = listed(request.headers["x-stream-protocol-version"]);
  const chosen = offered.find((name) => known.includes(name));
  if (offered.length > 0 && chosen === undefined) {
    const why = `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(" ")}], server supports [${known.join(" ")}]`;
    refuse(socket, 403, `${why}\n`);
    return undefined;
  }
  const protocol = chosen === undefined ? "" : `X-Stream-Protocol-Version: ${chosen}\r\n`;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${protocol}\r\n`);
  if (head.length > 0) socket.unshift(head);
  let tell = (stream: SpdyStream): void => void early.push(stream);
  const early: SpdyStream[] = [];
  const session = new SpdySession(socket, { side: "server", onStream: (stream) => tell(stream), clock });
  return {
    session,
    onStream(listener) {
      tell = listener;
      for (const stream of early.splice(0)) listener(stream);
    },
  };
}

const listed = (header: string | readonly string[] | undefined): readonly string[] =>
  [header ?? []]
    .flat()
    .flatMap((text) => text.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
