/**
 * Sends a request to another server and gives its answer as it comes: no faster than it is read, within a time limit,
 * and cut when either side goes away. Protocol switches become tunnels.
 */
import {
  type Agent as PlainAgent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as httpRequest,
} from "node:http";
import { type Agent, request as httpsRequest, type RequestOptions } from "node:https";
import { type Duplex, Readable } from "node:stream";
import { type Clock, type HttpHeaders, linkedAbort, onAbort } from "../../base/index.js";
import type { Answer } from "../contracts/answer.js";
import type { Address } from "./service-address.js";
import { tunnelTo } from "./tunnel.js";
import { goWords, hostAndPort } from "../../base/net/go-words.js";

/** The certificates for a connection over TLS, as Node takes them. */
type Trust = Pick<
  RequestOptions,
  "ca" | "cert" | "key" | "servername" | "rejectUnauthorized" | "allowPartialTrustChain"
>;

export interface Backend {
  readonly address: Address;
  /** Undefined for a connection without TLS. */
  readonly trust: Trust | undefined;
  /**
   * Keeps connections for reads; undefined: none is kept. A write has one of its own: on a kept one that ends now, its
   * fate would be unknown.
   */
  readonly reads?: Agent | PlainAgent | undefined;
  /** A connection that is there already, in place of one to the address. */
  readonly connection?: Duplex | undefined;
}

export interface Forwarded {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** A stream goes no faster than the backend takes it. */
  readonly body?: Uint8Array | Readable | undefined;
  /** Whether an answer of 101 can be passed on. */
  readonly switches?: boolean;
}

export interface ForwardOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Limit on the whole exchange; undefined: it may go on for ever. */
  readonly limitMs?: number | undefined;
  /** Gets a connection that has switched its protocol, in place of a tunnel in the answer; closing it is up to the owner. */
  readonly adopt?: (connection: Duplex) => void;
}

/** The backend gave no usable answer. The message is in Go's words. */
export class ForwardError extends Error {
  override readonly name = "ForwardError";
  /** True if the time for the exchange was over. */
  readonly late: boolean;

  constructor(message: string, late: boolean) {
    super(message);
    this.late = late;
  }
}

const maxHeaderBytes = 64 * 1024;
/** As upstream: the time to make a connection. */
const dialMs = 30_000;

/** Rejects with a ForwardError. */
export async function forward(sent: Forwarded, backend: Backend, options: ForwardOptions): Promise<Answer> {
  const { clock, limitMs, adopt } = options;
  const stop = linkedAbort(options.signal);
  let late = false;
  const tooLate = (): void => {
    late = true;
    stop.abort(new Error("the time for the exchange is over"));
  };
  const limit = limitMs === undefined ? undefined : clock.timer(limitMs, tooLate);
  const ended = (): void => {
    limit?.[Symbol.dispose]();
    stop[Symbol.dispose]();
  };
  const kept = isRead(sent) && sent.switches !== true;
  const running = { clock, signal: stop.signal, ended, switched: () => limit?.[Symbol.dispose](), adopt };
  try {
    return await attempt(sent, backend, { ...running, kept }).catch((error: unknown) => {
      // the backend ended a kept connection just as the request was sent on it
      if (!(error instanceof StaleConnection)) throw error;
      return attempt(sent, backend, { ...running, kept: false });
    });
  } catch (error) {
    ended();
    throw new ForwardError(goWords(error, backend.address, late), late);
  }
}

/** A read may be sent a second time. */
const isRead = ({ method, body }: Forwarded): boolean =>
  (method === "GET" || method === "HEAD") && !(body instanceof Readable);

class StaleConnection extends Error {}

interface Attempt {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether to use a kept connection. */
  readonly kept: boolean;
  /** Called when the answer's last byte has come, or the connection is closed. */
  ended(): void;
  /** Called when the connection has become a tunnel. */
  switched(): void;
  readonly adopt: ForwardOptions["adopt"];
}

