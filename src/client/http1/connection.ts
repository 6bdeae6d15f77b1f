/** One HTTP/1.1 connection: one request at a time, kept for the next. */
import type { OnReadOpts, Socket } from "node:net";
import { type HttpRequest, type HttpResponse, onAbort } from "../../base/index.js";
import { ConnectionError, messageOf } from "../failure.js";
import { brokenConnection, type Dialled } from "../transport/dial.js";
import { printable } from "../transport/endpoint.js";
import { maxHeaderBytes, mostInformational, ProtocolViolation } from "../transport/headers.js";
import { PendingAnswer } from "../transport/pending-answer.js";
import { refusedBy } from "../transport/proxy-tunnel.js";
import { type BodyFraming, framingOf } from "./framing.js";
import { type Http1Head, readHead } from "./head.js";

export interface Http1ConnectionOptions {
  readonly origin: URL;
  /** The proxy at the other end of the connection, if requests name their target by the whole URL. */
  readonly forwarder?: URL | undefined;
  /** Called when the answer is read and the connection can serve again. */
  onFree(connection: Http1Connection): void;
  onClosed(connection: Http1Connection): void;
}

interface Exchange {
  readonly method: string;
  readonly answer: PendingAnswer;
  framing: BodyFraming | undefined;
  informed: number;
  watching: Disposable | undefined;
}

/** The bytes read at a time: some dozen objects of a list. The system does not allocate memory that nothing was read into. */
const readBytes = 128 * 1024;
/** The time for which an idle connection is used if the server has not answered on it yet. */
const freshMs = 10_000;
const emptyLine = "\r\n\r\n";

/**
 * Invariants:
 * 1. There is at most one exchange; without one nothing may arrive.
 * 2. `#head`, if set, is the beginning of an answer.
 * 3. While `#isHeld`, nothing is read: a reader is behind, or still uses the memory for the next read.
 * 4. The socket keeps the process alive only during an exchange.
 */
export class Http1Connection {
  readonly #options: Http1ConnectionOptions;
  #dialled: Dialled | undefined;
  #exchange: Exchange | undefined;
  #head: Buffer | undefined;
  #keptMs = freshMs;
  #isHeld = false;
  #error: Error | undefined;

  constructor(options: Http1ConnectionOptions) {
    this.#options = options;
  }

  get material(): Dialled["material"] {
    return this.#dialled?.material;
  }

  get isOpen(): boolean {
    return this.#dialled?.socket.destroyed === false;
  }

  /** The time for which the connection may stay idle. */
  get keptMs(): number {
    return this.#keptMs;
  }

  /**
   * The memory into which a plain TCP socket reads: nothing is allocated or collected per read. Not for a TLS socket,
   * which delivers decrypted bytes even while it is held.
   */
  readInto(): OnReadOpts {
    return {
      buffer: Buffer.allocUnsafeSlow(readBytes),
      callback: (length, buffer) => {
        this.#receive((buffer as Buffer).subarray(0, length), true);
        return !this.#isHeld;
      },
    };
  }

