import { expect, test } from "vitest";
import { ask } from "../../../../test/ask.js";
import { patienceMs } from "../../../../test/eventually.js";
import { startTestServer } from "../../../testing/cluster.js";

const maps = "/api/v1/namespaces/default/configmaps";
const map = { metadata: { name: "a" }, data: { k: "v" } };

test.each([
  ["PATCH", { kind: "Service" }, 422],
  ["PATCH", { kind: "Service", data: "text" }, 422],
  ["PATCH", { apiVersion: "v2" }, 422],
  ["PATCH", { apiVersion: null }, 400],
  ["PATCH", { kind: null }, 200],
  ["JSON", [{ op: "replace", path: "/kind", value: "Pod" }], 422],
  ["JSON", [{ op: "replace", path: "", value: [] }], 422],
  ["STRATEGIC", { kind: "Secret", apiVersion: "v9" }, 200],
] as const)("a patch does not make an object one of another kind: %s %j", async (method, patch, code) => {
  await using server = await startTestServer();
  await ask(server, "POST", maps, map);
  expect((await ask(server, method, `${maps}/a`, patch)).code).toBe(code);
  const { object } = server.store.get("configmaps", "default/a") ?? {};
  expect(object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { k: "v" } });
});

test("nor one of a custom kind", async () => {
  await using server = await startTestServer();
  await ask(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "foos.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  const foos = "/apis/example.com/v1/namespaces/default/foos";
  await expect.poll(() => server.registry.endpoint("example.com", "v1", "foos"), { timeout: patienceMs }).toBeDefined();
  await ask(server, "POST", foos, { apiVersion: "example.com/v1", kind: "Foo", metadata: { name: "a" } });
  const patch = { kind: "Bar", apiVersion: "example.com/v2" };
  expect((await ask(server, "PATCH", `${foos}/a`, patch)).message).toBe(
    'Bar.example.com "a" is invalid: [kind: Invalid value: "Bar": must be Foo, apiVersion: Invalid value: "example.com/v2": must be example.com/v1]',
  );
});

test.each([
  [{ uid: "another" }, 422],
  [{ deletionTimestamp: "2020-01-01T00:00:00Z" }, 422],
  [{ deletionGracePeriodSeconds: 5 }, 422],
  [{ resourceVersion: "abc" }, 500],
  [{ resourceVersion: "1" }, 409],
  [{ creationTimestamp: "2020-01-01T00:00:00Z", selfLink: "/x", generation: 9 }, 200],
])("a patch does not change what belongs to the server: %j", async (metadata, code) => {
  await using server = await startTestServer();
  const made = await ask(server, "POST", maps, map);
  expect((await ask(server, "PATCH", `${maps}/a`, { metadata })).code).toBe(code);
  expect((await ask(server, "GET", `${maps}/a`)).metadata).toEqual(made.metadata);
});

test("an empty list of owners resets them", async () => {
  await using server = await startTestServer();
  const owners = async (): Promise<unknown> => (await ask(server, "GET", `${maps}/a`)).metadata.managedFields;
  await ask(server, "POST", maps, map);
  expect(await owners()).toHaveLength(1);
  await ask(server, "PATCH", `${maps}/a`, { metadata: { managedFields: [] } });
  expect(await owners()).toBeUndefined();
});

test("a name that cannot be part of a path is refused, whatever its kind allows", async () => {
  await using server = await startTestServer();
  const event = { metadata: { name: "a/b" }, involvedObject: { namespace: "default" } };
  expect((await ask(server, "POST", "/api/v1/namespaces/default/events", event)).message).toBe(
    `Event "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain '/'`,
  );
});

test("a deletion takes options, and no other kind", async () => {
  await using server = await startTestServer();
  await ask(server, "POST", maps, map);
  expect((await ask(server, "DELETE", `${maps}/a`, { kind: "Pod", apiVersion: "v1" })).code).toBe(400);
  expect((await ask(server, "DELETE", `${maps}/a`, { kind: "DeleteOptions", apiVersion: "v1" })).code).toBe(200);
});
