import { expect, test } from "vitest";
import { ask } from "../../../test/ask.js";
import { startTestServer } from "../../testing/cluster.js";
import type { ApiServer } from "../index.js";

const claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const access = "/apis/rbac.authorization.k8s.io/v1";

const claimOf = (more: object = {}): object => ({
  metadata: { name: "a" },
  spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", ...more } }] } },
});

const result = { request: "r", driver: "d.example.com", pool: "p", device: "x" };
const allocation = { devices: { results: [result] } };

async function allow(server: ApiServer, rule: { resources: string[]; verbs: string[] }): Promise<void> {
  const name = rule.resources.join(".").replaceAll("/", ".");
  const rules = [{ apiGroups: ["resource.k8s.io"], ...rule }];
  await ask(server, "POST", `${access}/clusterroles`, { metadata: { name }, rules });
  await ask(server, "POST", `${access}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "eve" }],
  });
}

test("administrators' access to devices needs a label on the namespace, in claims, templates and statuses", async () => {
  await using server = await startTestServer({});
  await ask(server, "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  const admin = claimOf({ adminAccess: true }) as { spec: object };
  const refused = await ask(server, "POST", claims, admin);
  expect(refused.message).toBe(
    'ResourceClaim.resource.k8s.io "a" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
  );
  const template = { metadata: { name: "a" }, spec: { spec: admin.spec } };
  const templates = claims.replace("resourceclaims", "resourceclaimtemplates");
  expect((await ask(server, "POST", templates, template)).code).toBe(422);
  await ask(server, "POST", claims, claimOf());
  const status = { allocation: { devices: { results: [{ ...result, adminAccess: true }] } } };
  expect((await ask(server, "PATCH", `${claims}/a/status`, { status })).code).toBe(422);

  const labels = { "resource.kubernetes.io/admin-access": "true" };
  await ask(server, "PATCH", "/api/v1/namespaces/default", { metadata: { labels } });
  expect((await ask(server, "PATCH", `${claims}/a/status`, { status })).code).toBe(200);
  expect((await ask(server, "POST", templates, template)).code).toBe(201);
});

test("an allocation and the status of devices each need a permission of their own", async () => {
  await using server = await startTestServer({ authorization: "RBAC" });
  await ask(server, "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  await ask(server, "POST", claims, claimOf());
  await allow(server, { resources: ["resourceclaims/status"], verbs: ["patch"] });
  const write = (status: object) => ask(server, "PATCH", `${claims}/a/status`, { status }, "eve");

  expect((await write({ allocation })).message).toContain(
    'status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: resourceclaims.resource.k8s.io is forbidden: User "eve" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
  );
  await allow(server, { resources: ["resourceclaims/binding"], verbs: ["patch"] });
  expect((await write({ allocation })).code).toBe(200);

  const { request: _, ...device } = result;
  expect((await write({ devices: [device] })).message).toContain(
    'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "d.example.com" is forbidden: User "eve" cannot arbitrary-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "default"',
  );
  await allow(server, { resources: ["resourceclaims/driver"], verbs: ["arbitrary-node:patch"] });
  expect((await write({ devices: [device] })).code).toBe(200);
});
