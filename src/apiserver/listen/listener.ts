/** Serves the handler on a port: HTTP/1.1 and HTTP/2 over TLS, or plain HTTP on loopback. Limits sizes, times and connections. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Readable } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import { type Clock, type Closable, closable, type HttpResponse, isLoopback, type Logger } from "../../base/index.js";
import { newTimeout, type StatusError } from "../../api/index.js";
import { Deadlines } from "../http/limits/deadlines.js";
import type { FrontProxyOptions } from "../auth/front-proxy.js";
import type { Handler } from "../http/handler.js";
import { requestInfo, splitTarget } from "../http/request-info.js";
import { Certificates } from "./certificates.js";
import { Connections } from "./connections.js";
import { Http2Request, Http2Response } from "./http2.js";
import { discard, hasBody, headersOf, namesTwoHosts, readBody, type Request, restOf, sourceOf } from "./incoming.js";
import { askForBody, type Response, switchProtocols, writeAnswer } from "./outgoing.js";
import { Refusals, twoHosts } from "./refusals.js";
import { Sessions } from "./sessions.js";
import {
  isFromElsewhere,
  openChannel,
  sendMessages,
  streamOver,
  type Upgrade,
  webSocketHeaders,
} from "./web-socket.js";
import { defined, unlessEmpty } from "../../base/defined.js";

export interface TlsOptions {
  /** PEM. */
  readonly key: string;
  readonly certificate: string;
  /** The certificates, in PEM, of the authorities whose client certificates are accepted. */
  readonly clientAuthority?: string;
  /** Proxies that speak for their users, by certificates of authorities of their own. */
  readonly trustedProxies?: FrontProxyOptions;
}

export interface ListenOptions {
  readonly handle: Handler;
  readonly address: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls?: TlsOptions;
  readonly limits: ListenLimits;
  readonly log: Logger;
  readonly clock: Clock;
}

export interface ListenLimits {
  readonly bodyBytes: number;
  /** Limit on connections; further ones are closed as they come. */
  readonly connections: number;
  /** Limit on connections that have not carried an authenticated request yet. */
  readonly strangers: number;
}

export interface Listener extends Closable {
  readonly url: string;
  readonly port: number;
  /** Gives new connections this certificate; connections that are open go on with theirs. Only for a listener with TLS. */
  present(tls: TlsOptions): void;
}

const maxHeaderBytes = 64 * 1024;
/** The times within which a client must have sent its headers, and its body. */
const headersTimeoutMs = 15_000;
const bodyTimeoutMs = 60_000;
const keepAliveMs = 180_000;
/** Long enough for the last of a thousand connections that come at once; connections without a request are few at any time. */
const handshakeTimeoutMs = 30_000;

export async function listen(options: ListenOptions): Promise<Listener> {
  const { address, port, tls, log } = options;
  if (tls === undefined && !isLoopback(address)) {
    throw new Error(`refusing to listen on ${address} without TLS: only loopback addresses may be served in the clear`);
  }
  const exchanges = new Exchanges();
  const connections = new Connections(options.limits.strangers);
  // Node limits the time of a body on HTTP/1.1 only, so HTTP/2 bodies are timed here
  const bodies = new Deadlines(options.clock, bodyTimeoutMs);
  const refusals = new Refusals();
  const server = createServerFor({
    ...options,
    exchanges,
    connections,
    refusals,
    bodies,
    certificates: new Certificates(options.tls ?? {}),
  });
  server.maxConnections = options.limits.connections;
  server.on("connection", (socket: Socket) => {
    socket.setKeepAlive(true, 30_000);
    socket.setNoDelay(true);
    connections.add(socket);
  });
  server.on("clientError", (error: Error, socket: Socket) => refusals.refuse(error, socket));
  const sessions = new Sessions(options.clock);
  server.on("session", (session: ServerHttp2Session) => sessions.add(session));
  server.on("sessionError", () => {});
  server.on("tlsClientError", () => {});
  server.listen({ host: address, port });
  await once(server, "listening");
  server.on("error", (error: Error) => log.error("the listener failed", { error }));
  const bound = (server.address() as AddressInfo).port;
  const host = address.includes(":") ? `[${address}]` : address;
  return {
    port: bound,
    present: (renewed) => (server as Http2SecureServer).setSecureContext(contextOf(renewed)),
    url: `${tls === undefined ? "http" : "https"}://${host}:${bound}`,
    ...closable(async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      sessions[Symbol.dispose]();
      await exchanges.finished();
      bodies.rest();
      await connections.end();
      await closed;
    }),
  };
}

/** The exchanges under way. A closing listener lets finite answers finish and ends streams. */
class Exchanges {
  readonly #running = new Map<Promise<void>, AbortController>();
  readonly #streams = new Set<AbortController>();
  #closing = false;

