import { expect, test } from "vitest";
import { newConflict, newNotFound } from "../status.js";
import { isConflict, isNotFound } from "./status-guards.js";
import { unless } from "./unless.js";

const pods = { group: "", resource: "pods" };

test("an error that one of the guards knows becomes undefined", () => {
  expect(unless(isNotFound)(newNotFound(pods, "web"))).toBeUndefined();
  expect(unless(isNotFound, isConflict)(newConflict(pods, "web", "changed"))).toBeUndefined();
});

test("any other error is thrown as it is", () => {
  const conflict = newConflict(pods, "web", "changed");
  expect(() => unless(isNotFound)(conflict)).toThrow(conflict);
  expect(() => unless()(conflict)).toThrow(conflict);
});
