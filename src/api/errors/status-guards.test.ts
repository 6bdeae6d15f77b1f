import { describe, expect, test } from "vitest";
import {
  newAlreadyExists,
  newApplyConflict,
  newBadRequest,
  newConflict,
  newExpired,
  newForbidden,
  newGenerateNameConflict,
  newGone,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newNotAcceptable,
  newNotFound,
  newRequestEntityTooLarge,
  newServerTimeout,
  newServiceUnavailable,
  newTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newTooManyRequestsError,
  newUnauthorized,
  newUnsupportedMediaType,
  type Status,
  StatusError,
} from "../status.js";
import * as guards from "./status-guards.js";
import { fieldPath } from "./field-path.js";
import { errorFromObject, newGenericServerResponse, UnexpectedObjectError } from "./unexpected.js";

const pods = { group: "", resource: "pods" };
const sets = { group: "apps", resource: "replicasets" };

describe("every constructor makes the Status of the wire", () => {
  const table: readonly (readonly [
    error: StatusError,
    code: number,
    reason: string,
    message: string,
    details?: unknown,
  ])[] = [
    [newNotFound(pods, "a"), 404, "NotFound", 'pods "a" not found', { name: "a", kind: "pods" }],
    [
      newAlreadyExists(sets, "a"),
      409,
      "AlreadyExists",
      'replicasets.apps "a" already exists',
      { name: "a", group: "apps", kind: "replicasets" },
    ],
    [
      newGenerateNameConflict(pods, "a", 1),
      409,
      "AlreadyExists",
      'pods "a" already exists, the server was not able to generate a unique name for the object',
      { name: "a", kind: "pods", retryAfterSeconds: 1 },
    ],
    [
      newConflict(pods, "a", "x"),
      409,
      "Conflict",
      'Operation cannot be fulfilled on pods "a": x',
      { name: "a", kind: "pods" },
    ],
    [
      newApplyConflict("m", [{ reason: "FieldManagerConflict" }]),
      409,
      "Conflict",
      "m",
      { causes: [{ reason: "FieldManagerConflict" }] },
    ],
    [newForbidden(pods, "a", "x"), 403, "Forbidden", 'pods "a" is forbidden: x', { name: "a", kind: "pods" }],
    [newForbidden(pods, "", "x"), 403, "Forbidden", "pods is forbidden: x", { kind: "pods" }],
    [newForbidden({ group: "", resource: "" }, "", "x"), 403, "Forbidden", "forbidden: x", {}],
    [newUnauthorized(), 401, "Unauthorized", "Unauthorized"],
    [newBadRequest("x"), 400, "BadRequest", "x"],
    [newExpired("x"), 410, "Expired", "x"],
    [newGone("x"), 410, "Gone", "x"],
    [
      newMethodNotSupported(sets, "list"),
      405,
      "MethodNotAllowed",
      'list is not supported on resources of kind "replicasets.apps"',
      { group: "apps", kind: "replicasets" },
    ],
    [newNotAcceptable("x"), 406, "NotAcceptable", "x"],
    [newUnsupportedMediaType("x"), 415, "UnsupportedMediaType", "x"],
    [newRequestEntityTooLarge("x"), 413, "RequestEntityTooLarge", "Request entity too large: x"],
    [newTooManyRequests("x", 5), 429, "TooManyRequests", "x", { retryAfterSeconds: 5 }],
    [newTooManyRequests("x", 0), 429, "TooManyRequests", "x", {}],
    [newTooManyRequestsError("x"), 429, "TooManyRequests", "Too many requests: x"],
    [newInternalError("x"), 500, "InternalError", "Internal error occurred: x", { causes: [{ message: "x" }] }],
    [newServiceUnavailable("x"), 503, "ServiceUnavailable", "x"],
    [newTimeout("x", 0), 504, "Timeout", "Timeout: x", {}],
    [
      newServerTimeout(pods, "get", 2),
      500,
      "ServerTimeout",
      "The get operation against pods could not be completed at this time, please try again.",
      { name: "get", kind: "pods", retryAfterSeconds: 2 },
    ],
    [
      newTooLargeResourceVersion("9", "3", 1),
      504,
      "Timeout",
      "Timeout: Too large resource version: 9, current: 3",
      { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }], retryAfterSeconds: 1 },
    ],
    [
      newInvalid({ group: "", kind: "Pod" }, "a", [fieldPath("b").required()]),
      422,
      "Invalid",
      'Pod "a" is invalid: b: Required value',
      { name: "a", kind: "Pod", causes: [{ reason: "FieldValueRequired", message: "Required value", field: "b" }] },
    ],
    [newInvalid({ group: "", kind: "Pod" }, "", []), 422, "Invalid", 'Pod "" is invalid', { kind: "Pod" }],
  ];
  for (const [{ status }, code, reason, message, details] of table) {
    test(message, () => {
      const { kind, apiVersion, metadata, status: outcome, ...rest } = status;
      expect([kind, apiVersion, metadata, outcome]).toEqual(["Status", "v1", {}, "Failure"]);
      expect(rest).toEqual({ code, reason, message, ...(details === undefined ? {} : { details }) });
    });
  }

  test("a cause that comes twice is said once and listed twice", () => {
    const twice = newInvalid({ group: "", kind: "Pod" }, "a", [fieldPath("b").required(), fieldPath("b").required()]);
    expect([twice.message, twice.status.details?.causes?.length]).toEqual(['Pod "a" is invalid: b: Required value', 2]);
  });
});

const status = (code: number, reason?: string): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    ...(reason === undefined ? {} : { reason: reason as never }),
    code,
  });

