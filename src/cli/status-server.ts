/** Answers /healthz, /readyz and /metrics over plain HTTP, for people, probes and scrapers. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expositionContentType, type Logger, type MetricsRegistry } from "../base/index.js";

export interface StatusServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
}

export interface StatusServer extends AsyncDisposable {
  readonly url: string;
}

/** Resolves once the server listens; disposing closes it and its connections, and waits for that. */
export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const server = createServer((request, response) => answer(request, response, options.metrics));
  server.on("clientError", (error) => options.log.debug("bad request to the status server", { error }));
  server.listen(options.port, options.host);
  await once(server, "listening");
  const { address, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    [Symbol.asyncDispose]: () => close(server),
  };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function answer(request: IncomingMessage, response: ServerResponse, metrics: MetricsRegistry): void {
  const path = (request.url ?? "/").split("?")[0];
  if (request.method !== "GET" && request.method !== "HEAD") {
    return reply(response, { status: 405, type: plainText, body: "method not allowed\n" });
  }
  switch (path) {
    case "/healthz":
    case "/livez":
    case "/readyz":
      return reply(response, { status: 200, type: plainText, body: "ok" });
    case "/metrics": {
      const format = request.headers.accept?.includes("application/openmetrics-text") ? "openmetrics" : "prometheus";
      return reply(response, { status: 200, type: expositionContentType[format], body: metrics.expose({ format }) });
    }
    default:
      return reply(response, { status: 404, type: plainText, body: "not found\n" });
  }
}

const plainText = "text/plain; charset=utf-8";

function reply(response: ServerResponse, { status, type, body }: { status: number; type: string; body: string }): void {
  response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff" });
  response.end(body);
}
