import { expect, test } from "vitest";
import { ask } from "../../../test/ask.js";
import { patienceMs } from "../../../test/eventually.js";
import { startTestServer } from "../../testing/cluster.js";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const at = (version: string): string => `/apis/example.com/${version}/namespaces/default/foos`;
const text = (more: object = {}): object => ({ type: "string", ...more });
const version = (name: string, storage: boolean, properties: object, rest: object = {}): object => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
  ...rest,
});
const definition = (...versions: readonly object[]): object => ({
  metadata: { name: "foos.example.com" },
  spec: { group: "example.com", scope: "Namespaced", names: { plural: "foos", kind: "Foo" }, versions },
});
const foo = (name: string, of: string, spec: object = {}): object => ({
  apiVersion: `example.com/${of}`,
  kind: "Foo",
  metadata: { name, finalizers: ["example.com/hold"] },
  spec,
});

test("versions that are not stored show the defaults of the stored one, and say what to use instead", async () => {
  await using server = await startTestServer();
  const old = version("v1beta1", false, { a: text(), b: text({ default: "only beta" }) }, { deprecated: true });
  const stored = version("v1", true, { a: text({ default: "stable" }), c: text({ default: "only stable" }) });
  await ask(server, "POST", definitions, definition(old, stored));
  await expect.poll(() => server.registry.endpoint("example.com", "v1", "foos"), { timeout: patienceMs }).toBeDefined();
  const made = await ask(server, "POST", at("v1beta1"), foo("x", "v1beta1"));
  expect([made.spec, made.warnings]).toEqual([
    { a: "stable" },
    ['299 - "example.com/v1beta1 Foo is deprecated; use example.com/v1 Foo"'],
  ]);
  expect((await ask(server, "GET", `${at("v1")}/x`)).spec).toEqual({ a: "stable", c: "only stable" });
});

test("what a stricter rule lets be is warned of, and nothing is made while a definition goes", async () => {
  await using server = await startTestServer();
  await ask(server, "POST", definitions, definition(version("v1", true, { a: text() })));
  await expect.poll(() => server.registry.endpoint("example.com", "v1", "foos"), { timeout: patienceMs }).toBeDefined();
  await ask(server, "POST", at("v1"), foo("x", "v1", { a: "yes" }));
  const rules = { "x-kubernetes-validations": [{ rule: "self == 'no'", message: "must be no" }] };
  await ask(server, "PATCH", `${definitions}/foos.example.com`, {
    spec: { versions: [version("v1", true, { a: text(rules) })] },
  });
  const touched = async (): Promise<unknown> =>
    (await ask(server, "PATCH", `${at("v1")}/x?dryRun=All`, { metadata: { labels: { a: "b" } } })).warnings;
  await expect.poll(touched, { timeout: patienceMs }).toEqual([expect.stringContaining("spec.a: Invalid value")]);
  await ask(server, "DELETE", `${definitions}/foos.example.com`);
  await expect
    .poll(async () => (await ask(server, "POST", `${at("v1")}?dryRun=All`, foo("new", "v1", { a: "no" }))).message, {
      timeout: patienceMs,
    })
    .toBe('foos.example.com "new" is forbidden: create not allowed while custom resource definition is terminating');
});
