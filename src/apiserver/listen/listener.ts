/** The handler on a port: HTTP/1.1 and HTTP/2 over TLS, or plain HTTP on loopback. Takes what sockets send, within limits. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Clock, HttpHeaders, Logger } from "../../base/index.js";
import { newRequestEntityTooLarge, newTimeout, StatusError } from "../../api/index.js";
import { statusAnswer } from "../http/answers/answer.js";
import { Deadlines } from "../http/deadlines.js";
import type { Handler } from "../http/handler.js";
import { certificateOf, headersOf, readBody, type Request } from "./incoming.js";
import { type Response, writeAnswer } from "./outgoing.js";
import { Sessions } from "./sessions.js";
import { sendMessages, streamOver, type Upgrade, webSocketHeaders } from "./web-socket.js";

export interface TlsOptions {
  /** PEM. */
  readonly key: string;
  readonly certificate: string;
  /** PEM of those whose client certificates are believed. */
  readonly clientAuthority?: string;
}

export interface ListenOptions {
  readonly handle: Handler;
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly tls?: TlsOptions;
  readonly bodyBytes: number;
  readonly log: Logger;
  readonly clock: Clock;
}

export interface Listener extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

const maxHeaderBytes = 64 * 1024;
/** A client must have sent its headers in this time, and its body in the second. */
const headersTimeoutMs = 15_000;
const bodyTimeoutMs = 60_000;
const keepAliveMs = 180_000;
const handshakeTimeoutMs = 10_000;

export async function listen(options: ListenOptions): Promise<Listener> {
  const { address, port, tls, log } = options;
  if (tls === undefined && !isLoopback(address)) {
    throw new Error(`refusing to listen on ${address} without TLS: only loopback addresses may be served in the clear`);
  }
  const exchanges = new Exchanges();
  // Node limits the time of a body on HTTP/1.1 only
  const bodies = new Deadlines(options.clock, bodyTimeoutMs);
  const server = createServerFor(options, { exchanges, bodies });
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.setKeepAlive(true, 30_000);
    socket.setNoDelay(true);
    socket.once("close", () => sockets.delete(socket));
  };
  server.on("connection", track);
  server.on("clientError", (_error: Error, socket: Socket) => socket.destroy());
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
    url: `${tls === undefined ? "http" : "https"}://${host}:${bound}`,
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      sessions[Symbol.dispose]();
      await exchanges.finished();
      bodies.rest();
      // what was written still goes out
      for (const socket of sockets) socket.destroySoon();
      await closed;
    },
  };
}

export const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);

/** What is being answered. A listener that closes lets answers finish and ends those that have no end of their own. */
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

  /** The answer comes in pieces: it may be a watch. */
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

function createServerFor(
  options: ListenOptions,
  { exchanges, bodies }: { readonly exchanges: Exchanges; readonly bodies: Deadlines },
): Server | Http2SecureServer {
  const parts: ExchangeOptions = { ...options, bodies, exchanges };
  const onRequest = (request: Request, response: Response): void => {
    exchanges.run((gone) => exchange(parts, { request, response, gone }));
  };
  const onUpgrade = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    exchanges.run((gone) =>
      exchange(parts, { ...responseOn(request, socket, gone), upgrade: { request, socket, head } }),
    );
  };
  if (options.tls === undefined) {
    const server = createServer({ maxHeaderSize: maxHeaderBytes, noDelay: true }, onRequest);
    server.on("upgrade", onUpgrade);
    return limited(server);
  }
  const { key, certificate, clientAuthority } = options.tls;
  const server = createSecureServer(
    {
      key,
      cert: certificate,
      ...(clientAuthority === undefined ? {} : { ca: clientAuthority, requestCert: true, rejectUnauthorized: false }),
      allowHTTP1: true,
      maxHeaderSize: maxHeaderBytes,
      handshakeTimeout: handshakeTimeoutMs,
      // a resumed session would come without the client's certificate
      sessionTimeout: 0,
      settings: { maxConcurrentStreams: 1000, initialWindowSize: 1024 * 1024, maxHeaderListSize: maxHeaderBytes },
      maxSessionMemory: 64,
    } as Parameters<typeof createSecureServer>[0],
    onRequest,
  );
  server.on("upgrade", onUpgrade);
  limited(server as unknown as Server);
  return server;
}

/** Slow and half-open clients are cut off; answers may take as long as they like. */
function limited(server: Server): Server {
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = bodyTimeoutMs;
  server.keepAliveTimeout = keepAliveMs;
  server.timeout = 0;
  return server;
}

interface ExchangeOptions extends ListenOptions {
  readonly bodies: Deadlines;
  readonly exchanges: Exchanges;
}

interface OneExchange {
  readonly request: Request;
  readonly response: Response;
  /** Aborted when the client is gone. */
  readonly gone: AbortController;
  /** The client would have the connection speak something else. */
  readonly upgrade?: Upgrade;
}

/** A connection that asked for an upgrade is out of Node's hands: it gets an answer of our own making, and ends with it. */
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

async function exchange(options: ExchangeOptions, { request, response, gone, upgrade }: OneExchange): Promise<void> {
  const onClose = (): void => {
    // not `writableFinished`: on HTTP/2 that is also true of an answer that the client cut off
    if (!response.writableEnded) gone.abort(new Error("the client went away"));
  };
  response.once("close", onClose);
  response.on("error", () => gone.abort(new Error("the connection failed")));
  try {
    const body = hasBody(request) && upgrade === undefined ? await bodyOrRefusal(request, options) : undefined;
    if (body instanceof StatusError) {
      const { status, headers, body: text } = statusAnswer(body);
      await writeAnswer(response, { status, headers: { ...headers, ...closing(request) }, body: text, head: false });
      request.destroy();
      return;
    }
    const certificate = certificateOf(request);
    const answer = await options.handle(
      {
        method: request.method ?? "GET",
        path: request.url ?? "/",
        headers: upgrade === undefined ? headersOf(request) : webSocketHeaders(upgrade.request, headersOf(request)),
        ...(body === undefined ? {} : { body }),
        ...(certificate === undefined ? {} : { certificate }),
      },
      gone.signal,
    );
    if (!(answer.body instanceof Uint8Array)) options.exchanges.streams(gone);
    const kind = upgrade && streamOver(upgrade.request, answer);
    if (upgrade === undefined || kind === undefined) {
      await writeAnswer(response, { ...answer, head: request.method === "HEAD" });
    } else {
      (response as ServerResponse).detachSocket(upgrade.socket as Socket);
      await sendMessages(upgrade, kind, answer);
    }
  } catch (error) {
    if (!gone.signal.aborted) options.log.warn("an exchange broke off", { error });
    response.destroy();
  }
}

const closing = (request: Request): HttpHeaders => (request.httpVersionMajor >= 2 ? {} : { connection: "close" });

const hasBody = ({ method }: Request): boolean => method !== "GET" && method !== "HEAD";

async function bodyOrRefusal(
  request: Request,
  { bodies, bodyBytes }: ExchangeOptions,
): Promise<Uint8Array | undefined | StatusError> {
  const late = (): StatusError => newTimeout("the body of the request did not come within the allotted time", 0);
  try {
    const body = await bodies.within(readBody(request, bodyBytes), late);
    return body === "too large" ? newRequestEntityTooLarge(`limit is ${bodyBytes}`) : body;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}
