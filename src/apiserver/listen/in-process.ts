/** The handler as a Transport: the same server without a socket, for clients in this process. */
import { abortReason, type HttpBody, type HttpResponse, type Transport } from "../../base/index.js";
import type { UserInfo } from "../contracts/user.js";
import type { Handler } from "../http/handler.js";

const requestsPerTurn = 32;

/** Requests are made as `identity`, unless they carry credentials of their own. */
export function inProcessTransport(handle: Handler, identity?: UserInfo): Transport {
  let sent = 0;
  return async (request, signal) => {
    if (signal.aborted) throw abortReason(signal);
    // without a socket no I/O ends the turn: a client that sends requests in a loop must not starve others
    if (++sent % requestsPerTurn === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    const isNamed = identity === undefined || request.headers["authorization"] !== undefined;
    const response = await handle(isNamed ? request : { ...request, identity }, signal);
    if (signal.aborted) throw abortReason(signal);
    return withBody(response, request.method, signal);
  };
}

function withBody(response: HttpResponse, method: string, signal: AbortSignal): HttpResponse {
  if (method === "HEAD") return { ...response, body: new Uint8Array() };
  if (response.body instanceof Uint8Array) return response;
  return { ...response, body: untilAborted(response.body, signal) };
}

/** A stream that ends because its reader aborted rejects with the reader's reason, as a socket's would. */
function untilAborted(body: Exclude<HttpBody, Uint8Array>, signal: AbortSignal): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const inner = body[Symbol.asyncIterator]();
      return {
        async next() {
          if (signal.aborted) {
            await inner.return?.();
            throw abortReason(signal);
          }
          const result = await inner.next();
          if (signal.aborted) throw abortReason(signal);
          return result;
        },
        async return() {
          await inner.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
