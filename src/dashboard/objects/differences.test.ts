import { expect, test } from "vitest";
import type { KubeObject } from "../../api/index.js";
import { differencesOf } from "./differences.js";

const boat = (spec: unknown): KubeObject => ({ kind: "Boat", metadata: { name: "argo" }, spec }) as never;

test("items of a list are told apart by their names, and by their places where the names are none", () => {
  const pathsOf = (before: unknown, after: unknown): readonly string[] =>
    differencesOf(boat({ crew: before }), boat({ crew: after })).changes.map(({ path }) => path);
  expect(pathsOf([{ name: "a", age: 1 }, { name: "b" }], [{ name: "b" }, { name: "a", age: 2 }])).toEqual([
    "spec.crew[name=a].age",
  ]);
  const unnamed = { toString: 1, valueOf: 1 };
  expect(pathsOf([{ name: unnamed, age: 1 }], [{ name: unnamed, age: 2 }])).toEqual(["spec.crew[0].age"]);
});
