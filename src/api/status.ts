/** `Status`: how an API server says no. One error class for the boundary, a constructor per reason, a guard per question. */
import { type GroupKind, type GroupResource, groupResourceName } from "./resource-type.js";

export type StatusReason =
  | ""
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "StoreReadError"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** In an answer about a resource this holds the plural, as upstream does. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** A refusal by an API server (or by code that speaks for one). `status` is exactly what went, or goes, over the wire. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions & { readonly message?: string }) {
    super(
      options?.message ?? status.message ?? `server answered ${status.code} ${status.reason ?? ""}`.trim(),
      options,
    );
    this.status = status;
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): StatusReason {
    return this.status.reason ?? "";
  }
}

function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  });
}

function about({ group, resource }: GroupResource, name?: string): StatusDetails {
  return { ...(name ? { name } : {}), ...(group === "" ? {} : { group }), kind: resource };
}

export function newNotFound(resource: GroupResource, name: string): StatusError {
  return failure(404, "NotFound", `${groupResourceName(resource)} "${name}" not found`, about(resource, name));
}

export function newAlreadyExists(resource: GroupResource, name: string): StatusError {
  const message = `${groupResourceName(resource)} "${name}" already exists`;
  return failure(409, "AlreadyExists", message, about(resource, name));
}

export function newConflict(resource: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${groupResourceName(resource)} "${name}": ${why}`;
  return failure(409, "Conflict", message, about(resource, name));
}

/** The `why` of a conflict in which the resourceVersion sent is not the current one. */
export const objectHasBeenModified =
  "the object has been modified; please apply your changes to the latest version and try again";

export function newForbidden(resource: GroupResource, name: string, why: string): StatusError {
  const subject = name === "" ? groupResourceName(resource) : `${groupResourceName(resource)} "${name}"`;
  const message = resource.resource === "" ? `forbidden: ${why}` : `${subject} is forbidden: ${why}`;
  return failure(403, "Forbidden", message, about(resource, name));
}

export function newInvalid(kind: GroupKind, name: string, causes: readonly StatusCause[]): StatusError {
  const qualified = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  const lines = causes.map(({ field, message }) => (field ? `${field}: ${message}` : `${message}`));
  const list = lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`;
  const message =
    lines.length === 0 ? `${qualified} "${name}" is invalid` : `${qualified} "${name}" is invalid: ${list}`;
  const details = {
    ...(name ? { name } : {}),
    ...(kind.group === "" ? {} : { group: kind.group }),
    kind: kind.kind,
    causes,
  };
  return failure(422, "Invalid", message, details);
}

export function newBadRequest(message: string): StatusError {
  return failure(400, "BadRequest", message);
}

export function newUnauthorized(message = "Unauthorized"): StatusError {
  return failure(401, "Unauthorized", message);
}

/** The watch or continue position is older than what the server still has; list again. */
export function newExpired(message: string): StatusError {
  return failure(410, "Expired", message);
}

export function newGone(message: string): StatusError {
  return failure(410, "Gone", message);
}

export function newMethodNotSupported(resource: GroupResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind "${groupResourceName(resource)}"`;
  return failure(405, "MethodNotAllowed", message, about(resource));
}

export function newNotAcceptable(message: string): StatusError {
  return failure(406, "NotAcceptable", message);
}

export function newUnsupportedMediaType(message: string): StatusError {
  return failure(415, "UnsupportedMediaType", message);
}

export function newRequestEntityTooLarge(message: string): StatusError {
  return failure(413, "RequestEntityTooLarge", `Request entity is too large: ${message}`);
}

export function newTooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, "TooManyRequests", message, { retryAfterSeconds });
}

export function newInternalError(message: string): StatusError {
  return failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function newServiceUnavailable(message: string): StatusError {
  return failure(503, "ServiceUnavailable", message);
}

export function newTimeout(message: string, retryAfterSeconds: number): StatusError {
  return failure(504, "Timeout", `Timeout: ${message}`, { retryAfterSeconds });
}

export function newServerTimeout(resource: GroupResource, operation: string, retryAfterSeconds: number): StatusError {
  const message = `The ${operation} operation against ${groupResourceName(resource)} could not be completed at this time, please try again.`;
  return failure(500, "ServerTimeout", message, { ...about(resource), name: operation, retryAfterSeconds });
}

/** The revision asked for is one that the server has not reached. */
export function newTooLargeResourceVersion(wanted: string, current: string, retryAfterSeconds: number): StatusError {
  const message = `Too large resource version: ${wanted}, current: ${current}`;
  return failure(504, "Timeout", `Timeout: ${message}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds,
  });
}

function hasReason(error: unknown, code: number, ...reasons: readonly StatusReason[]): boolean {
  if (!(error instanceof StatusError)) return false;
  if (reasons.includes(error.reason)) return true;
  // a server that gives no reason, or one that we do not know, is judged by its code
  return error.reason === "" && error.code === code;
}

export const isNotFound = (error: unknown): boolean => hasReason(error, 404, "NotFound");
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof StatusError && error.reason === "AlreadyExists";
export const isConflict = (error: unknown): boolean => hasReason(error, 409, "Conflict");
export const isForbidden = (error: unknown): boolean => hasReason(error, 403, "Forbidden");
export const isUnauthorized = (error: unknown): boolean => hasReason(error, 401, "Unauthorized");
export const isInvalid = (error: unknown): boolean => hasReason(error, 422, "Invalid");
export const isBadRequest = (error: unknown): boolean => hasReason(error, 400, "BadRequest");
export const isGone = (error: unknown): boolean => hasReason(error, 410, "Gone");
export const isExpired = (error: unknown): boolean => error instanceof StatusError && error.reason === "Expired";
export const isMethodNotSupported = (error: unknown): boolean => hasReason(error, 405, "MethodNotAllowed");
export const isNotAcceptable = (error: unknown): boolean => hasReason(error, 406, "NotAcceptable");
export const isUnsupportedMediaType = (error: unknown): boolean => hasReason(error, 415, "UnsupportedMediaType");
export const isRequestEntityTooLarge = (error: unknown): boolean => hasReason(error, 413, "RequestEntityTooLarge");
export const isTooManyRequests = (error: unknown): boolean => hasReason(error, 429, "TooManyRequests");
export const isInternalError = (error: unknown): boolean => hasReason(error, 500, "InternalError");
export const isServiceUnavailable = (error: unknown): boolean => hasReason(error, 503, "ServiceUnavailable");
export const isTimeout = (error: unknown): boolean => hasReason(error, 504, "Timeout");
export const isServerTimeout = (error: unknown): boolean =>
  error instanceof StatusError && error.reason === "ServerTimeout";

/** Seconds that the server asks to wait before the next try, if it does. */
export function retryAfterSeconds(error: unknown): number | undefined {
  return error instanceof StatusError ? error.status.details?.retryAfterSeconds : undefined;
}
