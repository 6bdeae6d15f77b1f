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

export async function sendJson({ request, response }: PageExchange, value: unknown, status = 200): Promise<void> {
  const text = Buffer.from(JSON.stringify(value));
  const isGzipped = text.length > worthCompressing && takesGzip(request);
  const body = isGzipped ? await promisify(gzip)(text, { level: 1 }) : text;
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
