/** One HTTP/2 connection: many requests at a time, watched for life. From http2-pool.ts; to node:http2. */
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { type Clock, type HttpRequest, type HttpResponse, onAbort, type Timer } from "../../base/index.js";
import { ConnectionError, messageOf } from "../request/failure.js";
import { BodyQueue } from "./body-queue.js";
import { codeOf, isTlsCode, tlsText } from "./dial.js";
import { printable, type TlsMaterial } from "./endpoint.js";

export interface Http2SessionOptions {
  /** The module, which is loaded by the first who connects: importing the client stays cheap. */
  readonly http2: Pick<typeof import("node:http2"), "connect">;
  readonly socket: Socket;
  /** `https://host:port`, for messages and the :authority header. */
  readonly origin: URL;
  readonly material: TlsMaterial | undefined;
  readonly clock: Clock;
  /** Nothing read for this long while requests are open: the peer is asked for a sign of life. */
  readonly readIdleMs: number;
  /** No answer to that for this long: the connection is given up. */
  readonly pingTimeoutMs: number;
  /** Called once when no new request will be taken. */
  onRetired(session: Http2Session): void;
  /** Called whenever a request has ended. */
  onFreed(session: Http2Session): void;
}

/** Codes of RFC 9113. */
const noError = 0;
const refusedStream = 7;
const cancelled = 8;

/** Large enough that a long list is not held up by waiting for window updates, on a connection across a continent too. */
const streamWindowBytes = 4 * 1024 * 1024;
const connectionWindowBytes = 32 * 1024 * 1024;
/** How long a server may take to begin to speak HTTP/2, once there is a connection. */
const settingsTimeoutMs = 10_000;

/**
 *  1. `active` counts the streams that were opened and are not closed.   2. A retired session opens no stream.
 *  3. The socket keeps the process alive only while `active > 0`, and for a turn after; only then is the health timer armed.
 */
export class Http2Session {
  readonly material: TlsMaterial | undefined;
  readonly #options: Http2SessionOptions;
  readonly #session: ClientHttp2Session;
  readonly #authority: string;
  #active = 0;
  #limit = 0;
  #retired = false;
  /** Why the connection ended, if it did not end by itself. */
  #death: ConnectionError | undefined;
  /** Streams above this were not processed; set by GOAWAY. */
  #lastProcessed = Number.POSITIVE_INFINITY;
  #health: Timer | undefined;
  /** Whether it will be looked at the end of this turn if there is anything left to do. */
  #resting = false;
  #bytesSeen = 0;
  #checkedAtMs: number;

  constructor(options: Http2SessionOptions) {
    this.#options = options;
    this.material = options.material;
    this.#authority = options.origin.host;
    this.#checkedAtMs = options.clock.monotonic();
    const session = options.http2.connect(options.origin, {
      createConnection: () => options.socket,
      maxSessionMemory: 1000,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
    });
    this.#session = session;
    session.once("connect", () => session.setLocalWindowSize(connectionWindowBytes));
    session.on("remoteSettings", ({ maxConcurrentStreams }) => {
      this.#limit = maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    });
    session.on("goaway", (_code, lastStream) => {
      this.#lastProcessed = lastStream;
      this.#retire();
    });
    session.on("error", (error: Error) => {
      this.#death ??= sessionFailure(options.origin, error);
    });
    session.once("close", () => {
      this.#disarm();
      this.#retire();
    });
    // the session does not notice every end of a connection that it did not open itself, such as a TLS alert
    options.socket.on("error", (error) => {
      this.destroy(sessionFailure(options.origin, error));
      options.socket.destroy();
    });
    options.socket.once("close", () => {
      this.destroy(new ConnectionError("closed", `${printable(options.origin)} closed the connection`));
    });
    session.unref();
  }

  get active(): number {
    return this.#active;
  }

  get limit(): number {
    return this.#limit;
  }

  get retired(): boolean {
    return this.#retired || this.#session.closed || this.#session.destroyed;
  }

  get hasRoom(): boolean {
    return !this.retired && this.#active < this.limit;
  }

  /**
   * Resolves when the server has said how many streams it takes. Before that nothing is sent, and so a server that does not
   * accept the client's certificate, which it can say only after the handshake, has done nothing.
   */
  ready(): Promise<void> {
    const { clock, origin } = this.#options;
    return new Promise((resolve, reject) => {
      const late = `${printable(origin)} does not begin to speak HTTP/2`;
      const timer = clock.timer(settingsTimeoutMs, () => this.destroy(new ConnectionError("timeout", late)));
      this.#session.once("remoteSettings", () => {
        timer[Symbol.dispose]();
        resolve();
      });
      this.#session.once("close", () => {
        timer[Symbol.dispose]();
        const { failure, message } = this.#death ?? new ConnectionError("closed", `${printable(origin)} hung up`);
        const perhaps =
          this.material?.cert && failure === "closed" ? ": perhaps it refuses the client's certificate" : "";
        reject(new ConnectionError(failure, message + perhaps, { cause: this.#death, unprocessed: true }));
      });
    });
  }

  /** Takes no new requests; ends when those that are open have ended. */
  retire(): void {
    this.#retire();
    this.#session.close();
  }

  destroy(reason: ConnectionError): void {
    this.#death ??= reason;
    this.#retire();
    this.#session.destroy(reason);
  }

  /** Opens a stream at once. Rejects with the signal's reason, or a ConnectionError that knows whether the server saw it. */
  request(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const { body } = request;
    const headers = {
      ":method": request.method,
      ":path": request.path,
      ":authority": this.#authority,
      ...request.headers,
    } as Record<string, string | string[]>;
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(headers, { endStream: body === undefined });
    } catch (error) {
      this.#retire();
      const message = `the connection could not take the request: ${messageOf(error)}`;
      return Promise.reject(new ConnectionError("closed", message, { cause: error, unprocessed: true }));
    }
    this.#opened();
    if (body !== undefined) stream.end(body);
    return this.#answer(stream, signal);
  }

