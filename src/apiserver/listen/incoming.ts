/** Reads the parts of a socket's request: certificate, headers, and body within limits. */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { newBadRequest, newRequestEntityTooLarge, type StatusError } from "../../api/index.js";
import type { HttpHeaders } from "../../base/index.js";
import type { Http2Request } from "./http2.js";

export type Request = IncomingMessage | Http2Request;

/** An unread body up to this length is dropped as it arrives; a longer one costs the connection. */
const droppedBytes = 256 * 1024;

export interface BodyOptions {
  readonly limit: number;
  /** Called before bytes are kept; throws if they are too many. */
  take(bytes: number): void;
}

/** The body of a request; undefined if there is none. Rejects with a StatusError. */
export function readBody(request: Request, { limit, take }: BodyOptions): Promise<Uint8Array | undefined> {
  const tooLarge = (): StatusError => newRequestEntityTooLarge(`limit is ${limit}`);
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.reject(tooLarge());
  const source = sourceOf(request);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (error: unknown): void => {
      source.off("data", keep);
      source.pause();
      chunks.length = 0;
      reject(error as Error);
    };
    const keep = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) return stop(tooLarge());
      try {
        take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        stop(error);
      }
    };
    source.on("data", keep);
    let isWhole = false;
    source.once("end", () => {
      isWhole = true;
      resolve(chunks.length <= 1 ? chunks[0] : Buffer.concat(chunks));
    });
    const cut = (): void => {
      if (!isWhole) reject(newBadRequest("the body of the request ended early"));
    };
    source.once("error", cut);
    source.once("close", cut);
  });
}

/** The stream that a body comes from. */
export const sourceOf = (request: Request): Readable => ("stream" in request ? request.stream : request);

/** Whether a body comes after the headers. */
export function hasBody(request: Request): boolean {
  if ("stream" in request) return !request.stream.endAfterHeaders;
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  return coding !== undefined || Number(length ?? 0) > 0;
}

/** The fate of the unread rest of a body: there is "none", it is "dropped" as it arrives, or it "ends" the connection. */
export function restOf(request: Request): "none" | "dropped" | "ends" {
  if ("stream" in request) return request.stream.endAfterHeaders || request.stream.readableEnded ? "none" : "ends";
  if (request.complete) return "none";
  const length = request.headers["content-length"];
  return length !== undefined && Number(length) <= droppedBytes ? "dropped" : "ends";
}

/** Reads and drops the rest of a body, until it ends or fails, `signal` aborts, or more than `limit` bytes have come. */
export function discard(request: IncomingMessage, limit: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const done = (): void => {
      request.off("data", count);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const count = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) done();
    };
    for (const event of ["end", "close", "error"]) request.once(event, done);
    if (signal.aborted || request.destroyed) return done();
    signal.addEventListener("abort", done, { once: true });
    request.on("data", count);
    request.resume();
  });
}

/** RFC 9112, section 3.2: a request that names its host twice may mean one thing here and another to a proxy. */
export function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (/^host$/i.test(rawHeaders[i] as string)) hosts++;
  }
  return hosts > 1;
}

/**
 * Headers from `rawHeaders` if one of them may be repeated with a meaning, because Node joins repeated values by commas,
 * and the values of such headers may contain commas.
 */
export function headersOf(
  { headers, rawHeaders }: Request,
  isRepeatable: ((name: string) => boolean) | undefined,
): HttpHeaders {
  if (headers["impersonate-user"] === undefined && isRepeatable === undefined) return headers as HttpHeaders;
  const repeated = new Map<string, string[]>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!name.startsWith("impersonate-") && isRepeatable?.(name) !== true) continue;
    repeated.set(name, [...(repeated.get(name) ?? []), rawHeaders[index + 1] as string]);
  }
  return { ...(headers as HttpHeaders), ...Object.fromEntries(repeated) };
}
