import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { type ApiServer, startApiServer } from "../../src/apiserver/index.js";
import { FakeClock, type HttpResponse, systemClock } from "../../src/base/index.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { simulatedUsage } from "../../src/machines/index.js";
import { ask, type Json } from "../ask.js";
import { eventually } from "../eventually.js";
import { type Answers, type ExtensionServer, group, root, startExtensionServer } from "./extension-server.js";
import { apiService, apiServices, serviceName } from "./place.js";

async function registered(server: ApiServer, { port }: ExtensionServer, spec: object = {}): Promise<void> {
  await ask(server, "POST", "/api/v1/namespaces", { metadata: { name: "extension" } });
  const service = { type: "ExternalName", externalName: "localhost" };
  await ask(server, "POST", "/api/v1/namespaces/extension/services", { metadata: { name: "api" }, spec: service });
  const reached = { service: { namespace: "extension", name: "api", port }, insecureSkipTLSVerify: true };
  await ask(server, "POST", apiServices, apiService({ ...reached, ...spec }));
  await eventually("it is available", async () => {
    const { status } = await ask(server, "GET", `${apiServices}/${serviceName}`);
    return status?.conditions?.[0]?.status === "True";
  });
}

const get = (server: ApiServer, path: string, accept = "application/json"): Promise<HttpResponse> =>
  server.transport()({ method: "GET", path, headers: { accept } }, new AbortController().signal);

