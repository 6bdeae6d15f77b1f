import { expect, test } from "vitest";
import { ask } from "../../../../test/ask.js";
import { startTestServer } from "../../../testing/cluster.js";

const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const lease = { metadata: { name: "a" }, spec: { leaseDurationSeconds: 5 } };

const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const json = "application/json-patch+json";

const seconds = (number: string): string => `{"spec":{"leaseDurationSeconds":${number}}}`;
const replaced = (number: string): string => `[{"op":"replace","path":"/spec/leaseDurationSeconds","value":${number}}]`;

test.each([
  [merge, seconds("1e400"), 400],
  [strategic, seconds("1e400"), 400],
  [json, replaced("1e400"), 400],
  [merge, seconds("6.0"), 422],
  [merge, seconds("6e0"), 422],
  [json, replaced("6.0"), 422],
  [merge, seconds("9223372036854775808"), 422],
  [json, "[null]", 422],
  [json, "[1]", 400],
  [json, '[{"op":3,"path":"/spec"}]', 400],
  [json, '[{"op":"test","path":"/kind","value":"Lease","from":{}}]', 400],
] as const)(
  "a number that its field cannot hold, and an operation that is none, are refused: %s %s",
  async (type, text, code) => {
    await using server = await startTestServer();
    await ask(server, "POST", leases, lease);
    const request = {
      method: "PATCH",
      path: `${leases}/a`,
      headers: { "content-type": type },
      body: Buffer.from(text),
    };
    expect((await server.transport()(request, new AbortController().signal)).status).toBe(code);
    expect(await ask(server, "GET", `${leases}/a`)).toMatchObject({ spec: lease.spec });
  },
);

test("who owns fields is named by few printable characters, whoever says so", async () => {
  await using server = await startTestServer();
  const made = await ask(server, "POST", leases, lease);
  const [entry] = made.metadata.managedFields;
  for (const wrong of [{ manager: "é".repeat(65) }, { manager: "\n" }, { subresource: "x".repeat(257) }]) {
    const managedFields = [{ ...entry, ...wrong }];
    expect((await ask(server, "PATCH", `${leases}/a`, { metadata: { managedFields } })).code).toBe(422);
  }
});