function attempt(sent: Forwarded, backend: Backend, running: Attempt): Promise<Answer> {
  const { clock, signal, kept, ended, switched, adopt } = running;
  return new Promise((resolve, reject) => {
    const { method, path, headers } = sent;
    const outgoing = requestTo(backend, { method, path, headers, maxHeaderSize: maxHeaderBytes }, kept);
    const cut = onAbort(signal, (reason) => outgoing.destroy(reason));
    limitDial(outgoing, backend.address, clock);
    outgoing.on("error", (error: Error & { readonly code?: string }) => {
      cut[Symbol.dispose]();
      reject(outgoing.reusedSocket && error.code === "ECONNRESET" ? new StaleConnection() : error);
    });
    outgoing.on("response", (message) => {
      message.once("close", () => {
        cut[Symbol.dispose]();
        // an answer to half a body: the other half goes nowhere
        if (!outgoing.writableFinished) outgoing.destroy();
        ended();
      });
      // nobody reads the body of an answer that has none
      if (method === "HEAD") message.resume();
      resolve({ status: message.statusCode ?? 502, headers: passedOn(message), body: message, forwarded: true });
    });
    outgoing.on("upgrade", (message, socket, head) => {
      cut[Symbol.dispose]();
      if (sent.switches !== true) {
        socket.destroy();
        reject(new Error("the server switched to another protocol unasked"));
        return;
      }
      switched();
      if (head.length > 0) socket.unshift(head);
      const tunnel = tunnelTo(socket, { clock, signal, ended });
      const answer = { status: 101, headers: rawHeaders(message), body: new Uint8Array(), forwarded: true } as const;
      adopt?.(socket);
      resolve(adopt === undefined ? { ...answer, tunnel } : answer);
    });
    // a pipe, not a pipeline: if the backend fails, the client still gets an answer
    if (sent.body instanceof Readable) sent.body.pipe(outgoing);
    else outgoing.end(sent.body);
  });
}

function limitDial(outgoing: ClientRequest, { host, port }: Address, clock: Clock): void {
  outgoing.once("socket", (socket) => {
    if (!socket.connecting) return;
    const late = new Error(`dial tcp ${hostAndPort(host, port)}: i/o timeout`);
    const limit = clock.timer(dialMs, () => outgoing.destroy(late));
    const made = (): void => limit[Symbol.dispose]();
    socket.once("connect", made).once("close", made);
  });
}

function requestTo({ address, trust, reads, connection }: Backend, sent: RequestOptions, kept: boolean): ClientRequest {
  if (connection !== undefined) return httpRequest({ ...sent, createConnection: () => connection });
  const options = { ...sent, host: address.host, port: address.port, agent: (kept && reads) || false };
  return trust === undefined ? httpRequest(options) : httpsRequest({ ...options, ...trust });
}

/** RFC 9110, section 7.6.1: headers about one connection, which a proxy does not pass on. */
export const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The names in a Connection header, which are hop-by-hop, too. */
export const namedIn = (connection: string | readonly string[] | undefined): ReadonlySet<string> =>
  new Set([connection ?? []].flat().flatMap((text) => text.split(",").map((name) => name.trim().toLowerCase())));

/** The server's rules for pages of other sites are this server's, not the backend's. */
const crossOrigin = /^access-control-/;

function passedOn(message: IncomingMessage): HttpHeaders {
  const dropped = namedIn(message.headers.connection);
  const all = Object.entries(rawHeaders(message));
  return Object.fromEntries(
    all.filter(([name]) => !hopByHop.has(name) && !dropped.has(name) && !crossOrigin.test(name)),
  );
}

/** As sent, by lower-case name: Node drops repetitions of some headers. */
function rawHeaders({ rawHeaders: raw }: IncomingMessage): HttpHeaders {
  const headers = new Map<string, string | readonly string[]>();
  for (let i = 0; i < raw.length; i += 2) {
    const [name, value] = [(raw[i] as string).toLowerCase(), raw[i + 1] as string];
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(headers);
}
