/** `Status`: how an API server says no. One error class for the boundary, a constructor per reason; the guards are in errors/. */
import { defined, unlessEmpty } from "../base/defined.js";
import { goQuote } from "./go-quote.js";
import { type GroupKind, type GroupResource, groupResourceName } from "./resource-type.js";
import { joinedErrors } from "./errors/field-error.js";

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
  /** For an answer about a resource, the plural and not the kind, as upstream's `StatusDetails` has it. */
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

/**
 * A refusal by an API server, or by code that speaks for one. `status` is exactly the body on the wire. The contract of
 * bad input, whichever way it comes: a clear error that says what and where, and nothing lost or half-written.
 */
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

/** A refusal in exactly these words; one without a reason is how kube-apiserver passes on an error of its libraries. */
export function newFailure(said: Pick<Status, "message" | "reason" | "details" | "code">): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...said });
}

function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails): StatusError {
  return newFailure({ message, reason, ...defined({ details }), code });
}

/** A delay of 0 seconds is not written on the wire. */
function after(seconds: number): Pick<StatusDetails, "retryAfterSeconds"> {
  return seconds === 0 ? {} : { retryAfterSeconds: seconds };
}

function about({ group, resource }: GroupResource, name?: string): StatusDetails {
  return defined({ name: name || undefined, group: group || undefined, kind: resource || undefined });
}

export function newNotFound(resource: GroupResource, name: string): StatusError {
  return failure(404, "NotFound", `${groupResourceName(resource)} ${goQuote(name)} not found`, about(resource, name));
}

export function newAlreadyExists(resource: GroupResource, name: string): StatusError {
  const message = `${groupResourceName(resource)} ${goQuote(name)} already exists`;
  return failure(409, "AlreadyExists", message, about(resource, name));
}

/** Every name that was generated from `generateName` was taken. */
export function newGenerateNameConflict(resource: GroupResource, name: string, retryAfterSeconds: number): StatusError {
  const message = `${groupResourceName(resource)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`;
  return failure(409, "AlreadyExists", message, { ...about(resource, name), ...after(retryAfterSeconds) });
}

export function newConflict(resource: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${groupResourceName(resource)} ${goQuote(name)}: ${why}`;
  return failure(409, "Conflict", message, about(resource, name));
}

/** The `why` of a conflict in which the resourceVersion sent is not the current one. */
export const objectHasBeenModified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** An apply that would take fields from other managers. */
export function newApplyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return failure(409, "Conflict", message, causes.length === 0 ? {} : { causes });
}

export function newForbidden(resource: GroupResource, name: string, why: string): StatusError {
  const subject = name === "" ? groupResourceName(resource) : `${groupResourceName(resource)} ${goQuote(name)}`;
  const message =
    resource.resource === "" && resource.group === "" ? `forbidden: ${why}` : `${subject} is forbidden: ${why}`;
  return failure(403, "Forbidden", message, about(resource, name));
}

/** Limits on the causes of one refusal, in number and in characters: a body may be wrong in a million places. */
const maxToldCauses = 1_000;
const maxToldCharacters = 256 * 1024;

/**
 * Collects causes up to the number that a refusal tells, and one more if there is one. Once it is full, nobody need
 * look for further ones.
 */
export class Causes {
  readonly all: StatusCause[] = [];
  #characters = 0;
  #full = false;

  /** True when more causes are known than a refusal tells. */
  get full(): boolean {
    return this.#full;
  }

  push(...causes: readonly StatusCause[]): void {
    this.add(causes);
  }

  /** Asks for no further cause when it is full. */
  add(causes: Iterable<StatusCause>): void {
    if (this.#full) return;
    for (const cause of causes) {
      this.all.push(cause);
      this.#characters += (cause.field ?? "").length + (cause.message ?? "").length;
      this.#full = this.all.length > 1 && (this.all.length > maxToldCauses || this.#characters > maxToldCharacters);
      if (this.#full) return;
    }
  }
}

/** Field errors become causes unchanged. The message says each text once; the causes keep duplicates. */
export function newInvalid(kind: GroupKind, name: string, all: Iterable<StatusCause>): StatusError {
  const found = new Causes();
  found.add(all);
  const causes = found.full ? found.all.slice(0, -1) : found.all;
  const qualified = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  const lines = [...new Set(causes.map(({ field, message }) => (field ? `${field}: ${message}` : `${message}`)))];
  if (found.full) lines.push("and more");
  const message = `${qualified} ${goQuote(name)} is invalid${lines.length === 0 ? "" : `: ${joinedErrors(lines)}`}`;
  const details = {
    ...defined({
      name: name || undefined,
      group: kind.group || undefined,
      kind: kind.kind || undefined,
      causes: unlessEmpty(causes),
    }),
  };
  return failure(422, "Invalid", message, details);
}

export function newBadRequest(message: string): StatusError {
  return failure(400, "BadRequest", message);
}

export function newUnauthorized(message = "Unauthorized"): StatusError {
  return failure(401, "Unauthorized", message);
}

/** The watch or continue position is older than the server's history; the client must list again. */
export function newExpired(message: string): StatusError {
  return failure(410, "Expired", message);
}

export function newGone(message: string): StatusError {
  return failure(410, "Gone", message);
}

export function newMethodNotSupported(resource: GroupResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${goQuote(groupResourceName(resource))}`;
  return failure(405, "MethodNotAllowed", message, about(resource));
}

export function newNotAcceptable(message: string): StatusError {
  return failure(406, "NotAcceptable", message);
}

export function newUnsupportedMediaType(message: string): StatusError {
  return failure(415, "UnsupportedMediaType", message);
}

export function newRequestEntityTooLarge(message: string): StatusError {
  return failure(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
}

export function newTooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, "TooManyRequests", message, after(retryAfterSeconds));
}

/** The server is full and cannot say for how long. */
export function newTooManyRequestsError(message: string): StatusError {
  return failure(429, "TooManyRequests", `Too many requests: ${message}`);
}

export function newInternalError(message: string): StatusError {
  return failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function newServiceUnavailable(message: string): StatusError {
  return failure(503, "ServiceUnavailable", message);
}

export function newTimeout(message: string, retryAfterSeconds: number): StatusError {
  return failure(504, "Timeout", `Timeout: ${message}`, after(retryAfterSeconds));
}

export function newServerTimeout(resource: GroupResource, operation: string, retryAfterSeconds: number): StatusError {
  const message = `The ${operation} operation against ${groupResourceName(resource)} could not be completed at this time, please try again.`;
  return failure(500, "ServerTimeout", message, { ...about(resource, operation), ...after(retryAfterSeconds) });
}

/** The requested revision is newer than any that the server has reached. */
export function newTooLargeResourceVersion(wanted: string, current: string, retryAfterSeconds: number): StatusError {
  const message = `Too large resource version: ${wanted}, current: ${current}`;
  return failure(504, "Timeout", `Timeout: ${message}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    ...after(retryAfterSeconds),
  });
}
