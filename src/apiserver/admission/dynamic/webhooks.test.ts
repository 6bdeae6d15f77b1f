import { expect, test } from "vitest";
import { ask, type Json } from "../../../../test/ask.js";
import { createLogger, FakeClock } from "../../../base/index.js";
import { startTestServer } from "../../../testing/cluster.js";
import type { ApiServer } from "../../index.js";
import { type Hook, startHook } from "../../../../test/webhook/hook.js";

const registration = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string, data: object = {}): object => ({ metadata: { name }, data });

function webhook(hook: Pick<Hook, "url" | "caBundle">, more: object = {}): object {
  return {
    name: "hook.example.com",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    clientConfig: { url: hook.url, caBundle: hook.caBundle },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    ...more,
  };
}

const configured = (
  server: ApiServer,
  kind: "mutating" | "validating",
  ...webhooks: readonly object[]
): Promise<Json> =>
  ask(server, "POST", `${registration}/${kind}webhookconfigurations`, { metadata: { name: "hooks" }, webhooks });

test("a validating webhook refuses with its own code, reason and words, and its warnings reach the client", async () => {
  await using server = await startTestServer();
  await using hook = await startHook(({ object }) => ({
    allowed: object.data?.good === "yes",
    status: { code: 403, reason: "Forbidden", message: "not good" },
    warnings: ["look here"],
  }));
  await configured(server, "validating", webhook(hook));
  expect(await ask(server, "POST", configMaps, configMap("a"))).toMatchObject({
    code: 403,
    reason: "Forbidden",
    message: 'admission webhook "hook.example.com" denied the request: not good',
    warnings: ['299 - "look here"'],
  });
  expect((await ask(server, "POST", configMaps, configMap("b", { good: "yes" }))).code).toBe(201);
  expect(hook.asked[0]).toMatchObject({
    kind: { group: "", version: "v1", kind: "ConfigMap" },
    resource: { group: "", version: "v1", resource: "configmaps" },
    operation: "CREATE",
    namespace: "default",
    name: "a",
    userInfo: { username: "kubernetes-admin" },
    dryRun: false,
    oldObject: null,
    options: { kind: "CreateOptions" },
  });
});

test("a mutating webhook changes what is stored, and nobody comes to own what it adds", async () => {
  await using server = await startTestServer();
  const patch = [{ op: "add", path: "/data/added", value: "x" }];
  await using hook = await startHook(() => ({
    allowed: true,
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
  }));
  await configured(server, "mutating", webhook(hook));
  const { data, metadata } = await ask(server, "POST", configMaps, configMap("a", { own: "y" }));
  expect(data).toEqual({ own: "y", added: "x" });
  expect(JSON.stringify(metadata.managedFields)).not.toContain("added");
});

test("a webhook that asks for it sees the object again after another has changed it, once", async () => {
  await using server = await startTestServer();
  const addition =
    (name: string) =>
    (request: Json): object => {
      if (request.object.data?.[name]) return { allowed: true };
      const patch = Buffer.from(JSON.stringify([{ op: "add", path: `/data/${name}`, value: "x" }])).toString("base64");
      return { allowed: true, patchType: "JSONPatch", patch };
    };
  await using first = await startHook(addition("first"));
  await using second = await startHook(addition("second"));
  await configured(
    server,
    "mutating",
    webhook(first, { reinvocationPolicy: "IfNeeded" }),
    webhook(second, { name: "second.example.com" }),
  );
  await ask(server, "POST", configMaps, configMap("a", { own: "y" }));
  expect(first.asked.map(({ object }) => Object.keys(object.data))).toEqual([["own"], ["own", "first", "second"]]);
  expect(second.asked).toHaveLength(1);
});

test("a webhook that cannot be reached fails the write, or does not, as it says itself", async () => {
  await using server = await startTestServer();
  const nowhere = { url: "https://127.0.0.1:1/x", caBundle: "" };
  await configured(server, "validating", webhook(nowhere));
  expect(await ask(server, "POST", configMaps, configMap("a"))).toMatchObject({
    code: 500,
    message:
      'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
  });
  await ask(server, "DELETE", `${registration}/validatingwebhookconfigurations/hooks`);
  await configured(server, "validating", webhook(nowhere, { failurePolicy: "Ignore" }));
  expect((await ask(server, "POST", configMaps, configMap("a"))).code).toBe(201);
});

