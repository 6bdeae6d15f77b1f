import { expect, test } from "vitest";
import type { KubeObject } from "../../api/index.js";
import { withoutStringData } from "./string-data.js";

const secret = (more: object): KubeObject => ({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, ...more });

test("the texts of a Secret become its data, and win over data of the same key", () => {
  expect(withoutStringData(secret({ stringData: { a: "ä", b: "1" }, data: { b: "Mg==", c: "Mw==" } }))).toEqual(
    secret({ data: { a: "w6Q=", b: "MQ==", c: "Mw==" } }),
  );
});

test.each([
  ["a Secret without texts", secret({ data: { a: "MQ==" } })],
  ["texts that are none, at which the server complains", secret({ stringData: { a: 1 } })],
  ["a member of another kind", { ...secret({ stringData: { a: "1" } }), kind: "Other" }],
])("%s stays as it is", (_, object) => {
  expect(withoutStringData(object)).toBe(object);
});
