/** Long answers to clients that take gzip: as a real server does it, from a size on, and never for watches. Used by the handler. */
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { HttpRequest, HttpResponse } from "../../../base/index.js";

/** Shorter answers cost more to compress than to send. */
const threshold = 128 * 1024;
const settings = { level: 1 } as const;
const gzipped = promisify<Uint8Array, typeof settings, Buffer>(gzip);

/** The work is done beside the loop. Whatever comes in pieces is taken for long. */
export async function compressed(request: HttpRequest, response: HttpResponse): Promise<HttpResponse> {
  const { status, headers, body } = response;
  if (status !== 200 || !takesGzip(request.headers["accept-encoding"])) return response;
  if (body instanceof Uint8Array && body.length <= threshold) return response;
  const vary = [headers["vary"] ?? [], "Accept-Encoding"].flat();
  return {
    status,
    headers: { ...headers, "content-encoding": "gzip", vary },
    body: body instanceof Uint8Array ? await gzipped(body, settings) : inPieces(body),
  };
}

function takesGzip(accepted: string | readonly string[] | undefined): boolean {
  return [accepted ?? []]
    .flat()
    .some((value) => value.split(",").some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$)|$)/i.test(coding)));
}

function inPieces(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const out = createGzip(settings);
  // a reader that leaves ends the whole line; there is nobody left to be told why
  pipeline(Readable.from(body, { objectMode: false }), out, () => {});
  return out;
}
