import { expect, test } from "vitest";
import { ask } from "../../../test/ask.js";
import { eventually } from "../../../test/eventually.js";
import { startTestServer } from "../../testing/cluster.js";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const one = `${definitions}/foos.example.com`;

const definition = {
  metadata: { name: "foos.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "foos", kind: "Foo" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

test("the server owns the names and conditions that it writes, and a status keeps the stored versions", async () => {
  await using server = await startTestServer({});
  await ask(server, "POST", definitions, definition);
  await eventually("names are accepted", async () => (await ask(server, "GET", one)).status.conditions?.length === 2);
  const { metadata } = await ask(server, "GET", one);
  expect(metadata.managedFields).toContainEqual(
    expect.objectContaining({
      manager: "kube-apiserver",
      subresource: "status",
      fieldsV1: { "f:status": { "f:acceptedNames": expect.anything(), "f:conditions": expect.anything() } },
    }),
  );

  const patch = [{ op: "add", path: "/status", value: { acceptedNames: { kind: "Foo" } } }];
  const { status } = await ask(server, "JSON", `${one}/status`, patch);
  expect(status.storedVersions).toEqual(["v1"]);
});
