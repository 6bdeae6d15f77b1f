/** Decompresses a body while it arrives; the work is done off the event loop. */
import type { Gunzip } from "node:zlib";
import type { HttpBody, HttpResponse } from "../../base/index.js";
import { ConnectionError, messageOf } from "../failure.js";
import { roomIn } from "../../base/net/streams.js";

export function unpacked(response: HttpResponse): HttpResponse {
  if (response.headers["content-encoding"] !== "gzip") return response;
  return { ...response, body: gunzip(response.body) };
}

async function* gunzip(body: HttpBody): AsyncGenerator<Uint8Array, void, undefined> {
  const { createGunzip } = await import("node:zlib");
  const unzip = createGunzip({ chunkSize: 64 * 1024 });
  let failure: Error | undefined;
  const feeding = feed(body, unzip).catch((error: unknown) => {
    failure = error instanceof Error ? error : new Error(messageOf(error), { cause: error });
    unzip.destroy();
  });
  try {
    yield* unzip as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (failure !== undefined) throw failure;
    throw new ConnectionError("malformed", `the compressed answer is damaged: ${messageOf(error)}`, { cause: error });
  } finally {
    unzip.destroy();
    await feeding;
  }
}

async function feed(body: HttpBody, into: Gunzip): Promise<void> {
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    if (into.destroyed) return;
    if (!into.write(chunk)) await roomIn(into);
  }
  into.end();
}
