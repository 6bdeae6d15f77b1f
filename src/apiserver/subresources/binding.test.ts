import { expect, test } from "vitest";
import { ask } from "../../../test/ask.js";
import { startTestServer } from "../../testing/cluster.js";
import type { ApiServer } from "../index.js";

const core = "/api/v1/namespaces/default";
const target = { kind: "Node", name: "n1" };

async function serverWithPod(): Promise<ApiServer> {
  const server = await startTestServer({});
  await ask(server, "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  await ask(server, "POST", `${core}/pods`, {
    metadata: { name: "a" },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  return server;
}

const notTheName = [400, "name in URL does not match name in Binding object"];
const elsewhere = [400, "the namespace of the provided object does not match the namespace sent on the request"];
const withoutNode = [500, "target.name: Required value"];
const withoutName = [400, "Name parameter required."];
const unsupported = 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"';
const unmet = (what: string): unknown[] => [
  409,
  expect.stringMatching(
    `^Operation cannot be fulfilled on pods "a": StorageError: invalid object, Code: 4, Key: /registry/pods/default/a, .* Precondition failed: ${what} in precondition`,
  ),
];

test.each([
  ["of no name", "pods/a/binding", { target }, notTheName],
  ["of another name", "pods/a/binding", { metadata: { name: "b" }, target }, notTheName],
  ["of a name to be made", "pods/a/binding", { metadata: { generateName: "a" }, target }, notTheName],
  ["of another namespace", "pods/a/binding", { metadata: { name: "a", namespace: "b" }, target }, elsewhere],
  ["to nothing", "pods/a/binding", { metadata: { name: "a" } }, withoutNode],
  ["to null", "pods/a/binding", { metadata: { name: "a" }, target: null }, withoutNode],
  ["to a node of no name", "pods/a/binding", { metadata: { name: "a" }, target: { kind: "Node" } }, withoutNode],
  ["to a pod", "pods/a/binding", { metadata: { name: "a" }, target: { kind: "Pod", name: "n1" } }, [500, unsupported]],
  [
    "to a pod of no name",
    "pods/a/binding",
    { metadata: { name: "a" }, target: { kind: "Pod" } },
    [500, `[${unsupported}, target.name: Required value]`],
  ],
  ["of another uid", "pods/a/binding", { metadata: { name: "a", uid: "b" }, target }, unmet("UID")],
  [
    "of an older version",
    "pods/a/binding",
    { metadata: { name: "a", resourceVersion: "1" }, target },
    unmet("ResourceVersion"),
  ],
  ["of no name, without a pod in the path", "bindings", { target }, withoutName],
  ["of nothing, without a pod in the path", "bindings", {}, withoutNode],
  [
    "of an older version, without a pod in the path",
    "bindings",
    { metadata: { name: "a", resourceVersion: "1" }, target },
    unmet("ResourceVersion"),
  ],
] as const)("a binding %s is refused, and the pod has no node", async (_, path, body, answer) => {
  await using server = await serverWithPod();
  const { code, message } = await ask(server, "POST", `${core}/${path}`, body);
  expect([code, message]).toEqual(answer);
  const pod = await ask(server, "GET", `${core}/pods/a`);
  expect((pod["spec"] as { readonly nodeName?: string }).nodeName).toBeUndefined();
});

test("a binding of the pod's own uid and version is accepted, and a second one is refused", async () => {
  await using server = await serverWithPod();
  const { metadata } = await ask(server, "GET", `${core}/pods/a`);
  const bind = (): ReturnType<typeof ask> => ask(server, "POST", `${core}/pods/a/binding`, { metadata, target });
  expect(await bind()).toMatchObject({ status: "Success", code: 201 });
  expect(await bind()).toMatchObject({ code: 409 });
});

test("an eviction of another namespace is refused", async () => {
  await using server = await serverWithPod();
  const body = { metadata: { name: "a", namespace: "b" } };
  const { code, message } = await ask(server, "POST", `${core}/pods/a/eviction`, body);
  expect([code, message]).toEqual(elsewhere);
});

test("conditions that were true before keep their time and place when the pod is bound and evicted", async () => {
  await using server = await serverWithPod();
  const lastTransitionTime = "2020-01-01T00:00:00Z";
  const of = (type: string): object => ({ type, status: "True", lastTransitionTime });
  const { metadata, spec, ...pod } = await ask(server, "GET", `${core}/pods/a`);
  const held = { ...(metadata as object), finalizers: ["example.com/held"] };
  const conditions = [of("PodScheduled"), of("DisruptionTarget"), of("Ready")];
  await ask(server, "PUT", `${core}/pods/a`, { ...pod, metadata: held, spec });
  await ask(server, "PATCH", `${core}/pods/a/status`, { status: { conditions } });
  expect(await ask(server, "POST", `${core}/pods/a/binding`, { metadata: { name: "a" }, target })).toMatchObject({
    code: 201,
  });
  expect(await ask(server, "POST", `${core}/pods/a/eviction`, { metadata: { name: "a" } })).toMatchObject({
    code: 201,
  });
  const { status } = await ask(server, "GET", `${core}/pods/a`);
  expect((status as { readonly conditions: readonly object[] }).conditions).toMatchObject([
    of("PodScheduled"),
    { ...of("DisruptionTarget"), reason: "EvictionByEvictionAPI" },
    of("Ready"),
  ]);
});
