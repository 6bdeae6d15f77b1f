/** Sends watches and logs over WebSockets, one message for each event or piece of text. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { HttpBody, HttpHeaders, HttpResponse } from "../../base/index.js";
import type { Channel } from "../contracts/answer.js";
import { endSoon } from "./connections.js";
import { requestInfo, splitTarget } from "../http/request-info.js";

/** A request to switch the protocol of its connection. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that the client sent after its request. */
  readonly head: Buffer;
}

/** A browser cannot set headers, so its token comes as one of the subprotocols. */
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";
const base64Protocol = "base64.binary.k8s.io";
/** The subprotocols of a log; the events of a watch are sent in any subprotocol. */
const logProtocols: ReadonlySet<string> = new Set(["binary.k8s.io", base64Protocol]);

/** Clients have nothing to send on these connections; this bounds the memory for clients that send all the same. */
const maxReceivedBytes = 64 * 1024;

const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && /^websocket$/i.test(headers.upgrade ?? "");

function protocolsOf({ headers }: IncomingMessage): readonly string[] {
  const names = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

/**
 * True for a connection that a page of another site opens in a browser. Such a page may use a token that it knows, but
 * not the certificate that the browser presents for its user. A program has no certificate but its own, so it may name
 * any origin, as on a real server: some libraries demand one.
 */
export function isFromElsewhere({ headers }: IncomingMessage, sent: HttpHeaders): boolean {
  const { origin, host } = headers;
  if (origin === undefined || sent["authorization"] !== undefined || !mayBeBrowser(headers)) return false;
  return URL.canParse(origin) ? new URL(origin).host !== host : true;
}

/**
 * A page cannot choose the headers of its WebSockets. Every browser calls itself Mozilla, unless its user has changed that, and
 * asks not to be answered from a cache: the Fetch standard adds these headers where the cache mode is "no-store", which
 * it is for WebSockets.
 */
const mayBeBrowser = (headers: IncomingMessage["headers"]): boolean =>
  headers["user-agent"]?.startsWith("Mozilla/") === true ||
  headers["cache-control"] !== undefined ||
  headers.pragma !== undefined;

/**
 * The headers, with the token from the subprotocols. A token without another subprotocol is ignored, because the
 * handshake could then not name a subprotocol in its answer.
 */
export function webSocketHeaders(request: IncomingMessage, headers: HttpHeaders): HttpHeaders {
  if (!asksForWebSocket(request)) return headers;
  const protocols = protocolsOf(request);
  const token = protocols.find((name) => name.startsWith(tokenProtocol))?.slice(tokenProtocol.length);
  const { "accept-encoding": _, ...rest } = headers;
  if (token === undefined || rest["authorization"] !== undefined) return rest;
  const isUsable = protocols.some((name) => !name.startsWith(tokenProtocol));
  return { ...rest, authorization: isUsable ? `Bearer ${Buffer.from(token, "base64url").toString()}` : "" };
}

/**
 * The kind of stream that is sent as messages; undefined for all other answers, which are sent as if no upgrade had
 * been asked for.
 */
export function streamOver(request: IncomingMessage, { status, headers }: HttpResponse): "watch" | "log" | undefined {
  if (!asksForWebSocket(request) || status !== 200) return undefined;
  const { path, query } = splitTarget(request.url ?? "/");
  const info = requestInfo("GET", path, query);
  if (info.verb === "watch") return "watch";
  const isText = String(headers["content-type"] ?? "").startsWith("text/plain");
  return isText && info.type === "resource" && info.subresource === "log" ? "log" : undefined;
}

/** Resolves when the last message is sent, or the client is gone. */
export async function sendMessages(upgrade: Upgrade, kind: "watch" | "log", answer: HttpResponse): Promise<void> {
  const own = protocolsOf(upgrade.request).filter((name) => !name.startsWith(tokenProtocol));
  const chosen = kind === "watch" ? own[0] : own.find((name) => logProtocols.has(name));
  const socket = await accepted(upgrade, chosen);
  if (socket === undefined) {
    // the client is gone, so the answer is ended unread
    if (!(answer.body instanceof Uint8Array)) await answer.body[Symbol.asyncIterator]().return?.();
    return;
  }
  if (kind === "watch") {
    const isText = String(answer.headers["content-type"] ?? "").startsWith("application/json");
    for await (const event of eventsIn(answer.body, isText ? lineEnd : lengthPrefixed))
      if (!(await sent(socket, event, !isText))) return;
  } else {
    // a first, empty message tells the client that the log is open
    for await (const text of chunksOf(answer.body, new Uint8Array())) {
      const isBase64 = chosen === base64Protocol;
      if (!(await sent(socket, isBase64 ? Buffer.from(text).toString("base64") : text, !isBase64))) return;
    }
  }
  socket.close(1000);
}

/** Limit on one message of a client that has something to send: clients send 32 KiB at a time. */
const maxMessageBytes = 4 * 1024 * 1024;

/** Makes a WebSocket of the client's connection and hands it over. */
export async function openChannel(upgrade: Upgrade, channel: Channel): Promise<void> {
  const socket = await accepted(upgrade, channel.protocol, maxMessageBytes);
  if (socket === undefined) channel.unwanted();
  else await channel.carry(socket);
}

/** Undefined if the client's handshake is malformed; the client has been told. */
async function accepted(
  { request, socket, head }: Upgrade,
  protocol: string | undefined,
  maxPayload = maxReceivedBytes,
): Promise<WebSocket | undefined> {
  const { WebSocketServer } = await import("ws");
  const handshake = new WebSocketServer({
    noServer: true,
    maxPayload,
    autoPong: false,
    handleProtocols: () => protocol ?? false,
  });
  return new Promise((resolve) => {
    handshake.once("wsClientError", ({ message }) => {
      const headers = "content-type: text/plain; charset=utf-8\r\nconnection: close";
      endSoon(socket);
      socket.end(`HTTP/1.1 400 Bad Request\r\n${headers}\r\n\r\n${message}\n`);
      resolve(undefined);
    });
    handshake.handleUpgrade(request, socket, head, (accepted) => {
      // a malformed message of the client closes the connection; the close event reports it
      accepted.on("error", () => {});
      // a client that asks without reading gets no more answers: they would pile up
      accepted.on("ping", (data) => {
        if (accepted.bufferedAmount < maxReceivedBytes) accepted.pong(data);
      });
      resolve(accepted);
    });
  });
}

/** False if the client is gone. */
const sent = (socket: WebSocket, message: Uint8Array | string, binary: boolean): Promise<boolean> =>
  new Promise((resolve) => {
    socket.send(message, { binary }, (error) => resolve(error === undefined || error === null));
  });

async function* chunksOf(body: HttpBody, ...before: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* before;
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}

/** Finds the first event in the bytes: where it begins and ends. Undefined if it is not complete yet. */
type Framing = (bytes: Buffer) => { readonly from: number; readonly to: number } | undefined;

const lineEnd: Framing = (bytes) => {
  const end = bytes.indexOf(10);
  return end < 0 ? undefined : { from: 0, to: end + 1 };
};

const lengthPrefixed: Framing = (bytes) => {
  const to = bytes.length < 4 ? Number.POSITIVE_INFINITY : 4 + bytes.readUInt32BE(0);
  return bytes.length < to ? undefined : { from: 4, to };
};

/** Splits a stream into its events. */
async function* eventsIn(body: HttpBody, framing: Framing): AsyncIterable<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunksOf(body)) {
    rest = Buffer.concat([rest, chunk]);
    for (let event = framing(rest); event !== undefined; event = framing(rest)) {
      yield rest.subarray(event.from, event.to);
      rest = rest.subarray(event.to);
    }
  }
}