  #answer(stream: ClientHttp2Stream, signal: AbortSignal): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      let aborted: Error | undefined;
      let failure: Error | undefined;
      let ended = false;
      let answered = false;
      const queue = new BodyQueue({
        pause: () => stream.pause(),
        resume: () => stream.resume(),
        cancel: () => stream.close(cancelled),
      });
      stream.on("response", (headers: IncomingHttpHeaders) => {
        answered = true;
        resolve({ status: Number(headers[":status"]), headers: headers as HttpResponse["headers"], body: queue });
      });
      stream.on("data", (chunk: Buffer) => queue.push(chunk));
      stream.on("end", () => {
        // a reset stream ends too: whether the body is complete is known when it is closed
        ended = true;
      });
      stream.on("error", (error: Error) => {
        failure = error;
      });
      const aborting = onAbort(signal, (reason) => {
        aborted = reason;
        queue.fail(reason, { dropRest: true });
        reject(reason);
        stream.close(cancelled);
        // data may be left unread for good: it must not hold the stream open
        stream.resume();
      });
      stream.on("close", () => {
        aborting[Symbol.dispose]();
        this.#freed();
        if (aborted !== undefined) return;
        const clean = ended && failure === undefined && stream.rstCode === noError;
        if (clean && answered) return queue.end();
        const error = this.#streamFailure(stream, failure);
        queue.fail(error);
        reject(error);
      });
    });
  }

  #streamFailure(stream: ClientHttp2Stream, failure: Error | undefined): ConnectionError {
    const { id, rstCode } = stream;
    const unsent = id === undefined || id > this.#lastProcessed || rstCode === refusedStream;
    if (this.#death !== undefined) {
      const { failure: kind, message, unprocessed } = this.#death;
      return new ConnectionError(kind, message, { cause: this.#death, unprocessed: unprocessed || unsent });
    }
    const why = rstCode === undefined || rstCode === 0 ? "the connection was closed" : `reset with code ${rstCode}`;
    const where = printable(this.#options.origin);
    return new ConnectionError("closed", `${where} did not finish its answer: ${why}`, {
      cause: failure,
      unprocessed: unsent,
    });
  }

  #opened(): void {
    if (this.#active++ > 0 || this.#health !== undefined) return;
    const { clock, readIdleMs } = this.#options;
    const quietMs = clock.monotonic() - this.#checkedAtMs;
    this.#session.ref();
    // a connection that lay idle may have died unseen: the first request on it asks at once
    if (quietMs > readIdleMs && this.#options.socket.bytesRead === this.#bytesSeen) this.#ping();
    else this.#arm();
  }

  #freed(): void {
    if (--this.#active === 0 && !this.#resting) {
      // whoever sends one request after the other sends the next before this turn ends: there is no rest in between
      this.#resting = true;
      setImmediate(() => {
        this.#resting = false;
        if (this.#active === 0) this.#rest();
      });
    }
    this.#options.onFreed(this);
  }

  #rest(): void {
    this.#disarm();
    this.#checkedAtMs = this.#options.clock.monotonic();
    this.#bytesSeen = this.#options.socket.bytesRead;
    if (!this.#session.destroyed) this.#session.unref();
  }

  #arm(): void {
    this.#bytesSeen = this.#options.socket.bytesRead;
    this.#health = this.#options.clock.timer(this.#options.readIdleMs, () => {
      if (this.#options.socket.bytesRead === this.#bytesSeen) this.#ping();
      else this.#arm();
    });
  }

  #ping(): void {
    const { clock, pingTimeoutMs, origin } = this.#options;
    const before = this.#options.socket.bytesRead;
    this.#health = clock.timer(pingTimeoutMs, () => {
      if (this.#options.socket.bytesRead !== before) return this.#arm();
      this.destroy(new ConnectionError("closed", `${origin.host} gives no sign of life: a ping was not answered`));
    });
    if (this.#session.destroyed) return;
    this.#session.ping(() => {
      if (this.#active === 0 || this.#session.destroyed) return;
      this.#disarm();
      this.#arm();
    });
  }

  #disarm(): void {
    this.#health?.[Symbol.dispose]();
    this.#health = undefined;
  }

  #retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    this.#options.onRetired(this);
  }
}

function sessionFailure(origin: URL, error: Error): ConnectionError {
  const code = codeOf(error);
  const where = printable(origin);
  if (isTlsCode(code)) {
    return new ConnectionError("certificate", `no trusted connection to ${where}: ${tlsText(code, error)}`, {
      cause: error,
    });
  }
  return new ConnectionError("closed", `the connection to ${where} broke: ${messageOf(error)}`, { cause: error });
}
