/**
 * Guards over a caught error: each looks through the chain of `cause` for a Status and judges its reason, or its code.
 */
import { type Status, type StatusCause, StatusError, type StatusReason } from "../status.js";

const knownReasons: ReadonlySet<string> = new Set<StatusReason>([
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Invalid",
  "ServerTimeout",
  "StoreReadError",
  "Timeout",
  "TooManyRequests",
  "BadRequest",
  "MethodNotAllowed",
  "NotAcceptable",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "InternalError",
  "Expired",
  "ServiceUnavailable",
]);

// bounds the walk: an error's cause may be itself
const deepest = 32;

/** The Status of the error, or of the nearest error in its chain of causes. */
export function statusOf(error: unknown): Status | undefined {
  let current = error;
  for (let depth = 0; depth < deepest && current instanceof Error; depth++) {
    if (current instanceof StatusError) return current.status;
    current = current.cause;
  }
  return undefined;
}

/** The reason of the Status in an error, `""` if there is none. */
export function reasonForError(error: unknown): StatusReason {
  return statusOf(error)?.reason ?? "";
}

function saysReason(error: unknown, reason: StatusReason): boolean {
  return statusOf(error)?.reason === reason;
}

/** A Status without a reason, or with an unknown one, is judged by its code. */
function says(error: unknown, reason: StatusReason, code: number): boolean {
  const status = statusOf(error);
  if (status === undefined) return false;
  return status.reason === reason || (status.code === code && !knownReasons.has(status.reason ?? ""));
}

export const isNotFound = (error: unknown): boolean => says(error, "NotFound", 404);
export const isAlreadyExists = (error: unknown): boolean => saysReason(error, "AlreadyExists");
export const isConflict = (error: unknown): boolean => says(error, "Conflict", 409);
export const isForbidden = (error: unknown): boolean => says(error, "Forbidden", 403);
export const isUnauthorized = (error: unknown): boolean => says(error, "Unauthorized", 401);
export const isInvalid = (error: unknown): boolean => says(error, "Invalid", 422);
export const isBadRequest = (error: unknown): boolean => says(error, "BadRequest", 400);
export const isGone = (error: unknown): boolean => says(error, "Gone", 410);
export const isExpired = (error: unknown): boolean => saysReason(error, "Expired");
export const isMethodNotSupported = (error: unknown): boolean => says(error, "MethodNotAllowed", 405);
export const isNotAcceptable = (error: unknown): boolean => says(error, "NotAcceptable", 406);
export const isUnsupportedMediaType = (error: unknown): boolean => says(error, "UnsupportedMediaType", 415);
export const isInternalError = (error: unknown): boolean => says(error, "InternalError", 500);
export const isServiceUnavailable = (error: unknown): boolean => says(error, "ServiceUnavailable", 503);
export const isTimeout = (error: unknown): boolean => says(error, "Timeout", 504);
/** The code of these Statuses varies, so only the reason counts. */
export const isServerTimeout = (error: unknown): boolean => saysReason(error, "ServerTimeout");
export const isStoreReadError = (error: unknown): boolean => saysReason(error, "StoreReadError");
/** For these two, code 429 or 413 is enough, whatever the reason. */
export const isTooManyRequests = (error: unknown): boolean =>
  saysReason(error, "TooManyRequests") || statusOf(error)?.code === 429;
export const isRequestEntityTooLarge = (error: unknown): boolean =>
  saysReason(error, "RequestEntityTooLarge") || statusOf(error)?.code === 413;

/** The first cause with this reason, if there is one. */
export function statusCause(error: unknown, reason: string): StatusCause | undefined {
  return statusOf(error)?.details?.causes?.find((cause) => cause.reason === reason);
}

/** The body was not that of an API server: a proxy or load balancer answered. */
export const isUnexpectedServerError = (error: unknown): boolean =>
  statusCause(error, "UnexpectedServerResponse") !== undefined;

/** The requested revision is newer than any that the server has reached. Older servers say so in the message only. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (statusCause(error, "ResourceVersionTooLarge") !== undefined) return true;
  const status = statusOf(error);
  if (status?.reason !== "Timeout") return false;
  const texts = [status.message, ...(status.details?.causes ?? []).map(({ message }) => message)];
  return texts.some((text) => text?.includes("Too large resource version") === true);
}

/**
 * The seconds that the server asks the client to wait, or undefined if it asks for no retry; 0 means "at once, but do
 * try again".
 */
export function suggestsClientDelay(error: unknown): number | undefined {
  const status = statusOf(error);
  if (status?.details === undefined) return undefined;
  const seconds = status.details.retryAfterSeconds ?? 0;
  return seconds > 0 || status.reason === "ServerTimeout" ? seconds : undefined;
}

/** The seconds that the server asks the client to wait before the next try, or undefined. */
export function retryAfterSeconds(error: unknown): number | undefined {
  return statusOf(error)?.details?.retryAfterSeconds;
}
