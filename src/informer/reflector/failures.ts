/** What an error from the server or from the connection means for a reflector. */
import { isExpired, isGone, isInternalError, isTooLargeResourceVersion, isTooManyRequests } from "../../api/index.js";

/** The revision asked for is no longer, or not yet, known to the server: only a list without a revision helps. */
export function isRevisionUnavailable(error: unknown): boolean {
  return isExpiredOrGone(error) || isTooLargeResourceVersion(error);
}

export function isExpiredOrGone(error: unknown): boolean {
  return isExpired(error) || isGone(error);
}

/** The server is overloaded or restarting: asking again later, for the same, is enough. */
export function isPassing(error: unknown): boolean {
  return isTooManyRequests(error) || isConnectionRefused(error);
}

function isConnectionRefused(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const { code, failure } = cause as { readonly code?: unknown; readonly failure?: unknown };
    if (code === "ECONNREFUSED" || failure === "refused") return true;
  }
  return false;
}

export { isInternalError };

/** The connection ended without the server saying why. Common, harmless, and not worth a line in the log. */
export function isConnectionEnd(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const { code, failure } = cause as { readonly code?: unknown; readonly failure?: unknown };
    if (code === "ECONNRESET" || code === "EPIPE" || failure === "closed" || failure === "idle") return true;
  }
  return false;
}

/** A watch that ended within a second without a single event: something between us and the server does not let watches through. */
export class VeryShortWatchError extends Error {
  override readonly name = "VeryShortWatchError";

  constructor(name: string) {
    super(`very short watch: ${name}: unexpected watch close - watch lasted less than a second and no items received`);
  }
}
