/** Decides whether and when a failed attempt is repeated. Pure. */
import type { Random } from "../../base/index.js";
import { ConnectionError } from "../failure.js";

export interface RetryPolicy {
  /** The number of repetitions because the server asked for one with Retry-After. */
  readonly whenAsked: number;
  /** The number of repetitions because the connection failed. */
  readonly whenDisconnected: number;
  /** The first wait after a failed connection; each further one is twice as long, up to `capMs`. */
  readonly baseMs: number;
  readonly capMs: number;
}

export const defaultRetryPolicy: RetryPolicy = { whenAsked: 10, whenDisconnected: 4, baseMs: 100, capMs: 5_000 };

export interface Attempted {
  readonly method: string;
  /** The number of repetitions so far, for either reason. */
  readonly asked: number;
  readonly disconnected: number;
}

/**
 * The milliseconds before the request is repeated, after the server refused it with this code and header; undefined for
 * no repetition. A 429 or 5xx is repeated only if the server names a time of at most five minutes: a 429 without one is
 * an answer (an eviction that a budget forbids), not a request for patience. Such an answer means that nothing was
 * done, so writes are repeated too.
 */
export function delayWhenAsked(
  policy: RetryPolicy,
  attempted: Attempted,
  answer: { readonly code: number; readonly retryAfter: string | undefined },
): number | undefined {
  if (answer.code !== 429 && answer.code < 500) return undefined;
  if (attempted.asked >= policy.whenAsked) return undefined;
  if (answer.retryAfter === undefined || !/^\d+$/.test(answer.retryAfter)) return undefined;
  const delayMs = Number(answer.retryAfter) * 1000;
  return delayMs <= longestAskedMs ? delayMs : undefined;
}

/** The longest Retry-After that is honoured; for a longer one, the caller gets the server's answer as an error at once. */
const longestAskedMs = 300_000;

/**
 * The milliseconds before the request is repeated after a connection failure; undefined for no repetition. A request
 * that the server cannot have seen is always repeated; one that it may have seen, only if it is a read. Wrong
 * certificates and bad credentials are not repeated.
 */
export function delayWhenDisconnected(
  policy: RetryPolicy,
  attempted: Attempted,
  { error, random }: { readonly error: unknown; readonly random: Random },
): number | undefined {
  if (!(error instanceof ConnectionError) || attempted.disconnected >= policy.whenDisconnected) return undefined;
  if (error.failure !== "closed" && error.failure !== "refused") return undefined;
  const harmless = error.unprocessed || attempted.method === "GET" || attempted.method === "HEAD";
  if (!harmless) return undefined;
  // a stream that the server refused on a healthy connection can go to the next connection at once
  if (error.failure === "closed" && error.unprocessed && attempted.disconnected === 0) return 0;
  const delay = Math.min(policy.capMs, policy.baseMs * 2 ** attempted.disconnected);
  return delay * (1 + random.next());
}
