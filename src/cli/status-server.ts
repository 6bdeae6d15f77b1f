/** Serves /healthz, /readyz, /metrics and the debug pages of controllers over plain HTTP, for people, probes and scrapers. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isLoopback, type Logger, type MetricsRegistry } from "../base/index.js";
import { isUnnamedHost } from "../base/machine/loopback.js";
import type { RunningControllers } from "../builtin/index.js";
import { Page, type PageSources } from "../dashboard/index.js";
import { type Answer, type HttpServer, metricsAnswer, startHttpServer } from "../manager/http/http-server.js";
import { debugPage } from "../manager/index.js";

export interface StatusServerOptions {
  readonly host: string;
  /** 0 takes any free port. If the port is busy, that is logged and a free one taken. */
  readonly port: number;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
  /** The reason why the program is not ready; undefined if it is. */
  notReady(): string | undefined | Promise<string | undefined>;
  /**
   * Whether these credentials (the value of `Authorization`) may read metrics and debug pages. Called if other machines
   * can reach the address; by default nobody may.
   */
  mayRead?(authorization: string): Promise<boolean>;
  /** The controllers that the debug pages show; undefined while none are at work. */
  controllers?(): RunningControllers | undefined;
  /** The state that the page at `/` shows; there is no page without it. */
  readonly page?: PageSources | undefined;
}

export interface StatusServer extends HttpServer {
  /** The address of the page, with the token that it wants where other machines can reach it; undefined if there is none. */
  readonly pageUrl: string | undefined;
}

/** Resolves once the server listens; disposing closes it and its connections, and waits for that. */
export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const { host, port, log } = options;
  const token = isLoopback(host) ? undefined : randomBytes(16).toString("hex");
  const page = options.page && new Page(options.page, { token });
  const listen = async (on: number): Promise<StatusServer> => {
    const answered = (request: IncomingMessage): Promise<Answer> => answer(request, options);
    const server = await startHttpServer({ host, port: on, log, page, answer: answered });
    const pageUrl = page && `${server.url}/${token === undefined ? "" : `?token=${token}`}`;
    return { url: server.url, pageUrl, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };
  try {
    return await listen(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || port === 0) throw error;
    log.warn("the status port is in use, a free one is taken", { port });
    return listen(0);
  }
}

const text = (status: number, body: string): Answer => ({ status, body });

async function answer(request: IncomingMessage, options: StatusServerOptions): Promise<Answer> {
  const isLocal = isLoopback(options.host);
  if (isLocal && !isUnnamedHost(request.headers.host ?? "")) return text(403, "ask for localhost or an address\n");
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
  return page === undefined ? metricsAnswer(request, options.metrics) : { status: 200, ...page };
}
