/** Serves /healthz, /readyz, /metrics and the debug pages of controllers over plain HTTP, for people, probes and scrapers. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import type { RunningControllers } from "../builtin/index.js";
import { debugPage } from "../manager/index.js";
import { expositionContentType, isLoopback, type Logger, type MetricsRegistry } from "../base/index.js";

export interface StatusServerOptions {
  readonly host: string;
  /** 0 takes any free port. If the port is busy, that is logged and a free one taken. */
  readonly port: number;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
  /** The reason why the program is not ready; undefined if it is. */
  notReady(): string | undefined | Promise<string | undefined>;
  /**
   * Whether these credentials (the value of `Authorization`) may read metrics and debug pages. Called if other machines can reach the
   * address; by default nobody may.
   */
  mayRead?(authorization: string): Promise<boolean>;
  /** The controllers that the debug pages show; undefined while none are at work. */
  controllers?(): RunningControllers | undefined;
}

export interface StatusServer extends AsyncDisposable {
  readonly url: string;
}

/** Resolves once the server listens; disposing closes it and its connections, and waits for that. */
export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const { host, log } = options;
  const server = createServer((request, response) => {
    answer(request, options).then(
      (said) => reply(response, said),
      (error: unknown) => {
        log.error("a request to the status server failed", { error });
        reply(response, text(500, "internal error\n"));
      },
    );
  });
  server.on("clientError", (error, socket) => {
    log.debug("bad request to the status server", { error });
    socket.destroy();
  });
  try {
    await listening(server, options.port, host);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || options.port === 0) throw error;
    log.warn("the status port is in use, a free one is taken", { port: options.port });
    await listening(server, 0, host);
  }
  const { address, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    [Symbol.asyncDispose]: () => close(server),
  };
}

async function listening(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

interface Said {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const text = (status: number, body: string): Said => ({ status, type: "text/plain; charset=utf-8", body });

async function answer(request: IncomingMessage, options: StatusServerOptions): Promise<Said> {
  if (request.method !== "GET" && request.method !== "HEAD") return text(405, "method not allowed\n");
  const isLocal = isLoopback(options.host);
  // a page in a local browser may have its own host name resolve to this address (DNS rebinding)
  if (isLocal && !namesThisMachine(request.headers.host)) return text(403, "ask for localhost or an address\n");
  const { url = "/" } = request;
  const path = url.split("?")[0] ?? "";
  switch (path) {
    case "/healthz":
    case "/livez":
      return text(200, "ok");
    case "/readyz": {
      const why = await options.notReady();
      return why === undefined ? text(200, "ok") : text(503, `not ready: ${why}\n`);
    }
  }
  const running = options.controllers?.();
  const page = running && debugPage(url, { journal: running.journal, controllers: running.snapshots() });
  if (page === undefined && path !== "/metrics") return text(404, "not found\n");
  if (!isLocal && !(await options.mayRead?.(request.headers.authorization ?? ""))) {
    return text(401, "metrics need the credentials of somebody who may read them\n");
  }
  return page === undefined ? metricsFor(request, options.metrics) : { status: 200, ...page };
}

function metricsFor({ headers }: IncomingMessage, metrics: MetricsRegistry): Said {
  const format = headers.accept?.includes("application/openmetrics-text") ? "openmetrics" : "prometheus";
  return { status: 200, type: expositionContentType[format], body: metrics.expose({ format }) };
}

function namesThisMachine(host = ""): boolean {
  const name = host.replace(/:\d+$/, "");
  return name === "localhost" || isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}

function reply(response: ServerResponse, { status, type, body }: Said): void {
  response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff" });
  response.end(body);
}
