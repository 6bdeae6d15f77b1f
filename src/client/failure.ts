/** The errors of calls: a server's refusal with the call named, or a connection failure. */
import { newGenericServerResponse } from "../api/errors/unexpected.js";
import { type Status, type StatusCause, type StatusDetails, StatusError } from "../api/status.js";
import { defined } from "../base/defined.js";
import { isRecord } from "../base/members.js";

/**
 * The cause of a connection failure, which decides what helps:
 * - `refused`, `unresolved`: nobody listens there, or the name is unknown. The server saw nothing.
 * - `certificate`: TLS could not agree: wrong CA, expired, wrong name, client certificate refused.
 * - `proxy`: the proxy refused, not the server.
 * - `closed`: the connection ended before the answer did.
 * - `timeout`: no answer in the time given.
 * - `idle`: a watch on which nothing came, not even a bookmark.
 * - `malformed`: the answer breaks the rules of the API or of HTTP.
 * - `oversized`: the answer is larger than the client's `limits` allow.
 * - `credentials`: the user's credentials could not be obtained (plug-in failed, file is missing).
 */
export type ConnectionFailure =
  | "refused"
  | "unresolved"
  | "certificate"
  | "proxy"
  | "closed"
  | "timeout"
  | "idle"
  | "malformed"
  | "oversized"
  | "credentials";

export interface ConnectionErrorOptions extends ErrorOptions {
  /** True if the server cannot have acted on the request, so that any request may be sent again. */
  readonly unprocessed?: boolean;
}

export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly failure: ConnectionFailure;
  readonly unprocessed: boolean;

  constructor(failure: ConnectionFailure, message: string, options: ConnectionErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.failure = failure;
    this.unprocessed = options.unprocessed ?? false;
  }
}

export function isConnectionFailure(
  error: unknown,
  ...failures: readonly ConnectionFailure[]
): error is ConnectionError {
  return error instanceof ConnectionError && failures.includes(error.failure);
}

/** The server's Status as an error that also names the call: `get pods default/web: pods "web" not found (404 NotFound)`. */
export function refusedCall(title: string, status: Status): StatusError {
  const said = status.message ?? "no message";
  return new StatusError(status, { message: `${title}: ${said} (${status.code}${reasonText(status)})` });
}

function reasonText(status: Status): string {
  return status.reason ? ` ${status.reason}` : "";
}

export interface RefusedAnswer {
  readonly code: number;
  readonly method: string;
  readonly body: Buffer;
  readonly contentType: string | undefined;
}

/**
 * The Status of an answer that is no success: the body if it is one, else the Status that client-go makes of such an answer (a
 * proxy's page).
 */
export function statusOfAnswer({ code, method, body, contentType }: RefusedAnswer): Status {
  const text = body.toString("utf8");
  if (contentType === undefined || contentType.includes("json")) {
    try {
      const parsed: unknown = JSON.parse(text);
      const status = sentStatus(parsed, code);
      if (status !== undefined) return status;
    } catch {
      // not JSON after all: use the text as the message
    }
  }
  const serverMessage = text.trim().slice(0, 500);
  return newGenericServerResponse({ code, verb: method, serverMessage, unexpected: true }).status;
}

/**
 * The Status that a server sent, undefined if the value is none. Members of a wrong type are left out, because errors
 * are made of this and read by everybody. `code` is used if the Status names none.
 */
export function sentStatus(value: unknown, code = 500): Status | undefined {
  if (!isRecord(value) || value["kind"] !== "Status" || value["status"] === undefined) return undefined;
  const { message, reason, details, metadata, code: said, ...rest } = value;
  const told = defined({
    message: textOf(message),
    reason: textOf(reason),
    details: isRecord(details) ? sentDetails(details) : undefined,
  });
  const known = { ...rest, ...told, metadata: isRecord(metadata) ? metadata : {} };
  return { ...known, code: Number.isInteger(said) ? said : code } as unknown as Status;
}

function sentDetails(details: Readonly<Record<string, unknown>>): StatusDetails {
  const { causes, retryAfterSeconds, name, group, kind, uid } = details;
  const seconds = typeof retryAfterSeconds === "number" ? retryAfterSeconds : undefined;
  const told = Array.isArray(causes) ? causes.filter(isRecord).map(sentCause) : undefined;
  const texts = { name: textOf(name), group: textOf(group), kind: textOf(kind), uid: textOf(uid) };
  return defined({ ...texts, causes: told, retryAfterSeconds: seconds });
}

const sentCause = ({ reason, message, field }: Readonly<Record<string, unknown>>): StatusCause =>
  defined({ reason: textOf(reason), message: textOf(message), field: textOf(field) });

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The same failure with the call named, and with a stack that leads to the caller. */
export function inCall(title: string, error: unknown): unknown {
  if (error instanceof ConnectionError) {
    return new ConnectionError(error.failure, `${title}: ${error.message}`, {
      cause: error,
      unprocessed: error.unprocessed,
    });
  }
  return error;
}

export { messageOf } from "../base/index.js";
