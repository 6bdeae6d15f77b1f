/** The HTTP/2 connections to one server: as few as possible. */
import { abortable, abortReason, type Clock, type HttpRequest, type HttpResponse } from "../../base/index.js";
import { ConnectionError } from "../failure.js";
import type { Dialled } from "../transport/dial.js";
import type { TlsMaterial } from "../transport/endpoint.js";
import { Http2Session } from "./session.js";

export interface Http2PoolOptions {
  readonly origin: URL;
  readonly clock: Clock;
  readonly readIdleMs: number;
  readonly pingTimeoutMs: number;
  /** Gives a connection on which the server has chosen h2; undefined if it did not. */
  dial(signal: AbortSignal): Promise<Dialled | undefined>;
}

/**
 * Invariants:
 * 1. `#sessions` holds the sessions that accept requests; a retired one leaves at once and lives on until its streams
 *    end.
 * 2. `#all` holds every session that is not closed, so that closing the pool ends them.
 * 3. At most one connection is being opened at a time; waiting requests look again when it is there.
 */
export class Http2Pool {
  readonly #options: Http2PoolOptions;
  readonly #closing: AbortController = new AbortController();
  readonly #all: Set<Http2Session> = new Set();
  #sessions: Http2Session[] = [];
  #dialling: Promise<boolean> | undefined;

  constructor(options: Http2PoolOptions) {
    this.#options = options;
  }

  /** Undefined if no connection has room; the common case needs no waiting. */
  requestNow(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> | undefined {
    return this.#withRoom()?.request(request, signal);
  }

  /** Undefined if the server does not speak HTTP/2. */
  async request(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse | undefined> {
    for (;;) {
      if (this.#closing.signal.aborted) throw abortReason(this.#closing.signal);
      const session = this.#withRoom();
      if (session !== undefined) return session.request(request, signal);
      this.#dialling ??= this.#open();
      if (!(await abortable(this.#dialling, signal))) return undefined;
    }
  }

  /** New requests go to new connections; open requests end where they are. */
  retireUnless(material: TlsMaterial): void {
    for (const session of this.#sessions) if (session.material !== material) session.retire();
  }

  close(reason: ConnectionError): void {
    this.#closing.abort(reason);
    for (const session of this.#all) session.destroy(reason);
    this.#all.clear();
  }

  /** The first session with room, so that the others run empty and can be closed. */
  #withRoom(): Http2Session | undefined {
    return this.#sessions.find((session) => session.hasRoom);
  }

  async #open(): Promise<boolean> {
    try {
      const { origin, clock, readIdleMs, pingTimeoutMs } = this.#options;
      const dialled = await this.#options.dial(this.#closing.signal);
      if (dialled === undefined) return false;
      const { socket, material } = dialled;
      if (this.#closing.signal.aborted) {
        socket.destroy();
        throw abortReason(this.#closing.signal);
      }
      const session = new Http2Session({
        socket,
        origin,
        material,
        clock,
        readIdleMs,
        pingTimeoutMs,
        onRetired: (retired) => {
          this.#sessions = this.#sessions.filter((other) => other !== retired);
          if (retired.active === 0) this.#all.delete(retired);
        },
        onFreed: (freed) => this.#freed(freed),
      });
      this.#all.add(session);
      try {
        await session.ready();
      } finally {
        // the session may have been retired since, or have failed
        if (!session.retired) this.#sessions.push(session);
        else if (session.active === 0) this.#all.delete(session);
      }
      return true;
    } finally {
      this.#dialling = undefined;
    }
  }

  /** Closes a connection that was opened for a burst when the others have room to spare. */
  #freed(freed: Http2Session): void {
    if (freed.active > 0) return;
    if (freed.retired) {
      this.#all.delete(freed);
      return;
    }
    if (this.#sessions.length === 1) return;
    const others = this.#sessions.filter((session) => session !== freed);
    if (others.some((session) => session.hasRoom && session.active < session.limit / 2)) freed.retire();
  }
}
