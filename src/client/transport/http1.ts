/** HTTP/1.1 with kept connections, for plain HTTP and for servers without HTTP/2. From http-transport.ts; to node:http. */
import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type HttpRequest, type HttpResponse, onAbort } from "../../base/index.js";
import { ConnectionError } from "../request/failure.js";
import { BodyQueue } from "./body-queue.js";
import { brokenConnection, type Dialled } from "./dial.js";
import { hostOf, portOf, printable } from "./endpoint.js";
import { proxyAuthorization, refusedBy } from "./proxy-tunnel.js";

export interface Http1Options {
  readonly origin: URL;
  /** The proxy that is asked for each request by its whole URL, if that is how the server is reached. */
  readonly forwarder?: URL | undefined;
  dial(signal: AbortSignal): Promise<Dialled>;
}

type Http = typeof import("node:http");

/** Loads node:http, which those who speak HTTP/2 do not need. */
export async function openHttp1(options: Http1Options): Promise<Http1Connections> {
  return new Http1Connections(options, await import("node:http"));
}

export class Http1Connections {
  readonly #options: Http1Options;
  readonly #http: Http;
  readonly #agent: Agent;
  readonly #closing: AbortController = new AbortController();

  constructor(options: Http1Options, http: Http) {
    this.#options = options;
    this.#http = http;
    this.#agent = new http.Agent({ keepAlive: true, maxFreeSockets: 25 });
    // dials by our rules (proxy, TLS) instead of node's
    this.#agent.createConnection = (_options, done) => {
      options.dial(this.#closing.signal).then(
        ({ socket }) => done?.(null, socket),
        (error: Error) => done?.(error, undefined as unknown as Duplex),
      );
      return undefined;
    };
  }

  close(): void {
    this.#closing.abort(new ConnectionError("closed", "the client was closed"));
    this.#agent.destroy();
  }

  request(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const { origin, forwarder } = this.#options;
    const login = forwarder && proxyAuthorization(forwarder);
    return new Promise((resolve, reject) => {
      const message = this.#http.request({
        agent: this.#agent,
        host: hostOf(origin),
        port: portOf(origin),
        method: request.method,
        path: forwarder === undefined ? request.path : origin.origin + request.path,
        headers: {
          host: origin.host,
          ...(login === undefined ? {} : { "proxy-authorization": login }),
          ...(request.headers as Record<string, string | string[]>),
          // node frames the body of a DELETE only if it is told its length
          ...(request.body === undefined ? {} : { "content-length": request.body.length }),
        },
      });
      let queue: BodyQueue | undefined;
      const fail = (error: Error, dropRest = false): void => {
        queue?.fail(error, { dropRest });
        reject(error);
      };
      const aborting = onAbort(signal, (reason) => {
        fail(reason, true);
        message.destroy();
      });
      message.on("error", (error) => fail(failureOf(origin, error)));
      message.once("close", () => {
        aborting[Symbol.dispose]();
        fail(new ConnectionError("closed", `${printable(origin)} closed the connection`));
      });
      message.once("response", (response) => {
        if (forwarder !== undefined && response.statusCode === 407) {
          fail(refusedBy(forwarder, `407 ${response.statusMessage ?? ""}`));
          return void message.destroy();
        }
        queue = bodyOf(message, response, origin);
        resolve({ status: response.statusCode ?? 0, headers: headersOf(response), body: queue });
      });
      if (request.body === undefined) message.end();
      else message.end(request.body);
    });
  }
}

function bodyOf(message: ClientRequest, response: IncomingMessage, origin: URL): BodyQueue {
  const queue = new BodyQueue({
    pause: () => response.pause(),
    resume: () => response.resume(),
    cancel: () => message.destroy(),
  });
  response.on("data", (chunk: Buffer) => queue.push(chunk));
  response.once("end", () => queue.end());
  response.on("error", (error) => queue.fail(failureOf(origin, error)));
  return queue;
}

function headersOf(response: IncomingMessage): HttpResponse["headers"] {
  return response.headers as HttpResponse["headers"];
}

function failureOf(origin: URL, error: Error): ConnectionError {
  return error instanceof ConnectionError ? error : brokenConnection(origin, error);
}
