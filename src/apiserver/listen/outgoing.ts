/** An answer, whole or in pieces, onto a socket, no faster than its client takes it. From the listener. */
import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { HttpBody, HttpHeaders } from "../../base/index.js";
import { endSoon } from "./connections.js";
import { returnPiece } from "../http/answers/pieces.js";

export type Response = ServerResponse | Http2ServerResponse;

export interface Answer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: HttpBody;
  readonly head: boolean;
  /** All is written at once, but the exchange ends only when this has resolved. */
  readonly until?: Promise<void>;
}

/** `over` aborts when the exchange is to end, because the client is gone or the server stops. */
export async function writeAnswer(
  response: Response,
  { status, headers, body, head, until }: Answer,
  over: AbortSignal,
): Promise<void> {
  const out = response as ServerResponse;
  if (body instanceof Uint8Array) {
    const length = head || status !== 304 ? { "content-length": body.length } : {};
    out.writeHead(status, { ...(headers as Record<string, string | string[]>), ...length });
    if (until === undefined) out.end(head ? undefined : body);
    else {
      out.write(head ? "" : body);
      await until;
      out.end();
    }
    return;
  }
  out.writeHead(status, headers as Record<string, string | string[]>);
  out.flushHeaders?.();
  if (head) {
    out.end();
    return;
  }
  for await (const chunk of body) {
    if (out.destroyed || out.writableEnded) return;
    if (!out.write(chunk, () => returnPiece(chunk))) await drained(out, over);
  }
  out.end();
}

/** Until the client has taken what was written, or is gone. */
function drained(response: ServerResponse, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const hurry = (): void => endSoon(response);
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      over.removeEventListener("abort", hurry);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
    if (over.aborted) hurry();
    else over.addEventListener("abort", hurry, { once: true });
  });
}