  run(work: (gone: AbortController) => Promise<void>): void {
    const gone = new AbortController();
    const done = work(gone).finally(() => {
      this.#running.delete(done);
      this.#streams.delete(gone);
    });
    this.#running.set(done, gone);
  }

  /** Marks an answer that comes in pieces, which may be an endless watch. */
  streams(gone: AbortController): void {
    this.#streams.add(gone);
    if (this.#closing) gone.abort(new Error("the server is stopping"));
  }

  async finished(): Promise<void> {
    this.#closing = true;
    for (const gone of this.#streams) gone.abort(new Error("the server is stopping"));
    await Promise.allSettled(this.#running.keys());
  }
}

function createServerFor(options: ExchangeOptions): Server | Http2SecureServer {
  const { exchanges, refusals } = options;
  const onRequest = (request: Request, response: ServerResponse, waits = false): void => {
    if ("stream" in request) {
      exchanges.run((gone) => exchange(options, { request, response: request.stream, gone, waits }));
      return;
    }
    if (namesTwoHosts(request)) return refusals.refuse(twoHosts(), request.socket);
    refusals.answering(request.socket, response);
    exchanges.run((gone) => exchange(options, { request, response, gone, waits }));
  };
  const onExpectation: typeof onRequest = (request, response) => onRequest(request, response, true);
  const onUpgrade = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    if (namesTwoHosts(request)) return refusals.refuse(twoHosts(), socket);
    exchanges.run((gone) =>
      exchange(options, { ...responseOn(request, socket, gone), upgrade: { request, socket, head } }),
    );
  };
  const serving = <S extends Server>(server: S): S => {
    server.on("request", (request, response) => onRequest(request, response));
    server.on("checkContinue", onExpectation);
    server.on("upgrade", onUpgrade);
    return limited(server);
  };
  if (options.tls === undefined) return serving(createServer({ maxHeaderSize: maxHeaderBytes, noDelay: true }));
  const server = createSecureServer({
    ...contextOf(options.tls),
    ...(options.tls.clientAuthority === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
    allowHTTP1: true,
    maxHeaderSize: maxHeaderBytes,
    handshakeTimeout: handshakeTimeoutMs,
    settings: { maxConcurrentStreams: 1000, initialWindowSize: 1024 * 1024, maxHeaderListSize: maxHeaderBytes },
    maxSessionMemory: 64,
    Http2ServerRequest: Http2Request,
    Http2ServerResponse: Http2Response,
  } as unknown as Parameters<typeof createSecureServer>[0]);
  // Node passes the option on to HTTP/2 alone, so it is set on the server for HTTP/1.1
  (server as unknown as { maxHeaderSize: number }).maxHeaderSize = maxHeaderBytes;
  return serving(server as Http2SecureServer & Server);
}

function contextOf({ key, certificate, clientAuthority, trustedProxies }: TlsOptions): SecureContextOptions {
  const authorities = [clientAuthority, trustedProxies?.authority].filter((pem) => pem !== undefined);
  return {
    key,
    cert: certificate,
    ...defined({ ca: unlessEmpty(authorities) }),
    // a resumed TLS session would come without the client's certificate
    sessionTimeout: 0,
  };
}

/** Cuts off slow and half-open clients; answers may take as long as they need. */
function limited<S extends Server>(server: S): S {
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = bodyTimeoutMs;
  server.keepAliveTimeout = keepAliveMs;
  server.timeout = 0;
  return server;
}

interface ExchangeOptions extends ListenOptions {
  readonly bodies: Deadlines;
  readonly exchanges: Exchanges;
  readonly connections: Connections;
  readonly refusals: Refusals;
  readonly certificates: Certificates;
}

interface OneExchange {
  readonly request: Request;
  readonly response: Response;
  /** Aborted when the client is gone. */
  readonly gone: AbortController;
  /** The client sends its body only after a 100 Continue (RFC 9110, section 10.1.1). */
  readonly waits?: boolean;
  /** The body has not arrived in time. */
  late?: boolean;
  /** The client asked to switch protocols (RFC 9110, section 7.8). */
  readonly upgrade?: Upgrade;
}

/**
 * Node gives up a connection that asked for an upgrade, so the response is attached to its socket here, and the
 * connection ends with it.
 */
function responseOn(request: IncomingMessage, socket: Socket, gone: AbortController): OneExchange {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => {
    response.detachSocket(socket);
    socket.end();
  });
  socket.on("error", () => {});
  socket.once("close", () => gone.abort(new Error("the client went away")));
  return { request, response, gone };
}

async function exchange(options: ExchangeOptions, one: OneExchange): Promise<void> {
  const { request, response, gone, upgrade } = one;
  const onClose = (): void => {
    // Node itself ends an HTTP/2 stream that the client cut off, and calls it aborted
    if (!response.writableEnded || ("aborted" in response && response.aborted))
      gone.abort(new Error("the client went away"));
  };
  response.once("close", onClose);
  response.on("error", () => gone.abort(new Error("the connection failed")));
  try {
    const sent = headersOf(request, options.certificates.isRepeatable);
    const headers = upgrade === undefined ? sent : webSocketHeaders(upgrade.request, sent);
    const peer = options.certificates.of(request);
    const body = upgrade === undefined ? bodyOf(options, one) : undefined;
    const answer = await options.handle(
      {
        method: request.method ?? "GET",
        path: request.url ?? "/",
        headers,
        certificate: upgrade && isFromElsewhere(upgrade.request, headers) ? undefined : peer.certificate,
        readBody: body?.readBody,
        streamBody: body?.streamBody,
        welcome: () => options.connections.welcome(peer),
        from: peer.remoteAddress,
        switches: upgrade !== undefined,
      },
      gone.signal,
    );
    const { tunnel, channel } = answer;
    const switches = tunnel !== undefined || channel !== undefined;
    if (!(answer.body instanceof Uint8Array) || switches) options.exchanges.streams(gone);
    if (upgrade !== undefined && switches) {
      (response as ServerResponse).detachSocket(upgrade.socket as Socket);
      return await (channel === undefined ? switchProtocols(upgrade, answer) : openChannel(upgrade, channel));
    }
    const kind = upgrade && streamOver(upgrade.request, answer);
    if (upgrade === undefined) await send(options, one, answer);
    else if (kind === undefined) await writeAnswer(response, { ...answer, head: false }, gone.signal);
    else {
      (response as ServerResponse).detachSocket(upgrade.socket as Socket);
      await sendMessages(upgrade, kind, answer);
    }
  } catch (error) {
    if (!gone.signal.aborted) options.log.warn("an exchange broke off", { error });
    response.destroy();
  }
}

/** The two ways to a body. */
function bodyOf(options: ExchangeOptions, one: OneExchange): Pick<Parameters<Handler>[0], "readBody" | "streamBody"> {
  const { request, response, gone, waits } = one;
  if (request.method === "GET" || request.method === "HEAD") return {};
  const streamBody = (): Readable => {
    if (waits) askForBody(response);
    // it may take as long as the client likes, but does not keep the server from stopping
    options.exchanges.streams(gone);
    // a body that breaks off ends the exchange
    return sourceOf(request).on("error", () => {});
  };
  return { readBody: (take) => receive(options, one, take), ...(hasBody(request) ? { streamBody } : {}) };
}

const tooLate = (): StatusError => newTimeout("the body of the request did not come within the allotted time", 0);

function receive(
  { bodies, limits }: ExchangeOptions,
  one: OneExchange,
  take: (bytes: number) => void,
): Promise<Uint8Array | undefined> {
  if (one.waits) askForBody(one.response);
  const late = (): StatusError => {
    one.late = true;
    return tooLate();
  };
  return bodies.within(readBody(one.request, { limit: limits.bodyBytes, take }), late);
}

function isEndless({ method = "GET", url = "/" }: Request): boolean {
  const { path, query } = splitTarget(url);
  const info = requestInfo(method, path, query);
  return info.verb === "watch" || (info.type === "resource" && info.subresource !== "");
}

/** A client that is refused before it has sent all of its body still gets to read the refusal. */
async function send(options: ExchangeOptions, one: OneExchange, answer: HttpResponse): Promise<void> {
  const { request, response, gone } = one;
  const head = request.method === "HEAD";
  const rest = one.late ? "ends" : restOf(request);
  if (rest === "dropped" && "resume" in request) request.resume();
  // a watch or log may be silent for long, and costs little; any other answer is held in memory until the client takes
  // it
  const patience = isEndless(request) ? {} : { patience: options.bodies };
  if (rest !== "ends") return writeAnswer(response, { ...answer, head, ...patience }, gone.signal);
  if ("stream" in request) {
    response.once("finish", () => request.stream.close());
    return writeAnswer(response, { ...answer, head }, gone.signal);
  }
  const refusal = { ...answer, headers: { ...answer.headers, connection: "close" }, head };
  if (one.late || !(answer.body instanceof Uint8Array)) return writeAnswer(response, refusal, gone.signal);
  // a client that is still writing when the connection closes cannot read the answer
  options.exchanges.streams(gone);
  const discarded = discard(request, options.limits.bodyBytes, gone.signal);
  const dropping = options.bodies.within(discarded, tooLate).catch(() => {});
  await writeAnswer(response, { ...refusal, until: dropping }, gone.signal);
}
