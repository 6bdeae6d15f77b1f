/**
 * Forwards requests to kubelets that switch the protocol of their connection: as they are, or translated where a client
 * speaks WebSocket and the kubelet SPDY.
 */
import type { OutgoingHttpHeaders } from "node:http";
import { type Duplex, PassThrough, Readable } from "node:stream";
import type { WebSocket } from "ws";
import { newBadRequest, newFailure } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { Clock, HttpBody, HttpRequest } from "../../base/index.js";
import type { Answer, Channel } from "../contracts/answer.js";
import { forward, ForwardError } from "../outbound/forward.js";
import { clientHeaders } from "../outbound/headers.js";
import { hostAndPort } from "../../base/net/go-words.js";
import type { KubeletPlace } from "./kubelets.js";
import { translate, type Translation } from "./translate.js";

export interface Switching {
  readonly request: HttpRequest;
  /** The client's address. */
  readonly from: string | undefined;
  /** Whether the client's connection can be handed over. */
  readonly switches: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly kubelet: KubeletPlace;
  /** The kubelet's path with its query. */
  readonly path: string;
  /** The streams of a process; undefined for ports. */
  readonly streams?: Translation["streams"];
}

const spdy = "SPDY/3.1";
const processProtocol = "v4.channel.k8s.io";
const closingProtocol = "v5.channel.k8s.io";
const tunnelPrefix = `${spdy}+`;

export async function switched(asked: Switching): Promise<Answer> {
  const { headers } = asked.request;
  const wanted = String(headers["upgrade"] ?? "").toLowerCase();
  if (!asked.switches || wanted === "") throw newBadRequest("Upgrade request required");
  const protocols = wanted === "websocket" ? listed(headers["sec-websocket-protocol"]) : [];
  if (asked.streams !== undefined && protocols.includes(closingProtocol)) return translated(asked, asked.streams);
  const inside = protocols.filter((name) => name.startsWith(tunnelPrefix) && name.endsWith(".k8s.io"));
  if (asked.streams === undefined && inside.length > 0) return tunnelled(asked, inside);
  return passedOn(asked);
}

const listed = (header: string | readonly string[] | undefined): readonly string[] =>
  String(header ?? "")
    .split(",")
    .map((name) => name.trim());

async function passedOn(asked: Switching): Promise<Answer> {
  const { request, from, kubelet } = asked;
  const headers = { ...clientHeaders(request.headers, { switches: true, from }), host: hostOf(kubelet) };
  return checked(await sent(asked, request.method, headers));
}

const hostOf = ({ address }: KubeletPlace): string => hostAndPort(address.host, address.port);

async function sent(
  { kubelet, clock, signal, path }: Switching,
  method: string,
  headers: OutgoingHttpHeaders,
  adopt?: (connection: Duplex) => void,
): Promise<Answer> {
  const all = { ...headers, ...(method === "POST" ? { "content-length": 0 } : {}) };
  try {
    return await forward({ method, path, headers: all, switches: true }, kubelet, {
      clock,
      signal,
      ...defined({ adopt }),
    });
  } catch (error) {
    if (!(error instanceof ForwardError)) throw error;
    throw newFailure({ message: `error dialing backend: ${error.message}`, code: 500 });
  }
}

/** A kubelet may refuse, but not answer as if no switch had been asked for. */
function checked(answer: Answer): Answer {
  if (answer.status === 101 || answer.status >= 400) return answer;
  if (answer.body instanceof Readable) answer.body.destroy();
  throw newFailure({ message: `invalid upgrade response: status code ${answer.status}`, code: 500 });
}

const spdyHeaders = (kubelet: KubeletPlace, protocols: readonly string[]): OutgoingHttpHeaders => ({
  host: hostOf(kubelet),
  connection: "Upgrade",
  upgrade: spdy,
  "x-stream-protocol-version": [...protocols],
});

/** The client's handshake comes first, as upstream: a kubelet that cannot be reached is told of on the error stream. */
function translated(asked: Switching, streams: Translation["streams"]): Answer {
  const dial = async (): Promise<Duplex> => {
    let connection: Duplex | undefined;
    const adopt = (one: Duplex): void => {
      connection = one;
    };
    const { status, body } = await sent(asked, "POST", spdyHeaders(asked.kubelet, [processProtocol]), adopt);
    if (connection !== undefined) return connection;
    throw new Error(`unable to upgrade connection: ${(await startOf(body)) || `unknown status ${status}`}`);
  };
  return channelAnswer({
    protocol: closingProtocol,
    carry: (client) => translate(client as WebSocket, { streams, dial, signal: asked.signal }),
    unwanted: () => {},
  });
}

const channelAnswer = (channel: Channel): Answer => ({ status: 101, headers: {}, body: new Uint8Array(), channel });

const maxRefusal = 50_000;

async function startOf(body: HttpBody): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString().trim();
  let text = "";
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString();
    if (text.length > maxRefusal) break;
  }
  return text.trim();
}

/** The bytes of SPDY in the messages of a WebSocket: kubectl forwards ports in this way. */
async function tunnelled(asked: Switching, protocols: readonly string[]): Promise<Answer> {
  const inside = protocols.map((name) => name.slice(tunnelPrefix.length));
  const answer = checked(await sent(asked, "POST", spdyHeaders(asked.kubelet, inside)));
  const { tunnel, headers } = answer;
  if (tunnel === undefined) return answer;
  const chosen = String(headers["x-stream-protocol-version"] ?? "").trim();
  const unwanted = (): void => {
    const nobody = new PassThrough();
    nobody.destroy();
    void tunnel(nobody);
  };
  if (String(headers["upgrade"] ?? "").toLowerCase() !== spdy.toLowerCase()) {
    unwanted();
    throw newFailure({ message: "unable to upgrade: missing upgrade headers in response", code: 500 });
  }
  return channelAnswer({
    protocol: chosen === "" ? undefined : tunnelPrefix + chosen,
    carry: async (client) => {
      const { createWebSocketStream } = await import("ws");
      await tunnel(createWebSocketStream(client as WebSocket));
    },
    unwanted,
  });
}
