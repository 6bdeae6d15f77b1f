/** Classifies errors of the server or of the connection for a reflector. */
import { isExpired, isGone, isTooLargeResourceVersion, isTooManyRequests } from "../../api/index.js";

/** The server no longer has the revision, or does not have it yet: only a list without a revision helps. */
export function isRevisionUnavailable(error: unknown): boolean {
  return isExpiredOrGone(error) || isTooLargeResourceVersion(error);
}

export function isExpiredOrGone(error: unknown): boolean {
  return isExpired(error) || isGone(error);
}

/** The server is overloaded or restarting: repeating the same request later is enough. */
export function isPassing(error: unknown): boolean {
  return isTooManyRequests(error) || isConnectionRefused(error);
}

const isConnectionRefused = (error: unknown): boolean => isCausedBy(error, ["ECONNREFUSED", "refused"]);

/** The connection ended without a reason from the server. Common, harmless, and not worth a log line. */
export const isConnectionEnd = (error: unknown): boolean =>
  isCausedBy(error, ["ECONNRESET", "EPIPE", "closed", "idle"]);

/** Whether the error or one of its causes has one of these codes of Node, or failures of the client. */
function isCausedBy(error: unknown, words: readonly unknown[]): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const { code, failure } = cause as { readonly code?: unknown; readonly failure?: unknown };
    if (words.includes(code) || words.includes(failure)) return true;
  }
  return false;
}

/** A watch ended within a second without a single event: something between client and server does not let watches through. */
export class VeryShortWatchError extends Error {
  override readonly name = "VeryShortWatchError";

  constructor(name: string) {
    super(`very short watch: ${name}: unexpected watch close - watch lasted less than a second and no items received`);
  }
}
