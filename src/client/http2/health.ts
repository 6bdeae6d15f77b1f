/** Tells whether the other end of a connection still lives. From session.ts, for as long as requests are open. */
import type { Socket } from "node:net";
import type { Clock, Timer } from "../../base/index.js";

export interface HealthOptions {
  readonly clock: Clock;
  readonly socket: Pick<Socket, "bytesRead">;
  /** Nothing read for this long: the peer is asked for a sign of life. */
  readonly readIdleMs: number;
  /** No answer to that for this long: it is dead. */
  readonly pingTimeoutMs: number;
  readonly ping: () => void;
  readonly onDead: () => void;
}

/** At most one timer is armed; none between `rest` and `watch`. */
export class Health {
  readonly #options: HealthOptions;
  #timer: Timer | undefined;
  #bytesSeen = 0;
  #restedAtMs: number;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#restedAtMs = options.clock.monotonic();
  }

  /** From now on something is waited for. */
  watch(): void {
    if (this.#timer !== undefined) return;
    const { clock, socket, readIdleMs } = this.#options;
    // a connection that lay idle may have died unseen: the first request on it asks at once
    const isStale = clock.monotonic() - this.#restedAtMs > readIdleMs && socket.bytesRead === this.#bytesSeen;
    if (isStale) this.#ask();
    else this.#wait();
  }

  rest(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#restedAtMs = this.#options.clock.monotonic();
    this.#bytesSeen = this.#options.socket.bytesRead;
  }

  /** The ping was answered. */
  pong(): void {
    if (this.#timer !== undefined) this.#wait();
  }

  #wait(): void {
    const { clock, socket, readIdleMs } = this.#options;
    this.#timer?.[Symbol.dispose]();
    this.#bytesSeen = socket.bytesRead;
    this.#timer = clock.timer(readIdleMs, () => {
      if (socket.bytesRead === this.#bytesSeen) this.#ask();
      else this.#wait();
    });
  }

  #ask(): void {
    const { clock, socket, pingTimeoutMs, ping, onDead } = this.#options;
    const before = socket.bytesRead;
    this.#timer = clock.timer(pingTimeoutMs, () => {
      if (socket.bytesRead === before) onDead();
      else this.#wait();
    });
    ping();
  }
}
