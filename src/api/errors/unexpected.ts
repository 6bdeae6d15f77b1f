/** Makes errors of answers that are not a proper Status. */
import { defined } from "../../base/defined.js";
import { goQuote } from "../go-quote.js";
import { type GroupResource, groupResourceName } from "../resource-type.js";
import { newFailure, type Status, type StatusDetails, StatusError, type StatusReason } from "../status.js";

/** An object arrived where a Status was expected. */
export class UnexpectedObjectError extends Error {
  override readonly name = "UnexpectedObjectError";
  readonly object: unknown;

  constructor(object: unknown) {
    super(`unexpected object: ${JSON.stringify(object)}`);
    this.object = object;
  }
}

/** A Status becomes a StatusError; any other object becomes an UnexpectedObjectError. */
export function errorFromObject(object: unknown): StatusError | UnexpectedObjectError {
  return isStatus(object) ? new StatusError(object) : new UnexpectedObjectError(object);
}

function isStatus(object: unknown): object is Status {
  if (typeof object !== "object" || object === null) return false;
  const { kind, apiVersion } = object as { readonly kind?: unknown; readonly apiVersion?: unknown };
  return kind === "Status" && (apiVersion === "v1" || apiVersion === "meta.k8s.io/v1");
}

export interface ServerResponse {
  readonly code: number;
  /** The HTTP method. */
  readonly verb: string;
  readonly resource?: GroupResource;
  readonly name?: string;
  /** The text of the body, if there was any. */
  readonly serverMessage?: string;
  readonly retryAfterSeconds?: number;
  /** True if the body did not come from an API server. */
  readonly unexpected?: boolean;
}

type Meaning = readonly [StatusReason, string];

function meaningOf({ code, verb, serverMessage = "" }: ServerResponse): Meaning {
  switch (code) {
    case 409:
      return [verb.toUpperCase() === "POST" ? "AlreadyExists" : "Conflict", "the server reported a conflict"];
    case 404:
      return ["NotFound", "the server could not find the requested resource"];
    case 400:
      return ["BadRequest", "the server rejected our request for an unknown reason"];
    case 401:
      return ["Unauthorized", "the server has asked for the client to provide credentials"];
    case 403:
      return ["Forbidden", serverMessage];
    case 406:
      return [
        "NotAcceptable",
        serverMessage === "" || serverMessage === "unknown"
          ? "the server was unable to respond with a content type that the client supports"
          : serverMessage,
      ];
    case 415:
      return ["UnsupportedMediaType", serverMessage];
    case 405:
      return ["MethodNotAllowed", "the server does not allow this method on the requested resource"];
    case 422:
      return ["Invalid", "the server rejected our request due to an error in our request"];
    case 503:
      return ["ServiceUnavailable", "the server is currently unable to handle the request"];
    case 504:
      return [
        "Timeout",
        "the server was unable to return a response in the time allotted, but may still be processing the request",
      ];
    case 429:
      return ["TooManyRequests", "the server has received too many requests and has asked us to try again later"];
    default:
      return code >= 500
        ? [
            "InternalError",
            `an error on the server (${goQuote(serverMessage)}) has prevented the request from succeeding`,
          ]
        : ["", `the server responded with the status code ${code} but did not return more information`];
  }
}

/** The error for an answer whose body is not a Status. */
export function newGenericServerResponse(response: ServerResponse): StatusError {
  const { code, verb, resource, name = "", serverMessage = "", retryAfterSeconds = 0, unexpected = false } = response;
  const [reason, meaning] = meaningOf(response);
  const subject = resource === undefined ? "" : groupResourceName(resource);
  const where = [verb.toLowerCase(), subject, name].filter((word) => word !== "").join(" ");
  const details: StatusDetails = {
    ...defined({ name: name || undefined }),
    ...(resource === undefined || resource.group === "" ? {} : { group: resource.group }),
    ...(resource === undefined ? {} : { kind: resource.resource }),
    ...(unexpected ? { causes: [{ reason: "UnexpectedServerResponse", message: serverMessage }] } : {}),
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  };
  return newFailure({
    message: subject === "" ? meaning : `${meaning} (${where})`,
    ...defined({ reason: reason || undefined }),
    details,
    code,
  });
}
