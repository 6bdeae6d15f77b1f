import { expect, test } from "vitest";
import { FakeClock } from "../../base/index.js";
import type { ApiServer } from "../index.js";
import { startTestServer } from "../../testing/cluster.js";

const { signal } = new AbortController();
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const widgets = "/apis/example.com/v1/namespaces/default/widgets";

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever the server says
  readonly body: any;
}

async function ask(
  server: ApiServer,
  method: string,
  path: string,
  body?: object,
  type = "application/json",
): Promise<Answer> {
  const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  const response = await server.transport()({ method, path, headers: { "content-type": type }, ...sent }, signal);
  return { status: response.status, body: JSON.parse(Buffer.from(response.body as Uint8Array).toString()) };
}

/** Lets the server follow its definitions. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

const spec = {
  type: "object",
  properties: {
    size: { type: "integer", minimum: 1, default: 3 },
    limit: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
  },
  "x-kubernetes-validations": [
    { rule: "!has(self.limit) || self.size <= self.limit", message: "too large" },
    {
      rule: "!has(oldSelf.limit) || has(self.limit)",
      message: "the limit stays",
      reason: "FieldValueForbidden",
      fieldPath: ".limit",
    },
  ],
};

const version = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec, status: { type: "object", properties: { ready: { type: "integer" } } } },
    },
  },
  subresources: { status: {} },
});

const definition = (versions: readonly object[] = [version("v1", true)], names: object = {}): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: { group: "example.com", scope: "Namespaced", names: { plural: "widgets", kind: "Widget", ...names }, versions },
});

const widget = (name: string, fields: object, apiVersion = "example.com/v1"): object => ({
  apiVersion,
  kind: "Widget",
  metadata: { name },
  spec: fields,
});

async function withWidgets(versions?: readonly object[]): Promise<ApiServer> {
  const server = await startTestServer({ clock: new FakeClock() });
  await ask(server, "POST", definitions, definition(versions));
  await turns();
  return server;
}

test("a definition is established and served at once, and appears in discovery", async () => {
  await using server = await withWidgets();
  const { body } = await ask(server, "GET", `${definitions}/widgets.example.com`);
  expect(
    body.status.conditions.map(({ type, status }: { type: string; status: string }) => `${type}=${status}`),
  ).toEqual(["NamesAccepted=True", "Established=True"]);
  const { body: list } = await ask(server, "GET", "/apis/example.com/v1");
  expect(list.resources.map(({ name }: { name: string }) => name)).toEqual(["widgets", "widgets/status"]);
});

test("objects are defaulted, pruned with a warning, and judged by their schema", async () => {
  await using server = await withWidgets();
  const made = await ask(server, "POST", widgets, widget("a", { unknown: 1, tags: ["x"] }));
  expect([made.status, made.body.spec, made.body.metadata.generation]).toEqual([201, { size: 3, tags: ["x"] }, 1]);
  const small = await ask(server, "POST", widgets, widget("b", { size: 0 }));
  expect(small.body.message).toContain("spec.size in body should be greater than or equal to 1");
  const large = await ask(server, "POST", widgets, widget("b", { size: 5, limit: 4 }));
  expect(large.body.message).toBe('Widget.example.com "b" is invalid: spec: Invalid value: too large');
});

test("rules about change hold on updates only, and say where", async () => {
  await using server = await withWidgets();
  await ask(server, "POST", widgets, widget("a", { limit: 9 }));
  const patch = (fields: object): Promise<Answer> =>
    ask(server, "PATCH", `${widgets}/a`, { spec: fields }, "application/merge-patch+json");
  const { body } = await patch({ limit: null });
  expect(body.details.causes).toEqual([
    { reason: "FieldValueForbidden", message: "Forbidden: the limit stays", field: "spec.limit" },
  ]);
  expect((await patch({ limit: 8 })).body.metadata.generation).toBe(2);
});

test("status and spec are written by their own endpoints only", async () => {
  await using server = await withWidgets();
  await ask(server, "POST", widgets, { ...widget("a", {}), status: { ready: 9 } });
  const both = { spec: { size: 5 }, status: { ready: 1 } };
  const main = await ask(server, "PATCH", `${widgets}/a`, both, "application/merge-patch+json");
  expect([main.body.spec.size, main.body.status]).toEqual([5, undefined]);
  const status = await ask(
    server,
    "PATCH",
    `${widgets}/a/status`,
    { spec: { size: 7 }, status: { ready: 2 } },
    "application/merge-patch+json",
  );
  expect([status.body.spec.size, status.body.status, status.body.metadata.generation]).toEqual([5, { ready: 2 }, 2]);
});

test("an object is served in every version, and stored in one", async () => {
  await using server = await withWidgets([version("v1", true), version("v2", false)]);
  const v2 = widgets.replace("/v1/", "/v2/");
  await ask(server, "POST", v2, widget("a", {}, "example.com/v2"));
  const [old, now] = [await ask(server, "GET", `${widgets}/a`), await ask(server, "GET", `${v2}/a`)];
  expect([
    old.body.apiVersion,
    now.body.apiVersion,
    server.store.get("example.com/widgets", "default/a")?.object.apiVersion,
  ]).toEqual(["example.com/v1", "example.com/v2", "example.com/v1"]);
});

test("a changed schema takes effect, also on what is stored", async () => {
  await using server = await withWidgets();
  await ask(server, "POST", widgets, widget("a", {}));
  const added = {
    op: "add",
    path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/mode",
    value: { type: "string", default: "new" },
  };
  expect(
    (await ask(server, "PATCH", `${definitions}/widgets.example.com`, [added], "application/json-patch+json")).status,
  ).toBe(200);
  await turns();
  expect((await ask(server, "GET", `${widgets}/a`)).body.spec).toEqual({ size: 3, mode: "new" });
});

test("a name that another definition has is refused by a condition, and free again when that one goes", async () => {
  await using server = await withWidgets();
  const other = {
    ...definition([version("v1", true)], { plural: "gadgets", kind: "Gadget", shortNames: ["widget"] }),
    metadata: { name: "gadgets.example.com" },
  };
  await ask(server, "POST", definitions, other);
  await turns();
  const conditions = async (): Promise<unknown> =>
    (await ask(server, "GET", `${definitions}/gadgets.example.com`)).body.status.conditions[0].reason;
  expect(await conditions()).toBe("ShortNamesConflict");
  await ask(server, "DELETE", `${definitions}/widgets.example.com`);
  await turns();
  expect(await conditions()).toBe("NoConflicts");
});

test("a definition that is deleted takes its objects with it", async () => {
  await using server = await withWidgets();
  await ask(server, "POST", widgets, widget("a", {}));
  await ask(server, "DELETE", `${definitions}/widgets.example.com`);
  await turns();
  const gone = [await ask(server, "GET", `${definitions}/widgets.example.com`), await ask(server, "GET", "/apis")];
  expect([gone[0]?.status, server.store.count("example.com/widgets")]).toEqual([404, 0]);
  expect(gone[1]?.body.groups.map(({ name }: { name: string }) => name)).not.toContain("example.com");
});

// answers of kube-apiserver 1.36, but for the last version, which it names as it stands
test.each([
  [
    "example.com/v2",
    'Widget in version "v2" cannot be handled as a Widget: strict decoding error: unknown field "other"',
  ],
  [
    "example.com/v1",
    'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "other"',
  ],
  ["a/b/c", 'Widget in version "c" cannot be handled as a Widget: strict decoding error: unknown field "other"'],
])("unknown fields of an object that says to be of %s are named first", async (apiVersion, message) => {
  await using server = await startTestServer({ clock: new FakeClock() });
  await ask(server, "POST", definitions, definition());
  await turns();
  const object = { apiVersion, kind: "Widget", metadata: { name: "a" }, other: 1 };
  const { status, body } = await ask(server, "POST", `${widgets}?fieldValidation=Strict`, object);
  expect([status, body.message]).toEqual([400, message]);
});
