/** One HTTP/2 connection (RFC 9113): many requests at a time, with a health check. */
import type { Socket } from "node:net";
import { abortReason, type Clock, type HttpRequest, type HttpResponse, onAbort } from "../../base/index.js";
import { ConnectionError, messageOf } from "../failure.js";
import { brokenConnection } from "../transport/dial.js";
import { printable, type TlsMaterial } from "../transport/endpoint.js";
import { mostInformational, ProtocolViolation } from "../transport/headers.js";
import { Calm } from "./calm.js";
import { checkFrame, readSettings } from "./frame-rules.js";
import {
  defaultWindowBytes,
  errorCodes,
  type FrameHead,
  FrameReader,
  frame,
  frameFlags,
  frameTypes,
  numberFrame,
  settingIds,
  unpadded,
} from "./frames.js";
import { connectionWindowBytes, frameBytes, greeting, streamWindowBytes } from "./greeting.js";
import { HeaderBlocks, type HeadersArrived } from "./header-blocks.js";
import { Health } from "./health.js";
import { HeaderEncoder } from "./hpack/encoder.js";
import { Outbox } from "./outbox.js";
import { ReceiveWindow } from "./receive-window.js";
import { Http2Stream } from "./stream.js";

export interface Http2SessionOptions {
  /** A connected socket with h2 agreed upon. */
  readonly socket: Socket;
  /** `https://host:port`, for messages and the :authority header. */
  readonly origin: URL;
  readonly material: TlsMaterial | undefined;
  readonly clock: Clock;
  /** After this time without a byte while requests are open, the peer is pinged. */
  readonly readIdleMs: number;
  /** After this time without an answer to the ping, the connection is given up. */
  readonly pingTimeoutMs: number;
  /** Called once when no new request will be taken. */
  onRetired(session: Http2Session): void;
  /** Called whenever a request has ended. */
  onFreed(session: Http2Session): void;
}

/** After this many bytes other work gets a turn: decrypting a long list in one go would stall everything else. */
const turnBytes = 256 * 1024;
/** The time within which a server must send its SETTINGS once there is a connection. */
const settingsTimeoutMs = 10_000;
const lastStreamId = 2 ** 31 - 1;

/**
 * Invariants:
 * 1. `#streams` holds the exchanges that have not ended; each leaves once, and then `onFreed` is called.
 * 2. A retired session opens no stream, and ends when its last stream has ended.
 * 3. A dead session has no streams and no timers.
 * 4. Only while there are streams, and for a turn after, does the socket keep the process alive and is it pinged.
 */
export class Http2Session {
  readonly material: TlsMaterial | undefined;
  readonly #options: Http2SessionOptions;
  readonly #streams: Map<number, Http2Stream> = new Map();
  readonly #outbox: Outbox;
  readonly #health: Health;
  readonly #encoder: HeaderEncoder;
  readonly #blocks: HeaderBlocks = new HeaderBlocks();
  readonly #window: ReceiveWindow = new ReceiveWindow(connectionWindowBytes);
  readonly #calm: Calm;
  readonly #reader: FrameReader;
  /** The streams whose answer has begun in the chunk that is being read. */
  #fresh: Http2Stream[] = [];
  #nextId = 1;
  #limit = 0;
  #isRetired = false;
  #hasSpoken = false;
  #isAwake = false;
  #death: ConnectionError | undefined;
  /** Streams above this id were not processed; set by GOAWAY (section 6.8). */
  #lastProcessed = lastStreamId;
  /** The initial send window of a new stream. */
  #sendWindow = defaultWindowBytes;
  /** The bytes read since other work last got a turn. */
  #readInTurn = 0;
  /** True if a check for remaining streams is scheduled for the end of this turn. */
  #isResting = false;
  #readiness: { resolve(): void; reject(error: ConnectionError): void } | undefined;

