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

  test("may say * for a user or a group: all who are authenticated, and nobody else", () => {
    const all = { user: "", group: "system:authenticated" };
    const versioned = { apiVersion: version, kind: "Policy", spec: { user: "zed", group: "*" } };
    expect(read({ user: "*", namespace: "a" }, { group: "*" }, versioned)).toMatchObject([all, all, all]);
  });

  test("may have lines of YAML, and empty ones of JSON", () => {
    expect(read("user: bob", "null", "{}").map(({ user, group }) => user || group)).toEqual([
      "bob",
      "system:authenticated",
      "system:authenticated",
    ]);
  });

  const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
  // the words after the line are those of kube-apiserver 1.36
  test.each([
    ['{"apiVersion":"v1","kind":"Pod"}', `no kind "Pod" is registered for version "v1" ${scheme}`],
    ['{"apiVersion":"v1"}', `no kind "Policy" is registered for version "v1" ${scheme}`],
    ['{"kind":"Pod"}', `no kind "Pod" is registered for version "abac.authorization.kubernetes.io/v0" ${scheme}`],
    [`{"apiVersion":"${version}"}`, "converting (v1beta1.Policy) to (v0.Policy): unknown conversion"],
    ['{"user":3}', "json: cannot unmarshal number into Go struct field Policy.user of type string"],
    ['{"readonly":"yes"} ', "json: cannot unmarshal string into Go struct field Policy.readonly of type bool"],
    [
      '{"kind":["Policy"]}',
      "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string",
    ],
    [
      `{"apiVersion":"${version}","kind":"Policy","spec":[]}`,
      "json: cannot unmarshal array into Go struct field Policy.spec of type v1beta1.PolicySpec",
    ],
    [
      `{"apiVersion":"${version}","kind":"Policy","spec":{"user":3}}`,
      "json: cannot unmarshal number into Go struct field PolicySpec.spec.user of type string",
    ],
  ])("with the line %s is refused by its number", (line, words) => {
    expect(() => read("# first", `${line}\r\n`)).toThrow(`error reading policy file p, line 2: ${line}: ${words}`);
  });

  test.each(["{bad", "[]", "bob", '{"user":"a"}x'])("with %s is refused", (line) => {
    expect(() => read("# first", line)).toThrow(`error reading policy file p, line 2: ${line}: `);
  });
});
