/** What leaves on an HTTP/2 connection, in order, as much at a time as the server takes. From session.ts; to the socket. */
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

/** A request as it is being sent. */
export interface Sending {
  readonly id: number;
  /** How much the server takes of this one. */
  sendWindow: number;
  /** What is left of its body. */
  unsent: Uint8Array | undefined;
  /** Whether anything of it has left this process. */
  flushed: boolean;
}

/** The most bytes of answers to PING and SETTINGS that may wait for a server that does not read: none has reason to want more. */
const maxReplyBytes = 1024 * 1024;

/**
 *  1. `frames` waits for the end of this turn at the latest; whatever waits leaves in one write.
 *  2. `blocked` holds the requests that have something unsent; each waits for its own window or the connection's.
 *  3. `replies` counts the bytes of all replies since the socket last had nothing left to write.
 *  4. No window is overdrawn by sending; one may be below 0 after the server has made it smaller.
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

  /** `isBusy` says whether there are other requests under way. */
  constructor(socket: Socket, isBusy: () => boolean) {
    this.#socket = socket;
    this.#isBusy = isBusy;
  }

  send(bytes: Buffer): void {
    if (this.#hasEnded) return;
    this.#frames.push(bytes);
    if (this.#isDue) return;
    this.#isDue = true;
    // among many, after all that has arrived is read and has been gone on with: those requests leave together, which spares
    // both sides work; one that is alone does not wait for that
    if (this.#isBusy()) setImmediate(this.#flush);
    else process.nextTick(this.#flush);
  }

  /** Sends an answer that the server has asked for. Throws a ProtocolViolation if it asks for more than it reads. */
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

  /** Begins a request: its headers, then as much of its body as may be sent. */
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

  /** The server takes so much more: of one request, or of all together. */
  grant(sending: Sending | undefined, bytes: number): void {
    const window = (sending === undefined ? this.#window : sending.sendWindow) + bytes;
    if (window > maxWindowBytes) throw new ProtocolViolation("a window that is too large");
    if (sending === undefined) {
      this.#window = window;
      for (const blocked of this.#blocked) this.#pump(blocked);
    } else {
      sending.sendWindow = window;
      if (this.#blocked.has(sending)) this.#pump(sending);
    }
  }

  /** Nothing more is to be sent of it. */
  drop(sending: Sending): void {
    this.#blocked.delete(sending);
  }

  /** The last words. */
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
