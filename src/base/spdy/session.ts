/**
 * Both sides of SPDY/3.1 over a connection: streams with headers, each of which ends in the two directions by itself.
 * As in the library that Kubernetes uses for it, windows are neither sent nor heeded: a stream that is not read holds up
 * the connection, and thereby the sender.
 */
import { Duplex } from "node:stream";
import { asError } from "../log/errors.js";
import type { Clock } from "../time/clock.js";
import { cooperative } from "../time/cooperative.js";
import { controlFrame, dataHead, finFlag, type SpdyFrame, SpdyFrameReader, frameType, numbers } from "./frames.js";
import { HeaderReader, type SpdyHeaders, HeaderWriter } from "./headers.js";
import { roomIn } from "../net/streams.js";

export interface SpdyOptions {
  /** The side that made the connection numbers its streams with odd numbers. */
  readonly side: "client" | "server";
  /** Called for each stream that the other side opens; without it, they are refused. */
  readonly onStream?: (stream: SpdyStream) => void;
  /** Limit on open streams; 1,000 by default. */
  readonly maxStreams?: number;
  /** Tells the time for slices of work; the system's by default. */
  readonly clock?: Clock;
}

/** Status codes of RST_STREAM. */
const refused = 3;
const cancelled = 5;
const invalidStream = 2;

/** Limit on the bytes that wait for a peer that does not read; then no more of its frames are read. */
const maxUnsent = 256 * 1024;