test("webhooks that are passed over are told once a minute each, and when they answer again", async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = createLogger({ clock, format: "json", write: (line) => void lines.push(line) });
  await using server = await startTestServer({ clock, log });
  let works = false;
  // an answer without `allowed` is none
  await using hook = await startHook(() => (works ? { allowed: true } : { allowed: "perhaps" }));
  const ignored = { failurePolicy: "Ignore" };
  const other = webhook({ url: "https://127.0.0.1:1/x", caBundle: "" }, { ...ignored, name: "other.example.com" });
  await configured(server, "validating", webhook(hook, ignored), other);
  const create = async (name: string): Promise<void> => {
    expect((await ask(server, "POST", configMaps, configMap(name))).code).toBe(201);
  };
  for (const name of ["a", "b", "c"]) await create(name);
  works = true;
  await create("d");
  const told = lines.map((line) => JSON.parse(line) as Json).filter(({ webhook: about }) => about !== undefined);
  // both were asked at once
  expect(told.map(({ level, configuration, webhook: about }) => `${level} ${configuration}/${about}`).sort()).toEqual([
    "info hooks/hook.example.com",
    "warn hooks/hook.example.com",
    "warn hooks/other.example.com",
  ]);
});

test("a webhook is asked only about what its rules, selectors and conditions name", async () => {
  await using server = await startTestServer();
  await using hook = await startHook(() => ({ allowed: true }));
  const rules = [
    { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["configmaps", "deployments/scale"] },
  ];
  await configured(
    server,
    "validating",
    webhook(hook, {
      rules,
      objectSelector: { matchExpressions: [{ key: "skip", operator: "DoesNotExist" }] },
      matchConditions: [{ name: "not-b", expression: "request.name != 'b'" }],
    }),
  );
  await ask(server, "POST", configMaps, configMap("a"));
  await ask(server, "POST", configMaps, configMap("b"));
  await ask(server, "POST", configMaps, { metadata: { name: "c", labels: { skip: "1" } } });
  await ask(server, "POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "a" } });
  await ask(server, "PATCH", `${configMaps}/a`, { data: { x: "y" } });
  await ask(server, "DELETE", `${configMaps}/a`);
  expect(hook.asked.map(({ operation, name }) => `${operation} ${name}`)).toEqual(["CREATE a", "UPDATE a", "DELETE a"]);
  expect(hook.asked[2]).toMatchObject({ object: null, oldObject: { data: { x: "y" } } });
});

test("a dry run is refused where a webhook has side effects", async () => {
  await using server = await startTestServer();
  await using hook = await startHook(() => ({ allowed: true }));
  await configured(server, "validating", webhook(hook, { sideEffects: "NoneOnDryRun" }));
  expect((await ask(server, "POST", `${configMaps}?dryRun=All`, configMap("a"))).code).toBe(201);
  expect(hook.asked[0].dryRun).toBe(true);
});

test("an answer to another question, or none, is an error", async () => {
  await using server = await startTestServer();
  await using hook = await startHook(() => ({ uid: "other", allowed: true }));
  await configured(server, "validating", webhook(hook));
  const { message } = await ask(server, "POST", configMaps, configMap("a"));
  expect(message).toMatch(/received invalid webhook response: expected response.uid="[0-9a-f-]{36}", got "other"$/);
});

test.each([
  [{ allowed: "yes" }, "response.allowed"],
  [{ warnings: [1, {}] }, "response.warnings"],
  [{ status: 5 }, "response.status "],
  [{ status: { code: "x" } }, "response.status.code"],
  [{ status: { message: { toString: 1 } } }, "response.status.message"],
])("an answer with a member of the wrong type is an error: %j", async (answer, named) => {
  await using server = await startTestServer();
  await using hook = await startHook(() => ({ allowed: false, ...answer }));
  await configured(server, "validating", webhook(hook));
  const { code, message } = await ask(server, "POST", configMaps, configMap("a"));
  expect(code).toBe(500);
  expect(message).toContain(`received invalid webhook response: json: cannot unmarshal ${named}`);
});

test("members that are null count as absent, and a code that no answer can have is 500", async () => {
  await using server = await startTestServer();
  let status: object | null = null;
  await using hook = await startHook(() => ({ allowed: false, status, warnings: null }));
  await configured(server, "validating", webhook(hook));
  expect(await ask(server, "POST", configMaps, configMap("a"))).toMatchObject({
    code: 400,
    message: 'admission webhook "hook.example.com" denied the request without explanation',
  });
  status = { code: 99_999, message: "x", reason: null, details: null };
  expect((await ask(server, "POST", configMaps, configMap("a"))).code).toBe(500);
});

test("an answer without an end is cut off", async () => {
  await using server = await startTestServer();
  await using hook = await startHook(() => ({ raw: " ".repeat(4 * 1024 * 1024) }));
  await configured(server, "validating", webhook(hook));
  const { message } = await ask(server, "POST", configMaps, configMap("a"));
  expect(message).toContain("the answer is larger than 3145728 bytes");
});

test("configurations of webhooks are never judged by webhooks", async () => {
  await using server = await startTestServer();
  const rules = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }];
  await configured(server, "validating", webhook({ url: "https://127.0.0.1:1/x", caBundle: "" }, { rules }));
  expect((await ask(server, "POST", configMaps, configMap("a"))).code).toBe(500);
  const { code } = await ask(server, "DELETE", `${registration}/validatingwebhookconfigurations/hooks`);
  expect(code).toBe(200);
});

