import { expect, test } from "vitest";
import { ask } from "../../test/ask.js";
import type { KubeObject } from "../api/index.js";
import { startTestServer } from "../testing/cluster.js";
import { protobufCodec } from "./codec/index.js";
import type { ApiServer } from "./index.js";

/** Names that every object of JavaScript answers to. */
const inherited = ["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf"];
const all = <V>(value: V): Record<string, V> => Object.fromEntries(inherited.map((name) => [name, value]));

const maps = "/api/v1/namespaces/default/configmaps";
const identity = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

async function sent(server: ApiServer, method: string, type: string, body: Uint8Array): Promise<number> {
  const path = method === "POST" ? maps : `${maps}/a?fieldManager=m`;
  const request = { method, path, headers: { "content-type": type }, body };
  return (await server.transport()(request, new AbortController().signal)).status;
}

const writes: readonly (readonly [string, string, (data: Record<string, string>) => Uint8Array])[] = [
  ["POST", "application/json", (data) => Buffer.from(JSON.stringify({ ...identity, data }))],
  ["POST", protobufCodec.mediaType, (data) => protobufCodec.encode({ ...identity, data } as KubeObject)],
  ["PATCH", "application/merge-patch+json", (data) => Buffer.from(JSON.stringify({ data }))],
  ["PATCH", "application/strategic-merge-patch+json", (data) => Buffer.from(JSON.stringify({ data }))],
  ["PATCH", "application/apply-patch+yaml", (data) => Buffer.from(JSON.stringify({ ...identity, data }))],
  [
    "PATCH",
    "application/json-patch+json",
    (data) =>
      Buffer.from(
        JSON.stringify(Object.entries(data).map(([name, value]) => ({ op: "add", path: `/data/${name}`, value }))),
      ),
  ],
];

test.each(writes)("keys that every object inherits are kept like any other: %s %s", async (method, type, body) => {
  await using server = await startTestServer();
  // a key in binaryData is not one in data
  if (method === "PATCH") await ask(server, "POST", maps, { ...identity, data: { k: "v" }, binaryData: { b: "YQ==" } });
  expect(await sent(server, method, type, body(all("x")))).toBeLessThan(300);
  const { data } = await ask(server, "GET", `${maps}/a`);
  for (const name of inherited) expect(Object.hasOwn(data, name) && data[name]).toBe("x");
});

test("nor do they make a limit range fail, or a runtime class conflict", async () => {
  await using server = await startTestServer({ disabledAdmission: ["ServiceAccount"] });
  const limits = [{ type: "Container", max: all("1"), min: { cpu: "1" }, default: {}, defaultRequest: {} }];
  const range = { metadata: { name: "a" }, spec: { limits } };
  expect((await ask(server, "POST", "/api/v1/namespaces/default/limitranges", range)).code).toBe(422);
  await ask(server, "POST", "/apis/node.k8s.io/v1/runtimeclasses", {
    metadata: { name: "r" },
    handler: "r",
    scheduling: { nodeSelector: { constructor: "x" } },
  });
  const spec = { runtimeClassName: "r", containers: [{ name: "c", image: "i" }] };
  const pod = await ask(server, "POST", "/api/v1/namespaces/default/pods", { metadata: { name: "a" }, spec });
  expect(pod).toMatchObject({ code: 201, spec: { nodeSelector: { constructor: "x" } } });
});