async function textOf({ body }: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A body must be read, or its exchange goes on. */
async function statusOf(answer: Promise<HttpResponse>): Promise<number> {
  await textOf(await answer);
  return (await answer).status;
}

const endless = (response: ServerResponse): void => {
  const piece = Buffer.alloc(256 * 1024, " ");
  const send = (): void => {
    while (!response.destroyed) if (!response.write(piece)) return void response.once("drain", send);
  };
  response.writeHead(200, { "content-type": "application/json" });
  send();
};

const raw =
  (text: string) =>
  (response: ServerResponse): void =>
    void response.socket?.end(text);

const deep = (response: ServerResponse): void => {
  const [schema, depth] = ['{"properties":{"a":', 3_000];
  const text = JSON.stringify(spoiled("here")).replace('"here"', `${schema.repeat(depth)}{}${"}}".repeat(depth)}`);
  response.writeHead(200, { "content-type": "application/json" }).end(text);
};

const spoiled = (definition: unknown): object => ({
  swagger: "2.0",
  paths: { [`${root}/flunders`]: { get: { responses: {}, $ref: "#/definitions/a" } } },
  definitions: { a: definition },
});

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

describe("an extension server that", () => {
  test.each<[string, Answers]>([
    ["lists its groups without end", { "/apis": endless }],
    ["describes them without end", { "/openapi/v2": endless, "/openapi/v3": endless }],
    ["lists what is no list", { "/apis": { kind: "APIGroupDiscoveryList", items: { length: 1e9 } } }],
    [
      "lists nonsense",
      { "/apis": { kind: "APIGroupDiscoveryList", items: [null, 1, { metadata: null, versions: {} }] } },
    ],
    ["breaks off", { "/apis": raw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{") }],
    ["has no JSON", { "/apis": raw("HTTP/1.1 200 OK\r\n\r\n<html>") }],
    ["has a spoiled schema", { "/openapi/v2": spoiled({ properties: null, items: 1, enum: 5 }) }],
    ["has a deep schema", { "/openapi/v2": deep }],
    ["has paths that are a list", { "/openapi/v2": { paths: [[]], definitions: 7 } }],
    ["has a strange name", { "/openapi/v2": spoiled(JSON.parse('{"__proto__":{"type":"object"}}')) }],
  ])("%s does not spoil the documents of the others", async (_, answers) => {
    await using extension = await startExtensionServer(answers);
    await using server = await startTestServer();
    await registered(server, extension);
    const path = "/openapi/v2";
    await eventually("it was asked for all documents", () => {
      const asked = new Set(extension.seen.map(({ url }) => url));
      return "/openapi/v2" in answers ? asked.has(path) : asked.has("/apis");
    });
    const all = JSON.parse(await textOf(await get(server, "/apis", accept))).items;
    expect(all.map(({ metadata }: Json) => metadata.name)).toEqual(expect.arrayContaining([group, "apps", "batch"]));
    const { definitions } = JSON.parse(await textOf(await get(server, path)));
    expect(definitions["io.k8s.api.apps.v1.Deployment"].type).toBe("object");
    const protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    expect(await textOf(await get(server, path, protobuf))).toContain("io.k8s.api.apps.v1.Deployment");
    await eventually("nothing is left of the exchange", () => extension.open === 0);
  });

  test.each([
    ["switches protocols unasked", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
    [
      "gives two lengths",
      "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK",
    ],
    ["splits its headers", "HTTP/1.1 200 OK\r\nx: a\nset-cookie: b\r\n content-length: 0\r\n\r\n"],
    ["speaks something else", "SSH-2.0-OpenSSH\r\n"],
    ["sends endless headers", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(128 * 1024)}\r\n\r\n`],
    ["says nothing", ""],
  ])("%s gets its client a plain 503", async (_, text) => {
    await using extension = await startExtensionServer({ [`${root}/bad`]: raw(text) });
    await using server = await startTestServer();
    await registered(server, extension);
    const answer = await get(server, `${root}/bad`);
    expect(answer.status).toBe(503);
    expect(await textOf(answer)).toMatch(/^error trying to reach service: \S/);
  });

  test("does not answer costs its client no more than the time for a request", async () => {
    let calls = 0;
    const hang = (): void => void calls++;
    await using extension = await startExtensionServer({ [`${root}/hang`]: hang, "/openapi/v3": hang });
    const clock = new FakeClock({ startMs: systemClock.now() });
    await using server = await startTestServer({ clock });
    await registered(server, extension);
    const answer = get(server, `${root}/hang`);
    await eventually("it was asked", () => calls > 1);
    await clock.advance(61_000);
    expect((await answer).status).toBe(504);
  });
});

test("the administrator may give a group of this server to another, and take it back", async () => {
  const name = "v1beta1.metrics.k8s.io";
  const path = "/apis/metrics.k8s.io/v1beta1/nodes";
  await using extension = await startExtensionServer({
    "/apis/metrics.k8s.io/v1beta1": { kind: "APIResourceList", resources: [] },
    [path]: { kind: "NodeMetricsList", items: [{ metadata: { name: "from elsewhere" } }] },
  });
  const usage = simulatedUsage({ rules: [], seed: 1 });
  await using server = await startApiServer({ usage, systemObjects: "at once" });
  const items = async (): Promise<Json> => JSON.parse(await textOf(await get(server, path))).items;
  expect(await items()).toEqual([]);
  const service = { type: "ExternalName", externalName: "localhost" };
  await ask(server, "POST", "/api/v1/namespaces/kube-system/services", { metadata: { name: "m" }, spec: service });
  const spec = { service: { namespace: "kube-system", name: "m", port: extension.port }, insecureSkipTLSVerify: true };
  await ask(server, "PATCH", `${apiServices}/${name}`, { spec });
  await eventually(
    "it has taken over",
    async () => (await statusOf(get(server, path))) === 200 && (await items()).length === 1,
  );
  await ask(server, "DELETE", `${apiServices}/${name}`);
  await eventually("it is the server's own again", async () => {
    const { spec: now = {} } = await ask(server, "GET", `${apiServices}/${name}`);
    return now.version === "v1beta1" && now.service === undefined;
  });
  expect(await items()).toEqual([]);
});

test("an APIService of a forked server is that of the fork alone", async () => {
  await using extension = await startExtensionServer();
  await using server = await startTestServer();
  await registered(server, extension);
  await using fork = server.fork();
  expect(await statusOf(get(fork, `${root}/flunders`))).toBe(200);
  await ask(fork, "DELETE", `${apiServices}/${serviceName}`);
  await eventually("it is gone from the fork", async () => (await statusOf(get(fork, `${root}/flunders`))) === 404);
  expect(await statusOf(get(server, `${root}/flunders`))).toBe(200);
});
