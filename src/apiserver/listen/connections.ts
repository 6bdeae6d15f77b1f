/** Keeps the open connections of a listener, and knows which have not carried an authenticated request yet. */
import type { Socket } from "node:net";
import { systemClock } from "../../base/index.js";

/**
 * The address and port that identify an open connection; the same on the raw socket and on the TLS or HTTP/2 connection
 * over it.
 */
interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

const nameOf = ({ remoteAddress, remotePort }: Peer): string => `${remoteAddress} ${remotePort}`;

/** A socket or response that closes by itself, or is destroyed. */
interface Ending {
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

const graceMs = 2_000;

/** Leaves written bytes some time to go out, then destroys the socket or response. Waits for the peer, so it uses real time. */
export function endSoon(ending: Ending): void {
  const timer = systemClock.timer(graceMs, () => void ending.destroy());
  ending.once("close", () => timer[Symbol.dispose]());
}

/**
 * A stranger is a connection that has not carried an authenticated request yet. There are at most `#maxStrangers`; a
 * further one takes the place of the oldest, so that clients that only connect cannot keep others out.
 * Invariant: `#strangers` is a subset of `#sockets`, in the order of arrival.
 */
export class Connections {
  readonly #maxStrangers: number;
  readonly #sockets = new Set<Socket>();
  readonly #strangers = new Map<string, Socket>();

  constructor(maxStrangers: number) {
    this.#maxStrangers = maxStrangers;
  }

  add(socket: Socket): void {
    const name = nameOf(socket);
    this.#sockets.add(socket);
    this.#strangers.set(name, socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      if (this.#strangers.get(name) === socket) this.#strangers.delete(name);
    });
    if (this.#strangers.size <= this.#maxStrangers) return;
    const [[oldest, stranger] = ["", socket]] = this.#strangers;
    this.#strangers.delete(oldest);
    stranger.destroy();
  }

  /** The connection has carried an authenticated request: it is no stranger any more. */
  welcome(peer: Peer): void {
    this.#strangers.delete(nameOf(peer));
  }

  /** Ends all connections; resolves when all are closed. */
  async end(): Promise<void> {
    const closed = [...this.#sockets].map((socket) => {
      endSoon(socket);
      const done = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      socket.destroySoon();
      return done;
    });
    await Promise.all(closed);
  }
}
