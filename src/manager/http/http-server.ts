/** Serves probes, scrapers and people over plain HTTP: health, readiness, metrics, the journal, the state of the queues. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expositionContentType, type Logger, type MetricsRegistry } from "../../base/index.js";
import { debugPage, type ShownControllers } from "./debug-pages.js";
import type { ManagerMemory } from "../memory.js";

/** The parts of a manager that its pages show. */
export interface ShownManager extends ShownControllers {
  readonly metrics: MetricsRegistry;
  readonly elector: { problem(): string | undefined } | undefined;
  problems(): readonly string[];
  memory(): ManagerMemory;
}

/** The problems for which a replica should be sent no reviews; undefined if it has no webhooks. */
export type ReviewProblems = () => readonly string[] | undefined;

/** Handles one path, whatever the method: a webhook, a page. If it throws, the answer is 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** Adds a handler for a path; throws if the path does not begin with a slash, or has a handler already. */
export function addHandler(handlers: Map<string, HttpHandler>, path: string, handler: HttpHandler): void {
  if (!path.startsWith("/")) throw new Error(`a path begins with a slash, not ${JSON.stringify(path)}`);
  if (handlers.has(path)) throw new Error(`${path} has a handler already`);
  handlers.set(path, handler);
}

export interface HttpServerOptions {
  /** Handlers by path; they take precedence over `answer`. */
  readonly handlers?: ReadonlyMap<string, HttpHandler>;
  /** Answers `/` and everything below `/page/`; disposed with the server. */
  readonly page?: PageServer | undefined;
  /** Without one, all addresses, of IPv6 too where the machine has it. */
  readonly host?: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Answers a GET or HEAD of any other path. If it throws, the answer is 500. */
  answer(request: IncomingMessage): Answer | Promise<Answer>;
  readonly log: Logger;
}

/** The page's own answers; disposing ends its streams. */
export interface PageServer extends Disposable {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
}

/** Resolves once the server listens; disposing closes it and its connections, and waits for that. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, log, handlers, page } = options;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const path = (request.url ?? "/").split("?")[0] ?? "/";
      const handler = handlers?.get(path);
      if (handler !== undefined) return await handler(request, response);
      if (page !== undefined && (path === "/" || path.startsWith("/page/")))
        return await page.answer(request, response);
      const isRead = request.method === "GET" || request.method === "HEAD";
      reply(response, isRead ? await options.answer(request) : { status: 405, body: "method not allowed\n" });
    } catch (error) {
      log.error("answering a request failed", { url: request.url, error });
      if (response.headersSent) response.end();
      else reply(response, { status: 500, body: "internal error\n" });
    }
  };
  const server = createServer((request, response) => void respond(request, response));
  server.on("clientError", (error, socket) => {
    log.debug("bad request", { error });
    socket.destroy();
  });
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  const isAll = address.address === "::" || address.address === "0.0.0.0";
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${isAll ? "127.0.0.1" : name}:${address.port}`,
    async [Symbol.asyncDispose]() {
      page?.[Symbol.dispose]();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function reply(response: ServerResponse, { status, type = "text/plain; charset=utf-8", body }: Answer): void {
  response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff" }).end(body);
}

export interface Answer {
  readonly status: number;
  /** Plain text unless it is given. */
  readonly type?: string;
  readonly body: string;
}

/** The metrics in the format that the scraper asks for. */
export function metricsAnswer({ headers }: IncomingMessage, metrics: MetricsRegistry): Answer {
  const format = headers.accept?.includes("application/openmetrics-text") ? "openmetrics" : "prometheus";
  return { status: 200, type: expositionContentType[format], body: metrics.expose({ format }) };
}

/**
 * The pages of a manager. One that answers reviews is ready for them whatever else is wrong: a Service without ready
 * pods would make the server refuse the objects of all users. Its other problems stand in the answer.
 */
export function managerAnswer(request: IncomingMessage, manager: ShownManager, reviews: ReviewProblems): Answer {
  const { url = "/" } = request;
  switch (url.split("?")[0]) {
    case "/healthz":
    case "/livez": {
      const problem = manager.elector?.problem();
      return problem === undefined ? { status: 200, body: "ok" } : { status: 500, body: `${problem}\n` };
    }
    case "/readyz": {
      const problems = manager.problems();
      if (problems.length === 0) return { status: 200, body: "ok" };
      const isReady = reviews()?.length === 0;
      return {
        status: isReady ? 200 : 503,
        body: `${isReady ? "reviews are answered, but\n" : ""}${problems.join("\n")}\n`,
      };
    }
    case "/metrics":
      return metricsAnswer(request, manager.metrics);
    case "/debug/caches":
      return { status: 200, type: "application/json", body: JSON.stringify(manager.memory()) };
    default: {
      const page = debugPage(url, manager);
      return page === undefined ? { status: 404, body: "not found\n" } : { status: 200, ...page };
    }
  }
}
