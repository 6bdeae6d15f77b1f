/** The outgoing bytes of an HTTP/2 connection, in order, within the server's flow-control windows (RFC 9113, section 5.2). */
import type { Socket } from "node:net";
import { ProtocolViolation } from "../transport/headers.js";
import {
  defaultFrameBytes,
  defaultWindowBytes,
  errorCodes,
  frame,
  frameFlags,
  frameTypes,
  headBytes,
  maxWindowBytes,
  writeHead,
} from "./frames.js";

/** A request that is being sent. */
export interface Sending {
  readonly id: number;
  /** The bytes that the server still accepts for this request. */
  sendWindow: number;
  /** The unsent rest of its body. */
  unsent: Uint8Array | undefined;
  /** Whether any byte of it has left this process. */
  flushed: boolean;
}

/** Limit on the replies to PING and SETTINGS that wait for a server that does not read. */
const maxReplyBytes = 1024 * 1024;

/**
 * Invariants:
 * 1. Frames in `#frames` wait until the end of this turn at the latest; all waiting frames leave in one write.
 * 2. `#blocked` holds the requests with unsent bytes; each waits for its own window or the connection's.
 * 3. `#replies` counts the bytes of all replies since the socket last had nothing left to write.
 * 4. Sending never overdraws a window; a window may be below 0 after the server has reduced it.
 */
export class Outbox {
  /** The largest frame that the server takes. */
  maxFrameBytes: number = defaultFrameBytes;
  readonly #socket: Socket;
  readonly #isBusy: () => boolean;
  readonly #blocked: Set<Sending> = new Set();
  #window = defaultWindowBytes;
  #frames: Buffer[] = [];
  #leaving: Sending[] = [];
  #replies = 0;
  #isDue = false;
  #hasEnded = false;

  /** `isBusy` tells whether other requests are under way. */
  constructor(socket: Socket, isBusy: () => boolean) {
    this.#socket = socket;
    this.#isBusy = isBusy;
  }

  send(bytes: Buffer): void {
    if (this.#hasEnded) return;
    this.#frames.push(bytes);
    if (this.#isDue) return;
    this.#isDue = true;
    // with many requests: after everything that has arrived was handled, so that they leave together, which spares both
    // sides work; a single request does not wait for that
    if (this.#isBusy()) setImmediate(this.#flush);
    else process.nextTick(this.#flush);
  }

  /** Sends a reply that the server has asked for. Throws a ProtocolViolation if it asks for more than it reads. */
  reply(bytes: Buffer): void {
    if (this.#replies > 0 && this.#frames.length === 0 && this.#socket.writableLength === 0) this.#replies = 0;
    this.#replies += bytes.length;
    if (this.#replies > maxReplyBytes) {
      throw new ProtocolViolation(
        `it does not read ${maxReplyBytes} bytes of answers to PING and SETTINGS (RFC 9113, 10.5)`,
      );
    }
    this.send(bytes);
  }

  /** Begins a request: its headers, then as much of its body as the windows allow. */
  open(sending: Sending, block: Buffer): void {
    const { id, unsent } = sending;
    this.#leaving.push(sending);
    const end = unsent === undefined ? frameFlags.endStream : 0;
    const first = block.subarray(0, this.maxFrameBytes);
    const isWhole = first.length === block.length;
    const flags = end | (isWhole ? frameFlags.endHeaders : 0);
    this.send(frame({ type: frameTypes.headers, flags, stream: id }, first));
    for (let from = first.length; from < block.length; from += this.maxFrameBytes) {
      const part = block.subarray(from, from + this.maxFrameBytes);
      const last = from + part.length === block.length;
      this.send(frame({ type: frameTypes.continuation, flags: last ? frameFlags.endHeaders : 0, stream: id }, part));
    }
    if (unsent !== undefined) this.#pump(sending);
  }

  /** The server accepts this many bytes more, for one request or for the whole connection. */
  grant(sending: Sending | undefined, bytes: number): void {
    const window = (sending === undefined ? this.#window : sending.sendWindow) + bytes;
    if (window > maxWindowBytes) throw new ProtocolViolation("a window that is too large (RFC 9113, 6.9.1)");
    if (sending === undefined) {
      this.#window = window;
      for (const blocked of this.#blocked) this.#pump(blocked);
    } else {
      sending.sendWindow = window;
      if (this.#blocked.has(sending)) this.#pump(sending);
    }
  }

  /** Called when nothing more of the request is to be sent. */
  drop(sending: Sending): void {
    this.#blocked.delete(sending);
  }

  /** Sends a GOAWAY as the last frame. */
  end(): void {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(errorCodes.none, 4);
    this.send(frame({ type: frameTypes.goaway, flags: 0, stream: 0 }, payload));
    this.#flush();
    this.#hasEnded = true;
    this.#socket.destroySoon();
  }

  #pump(sending: Sending): void {
    let rest = sending.unsent;
    while (rest !== undefined) {
      const length = Math.min(rest.length, this.#window, sending.sendWindow, this.maxFrameBytes);
      if (length <= 0 && rest.length > 0) break;
      const isLast = length === rest.length;
      const bytes = Buffer.allocUnsafe(headBytes + length);
      const flags = isLast ? frameFlags.endStream : 0;
      bytes.set(
        rest.subarray(0, length),
        writeHead(bytes, 0, length, { type: frameTypes.data, flags, stream: sending.id }),
      );
      this.send(bytes);
      this.#window -= length;
      sending.sendWindow -= length;
      rest = isLast ? undefined : rest.subarray(length);
    }
    sending.unsent = rest;
    if (rest === undefined) this.#blocked.delete(sending);
    else this.#blocked.add(sending);
  }

  readonly #flush = (): void => {
    this.#isDue = false;
    const frames = this.#frames;
    if (frames.length === 0 || this.#socket.destroyed) return;
    this.#frames = [];
    for (const sending of this.#leaving) sending.flushed = true;
    this.#leaving = [];
    this.#socket.write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
  };
}
