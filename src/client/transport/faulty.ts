/** A transport that fails by plan. Wraps any other transport. */
import {
  checkNumber,
  type Clock,
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  type Random,
  systemClock,
  type Transport,
} from "../../base/index.js";
import type { StatusReason } from "../../api/status.js";
import { ConnectionError } from "../failure.js";

/** The faults of one exchange. */
export type Fault =
  /** The request does not reach the server, and the client knows it. */
  | { readonly type: "refuse" }
  /** The request does not reach the server, but the client cannot know that. */
  | { readonly type: "drop" }
  /** The server handles the request; its answer is lost. */
  | { readonly type: "lose-answer" }
  | { readonly type: "delay"; readonly ms: number }
  /** The server gets the request twice; the client sees the second answer. */
  | { readonly type: "duplicate" }
  /** The body ends early, as if it were complete. */
  | { readonly type: "truncate"; readonly afterBytes: number }
  /** The connection breaks in the middle of the body. */
  | { readonly type: "reset"; readonly afterBytes: number }
  /** The server gets no request; this is the answer. */
  | { readonly type: "answer"; readonly code: 403 | 409 | 429 | 500 | 503; readonly retryAfterSeconds?: number };

/** Called once for each request, in order of sending. */
export type FaultPlan = (request: HttpRequest, index: number) => Fault | undefined;

export interface FaultyOptions {
  readonly plan: FaultPlan;
  readonly clock?: Clock;
  readonly onFault?: (fault: Fault, request: HttpRequest, index: number) => void;
}

/** The same plan and the same requests give the same faults. */
export function faultyTransport(inner: Transport, { plan, clock = systemClock, onFault }: FaultyOptions): Transport {
  let count = 0;
  return async (request, signal) => {
    const index = count++;
    const fault = plan(request, index);
    if (fault === undefined) return inner(request, signal);
    onFault?.(fault, request, index);
    switch (fault.type) {
      case "refuse":
        throw new ConnectionError("refused", "refused by plan", { unprocessed: true });
      case "drop":
        throw new ConnectionError("closed", "dropped by plan");
      case "lose-answer":
        await finish(await inner(request, signal));
        throw new ConnectionError("closed", "the answer was lost by plan");
      case "delay":
        await clock.sleep(fault.ms, signal);
        return inner(request, signal);
      case "duplicate":
        await finish(await inner(request, signal));
        return inner(request, signal);
      case "truncate":
      case "reset": {
        const response = await inner(request, signal);
        return { ...response, body: cutShort(response.body, fault) };
      }
      case "answer":
        return refusal(fault.code, fault.retryAfterSeconds);
    }
  };
}

export interface SeededFaultsOptions {
  readonly random: Random;
  /** The share of requests with a fault, from 0 to 1. */
  readonly rate: number;
  /** The possible faults; all by default. */
  readonly kinds?: readonly Fault["type"][];
  /** Limits faults to matching requests. */
  readonly match?: (request: HttpRequest) => boolean;
}

const allKinds: readonly Fault["type"][] = [
  "refuse",
  "drop",
  "lose-answer",
  "delay",
  "duplicate",
  "truncate",
  "reset",
  "answer",
];

export function seededFaults({ random, rate, kinds = allKinds, match }: SeededFaultsOptions): FaultPlan {
  checkNumber("the rate of faults", rate, { max: 1 });
  return (request) => {
    if (match !== undefined && !match(request)) return undefined;
    // both are drawn for every request, so that one fault more or less does not change the rest of the run
    const struck = random.next() < rate;
    const kind = kinds[random.int(kinds.length)] ?? "drop";
    const size = random.next();
    return struck ? faultOf(kind, size) : undefined;
  };
}

function faultOf(type: Fault["type"], size: number): Fault {
  switch (type) {
    case "delay":
      return { type, ms: Math.round(size * 2_000) };
    case "truncate":
    case "reset":
      return { type, afterBytes: Math.floor(size ** 3 * 64 * 1024) };
    case "answer": {
      const code = ([409, 429, 500, 503] as const)[Math.floor(size * 4)] ?? 500;
      return code === 429 || code === 503 ? { type, code, retryAfterSeconds: 1 } : { type, code };
    }
    default:
      return { type };
  }
}

async function finish({ body }: HttpResponse): Promise<void> {
  if (body instanceof Uint8Array) return;
  for await (const _ of body) {
    // read to its end, so that the server has done all of it
  }
}

async function* cutShort(
  body: HttpBody,
  { type, afterBytes }: { readonly type: "truncate" | "reset"; readonly afterBytes: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = afterBytes;
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    if (chunk.length > left) {
      if (left > 0) yield chunk.subarray(0, left);
      if (type === "reset") throw new ConnectionError("closed", "reset by plan");
      return;
    }
    left -= chunk.length;
    yield chunk;
  }
}

const reasons: Readonly<Record<number, StatusReason>> = {
  403: "Forbidden",
  409: "Conflict",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
};

function refusal(code: number, retryAfterSeconds: number | undefined): HttpResponse {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "answered by plan",
    reason: reasons[code],
    ...details,
    code,
  };
  return {
    status: code,
    headers: {
      "content-type": "application/json",
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    },
    body: Buffer.from(JSON.stringify(status)),
  };
}