  /** Begins to use a socket. */
  attach(dialled: Dialled): void {
    const { socket } = dialled;
    this.#dialled = dialled;
    socket.on("data", (chunk: Buffer) => {
      this.#receive(chunk, false);
      if (this.#isHeld) socket.pause();
    });
    socket.on("error", (error) => (this.#error ??= error));
    socket.once("end", () => this.#ended());
    socket.once("close", () => this.#closed());
    socket.unref();
  }

  /** Sends `head` and the body. Rejects with the signal's reason or a ConnectionError; the connection is then of no more use. */
  request({ method, body }: HttpRequest, head: string, signal: AbortSignal): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const answer = new PendingAnswer(
        { resolve, reject },
        {
          pause: () => {
            if (this.#exchange === exchange) this.#isHeld = true;
          },
          resume: () => {
            if (this.#exchange === exchange) this.#readOn();
          },
          cancel: () => {
            if (this.#exchange === exchange) this.destroy();
          },
        },
      );
      const exchange: Exchange = { method, answer, framing: undefined, informed: 0, watching: undefined };
      this.#exchange = exchange;
      this.#send(head, body);
      exchange.watching = onAbort(signal, (reason) => {
        this.#fail(reason, { dropRest: true });
        this.destroy();
      });
    });
  }

  destroy(reason?: ConnectionError): void {
    if (reason !== undefined) this.#fail(reason);
    this.#dialled?.socket.destroy();
  }

  get #socket(): Socket {
    return (this.#dialled as Dialled).socket;
  }

  #send(head: string, body: Uint8Array | undefined): void {
    const socket = this.#socket;
    socket.ref();
    if (body === undefined) return void socket.write(head);
    socket.cork();
    socket.write(head);
    socket.write(body);
    socket.uncork();
  }

  #readOn(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.resume();
  }

  /** `isOurs` is true if the bytes are in the memory that the next read will overwrite. */
  #receive(bytes: Buffer, isOurs: boolean): void {
    const exchange = this.#exchange;
    // a server that sends something without a request announces its end, which needs no answer
    if (exchange === undefined) return this.destroy();
    try {
      const from = exchange.framing === undefined ? this.#readHead(exchange, bytes) : { bytes, at: 0 };
      if (from !== undefined && this.#exchange === exchange) this.#readBody(exchange, from.bytes, from.at, isOurs);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      const what = `${printable(this.#options.origin)} breaks HTTP/1.1: ${messageOf(error)}`;
      this.destroy(new ConnectionError("malformed", what, { cause: error }));
    }
  }

  /** Gives the position at which the body begins; undefined if the head is not complete. */
  #readHead(exchange: Exchange, chunk: Buffer): { readonly bytes: Buffer; readonly at: number } | undefined {
    const bytes = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk]);
    this.#head = undefined;
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(emptyLine, start, "latin1");
      if (end === -1) break;
      const head = readHead(bytes.toString("latin1", start, end));
      start = end + emptyLine.length;
      if (head.status >= 200) {
        this.#begin(exchange, head);
        return { bytes, at: start };
      }
      if (head.status === 101) throw new ProtocolViolation("another protocol, which nobody asked for");
      // 100 and other informational answers precede the answer
      if (++exchange.informed > mostInformational) {
        throw new ProtocolViolation(`more than ${mostInformational} informational answers (RFC 9110, 15.2)`);
      }
    }
    if (bytes.length - start > maxHeaderBytes) {
      throw new ProtocolViolation(`headers of more than ${maxHeaderBytes} bytes`);
    }
    this.#head = Buffer.from(bytes.subarray(start));
    return undefined;
  }

  #begin(exchange: Exchange, head: Http1Head): void {
    const { forwarder } = this.#options;
    if (forwarder !== undefined && head.status === 407) {
      return this.destroy(refusedBy(forwarder, `407 ${head.reason}`));
    }
    exchange.framing = framingOf(exchange.method, head.status, head.headers);
    this.#keptMs = exchange.framing.endsWithConnection ? 0 : head.keptMs;
    exchange.answer.begin(head);
  }

  #readBody(exchange: Exchange, bytes: Buffer, from: number, isOurs: boolean): void {
    const framing = exchange.framing as BodyFraming;
    const { answer } = exchange;
    framing.take(bytes, from, bytes.length);
    const data = bytes.subarray(from, framing.dataEnd);
    if (!framing.isDone) {
      answer.settle();
      if (data.length === 0) return;
      if (!isOurs) answer.push(data);
      else if (!answer.lend(data)) this.#isHeld = true;
      return;
    }
    // a copy: from now on the next answer may be read
    if (data.length > 0) answer.push(isOurs ? Buffer.from(data) : data);
    if (framing.taken < bytes.length) this.#keptMs = 0;
    this.#finish(exchange);
  }

  #finish(exchange: Exchange): void {
    const socket = this.#socket;
    this.#exchange = undefined;
    exchange.watching?.[Symbol.dispose]();
    exchange.answer.finish();
    // a server that answered before it had read the whole request may not read the rest
    if (this.#keptMs === 0 || socket.writableLength > 0) return this.destroy();
    this.#readOn();
    socket.unref();
    this.#options.onFree(this);
  }

  #ended(): void {
    const exchange = this.#exchange;
    if (exchange?.framing?.endsWithConnection === true) this.#finish(exchange);
    this.destroy();
  }

  #closed(): void {
    const { origin } = this.#options;
    this.#fail(
      this.#error === undefined
        ? new ConnectionError("closed", `${printable(origin)} closed the connection`)
        : brokenConnection(origin, this.#error),
    );
    this.#options.onClosed(this);
  }

  #fail(reason: Error, options?: { readonly dropRest: boolean }): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.#exchange = undefined;
    exchange.watching?.[Symbol.dispose]();
    exchange.answer.fail(reason, options);
  }
}