test("webhooks see evictions, bindings and connections, and may refuse them", async () => {
  await using server = await startTestServer();
  await using hook = await startHook(() => ({ allowed: false, status: { message: "not now" } }));
  const resources = ["pods/eviction", "pods/binding", "pods/exec"];
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "CONNECT"], resources }];
  await configured(server, "validating", webhook(hook, { rules }));
  const pods = "/api/v1/namespaces/default/pods";
  const metadata = { name: "web", namespace: "default" };
  const spec = { containers: [{ name: "web", image: "nginx" }] };
  await ask(server, "POST", pods, { metadata: { ...metadata, name: "web" }, spec });
  const refused = { code: 400, message: 'admission webhook "hook.example.com" denied the request: not now' };
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata };
  expect(await ask(server, "POST", `${pods}/web/eviction`, eviction)).toMatchObject(refused);
  const binding = { apiVersion: "v1", kind: "Binding", metadata, target: { kind: "Node", name: "a" } };
  expect(await ask(server, "POST", `${pods}/web/binding`, binding)).toMatchObject(refused);
  expect(await ask(server, "GET", `${pods}/web/exec?command=ls`)).toMatchObject(refused);
  expect(hook.asked.map(({ operation, kind, subResource }) => [operation, kind.kind, subResource])).toEqual([
    ["CREATE", "Eviction", "eviction"],
    ["CREATE", "Binding", "binding"],
    ["CONNECT", "PodExecOptions", "exec"],
  ]);
});

test("questions to a webhook share a connection", async () => {
  await using server = await startTestServer();
  await using hook = await startHook(() => ({ allowed: true }));
  await configured(server, "validating", webhook(hook));
  for (const name of ["a", "b", "c", "d", "e"])
    expect((await ask(server, "POST", configMaps, configMap(name))).code).toBe(201);
  expect(hook.asked.length).toBe(5);
  // an idle connection may be closed between two of them
  expect(hook.connections).toBeLessThan(5);
});

test("a webhook that ends a kept connection is asked on a new one", async () => {
  await using server = await startTestServer();
  await using hook = await startHook(() => ({ allowed: true }), { hangsUp: true });
  await configured(server, "validating", webhook(hook));
  for (const name of ["a", "b", "c"]) expect((await ask(server, "POST", configMaps, configMap(name))).code).toBe(201);
  expect(hook.asked.map(({ name }) => name)).toEqual(["a", "b", "c"]);
});

test("a webhook is not asked on a connection that other authorities vouched for", async () => {
  await using server = await startTestServer();
  await using hook = await startHook(() => ({ allowed: true }));
  await using other = await startHook(() => ({ allowed: true }));
  const { metadata } = await configured(server, "validating", webhook(hook));
  expect((await ask(server, "POST", configMaps, configMap("a"))).code).toBe(201);
  const path = `${registration}/validatingwebhookconfigurations/hooks`;
  const distrusting = webhook({ url: hook.url, caBundle: other.caBundle });
  expect((await ask(server, "PUT", path, { metadata, webhooks: [distrusting] })).code).toBe(200);
  const { code, message } = await ask(server, "POST", configMaps, configMap("b"));
  expect({ code, message }).toMatchObject({
    code: 500,
    message: expect.stringContaining("x509: certificate signed by unknown authority"),
  });
});
