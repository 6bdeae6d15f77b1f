/** The transport over sockets: HTTP/2 if the server speaks it, else HTTP/1.1. */
import {
  abortReason,
  type Clock,
  type Closable,
  closable,
  type HttpHeaders,
  type HttpRequest,
  type HttpResponse,
  isLoopback,
  systemClock,
  type Transport,
} from "../base/index.js";
import { Http1Pool } from "./http1/pool.js";
import { Http2Pool } from "./http2/pool.js";
import { headerMerger } from "./request/exchange.js";
import { ConnectionError } from "./failure.js";
import { dial, type Dialled } from "./transport/dial.js";
import { type Endpoint, hostOf } from "./transport/endpoint.js";
import { unpacked } from "./transport/gzip.js";

export interface HttpTransportOptions extends Endpoint {
  /** Whether to ask for compressed answers; by default if the server is on another machine. */
  readonly compression?: boolean | undefined;
  /** HTTP/2: the silence after which the peer is pinged (30 s), and the time that it has to answer (15 s). */
  readonly readIdleMs?: number;
  readonly pingTimeoutMs?: number;
  /** Restricts the transport to HTTP/1.1. */
  readonly http1?: boolean;
  readonly clock?: Clock;
}

/** Connections open when needed and keep the process alive only while a request is open. Disposing ends them all. */
export interface HttpTransport extends Closable {
  readonly send: Transport;
  /** Opens a connection for a WebSocket. */
  dial(signal: AbortSignal): Promise<Dialled>;
  readonly server: URL;
  /** Checks at once whether certificates have changed; if so, new requests go to new connections. */
  rotate(): Promise<void>;
}

/** The interval of checks for rotated certificates. */
const rotationCheckMs = 60_000;

export function httpTransport(options: HttpTransportOptions): HttpTransport {
  const { server, clock = systemClock, readIdleMs = 30_000, pingTimeoutMs = 15_000 } = options;
  const prefix = server.pathname.replace(/(?<!\/)\/+$/, "");
  const compress = options.compression ?? !isLoopback(hostOf(server));
  const origin = new URL(server.origin);
  /** A plain request goes to an HTTP proxy directly; only TLS needs a tunnel. */
  const forwarder =
    server.protocol === "http:" && options.proxy?.protocol.startsWith("http") ? options.proxy : undefined;
  let modern = server.protocol === "https:" && options.http1 !== true;
  let checkedAtMs = clock.monotonic();

  const http1 = new Http1Pool({
    origin,
    clock,
    forwarder,
    dial: (signal, onread) =>
      dial(options, { clock, signal, alpn: ["http/1.1"], forwarded: forwarder !== undefined, onread }),
  });
  const http2 = new Http2Pool({
    origin,
    clock,
    readIdleMs,
    pingTimeoutMs,
    async dial(signal) {
      const dialled = await dial(options, { clock, signal, alpn: ["h2", "http/1.1"] });
      if (dialled.protocol === "h2") return dialled;
      dialled.socket.destroy();
      return undefined;
    },
  });

  async function rotate(): Promise<void> {
    checkedAtMs = clock.monotonic();
    const material = await options.tls?.();
    if (material === undefined) return;
    http1.retireUnless(material);
    http2.retireUnless(material);
  }

  const withEncoding = compress ? headerMerger({ "accept-encoding": "gzip" }) : (headers: HttpHeaders) => headers;

  function send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    if (signal.aborted) return Promise.reject(abortReason(signal));
    // not awaited: a request does not wait for the reading of files, and unreadable files leave the old certificates in
    // force
    if (clock.monotonic() - checkedAtMs >= rotationCheckMs) void rotate().catch(() => {});
    const outgoing = { ...request, path: prefix + request.path, headers: withEncoding(request.headers) };
    const answer = modern
      ? (http2.requestNow(outgoing, signal) ?? sendLater(outgoing, signal))
      : http1.request(outgoing, signal);
    return compress ? answer.then(unpacked) : answer;
  }

  /** Sends when there is no connection with room yet, and perhaps none that speaks HTTP/2. */
  async function sendLater(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const response = await http2.request(request, signal);
    if (response !== undefined) return response;
    modern = false;
    return http1.request(request, signal);
  }

  return {
    send,
    server,
    rotate,
    dial: (signal) => dial(options, { clock, signal, alpn: ["http/1.1"] }),
    ...closable(async () => {
      const reason = new ConnectionError("closed", "the client was closed");
      http1.close(reason);
      http2.close(reason);
    }),
  };
}
