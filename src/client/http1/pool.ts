/** The HTTP/1.1 connections to one server, kept while they are of use. */
import { defined } from "../../base/defined.js";
import type { OnReadOpts } from "node:net";
import { abortable, type Clock, type HttpRequest, type HttpResponse } from "../../base/index.js";
import type { ConnectionError } from "../failure.js";
import type { Dialled } from "../transport/dial.js";
import type { TlsMaterial } from "../transport/endpoint.js";
import { proxyAuthorization } from "../transport/proxy-tunnel.js";
import { Http1Connection } from "./connection.js";
import { type HeadWriter, headWriter } from "./head.js";

export interface Http1PoolOptions {
  readonly origin: URL;
  readonly clock: Clock;
  /** The proxy that gets the whole URL of each request, if the server is reached through one. */
  readonly forwarder?: URL | undefined;
  dial(signal: AbortSignal, onread: OnReadOpts | undefined): Promise<Dialled>;
}

/**
 * Idle connections above this number are closed. As many as a busy client has requests open, or each burst opens
 * connections anew.
 */
const mostIdle = 100;

/**
 * Invariants:
 * 1. `#idle` holds the open connections without an exchange, the one used last at the end.
 * 2. `#all` holds every connection that is not closed, so that closing the pool ends them.
 */
export class Http1Pool {
  readonly #options: Http1PoolOptions;
  readonly #writeHead: HeadWriter;
  readonly #closing: AbortController = new AbortController();
  readonly #all: Set<Http1Connection> = new Set();
  #material: TlsMaterial | undefined;
  #idle: { readonly connection: Http1Connection; readonly untilMs: number }[] = [];

  constructor(options: Http1PoolOptions) {
    const { origin, forwarder } = options;
    const login = forwarder && proxyAuthorization(forwarder);
    this.#options = options;
    this.#writeHead = headWriter({
      host: origin.host,
      ...defined({ "proxy-authorization": login }),
    });
  }

  request(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const { origin, forwarder } = this.#options;
    const outgoing = forwarder === undefined ? request : { ...request, path: origin.origin + request.path };
    let head: string;
    try {
      head = this.#writeHead(outgoing);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    const kept = this.#take();
    if (kept !== undefined) return kept.request(outgoing, head, signal);
    return this.#opened(signal).then((connection) => connection.request(outgoing, head, signal));
  }

  /** From now on requests use connections with these certificates. */
  retireUnless(material: TlsMaterial): void {
    this.#material = material;
    for (const { connection } of this.#idle) if (connection.material !== material) connection.destroy();
  }

  close(reason: ConnectionError): void {
    this.#closing.abort(reason);
    for (const connection of this.#all) connection.destroy(reason);
  }

  #take(): Http1Connection | undefined {
    const nowMs = this.#options.clock.monotonic();
    for (;;) {
      const last = this.#idle.pop();
      if (last === undefined) return undefined;
      if (last.connection.isOpen && last.untilMs > nowMs) return last.connection;
      last.connection.destroy();
    }
  }

  async #opened(signal: AbortSignal): Promise<Http1Connection> {
    const opening = this.#open();
    try {
      return await abortable(opening, signal);
    } catch (error) {
      // a connection that its caller no longer waits for serves the next request
      opening.then(
        (connection) => this.#free(connection),
        () => {},
      );
      throw error;
    }
  }

  async #open(): Promise<Http1Connection> {
    const { origin, forwarder } = this.#options;
    const connection = new Http1Connection({
      origin,
      forwarder,
      onFree: (free) => this.#free(free),
      onClosed: (closed) => {
        this.#all.delete(closed);
        this.#idle = this.#idle.filter((idle) => idle.connection !== closed);
      },
    });
    const { signal } = this.#closing;
    const dialled = await this.#options.dial(signal, origin.protocol === "http:" ? connection.readInto() : undefined);
    connection.attach(dialled);
    this.#all.add(connection);
    if (signal.aborted) connection.destroy();
    return connection;
  }

  #free(connection: Http1Connection): void {
    const isRetired = this.#material !== undefined && connection.material !== this.#material;
    if (isRetired || this.#idle.length >= mostIdle) return connection.destroy();
    this.#idle.push({ connection, untilMs: this.#options.clock.monotonic() + connection.keptMs });
  }
}
