import { expect, test } from "vitest";
import type { PolicyRule } from "../../../api/index.js";
import { ask } from "../../../../test/ask.js";
import { startTestServer } from "../../../testing/cluster.js";
import { allows } from "./rules.js";

const request = (verb: string, resource: string, more: object = {}) =>
  ({
    type: "resource",
    verb,
    group: "",
    version: "v1",
    namespace: "n",
    inNamespace: true,
    resource,
    name: "",
    subresource: "",
    rest: [],
    ...more,
  }) as const;

test("a rule allows what it names: verbs, groups, resources with their subresources, names, and paths", () => {
  const rule = (rest: Partial<PolicyRule>): PolicyRule => ({
    verbs: ["get"],
    apiGroups: [""],
    resources: ["pods"],
    ...rest,
  });
  expect(allows(rule({}), request("get", "pods"))).toBe(true);
  expect(allows(rule({}), request("list", "pods"))).toBe(false);
  expect(allows(rule({}), request("get", "pods", { subresource: "log" }))).toBe(false);
  expect(allows(rule({ resources: ["*/log"] }), request("get", "pods", { subresource: "log" }))).toBe(true);
  expect(allows(rule({ resources: ["*"] }), request("get", "pods", { subresource: "log" }))).toBe(true);
  expect(allows(rule({ apiGroups: ["apps"] }), request("get", "pods"))).toBe(false);
  expect(allows(rule({ resourceNames: ["a"] }), request("get", "pods", { name: "a" }))).toBe(true);
  expect(allows(rule({ resourceNames: ["a"] }), request("get", "pods"))).toBe(false);
  const paths = { verbs: ["get"], nonResourceURLs: ["/healthz", "/api/*"] };
  const asked = (path: string) => allows(paths, { type: "other", verb: "get", path });
  expect(["/healthz", "/healthz/x", "/api", "/api/v1"].map(asked)).toEqual([true, false, false, true]);
});

const access = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
const ref = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };

test("a user may do what a binding allows, from the moment it is written until it goes", async () => {
  await using server = await startTestServer({ authorization: "RBAC" });
  const pods = "/api/v1/namespaces/default/pods";
  const { message, code } = await ask(server, "GET", pods, undefined, "joe");
  expect([code, message]).toEqual([
    403,
    'pods is forbidden: User "joe" cannot list resource "pods" in API group "" in the namespace "default"',
  ]);
  const rules = [{ verbs: ["list"], apiGroups: [""], resources: ["pods"] }];
  await ask(server, "POST", `${access}/roles`, { metadata: { name: "r" }, rules });
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "joe" }];
  await ask(server, "POST", `${access}/rolebindings`, { metadata: { name: "b" }, roleRef: ref, subjects });
  expect((await ask(server, "GET", pods, undefined, "joe")).code).toBe(200);
  expect((await ask(server, "GET", "/api/v1/pods", undefined, "joe")).code).toBe(403);
  await ask(server, "DELETE", `${access}/roles/r`);
  expect((await ask(server, "GET", pods, undefined, "joe")).message).toMatch(
    /in the namespace "default": RBAC: role.rbac.authorization.k8s.io "r" not found$/,
  );
});

test("reviews say why, and list the rules that somebody has", async () => {
  await using server = await startTestServer({ authorization: "RBAC" });
  const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] }];
  await ask(server, "POST", `${access}/roles`, { metadata: { name: "r" }, rules });
  const subjects = [{ kind: "ServiceAccount", name: "robot", namespace: "default" }];
  await ask(server, "POST", `${access}/rolebindings`, { metadata: { name: "b" }, roleRef: ref, subjects });
  const reviews = "/apis/authorization.k8s.io/v1";
  const resourceAttributes = { namespace: "default", verb: "get", resource: "pods", name: "a" };
  const user = "system:serviceaccount:default:robot";
  const { status } = await ask(server, "POST", `${reviews}/subjectaccessreviews`, {
    spec: { resourceAttributes, user },
  });
  expect(status).toEqual({
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "b/default" of Role "r" to ServiceAccount "robot/default"',
  });
});

test("the administrator may do everything, also without any role", async () => {
  await using server = await startTestServer({ authorization: "RBAC" });
  expect((await ask(server, "GET", "/api/v1/secrets")).code).toBe(200);
});
