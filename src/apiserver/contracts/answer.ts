/** An answer of the server's handler, with the things that plain HTTP data cannot say. */
import type { Duplex } from "node:stream";
import type { HttpResponse } from "../../base/index.js";

export interface Answer extends HttpResponse {
  /** True for the answer of another server, which is passed on as it is. */
  readonly forwarded?: true;
  /** With status 101: carries the bytes of the client's connection in both directions until either side ends. */
  readonly tunnel?: Tunnel;
  /** With status 101: the client's connection becomes a WebSocket. */
  readonly channel?: Channel;
}

export interface Channel {
  /** The subprotocol of the handshake. */
  readonly protocol: string | undefined;
  /**
   * Takes a `WebSocket` of the package ws, whose types users of this package need not have. Resolves when it is closed;
   * never rejects.
   */
  carry(socket: object): Promise<void>;
  /** Called in place of `carry` if the client's handshake is malformed. */
  unwanted(): void;
}

/** Resolves when both connections are closed; never rejects. */
export type Tunnel = (client: Duplex) => Promise<void>;
