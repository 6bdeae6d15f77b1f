import { expect, test } from "vitest";
import type { RequestInfo } from "../contracts/request.js";
import { readAuditPolicy } from "./policy.js";

const policyOf = (rules: object, more: object = {}) =>
  readAuditPolicy(JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules, ...more }));

const about = { type: "resource", group: "", version: "v1", inNamespace: true, rest: [] } as const;
const pods = (more: object = {}): RequestInfo => ({
  ...about,
  verb: "get",
  namespace: "n",
  resource: "pods",
  name: "p",
  subresource: "",
  ...more,
});
const user = { username: "jane", groups: ["a", "b"] };

test.each<readonly [string, object, RequestInfo, boolean]>([
  ["a user", { users: ["jane"] }, pods(), true],
  ["another user", { users: ["joe"] }, pods(), false],
  ["a group", { userGroups: ["x", "b"] }, pods(), true],
  ["a verb", { verbs: ["list"] }, pods(), false],
  ["a namespace", { namespaces: ["n"] }, pods(), true],
  ["no namespace", { namespaces: [""] }, pods({ namespace: "" }), true],
  ["a resource", { resources: [{ group: "", resources: ["pods"] }] }, pods(), true],
  [
    "a resource, not its part",
    { resources: [{ group: "", resources: ["pods"] }] },
    pods({ subresource: "log" }),
    false,
  ],
  ["a part", { resources: [{ resources: ["pods/log"] }] }, pods({ subresource: "log" }), true],
  ["all parts", { resources: [{ resources: ["pods/*"] }] }, pods(), true],
  ["a part of all", { resources: [{ resources: ["*/log"] }] }, pods({ subresource: "log" }), true],
  ["any group", { resources: [{ group: "*" }] }, pods({ group: "apps" }), true],
  ["another group", { resources: [{ group: "apps" }] }, pods(), false],
  ["a name", { resources: [{ resources: ["pods"], resourceNames: ["q"] }] }, pods(), false],
  ["a path", { nonResourceURLs: ["/healthz*"] }, { type: "other", verb: "get", path: "/healthz/ping" }, true],
  ["an exact path", { nonResourceURLs: ["/healthz"] }, { type: "other", verb: "get", path: "/healthz/ping" }, false],
  ["a path of a resource", { nonResourceURLs: ["*"] }, pods(), false],
])("a rule matches by %s", (_, rule, request, expected) => {
  const { value } = policyOf([{ level: "Metadata", ...rule }]);
  expect(value(user, request).level).toBe(expected ? "Metadata" : "None");
});

test("the first rule that matches decides, and stages add up", () => {
  const rules = [
    { level: "Request", users: ["jane"], omitStages: ["Panic"], omitManagedFields: false },
    { level: "Metadata" },
  ];
  const { value } = policyOf(rules, { omitStages: ["RequestReceived"], omitManagedFields: true });
  const first = value(user, pods());
  expect([first.level, [...first.omitStages], first.omitManagedFields]).toEqual([
    "Request",
    ["RequestReceived", "Panic"],
    false,
  ]);
  expect(value(undefined, pods())).toMatchObject({ level: "Metadata", omitManagedFields: true });
});

test.each<readonly [string, unknown, string]>([
  ["no level", [{}], "rules[0].level: Required value"],
  [
    "an unknown level",
    [{ level: "All" }],
    'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
  ],
  [
    "an unknown stage",
    [{ level: "None", omitStages: ["X"] }],
    'rules[0].omitStages[0]: Invalid value: "X": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
  ],
  [
    "a relative path",
    [{ level: "None", nonResourceURLs: ["x"] }],
    "rules[0].nonResourceURLs[0]: Invalid value: \"x\": non-resource URL rules must begin with a '/' character",
  ],
  [
    "names without resources",
    [{ level: "None", resources: [{ resourceNames: ["x"] }] }],
    'rules[0].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource',
  ],
  ["no rules", [], "loaded illegal policy with 0 rules"],
  ["a wrong type", [{ level: "None", users: "x" }], 'rules[0].users: Invalid value: "x": must be a list of strings'],
])("a policy with %s is refused, and the field named", (_, rules, message) => {
  expect(() => policyOf(rules as object)).toThrow(message);
});

test("an unknown field is told of, another kind refused", () => {
  expect(policyOf([{ level: "None", user: [] }]).unknown).toEqual(["rules[0].user"]);
  expect(() => readAuditPolicy("kind: Policy\napiVersion: audit.k8s.io/v1beta1")).toThrow("audit.k8s.io/v1beta1");
  expect(() => readAuditPolicy("[")).toThrow("neither YAML nor JSON");
});
