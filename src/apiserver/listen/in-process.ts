/** The handler as a Transport: the same server without a socket, for clients in this process. */
import { leaveUnread } from "../http/limits/ending.js";
import { abortReason, type Clock, type HttpBody, Ring, systemClock, type Transport } from "../../base/index.js";
import type { UserInfo } from "../contracts/user.js";
import type { Handler } from "../http/handler.js";

const requestsPerTurn = 32;

/** Gives a promise if a request must wait for its turn. */
export type Gate = () => Promise<void> | undefined;

/**
 * Without a socket no I/O ends a turn of the event loop: requests in this process, of however many clients, must not
 * starve sockets and timers. So only some are begun in each turn, in the order in which they came. On a clock that
 * does not move while work is done nobody can be kept waiting: there, a client that sends requests in a loop pauses now
 * and then.
 */
export function gateFor(clock: Clock): Gate {
  if (clock === systemClock) return perTurn();
  let sent = 0;
  return () => (++sent % requestsPerTurn === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined);
}

/** Invariant: requests wait only while `left` is 0 and the end of the turn is awaited. */
function perTurn(): Gate {
  const waiting = new Ring<() => void>();
  let left = requestsPerTurn;
  let isAwaitingEnd = false;
  const awaitEnd = (): void => {
    if (!isAwaitingEnd) setImmediate(endTurn);
    isAwaitingEnd = true;
  };
  const endTurn = (): void => {
    isAwaitingEnd = false;
    left = requestsPerTurn;
    for (let next = waiting.shift(); next !== undefined; next = left > 0 ? waiting.shift() : undefined) {
      awaitEnd();
      left--;
      next();
    }
  };
  return () => {
    awaitEnd();
    if (left === 0) return new Promise((resolve) => waiting.push(resolve));
    left--;
    return undefined;
  };
}

/** Requests are made as `identity`, unless they carry credentials of their own. */
export function inProcessTransport(handle: Handler, gate: Gate, identity?: UserInfo): Transport {
  return async (request, signal) => {
    if (signal.aborted) throw abortReason(signal);
    const turn = gate();
    if (turn !== undefined) await turn;
    const isNamed = identity === undefined || request.headers["authorization"] !== undefined;
    const response = await handle(isNamed ? request : { ...request, identity }, signal);
    if (signal.aborted || request.method === "HEAD") await leaveUnread(response.body);
    if (signal.aborted) throw abortReason(signal);
    if (request.method === "HEAD") return { ...response, body: new Uint8Array() };
    if (response.body instanceof Uint8Array) return response;
    return { ...response, body: untilAborted(response.body, signal) };
  };
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
