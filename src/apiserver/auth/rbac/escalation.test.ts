import { expect, test } from "vitest";
import { ask } from "../../../../test/ask.js";
import { startTestServer } from "../../../testing/cluster.js";
import type { ApiServer } from "../../index.js";

const group = "rbac.authorization.k8s.io";
const access = `/apis/${group}/v1`;

/** A server on which eve has the permissions of the rules. */
async function serverFor(...rules: readonly object[]): Promise<ApiServer> {
  const server = await startTestServer({ authorization: "RBAC" });
  await ask(server, "POST", `${access}/clusterroles`, { metadata: { name: "eve" }, rules });
  await ask(server, "POST", `${access}/clusterrolebindings`, {
    metadata: { name: "eve" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "eve" },
    subjects: [{ kind: "User", apiGroup: group, name: "eve" }],
  });
  return server;
}

const writes = { apiGroups: [group], resources: ["clusterroles"], verbs: ["create", "patch", "update"] };

test("whoever may change a role cannot have others' rules gathered into it", async () => {
  await using server = await serverFor(writes);
  const labels = { collect: "me" };
  const patch = { metadata: { labels }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] } };
  const { code, message } = await ask(server, "PATCH", `${access}/clusterroles/eve`, patch, "eve");
  expect([code, message]).toEqual([
    403,
    'clusterroles.rbac.authorization.k8s.io "eve" is forbidden: must have cluster-admin privileges to use the aggregationRule',
  ]);
});

test("a role without rules may be written by anybody who may write roles", async () => {
  await using server = await serverFor(writes);
  expect(
    (await ask(server, "POST", `${access}/clusterroles`, { metadata: { name: "empty" }, rules: [] }, "eve")).code,
  ).toBe(201);
  expect((await ask(server, "PATCH", `${access}/clusterroles/empty`, { rules: null }, "eve")).code).toBe(200);
});

test("the refusal of a role of 60⁴ combinations comes at once, and is short", async () => {
  await using server = await serverFor(writes);
  const many = (letter: string): readonly string[] => Array.from({ length: 60 }, (_, index) => `${letter}${index}`);
  const rule = { verbs: many("v"), apiGroups: many("g"), resources: many("r"), resourceNames: many("n") };
  const role = { metadata: { name: "broad" }, rules: [rule] };
  const { code, message } = await ask(server, "POST", `${access}/clusterroles`, role, "eve");
  expect(code).toBe(403);
  expect(message).toMatch(/not currently held:\n\{APIGroups:\["g0"\], Resources:\["r0"\], /);
  expect(message).toMatch(/\nand more$/);
  expect(message.length).toBeLessThan(200_000);
});

test("who may patch or update, but not create, creates nothing", async () => {
  await using server = await serverFor({ apiGroups: ["*"], resources: ["*"], verbs: ["patch", "update"] });
  const refused = (resource: string): string => `"x" is forbidden: User "eve" cannot create resource "${resource}"`;
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };
  const maps = "/api/v1/namespaces/default/configmaps";
  expect((await ask(server, "APPLY", `${maps}/x?fieldManager=m`, map, "eve")).message).toContain(refused("configmaps"));
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "x" } };
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  expect((await ask(server, "PUT", `${leases}/x`, lease, "eve")).message).toContain(refused("leases"));
  await ask(server, "POST", maps, map);
  expect((await ask(server, "APPLY", `${maps}/x?fieldManager=m`, map, "eve")).code).toBe(200);
});

test("a collection that is deleted by a name in a field selector needs the permission for all of it", async () => {
  const rule = { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "deletecollection"] };
  await using server = await serverFor({ ...rule, resourceNames: ["x"] });
  const maps = "/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Dx";
  expect((await ask(server, "GET", maps, undefined, "eve")).code).toBe(200);
  expect((await ask(server, "DELETE", maps, undefined, "eve")).code).toBe(403);
});