  constructor(options: Http2SessionOptions) {
    const { socket, origin } = options;
    this.#options = options;
    this.material = options.material;
    this.#encoder = new HeaderEncoder(origin.host);
    this.#calm = new Calm(options.clock);
    this.#outbox = new Outbox(socket, () => this.#streams.size > 1);
    this.#reader = new FrameReader(
      {
        frame: (head, payload) => this.#frame(head, payload),
        data: (head, piece, isLast) => this.#data(head, piece, { bytes: piece.length, isLast }),
      },
      frameBytes,
    );
    this.#health = new Health({
      ...options,
      ping: () => this.#outbox.send(frame({ type: frameTypes.ping, flags: 0, stream: 0 }, Buffer.alloc(8))),
      onDead: () => this.#die("closed", `${origin.host} gives no sign of life: a ping was not answered`),
    });
    const closed = (): void => this.#die("closed", `${printable(origin)} closed the connection`);
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", (error) => this.destroy(brokenConnection(origin, error)));
    socket.once("end", closed).once("close", closed);
    if (socket.destroyed) closed();
    else this.#outbox.send(greeting());
    socket.unref();
  }

  get active(): number {
    return this.#streams.size;
  }

  get limit(): number {
    return this.#limit;
  }

  get retired(): boolean {
    return this.#isRetired;
  }

  get hasRoom(): boolean {
    return !this.#isRetired && this.#streams.size < this.#limit;
  }

  /**
   * Resolves when the server has announced its number of streams. Nothing is sent before, so a server that refuses the
   * client's certificate, which it can do only after the handshake, has done nothing.
   */
  async ready(): Promise<void> {
    const { clock, origin } = this.#options;
    using _late = clock.timer(settingsTimeoutMs, () =>
      this.#die("timeout", `${printable(origin)} does not begin to speak HTTP/2`),
    );
    try {
      await new Promise<void>((resolve, reject) => {
        this.#readiness = { resolve, reject };
        if (this.#death !== undefined) reject(this.#death);
        else if (this.#hasSpoken) resolve();
      });
    } catch (error) {
      const { failure, message } = error as ConnectionError;
      const perhaps =
        this.material?.cert && failure === "closed" ? ": perhaps it refuses the client's certificate" : "";
      throw new ConnectionError(failure, message + perhaps, { cause: error, unprocessed: true });
    }
  }

  /** Takes no new requests; ends when the open ones have ended. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#options.onRetired(this);
    if (this.#streams.size === 0) this.#outbox.end();
  }

  /** Fails everything that is open, now. */
  destroy(reason: ConnectionError): void {
    if (this.#death !== undefined) return;
    this.#death = reason;
    if (!this.#isRetired) {
      this.#isRetired = true;
      this.#options.onRetired(this);
    }
    for (const stream of this.#streams.values()) this.#fail(stream, reason);
    this.#health.rest();
    this.#readiness?.reject(reason);
    this.#options.socket.destroy();
  }

  /** Opens a stream at once. Rejects with the signal's reason, or a ConnectionError that tells if the server saw it. */
  request(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    if (signal.aborted) return Promise.reject(abortReason(signal));
    if (this.#death !== undefined) {
      const { failure, message } = this.#death;
      return Promise.reject(new ConnectionError(failure, message, { cause: this.#death, unprocessed: true }));
    }
    return new Promise((resolve, reject) => {
      // throws if a header cannot be sent, which rejects the promise
      const block = this.#encoder.encode(request);
      const id = this.#nextId;
      this.#nextId += 2;
      const stream = new Http2Stream({
        id,
        sendWindow: this.#sendWindow,
        body: request.body,
        windowBytes: streamWindowBytes,
        grant: (bytes) => this.#outbox.send(numberFrame(frameTypes.windowUpdate, id, bytes)),
        cancel: () => this.#reset(stream),
        resolve,
        reject,
      });
      stream.watching = onAbort(signal, (reason) => {
        stream.fail(reason, { dropRest: true });
        this.#reset(stream);
      });
      this.#streams.set(id, stream);
      this.#wake();
      this.#outbox.open(stream, block);
      if (this.#nextId > lastStreamId) this.retire();
    });
  }

  #read(chunk: Buffer): void {
    if (this.#death !== undefined) return;
    this.#readInTurn += chunk.length;
    if (this.#readInTurn > turnBytes) this.#pauseForTurn();
    try {
      this.#reader.push(chunk);
    } catch (error) {
      return this.#die("malformed", `${printable(this.#options.origin)} breaks HTTP/2: ${messageOf(error)}`, error);
    }
    if (this.#fresh.length === 0) return;
    for (const stream of this.#fresh) stream.settle();
    this.#fresh = [];
  }

  #pauseForTurn(): void {
    const { socket } = this.#options;
    this.#readInTurn = 0;
    socket.pause();
    setImmediate(() => void socket.resume());
  }

  #frame(head: FrameHead, payload: Buffer): void {
    const { type, flags, stream } = head;
    if (!this.#hasSpoken && type !== frameTypes.settings)
      throw new ProtocolViolation("it does not begin with SETTINGS (RFC 9113, 3.4)");
    if (this.#blocks.open && type !== frameTypes.continuation)
      throw new ProtocolViolation("a frame between the parts of a header block (RFC 9113, 6.10)");
    checkFrame(head, payload.length, this.#nextId);
    switch (type) {
      case frameTypes.data:
        return this.#data(head, unpadded(head, payload), { bytes: payload.length, isLast: true });
      case frameTypes.headers:
        return this.#headers(this.#blocks.headers(head, payload));
      case frameTypes.continuation:
        return this.#headers(this.#blocks.continuation(head, payload));
      case frameTypes.windowUpdate:
        return this.#granted(stream, payload.readUInt32BE(0) & 0x7fffffff);
      case frameTypes.reset: {
        const open = this.#streams.get(stream);
        return open === undefined ? this.#calm.spend() : this.#resetByServer(open, payload.readUInt32BE(0));
      }
      case frameTypes.goaway:
        return this.#goingAway(payload.readUInt32BE(0) & 0x7fffffff);
      case frameTypes.pushPromise:
        throw new ProtocolViolation("a push, which was not allowed (RFC 9113, 8.4)");
      case frameTypes.settings:
        this.#calm.spend();
        return (flags & frameFlags.ack) === 0 ? this.#settings(readSettings(payload)) : undefined;
      case frameTypes.ping:
        this.#calm.spend();
        if ((flags & frameFlags.ack) !== 0) return this.#health.pong();
        return this.#outbox.reply(frame({ type, flags: frameFlags.ack, stream: 0 }, payload));
      default:
        // PRIORITY, and unknown types (section 5.5)
        return this.#calm.spend();
    }
  }

  #headers(arrived: HeadersArrived | undefined): void {
    if (arrived === undefined) return;
    const { status, headers, ends } = arrived;
    const stream = this.#streams.get(arrived.stream);
    if (stream === undefined) return;
    if (arrived.malformed !== undefined) return this.#refuse(stream, arrived.malformed);
    if (!stream.hasHead) {
      if (status === undefined) return this.#refuse(stream, "an answer without a status (RFC 9113, 8.3.2)");
      if (status < 200) return stream.inform() ? undefined : this.#refuse(stream, tooInformative);
      stream.head({ status, headers });
      if (!ends) this.#fresh.push(stream);
    } else if (!ends) return this.#refuse(stream, "a trailer that is not the end (RFC 9113, 8.1)");
    if (ends) this.#finish(stream);
  }

  #data(head: FrameHead, piece: Buffer, { bytes, isLast }: { readonly bytes: number; readonly isLast: boolean }): void {
    this.#window.take(bytes, "the connection's window");
    const grant = this.#window.grant();
    if (grant > 0) this.#outbox.send(numberFrame(frameTypes.windowUpdate, 0, grant));
    const ends = isLast && (head.flags & frameFlags.endStream) !== 0;
    if (bytes === 0 && !ends) this.#calm.spend();
    const stream = this.#streams.get(head.stream);
    if (stream === undefined) {
      if (head.stream === 0 || head.stream >= this.#nextId) throw new ProtocolViolation("unasked data (RFC 9113, 5.1)");
      return;
    }
    if (!stream.hasHead) throw new ProtocolViolation("data before an answer's headers (RFC 9113, 8.1)");
    stream.data(piece, bytes);
    if (ends) this.#finish(stream);
  }

  #settings(settings: ReadonlyMap<number, number>): void {
    if (!this.#hasSpoken) this.#limit = Number.POSITIVE_INFINITY;
    for (const [id, value] of settings) this.#setting(id, value);
    this.#outbox.reply(frame({ type: frameTypes.settings, flags: frameFlags.ack, stream: 0 }, Buffer.alloc(0)));
    this.#hasSpoken = true;
    this.#readiness?.resolve();
  }

  #setting(id: number, value: number): void {
    if (id === settingIds.maxConcurrentStreams) this.#limit = value;
    else if (id === settingIds.headerTableSize) this.#encoder.limitTable(value);
    else if (id === settingIds.maxFrameSize) this.#outbox.maxFrameBytes = value;
    else if (id === settingIds.initialWindowSize) {
      const more = value - this.#sendWindow;
      this.#sendWindow = value;
      for (const stream of this.#streams.values()) this.#outbox.grant(stream, more);
    }
  }

  #granted(id: number, bytes: number): void {
    if (bytes === 0) throw new ProtocolViolation("a window that grows by nothing (RFC 9113, 6.9)");
    if (id === 0) return this.#outbox.grant(undefined, bytes);
    const stream = this.#streams.get(id);
    if (stream !== undefined) this.#outbox.grant(stream, bytes);
  }

  #goingAway(lastStream: number): void {
    this.#lastProcessed = Math.min(this.#lastProcessed, lastStream);
    this.retire();
    const gone = new ConnectionError("closed", `${printable(this.#options.origin)} is going away`);
    for (const stream of this.#streams.values()) if (stream.id > this.#lastProcessed) this.#fail(stream, gone);
  }

  #finish(stream: Http2Stream): void {
    const lacking = stream.lacking();
    if (lacking !== undefined) this.#fail(stream, new ConnectionError("malformed", lacking));
    else stream.finish();
    // the server does not want the rest of the request
    if (stream.unsent !== undefined) this.#reset(stream);
    else if (this.#streams.has(stream.id)) this.#free(stream);
  }

  #reset(stream: Http2Stream): void {
    if (!this.#streams.has(stream.id)) return;
    this.#outbox.send(numberFrame(frameTypes.reset, stream.id, errorCodes.cancel));
    this.#free(stream);
  }

  /** Section 8.1.1: a malformed answer is an error of its stream alone. */
  #refuse(stream: Http2Stream, why: string): void {
    this.#outbox.send(numberFrame(frameTypes.reset, stream.id, errorCodes.protocol));
    const what = `${printable(this.#options.origin)} breaks HTTP/2: ${why}`;
    this.#fail(stream, new ConnectionError("malformed", what));
  }

  #resetByServer(stream: Http2Stream, code: number): void {
    const message = `${printable(this.#options.origin)} did not finish its answer: reset with code ${code}`;
    this.#fail(stream, new ConnectionError("closed", message, { unprocessed: code === errorCodes.refusedStream }));
  }

  #fail(stream: Http2Stream, why: ConnectionError): void {
    const unprocessed = why.unprocessed || !stream.flushed || stream.id > this.#lastProcessed;
    stream.fail(new ConnectionError(why.failure, why.message, { cause: why, unprocessed }));
    this.#free(stream);
  }

  #free(stream: Http2Stream): void {
    this.#streams.delete(stream.id);
    stream.watching?.[Symbol.dispose]();
    this.#outbox.drop(stream);
    if (this.#streams.size === 0) this.#restSoon();
    this.#options.onFreed(this);
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#options.socket.ref();
    this.#health.watch();
  }

  /** A caller that sends one request after another sends the next one before this turn ends: no rest in between. */
  #restSoon(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    setImmediate(() => {
      this.#isResting = false;
      if (this.#streams.size > 0) return;
      this.#isAwake = false;
      this.#health.rest();
      this.#options.socket.unref();
      if (this.#isRetired && this.#death === undefined) this.#outbox.end();
    });
  }

  #die(failure: ConnectionError["failure"], message: string, cause?: unknown): void {
    this.destroy(new ConnectionError(failure, message, { cause }));
  }
}

const tooInformative = `more than ${mostInformational} informational answers (RFC 9110, 15.2)`;
