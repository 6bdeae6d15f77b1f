/** An HTTPS server for reviews: reads them within limits, answers each within its deadline, and takes new certificates while it runs. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type Clock, closable, type Closable, type Logger, messageOf } from "../base/index.js";
import { isRecord } from "../base/members.js";
import { depthComplaint } from "../api/decode/json-extent.js";
import type { ReviewMeter } from "./metrics.js";
import { reviewPoint } from "./trace.js";

/** Two objects of the largest size that a server stores, and room. */
const maxBodyBytes = 8 * 1024 * 1024;
/** The bodies that are read at a time, together: any client that reaches the port may send some. */
const maxReadingBytes = 64 * 1024 * 1024;
/** An API server has one connection for each of its processes, or for each review. */
const maxConnections = 2_000;
/** The server's patience if it does not tell. */
const usualTimeoutMs = 10_000;
/** The part of the server's patience that is left for the way back. */
const reserve = 0.1;

export interface KeyPair {
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly certificate: string;
}

/** A review that has been read. */
export interface Asked {
  readonly path: string;
  readonly review: Readonly<Record<string, unknown>>;
  readonly request: Readonly<Record<string, unknown>> & { readonly uid: string };
  /** Aborts when the answer would come too late. */
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/** Gives the response of the review; undefined if there is nothing at this path. Must not wait longer than the signal. */
type Respond = (asked: Asked) => Promise<object> | undefined;

export interface ReviewServerOptions {
  /** Undefined for all addresses, of IPv6 too where the machine has it. */
  readonly host: string | undefined;
  /** 0 for any free port. */
  readonly port: number;
  readonly identity: KeyPair;
  readonly respond: Respond;
  readonly meter?: ReviewMeter | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ReviewServer extends Closable {
  readonly port: number;
  /** New connections get the new certificate; open ones keep theirs. */
  renew(identity: KeyPair): void;
}

export async function startReviewServer(options: ReviewServerOptions): Promise<ReviewServer> {
  const { host, identity, log } = options;
  const context = ({ key, certificate }: KeyPair): { key: string; cert: string; minVersion: "TLSv1.2" } => ({
    key,
    cert: certificate,
    minVersion: "TLSv1.2",
  });
  const answering: Answering = { ...options, reading: { bytes: 0 } };
  const server = createServer(context(identity), (request, response) => void answer(request, response, answering));
  server.maxConnections = maxConnections;
  server.on("tlsClientError", (error) => log.debug("a handshake failed", { error }));
  server.on("clientError", (error, socket) => {
    log.debug("bad request", { error });
    socket.destroy();
  });
  server.listen(options.port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    renew: (next) => server.setSecureContext(context(next)),
    ...closable(async () => {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      // reviews in flight end with their deadlines at the latest, but a stop does not wait for those
      server.closeAllConnections();
      await closed;
    }),
  };
}

/** The bytes of the bodies that have not been read to their ends. */
interface Reading {
  bytes: number;
}

interface Answering extends ReviewServerOptions {
  readonly reading: Reading;
}

/** A request that cannot be answered as a review. */
class Unusable extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, options: Answering): Promise<void> {
  const { clock, log, respond, meter, reading } = options;
  let metered: ReturnType<ReviewMeter> | undefined;
  const finish = (status: number, type: string, text: string): void => {
    metered?.(status);
    send(response, status, type, text);
  };
  // not by URL, which refuses some texts that a stranger may send, such as two slashes
  const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
  const deadlineMs = Math.floor(patienceOf(new URLSearchParams(query).get("timeout") ?? "") * (1 - reserve));
  const late = new AbortController();
  const timer = clock.timer(deadlineMs, () => late.abort(new Error(`no answer within ${deadlineMs} ms`)));
  try {
    if (request.method !== "POST") throw new Unusable(405, "a review comes by POST");
    const review = parsed(await bodyOf(request, { signal: late.signal, reading }));
    const { request: asked } = review;
    if (!isRecord(asked) || typeof asked["uid"] !== "string") throw new Unusable(400, "the body is no review");
    const about = { path, review, request: asked as Asked["request"], signal: late.signal, deadlineMs };
    const reviewed = await reviewPoint.around(
      () => ({ path, uid: about.request.uid, headers: request.headers }),
      async () => {
        const responding = respond(about);
        if (responding === undefined) throw new Unusable(404, `there is no webhook at ${path}`);
        metered = meter?.(path);
        return await responding;
      },
    );
    const { kind, apiVersion } = review;
    finish(200, "application/json", JSON.stringify({ kind, apiVersion, response: reviewed }));
  } catch (error) {
    const status = error instanceof Unusable ? error.status : 500;
    if (status === 500) log.error("a review could not be answered", { path, error });
    else log.debug("a request was no review", { path, error });
    finish(status, "text/plain; charset=utf-8", `${messageOf(error)}\n`);
  } finally {
    timer[Symbol.dispose]();
  }
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) });
  response.end(text);
}

/** The server tells its patience as `timeout=10s`. */
function patienceOf(text: string): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  const scale = { ms: 1, s: 1000, m: 60_000 }[unit];
  if (amount === undefined || scale === undefined) return usualTimeoutMs;
  return Math.min(Math.max(Number(amount) * scale, 1), 30_000);
}

interface Body {
  readonly signal: AbortSignal;
  readonly reading: Reading;
}

/** Rejects as soon as the body is too long or late; then the rest is read and forgotten, so that the answer is seen. */
async function bodyOf(request: IncomingMessage, { signal, reading }: Body): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let take: (chunk: Buffer) => void = () => {};
  try {
    return await new Promise((resolve, reject) => {
      const refuse = (status: number, why: string): void => reject(new Unusable(status, why));
      take = (chunk) => {
        size += chunk.length;
        reading.bytes += chunk.length;
        if (size > maxBodyBytes) refuse(413, `a review may have at most ${maxBodyBytes} bytes`);
        else if (reading.bytes > maxReadingBytes) refuse(503, "too many reviews arrive at once");
        else chunks.push(chunk);
      };
      signal.addEventListener("abort", () => refuse(408, "the review did not arrive in time"), { once: true });
      request.on("data", take).once("error", reject);
      request.once("end", () => resolve(Buffer.concat(chunks)));
    });
  } finally {
    request.off("data", take).resume();
    reading.bytes -= size;
    chunks.length = 0;
  }
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> {
  const depth = depthComplaint(body);
  if (depth !== undefined) throw new Unusable(400, depth);
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch (error) {
    throw new Unusable(400, `the body is no JSON: ${messageOf(error)}`);
  }
  if (!isRecord(value)) throw new Unusable(400, "the body is no review");
  return value;
}
