import { expect, test } from "vitest";
import { isConflict, isNotFound } from "./errors/status-guards.js";
import {
  newConflict,
  newInvalid,
  newNotFound,
  objectHasBeenModified,
  type StatusCause,
  StatusError,
} from "./status.js";

const deployments = { group: "apps", resource: "deployments" };

test("a missing object is named with its group, as kubectl prints it", () => {
  const error = newNotFound(deployments, "web");
  expect(error.status).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'deployments.apps "web" not found',
    reason: "NotFound",
    details: { name: "web", group: "apps", kind: "deployments" },
    code: 404,
  });
  expect([isNotFound(error), isConflict(error)]).toEqual([true, false]);
});

test("a stale write is told what to do", () => {
  expect(newConflict(deployments, "web", objectHasBeenModified).message).toBe(
    'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
  );
});

test("several causes are listed in brackets, one is not", () => {
  const cause = { reason: "FieldValueRequired", message: "Required value", field: "spec.selector" };
  const kind = { group: "apps", kind: "Deployment" };
  expect(newInvalid(kind, "web", [cause]).message).toBe(
    'Deployment.apps "web" is invalid: spec.selector: Required value',
  );
  expect(newInvalid(kind, "web", [cause, { ...cause, field: "spec.template" }]).message).toBe(
    'Deployment.apps "web" is invalid: [spec.selector: Required value, spec.template: Required value]',
  );
});

test("a status without a reason is judged by its code", () => {
  const error = new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 404 });
  expect(isNotFound(error)).toBe(true);
});

test("a refusal of a thousand causes and more tells no more than that", () => {
  const causes = Array.from({ length: 300_000 }, (_, i) => ({ field: `spec.items[${i}]`, message: "Required value" }));
  const { status, message } = newInvalid({ group: "", kind: "Foo" }, "a", causes);
  expect(status.details?.causes).toHaveLength(1_000);
  expect(message).toMatch(/spec.items\[999\]: Required value, and more\]$/);
});

test("a refusal of few long causes tells as many as fit, and at least one", () => {
  const causes = Array.from({ length: 10 }, () => ({ field: "spec", message: "x".repeat(200_000) }));
  expect(newInvalid({ group: "", kind: "Foo" }, "a", causes).status.details?.causes).toHaveLength(1);
});

test("a refusal asks for no more causes than it tells", () => {
  let asked = 0;
  function* wrong(message: string): Iterable<StatusCause> {
    for (;;) {
      asked++;
      yield { field: `spec.list[${asked}]`, message };
    }
  }
  expect(newInvalid({ group: "", kind: "Pod" }, "p", wrong("Required value")).message).toMatch(/, and more\]$/);
  expect(asked).toBe(1_001);
  asked = 0;
  // one cause is told however long it is
  const { details } = newInvalid({ group: "", kind: "Pod" }, "p", wrong("long".repeat(100_000))).status;
  expect([asked, details?.causes?.length]).toEqual([2, 1]);
});