/** A stream of the session. Ending it ends one direction; destroying it tells the other side that it is cancelled. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly #owner: StreamOwner;
  #roomFor: (() => void) | undefined;
  /** Whether the other side has ended its direction. */
  #isWhole = false;

  constructor(id: number, headers: SpdyHeaders, owner: StreamOwner) {
    super({ allowHalfOpen: true });
    this.id = id;
    this.headers = headers;
    this.#owner = owner;
    // a cancelled stream closes; its users look at its end
    this.on("error", () => {});
  }

  /** Undefined if there is room for more, else a promise that resolves when there is, or the stream is gone. */
  receive(bytes: Buffer): Promise<void> | undefined {
    if (this.destroyed || bytes.length === 0 || this.#isWhole || this.push(bytes)) return undefined;
    return new Promise((resolve) => {
      this.#roomFor = resolve;
    });
  }

  /** Nobody waits for room any longer. */
  letGo(): void {
    this.#roomFor?.();
    this.#roomFor = undefined;
  }

  /** The other side has nothing more to say. */
  receiveEnd(): void {
    if (this.#isWhole) return;
    this.#isWhole = true;
    this.push(null);
  }

  /** The connection is gone. A stream that has come to its end can still be read to it. */
  cut(failure: Error): void {
    if (!this.#isWhole) this.destroy(failure);
    else if (this.readableEnded) this.destroy();
    else this.once("end", () => this.destroy());
  }

  override _read(): void {
    this.letGo();
  }

  override _write(chunk: Buffer, _encoding: unknown, done: (error?: Error | null) => void): void {
    this.#owner.sendData(this.id, chunk, false, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#owner.sendData(this.id, Buffer.alloc(0), true, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.letGo();
    this.#owner.gone(this.id, this.readableEnded && this.writableFinished);
    done(error);
  }
}

interface StreamOwner {
  sendData(id: number, bytes: Buffer, fin: boolean, done: (error?: Error | null) => void): void;
  /** `isWhole`: both directions have ended. */
  gone(id: number, isWhole: boolean): void;
}

/**
 * Invariants:
 * 1. `#streams` holds the streams that are not destroyed.
 * 2. When the connection is closed, every stream is destroyed, or as soon as it has been read to its end.
 */
export class SpdySession {
  readonly #socket: Duplex;
  readonly #options: SpdyOptions;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #frames = new SpdyFrameReader();
  readonly #reader = new HeaderReader();
  readonly #writer = new HeaderWriter();
  readonly #replies = new Map<number, (error?: Error) => void>();
  readonly #owner: StreamOwner;
  #nextId: number;
  #lastTheirs = 0;
  /** Resolves when the connection is closed, for whatever reason; never rejects. */
  readonly done: Promise<void>;

  constructor(socket: Duplex, options: SpdyOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#nextId = options.side === "client" ? 1 : 2;
    this.#owner = {
      sendData: (id, bytes, fin, done) => this.#sendData(id, { bytes, fin }, done),
      gone: (id, isWhole) => this.#gone(id, isWhole),
    };
    this.done = this.#run();
  }

  /** Resolves when the other side has accepted the stream; rejects if it refuses, or the connection is closed. */
  async open(headers: SpdyHeaders): Promise<SpdyStream> {
    if (this.#socket.destroyed) throw new Error("the connection is closed");
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = new SpdyStream(id, headers, this.#owner);
    this.#streams.set(id, stream);
    const head = Buffer.concat([numbers(id, 0), Buffer.alloc(2)]);
    this.#send(controlFrame(frameType.open, Buffer.concat([head, this.#writer.write(headers)])));
    await new Promise<void>((resolve, reject) => {
      this.#replies.set(id, (error) => (error === undefined ? resolve() : reject(error)));
    });
    return stream;
  }

  /** Lets written bytes go out and then closes the connection. */
  async close(): Promise<void> {
    if (!this.#socket.destroyed && !this.#socket.writableEnded) {
      this.#send(controlFrame(frameType.goAway, numbers(this.#lastTheirs, 0)));
      this.#socket.end();
    }
    await this.done;
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.#socket.destroy();
  }

  async #run(): Promise<void> {
    let failure = new Error("the connection is closed");
    let isBroken = false;
    const slice = cooperative(this.#options.clock === undefined ? {} : { clock: this.#options.clock });
    // a stream that nobody reads must not hide that the connection is gone
    this.#socket.once("close", () => {
      for (const stream of this.#streams.values()) stream.letGo();
    });
    try {
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false })) {
        for (const frame of this.#frames.read(chunk as Buffer)) {
          await this.#take(frame);
          if (slice.due()) await slice.pause();
        }
        if (this.#socket.writableLength > maxUnsent) await roomIn(this.#socket);
      }
    } catch (error) {
      failure = asError(error);
      isBroken = true;
    }
    for (const answer of this.#replies.values()) answer(failure);
    this.#replies.clear();
    for (const stream of this.#streams.values()) stream.cut(failure);
    await new Promise<void>((resolve) => {
      if (this.#socket.closed) return resolve();
      this.#socket.once("close", () => resolve());
      // the bytes that were written before the other side ended still go out
      if (isBroken || this.#socket.writableFinished) this.#socket.destroy();
      else this.#socket.end(() => this.#socket.destroy());
    });
  }

  #take(frame: SpdyFrame): Promise<void> | undefined {
    if (frame.type === "control") {
      this.#control(frame.kind, frame.flags, frame.payload);
      return undefined;
    }
    const stream = this.#streams.get(frame.id);
    if (stream === undefined) return undefined;
    const waits = stream.receive(frame.bytes);
    if (frame.fin) stream.receiveEnd();
    return this.#socket.closed ? undefined : waits;
  }

  #control(kind: number, flags: number, payload: Buffer): void {
    if (kind === frameType.settings || kind === frameType.window || payload.length < 4) return;
    const first = payload.readUInt32BE(0);
    const id = first & 0x7fff_ffff;
    if (kind === frameType.open) this.#opened(id, (flags & finFlag) !== 0, payload);
    else if (kind === frameType.reply || kind === frameType.headers) {
      this.#reader.read(payload.subarray(4));
      if (kind === frameType.reply) this.#answered(id);
      if ((flags & finFlag) !== 0) this.#streams.get(id)?.receiveEnd();
    } else if (kind === frameType.reset) {
      const error = new Error("the other side cancelled the stream");
      this.#answered(id, error);
      const stream = this.#streams.get(id);
      this.#streams.delete(id);
      stream?.destroy(error);
    } else if (kind === frameType.ping && first % 2 !== this.#nextId % 2) {
      this.#send(controlFrame(frameType.ping, numbers(first)));
    }
  }

  #answered(id: number, error?: Error): void {
    this.#replies.get(id)?.(error);
    this.#replies.delete(id);
  }

  #opened(id: number, isEnded: boolean, payload: Buffer): void {
    const headers = this.#reader.read(payload.subarray(10));
    if (id <= this.#lastTheirs || id % 2 === this.#nextId % 2) {
      this.#send(controlFrame(frameType.reset, numbers(id, invalidStream)));
      return;
    }
    this.#lastTheirs = id;
    const { onStream, maxStreams = 1_000 } = this.#options;
    if (onStream === undefined || this.#streams.size >= maxStreams) {
      this.#send(controlFrame(frameType.reset, numbers(id, refused)));
      return;
    }
    const stream = new SpdyStream(id, headers, this.#owner);
    this.#streams.set(id, stream);
    this.#send(controlFrame(frameType.reply, Buffer.concat([numbers(id), this.#writer.write(new Map())])));
    if (isEnded) stream.receiveEnd();
    onStream(stream);
  }

  #send(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes);
  }

  #sendData(id: number, { bytes, fin }: { bytes: Buffer; fin: boolean }, done: (error?: Error | null) => void): void {
    if (!this.#socket.writable) return done(new Error("the connection is closed"));
    this.#socket.write(Buffer.concat([dataHead(id, bytes.length, fin), bytes]), done);
  }

  #gone(id: number, isWhole: boolean): void {
    const isKnown = this.#streams.delete(id);
    if (isKnown && !isWhole) this.#send(controlFrame(frameType.reset, numbers(id, cancelled)));
  }
}
