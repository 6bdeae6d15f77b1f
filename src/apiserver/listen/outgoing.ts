/** An answer, whole or in pieces, onto a socket, no faster than its client takes it. From the listener. */
import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { HttpBody, HttpHeaders } from "../../base/index.js";
import { returnPiece } from "../http/answers/pieces.js";

export type Response = ServerResponse | Http2ServerResponse;

export interface Answer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: HttpBody;
  readonly head: boolean;
}

export async function writeAnswer(response: Response, { status, headers, body, head }: Answer): Promise<void> {
  const out = response as ServerResponse;
  if (body instanceof Uint8Array) {
    const length = head || status !== 304 ? { "content-length": body.length } : {};
    out.writeHead(status, { ...(headers as Record<string, string | string[]>), ...length });
    out.end(head ? undefined : body);
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
    if (!out.write(chunk, () => returnPiece(chunk))) await drained(out);
  }
  out.end();
}

/** Until the client has taken what was written, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
}
