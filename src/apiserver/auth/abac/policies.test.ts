import { describe, expect, test } from "vitest";
import { readPolicies } from "./policies.js";

const version = "abac.authorization.kubernetes.io/v1beta1";
const read = (...lines: readonly (object | string)[]): ReturnType<typeof readPolicies> =>
  readPolicies(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"), "p");

describe("a policy file", () => {
  test("has a policy a line; empty lines and comments count as none", () => {
    const spec = { user: "bob", namespace: "*", resource: "pods", apiGroup: "", readonly: true };
    expect(read("", "# a comment", ` ${JSON.stringify({ apiVersion: version, kind: "Policy", spec })} `)).toEqual([
      { ...spec, group: "", nonResourcePath: "" },
    ]);
  });

  test("may be of the format without versions, where absence means everything", () => {
    expect(read({ user: "bob" }, { readonly: true, namespace: "a" })).toEqual([
      { user: "bob", group: "", readonly: false, namespace: "*", resource: "*", apiGroup: "*", nonResourcePath: "*" },
      {
        user: "",
        group: "system:authenticated",
        readonly: true,
        namespace: "a",
        resource: "*",
        apiGroup: "*",
        nonResourcePath: "",
      },
    ]);
  });

  test.each([
    ["{bad", /^error reading policy file p, line 2: \{bad: /],
    ["[]", /line 2: \[\]: not a JSON object$/],
    ['{"apiVersion":"v1","kind":"Pod"}', /: no kind "Pod" is registered for version "v1"$/],
    ['{"user":3}', /: user is not a string$/],
    ['{"readonly":"yes"}', /: readonly is not a boolean$/],
    [`{"apiVersion":"${version}","kind":"Policy","spec":[]}`, /: spec is not an object$/],
  ])("with the line %s is refused by its number", (line, words) => {
    expect(() => read("# first", line)).toThrow(words);
  });
});
