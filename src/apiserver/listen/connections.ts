/** The connections of a listener: which there are, and which have not shown yet whose they are. Used by the listener. */
import type { Socket } from "node:net";
import { systemClock } from "../../base/index.js";

/** What tells a connection from all others that are open, on the raw socket and on whatever is spoken over it. */
type Peer = Pick<Socket, "remoteAddress" | "remotePort">;

const nameOf = ({ remoteAddress, remotePort }: Peer): string => `${remoteAddress} ${remotePort}`;

/** What ends by itself, or is made to. */
interface Ending {
  once(event: "close", listener: () => void): unknown;
  destroy(): unknown;
}

const graceMs = 2_000;

/** What was written may still go out; whoever does not take it is cut off. That is between two machines, and goes by their time. */
export function endSoon(ending: Ending): void {
  const timer = systemClock.timer(graceMs, () => void ending.destroy());
  ending.once("close", () => timer[Symbol.dispose]());
}

/**
 * A stranger is a connection that has not carried a request of somebody known yet. There are at most so many; a new one takes the
 * place of the one that has been a stranger for longest, so that those who only connect keep nobody out.
 * Invariant: `#strangers` holds some of `#sockets`, in the order in which they came.
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

  /** Whoever is at the other end is known from now on. */
  welcome(peer: Peer): void {
    this.#strangers.delete(nameOf(peer));
  }

  /** Resolves when there is none any more. */
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
