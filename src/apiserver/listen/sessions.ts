/** Looks after HTTP/2 connections, which Node leaves open: ends idle ones, and cuts those whose peer is silent. */
import type { ServerHttp2Session } from "node:http2";
import type { Clock, Timer } from "../../base/index.js";

/** The interval of checks. A connection with requests must answer a ping from one check to the next. */
const checkEveryMs = 30_000;
/** A connection without a request for this long is ended. */
const idleMs = 180_000;

interface Care {
  streams: number;
  idleSince: number;
  /** True while a ping is unanswered. */
  asked: boolean;
}

/** Invariant: the timer is armed exactly while there are sessions. */
export class Sessions implements Disposable {
  readonly #clock: Clock;
  readonly #sessions = new Map<ServerHttp2Session, Care>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(session: ServerHttp2Session): void {
    const care: Care = { streams: 0, idleSince: this.#clock.monotonic(), asked: false };
    this.#sessions.set(session, care);
    session.on("stream", (stream) => {
      care.streams++;
      stream.once("close", () => {
        care.streams--;
        care.idleSince = this.#clock.monotonic();
      });
    });
    session.once("close", () => {
      this.#sessions.delete(session);
      if (this.#sessions.size === 0) this[Symbol.dispose]();
    });
    this.#arm();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer ??= this.#clock.timer(checkEveryMs, () => {
      this.#timer = undefined;
      for (const [session, care] of this.#sessions) this.#check(session, care);
      if (this.#sessions.size > 0) this.#arm();
    });
  }

  #check(session: ServerHttp2Session, care: Care): void {
    if (session.destroyed) return;
    if (care.asked) return session.destroy();
    if (care.streams === 0) {
      if (this.#clock.monotonic() - care.idleSince >= idleMs) session.close();
      return;
    }
    care.asked = true;
    session.ping(() => {
      care.asked = false;
    });
  }
}
