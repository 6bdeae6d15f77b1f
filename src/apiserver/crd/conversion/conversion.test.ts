import { expect, test } from "vitest";
import { ask, type Json } from "../../../../test/ask.js";
import { eventually } from "../../../../test/eventually.js";
import { type Hook, startHook } from "../../../../test/webhook/hook.js";
import { definitionOf, group, startConversionHook } from "../../../../test/conformance/conversion/hook.js";
import { startTestServer } from "../../../testing/cluster.js";
import type { ApiServer } from "../../index.js";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const own = `${definitions}/widgets.${group}`;
const path = (version: string): string => `/apis/${group}/${version}/namespaces/default/widgets`;
const widget = (version: string, name: string, spec: object): object => ({
  apiVersion: `${group}/${version}`,
  kind: "Widget",
  metadata: { name },
  spec,
});

async function served(server: ApiServer, hook: Hook, storage = "v1"): Promise<void> {
  await ask(server, "POST", definitions, definitionOf(hook, storage));
  await eventually("the kind is served", () => server.registry.endpoint(group, "v1", "widgets") !== undefined);
}

const startHookThatDoubles = (): Promise<Hook> =>
  startHook(({ object }) => {
    const patch = [{ op: "replace", path: "/spec/replicas", value: object.spec.replicas * 2 }];
    return { allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
  });

/** Every event until `count` have come. */
async function watched(server: ApiServer, target: string, count: number): Promise<readonly Json[]> {
  const stop = new AbortController();
  const request = { method: "GET", path: target, headers: {} };
  const { body } = await server.transport()(request, stop.signal);
  const events: Json[] = [];
  let rest = "";
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    const lines = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = lines.pop() as string;
    events.push(...lines.map((line) => JSON.parse(line)));
    if (events.length >= count) break;
  }
  stop.abort();
  return events;
}

test("a watch shows every change in its version, in order, and nothing before the webhook has converted it", async () => {
  await using server = await startTestServer();
  await using hook = await startConversionHook();
  await served(server, hook);
  await ask(server, "POST", path("v1"), widget("v1", "one", { replicas: 1 }));
  const watching = watched(server, `${path("v1alpha1")}?watch=1`, 5);
  await ask(server, "POST", path("v1"), widget("v1", "two", { replicas: 2 }));
  await ask(server, "PATCH", `${path("v1")}/two`, { spec: { replicas: 3 } });
  await ask(server, "DELETE", `${path("v1")}/one`);
  await ask(server, "PATCH", `${path("v1")}/two`, { spec: { replicas: 4 } });
  const events = (await watching).map(({ type, object }) => [
    type,
    object.apiVersion,
    object.metadata.name,
    object.spec.size,
  ]);
  const version = `${group}/v1alpha1`;
  expect(events).toEqual([
    ["ADDED", version, "one", "1"],
    ["ADDED", version, "two", "2"],
    ["MODIFIED", version, "two", "3"],
    ["DELETED", version, "one", "1"],
    ["MODIFIED", version, "two", "4"],
  ]);
});

test("a watch ends with the error of a conversion that fails", async () => {
  await using server = await startTestServer();
  await using hook = await startConversionHook();
  await served(server, hook);
  const watching = watched(server, `${path("v1alpha1")}?watch=1`, 1);
  await ask(server, "POST", path("v1"), widget("v1", "failed-it", { replicas: 2 }));
  expect(await watching).toMatchObject([
    {
      type: "ERROR",
      object: { code: 500, message: `conversion webhook for ${group}/v1, Kind=Widget failed: no such size` },
    },
  ]);
});

test("after the storage version has changed, a write that changes nothing stores the object in the new one", async () => {
  await using server = await startTestServer();
  await using hook = await startConversionHook();
  await served(server, hook, "v1alpha1");
  const made = await ask(server, "POST", path("v1"), widget("v1", "one", { replicas: 1 }));
  const storedIn = (): string => server.store.get(`${group}/widgets`, "default/one")?.object.apiVersion ?? "";
  expect(storedIn()).toBe(`${group}/v1alpha1`);
  const { versions } = definitionOf(hook, "v1").spec;
  const endpoint = (): unknown => server.registry.endpoint(group, "v1", "widgets");
  const before = endpoint();
  const { status } = await ask(server, "PATCH", own, { spec: { versions } });
  expect(status.storedVersions).toEqual(["v1alpha1", "v1"]);
  await eventually("the new definition is served", () => endpoint() !== before);
  expect(await ask(server, "GET", `${path("v1")}/one`)).toMatchObject({ spec: { replicas: 1 } });
  const { code: _, warnings: _w, ...same } = await ask(server, "GET", `${path("v1")}/one`);
  const written = await ask(server, "PUT", `${path("v1")}/one`, same);
  expect([storedIn(), written.metadata.generation]).toEqual([`${group}/v1`, 1]);
  expect(written.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
});

test("a definition whose webhook is gone can be deleted, with its objects", async () => {
  await using server = await startTestServer();
  const hook = await startConversionHook();
  await served(server, hook);
  await ask(server, "POST", path("v1"), widget("v1", "one", { replicas: 1 }));
  await hook[Symbol.asyncDispose]();
  expect(await ask(server, "GET", path("v1alpha1"))).toMatchObject({ code: 500 });
  await ask(server, "DELETE", own);
  await eventually("the definition is gone", async () => (await ask(server, "GET", own)).code === 404);
});

test("an admission webhook that asks for another version sees the object converted, and its changes come back", async () => {
  await using server = await startTestServer();
  await using hook = await startConversionHook();
  await using admission = await startHookThatDoubles();
  await served(server, hook);
  const configuration = {
    metadata: { name: "doubling" },
    webhooks: [
      {
        name: "doubling.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        matchPolicy: "Equivalent",
        clientConfig: { url: admission.url, caBundle: admission.caBundle },
        rules: [{ apiGroups: [group], apiVersions: ["v1"], operations: ["CREATE"], resources: ["widgets"] }],
      },
    ],
  };
  await ask(server, "POST", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", configuration);
  const made = await ask(server, "POST", path("v1alpha1"), widget("v1alpha1", "one", { size: "2" }));
  expect(admission.asked).toMatchObject([
    { kind: { version: "v1" }, requestKind: { version: "v1alpha1" }, object: { spec: { replicas: 2 } } },
  ]);
  expect(made).toMatchObject({ apiVersion: `${group}/v1alpha1`, spec: { size: "4" } });
});
