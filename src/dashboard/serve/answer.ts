/** Writes the page's answers: files with their cache rules, JSON, and refusals; compressed if the browser takes it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Asset } from "./assets.js";

/** No script but the page's own files, nothing from another host, and no frame around the page. */
const security = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const worthCompressing = 1_000;

export interface PageExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export function sendAsset({ request, response }: PageExchange, asset: Asset, cached: "for ever" | "never"): void {
  const isGzipped = takesGzip(request);
  const body = isGzipped ? asset.gzipped : asset.body;
  response.writeHead(200, {
    ...security,
    "content-type": asset.type,
    "cache-control": cached === "for ever" ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding",
    "content-length": body.length,
    ...(isGzipped && { "content-encoding": "gzip" }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** A value as JSON, compressed when the first browser takes it so. */
export class JsonBody {
  readonly #plain: Buffer;
  #gzipped: Promise<Buffer> | undefined;

  constructor(value: unknown) {
    this.#plain = Buffer.from(JSON.stringify(value));
  }

  async encoded(takesGzip: boolean): Promise<{ readonly body: Buffer; readonly isGzipped: boolean }> {
    if (!takesGzip || this.#plain.length <= worthCompressing) return { body: this.#plain, isGzipped: false };
    this.#gzipped ??= promisify(gzip)(this.#plain, { level: 1 });
    return { body: await this.#gzipped, isGzipped: true };
  }
}

export function sendJson(exchange: PageExchange, value: unknown, status = 200): Promise<void> {
  return sendBody(exchange, new JsonBody(value), status);
}

export async function sendBody({ request, response }: PageExchange, json: JsonBody, status = 200): Promise<void> {
  const { body, isGzipped } = await json.encoded(takesGzip(request));
  response.writeHead(status, {
    ...security,
    "content-type": "application/json",
    "cache-control": "no-store",
    vary: "accept-encoding",
    "content-length": body.length,
    ...(isGzipped && { "content-encoding": "gzip" }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

export function sendText(
  { response }: PageExchange,
  status: number,
  text: string,
  more: Record<string, string> = {},
): void {
  response.writeHead(status, {
    ...security,
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    ...more,
  });
  response.end(`${text}\n`);
}

/** Opens a stream of server-sent events. */
export function openStream({ response }: PageExchange): void {
  response.writeHead(200, {
    ...security,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  });
  response.flushHeaders();
}

const takesGzip = ({ headers }: IncomingMessage): boolean => /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
