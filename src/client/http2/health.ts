/** Detects that the other end of a connection is dead. Watches only while requests are open. */
import type { Socket } from "node:net";
import type { Clock, Timer } from "../../base/index.js";

export interface HealthOptions {
  readonly clock: Clock;
  readonly socket: Pick<Socket, "bytesRead">;
  /** After this time without a byte, the peer is pinged. */
  readonly readIdleMs: number;
  /** After this time without an answer to the ping, the peer counts as dead. */
  readonly pingTimeoutMs: number;
  readonly ping: () => void;
  readonly onDead: () => void;
}

/** Invariant: at most one timer is armed, and none between `rest` and `watch`. */
export class Health {
  readonly #options: HealthOptions;
  #timer: Timer | undefined;
  #bytesSeen = 0;
  #restedAtMs: number;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#restedAtMs = options.clock.monotonic();
  }

  /** Starts watching, because an answer is awaited. */
  watch(): void {
    if (this.#timer !== undefined) return;
    const { clock, socket, readIdleMs } = this.#options;
    // a connection that lay idle may have died unnoticed, so the first request on it pings at once
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

  /** Called when the ping was answered. */
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
