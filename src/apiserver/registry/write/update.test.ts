import { expect, test } from "vitest";
import { startTestServer } from "../../../testing/cluster.js";
import type { ApiServer } from "../../index.js";

// oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever the server says
type Json = any;

async function send(server: ApiServer, method: string, path: string, body: object): Promise<Json> {
  const type = method === "PATCH" ? "application/strategic-merge-patch+json" : "application/json";
  const request = {
    method,
    path: `${path}?fieldManager=m`,
    headers: { "content-type": type },
    body: Buffer.from(JSON.stringify(body)),
  };
  const { body: answer } = await server.transport()(request, new AbortController().signal);
  return JSON.parse(Buffer.from(answer as Uint8Array).toString());
}

const reversed = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(reversed)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([key, inner]) => [key, reversed(inner)]),
        )
      : value;

test("a status endpoint stores the status alone, with the stored spec in any order, another one or none", async () => {
  await using server = await startTestServer();
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const labels = { app: "a" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { selector: { matchLabels: labels }, template };
  const made = await send(server, "POST", path, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec,
  });
  const sent = [made.spec, reversed(made.spec), { ...made.spec, replicas: 7 }, spec];
  let resourceVersion = "";
  for (const [index, one] of sent.entries()) {
    const { managedFields: _, ...metadata } = made.metadata;
    const status = { observedGeneration: index + 1 };
    const body = { ...made, metadata: { ...metadata, resourceVersion }, spec: one, status };
    const answer = await send(server, "PUT", `${path}/d/status`, body);
    expect(JSON.stringify(answer.spec)).toBe(JSON.stringify(made.spec));
    expect(answer.status).toEqual(status);
    expect(answer.metadata.generation).toBe(1);
    const owned = answer.metadata.managedFields.map(({ subresource, fieldsV1 }: Json) => [
      subresource,
      Object.keys(fieldsV1),
    ]);
    expect(owned).toEqual([
      [undefined, ["f:spec"]],
      ["status", ["f:status"]],
    ]);
    resourceVersion = answer.metadata.resourceVersion;
  }
});

test("a pod's status gets its defaults, and a write that says nothing new is none", async () => {
  await using server = await startTestServer();
  const path = "/api/v1/namespaces/default/pods";
  const spec = { containers: [{ name: "c", image: "i" }] };
  const made = await send(server, "POST", path, { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec });
  const patch = { status: { phase: "Running", podIP: "10.0.0.1" } };
  const first = await send(server, "PATCH", `${path}/p/status`, patch);
  expect(first.status).toMatchObject({ podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] });
  expect(first.spec).toEqual(made.spec);
  expect((await send(server, "PATCH", `${path}/p/status`, patch)).metadata).toEqual(first.metadata);
  expect((await send(server, "PUT", `${path}/p/status`, first)).metadata).toEqual(first.metadata);
  const moved = await send(server, "PATCH", `${path}/p/status`, { status: { podIP: "10.0.0.2" } });
  expect(moved.status.podIPs).toEqual([{ ip: "10.0.0.2" }]);
});

test("a patch that races with another write is made again, unless it names a version", async () => {
  await using server = await startTestServer();
  const path = "/api/v1/namespaces/default/configmaps";
  await send(server, "POST", path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: {} });
  const names = Array.from({ length: 20 }, (_, i) => `k${i}`);
  await Promise.all(names.map((name) => send(server, "PATCH", `${path}/c`, { data: { [name]: "v" } })));
  const all = await send(server, "PATCH", `${path}/c`, { data: { last: "v" } });
  expect(Object.keys(all.data).toSorted()).toEqual([...names, "last"].toSorted());
  const { resourceVersion } = all.metadata;
  const named = { metadata: { resourceVersion }, data: { last: "w" } };
  expect((await send(server, "PATCH", `${path}/c`, named)).data.last).toBe("w");
  expect(await send(server, "PATCH", `${path}/c`, named)).toMatchObject({ code: 409, reason: "Conflict" });
});
