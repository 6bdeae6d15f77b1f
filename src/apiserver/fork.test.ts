import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { turn } from "../../test/contracts/storage.js";
import { FakeClock, seededRandom } from "../base/index.js";
import { type ApiServer, startApiServer } from "./index.js";

const headers = { "content-type": "application/json" };

async function call(server: ApiServer, method: string, path: string, body?: object) {
  const request = { method, path, headers, ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }) };
  const response = await server.transport()(request, new AbortController().signal);
  const text = Buffer.from(response.body as Uint8Array).toString();
  return { status: response.status, object: text.startsWith("{") ? JSON.parse(text) : undefined };
}

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const definition = (plural: string, kind: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural, kind },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { size: { type: "integer", default: 3 } } } },
          },
        },
      },
    ],
  },
});
const foos = "/apis/example.com/v1/namespaces/default/foos";
const foo = { apiVersion: "example.com/v1", kind: "Foo", metadata: { name: "a" }, spec: {} };

const forked = (server: ApiServer): ApiServer => {
  const fork = server.fork({ clock: new FakeClock() });
  onTestFinished(() => fork.close());
  return fork;
};

async function started(): Promise<ApiServer> {
  const server = await startApiServer({ clock: new FakeClock(), random: seededRandom(1), freeze: true });
  onTestFinished(() => server.close());
  return server;
}

test("a server and its fork start from the same objects and revision, and then go their own ways", async () => {
  const server = await started();
  await call(server, "POST", maps, map("before"));
  const fork = forked(server);
  expect((await call(fork, "GET", maps)).object).toEqual((await call(server, "GET", maps)).object);
  const [here, there] = [await call(server, "POST", maps, map("a")), await call(fork, "POST", maps, map("a"))];
  expect(there.object.metadata.resourceVersion).toBe(here.object.metadata.resourceVersion);
  expect(there.object.metadata.uid).not.toBe(here.object.metadata.uid);
  await call(fork, "DELETE", `${maps}/before`);
  expect((await call(server, "GET", `${maps}/before`)).status).toBe(200);
  expect((await call(fork, "GET", `${maps}/before`)).status).toBe(404);
});

test("two forks with the same chance give the same answers", async () => {
  const server = await started();
  const [one, two] = [forked(server), forked(server)];
  expect(await call(one, "POST", maps, map("a"))).toEqual(await call(two, "POST", maps, map("a")));
});

test("custom kinds are served in the fork at once, and removed on one side only", async () => {
  const server = await started();
  await call(server, "POST", definitions, definition("foos", "Foo"));
  await turn();
  const fork = forked(server);
  const { object, status } = await call(fork, "POST", foos, foo);
  expect([status, object.spec.size, object.metadata.managedFields.length]).toEqual([201, 3, 1]);
  await call(server, "DELETE", `${definitions}/foos.example.com`);
  await turn();
  await turn();
  expect((await call(server, "GET", foos)).status).toBe(404);
  const { resourceVersion } = object.metadata;
  const changed = { ...foo, metadata: { name: "a", resourceVersion }, spec: { size: 4 } };
  const applied = await call(fork, "PUT", `${foos}/a`, changed);
  expect([applied.status, applied.object.metadata.generation]).toEqual([200, 2]);
});

test("discovery is that of each side", async () => {
  const server = await started();
  const groups = async (of: ApiServer) =>
    (await call(of, "GET", "/apis")).object.groups.map(({ name }: { readonly name: string }) => name);
  const before = await groups(server);
  const fork = forked(server);
  expect(await groups(fork)).toEqual(before);
  await call(fork, "POST", definitions, definition("foos", "Foo"));
  await turn();
  expect(await groups(fork)).toContain("example.com");
  expect(await groups(server)).toEqual(before);
});

test("a server that keeps its objects in a folder cannot be forked", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "fork-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  await using server = await startApiServer({ dataDir });
  expect(() => server.fork()).toThrow("a store with a journal cannot be forked");
});
