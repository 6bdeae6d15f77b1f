/** Compresses long answers for clients that accept gzip: from the same size on as kube-apiserver, and never for watches. */
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { HttpRequest } from "../../../base/index.js";
import type { Answer } from "../../contracts/answer.js";

/** Shorter answers cost more to compress than to send. */
const threshold = 128 * 1024;
const settings = { level: 1 } as const;
const gzipped = promisify<Uint8Array, typeof settings, Buffer>(gzip);

/** The work is done off the event loop. An answer in pieces counts as long; that of another server stays as it is. */
export async function compressed(request: HttpRequest, response: Answer): Promise<Answer> {
  const { status, headers, body } = response;
  if (status !== 200 || response.forwarded === true || !takesGzip(request.headers["accept-encoding"])) return response;
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
  // a reader that leaves ends the whole pipeline; there is nobody to report to
  pipeline(Readable.from(body, { objectMode: false }), out, () => {});
  return out;
}