describe("guards", () => {
  const byCode: readonly (readonly [guard: (error: unknown) => boolean, code: number, reason: string])[] = [
    [guards.isNotFound, 404, "NotFound"],
    [guards.isConflict, 409, "Conflict"],
    [guards.isForbidden, 403, "Forbidden"],
    [guards.isUnauthorized, 401, "Unauthorized"],
    [guards.isInvalid, 422, "Invalid"],
    [guards.isBadRequest, 400, "BadRequest"],
    [guards.isGone, 410, "Gone"],
    [guards.isMethodNotSupported, 405, "MethodNotAllowed"],
    [guards.isNotAcceptable, 406, "NotAcceptable"],
    [guards.isUnsupportedMediaType, 415, "UnsupportedMediaType"],
    [guards.isInternalError, 500, "InternalError"],
    [guards.isServiceUnavailable, 503, "ServiceUnavailable"],
    [guards.isTimeout, 504, "Timeout"],
  ];
  for (const [guard, code, reason] of byCode) {
    test(`the one for ${reason} goes by the reason, and by the code if the reason is unknown`, () => {
      const other = reason === "Forbidden" ? "NotFound" : "Forbidden";
      expect([
        guard(status(999, reason)),
        guard(status(code)),
        guard(status(code, "Invented")),
        guard(status(code, other)),
        guard(new Error("x")),
        guard(undefined),
      ]).toEqual([true, true, true, false, false, false]);
    });
  }

  test("some go by the reason only, two by the code alone as well", () => {
    expect([
      guards.isAlreadyExists(status(409)),
      guards.isAlreadyExists(status(409, "AlreadyExists")),
      guards.isExpired(status(410)),
      guards.isServerTimeout(status(504)),
      guards.isStoreReadError(status(500, "StoreReadError")),
      guards.isTooManyRequests(status(429, "Forbidden")),
      guards.isRequestEntityTooLarge(status(413, "Forbidden")),
    ]).toEqual([false, true, false, false, true, true, true]);
  });

  test("look through what wraps the error, and are not caught in a circle", () => {
    const wrapped = new Error("outer", { cause: new Error("inner", { cause: newNotFound(pods, "a") }) });
    expect([guards.isNotFound(wrapped), guards.reasonForError(wrapped)]).toEqual([true, "NotFound"]);
    const circle = new Error("round");
    circle.cause = circle;
    expect(guards.isNotFound(circle)).toBe(false);
  });

  test("tell how long to wait", () => {
    expect([
      guards.suggestsClientDelay(newServerTimeout(pods, "get", 0)),
      guards.suggestsClientDelay(newTooManyRequests("x", 3)),
      guards.suggestsClientDelay(newTimeout("x", 0)),
      guards.suggestsClientDelay(newBadRequest("x")),
      guards.retryAfterSeconds(newTooManyRequests("x", 3)),
    ]).toEqual([0, 3, undefined, undefined, 3]);
  });

  test("know a revision that is too large, also from servers that only say so", () => {
    expect([
      guards.isTooLargeResourceVersion(newTooLargeResourceVersion("9", "3", 1)),
      guards.isTooLargeResourceVersion(newTimeout("Too large resource version: 9, current: 3", 1)),
      guards.isTooLargeResourceVersion(newTimeout("other", 1)),
    ]).toEqual([true, true, false]);
  });
});

describe("answers that are no Status", () => {
  test("are given the reason of their code", () => {
    const error = newGenericServerResponse({
      code: 404,
      verb: "GET",
      resource: sets,
      name: "a",
      unexpected: true,
      serverMessage: "nginx",
    });
    expect(error.status).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "the server could not find the requested resource (get replicasets.apps a)",
      reason: "NotFound",
      details: {
        name: "a",
        group: "apps",
        kind: "replicasets",
        causes: [{ reason: "UnexpectedServerResponse", message: "nginx" }],
      },
      code: 404,
    } satisfies Status);
    expect(guards.isUnexpectedServerError(error)).toBe(true);
  });

  test("each code has its words", () => {
    const said = [409, 400, 401, 403, 405, 406, 415, 422, 429, 500, 502, 503, 504, 418].map((code) => {
      const { reason, message } = newGenericServerResponse({ code, verb: "PUT", serverMessage: "m" });
      return `${reason}: ${message}`;
    });
    expect(said).toEqual([
      "Conflict: the server reported a conflict",
      "BadRequest: the server rejected our request for an unknown reason",
      "Unauthorized: the server has asked for the client to provide credentials",
      "Forbidden: m",
      "MethodNotAllowed: the server does not allow this method on the requested resource",
      "NotAcceptable: m",
      "UnsupportedMediaType: m",
      "Invalid: the server rejected our request due to an error in our request",
      "TooManyRequests: the server has received too many requests and has asked us to try again later",
      'InternalError: an error on the server ("m") has prevented the request from succeeding',
      'InternalError: an error on the server ("m") has prevented the request from succeeding',
      "ServiceUnavailable: the server is currently unable to handle the request",
      "Timeout: the server was unable to return a response in the time allotted, but may still be processing the request",
      ": the server responded with the status code 418 but did not return more information",
    ]);
    expect(newGenericServerResponse({ code: 409, verb: "POST" }).reason).toBe("AlreadyExists");
  });

  test("a Status becomes its error, anything else is unexpected", () => {
    expect(guards.isNotFound(errorFromObject(newNotFound(pods, "a").status))).toBe(true);
    for (const odd of [null, 1, {}, { kind: "Status", apiVersion: "v2" }, { kind: "Pod", apiVersion: "v1" }]) {
      expect(errorFromObject(odd)).toBeInstanceOf(UnexpectedObjectError);
    }
  });
});
