import { expect, test } from "vitest";
import { ConfigMap } from "../../api/index.js";
import { Client } from "../client.js";

function failing(): Client {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code: 404,
    reason: "NotFound",
    message: "gone",
  };
  return new Client({
    transport: async () => {
      await new Promise((resolve) => void setImmediate(resolve));
      return {
        status: 404,
        headers: { "content-type": "application/json" },
        body: Buffer.from(JSON.stringify(status)),
      };
    },
  });
}
const forgetful = (client: Client): Promise<unknown> => client.resource(ConfigMap, { namespace: "a" }).get("b");
/** The stack of a call that nobody awaits. */
async function stackOf(promise: Promise<unknown>): Promise<string> {
  let stack: string | undefined;
  void promise.catch((error: Error) => (stack = error.stack));
  while (stack === undefined) await new Promise((resolve) => void setImmediate(resolve));
  return stack;
}

test("an error that nobody waits for leads to the call", async () => {
  const stack = await stackOf(forgetful(failing()));
  expect(stack).toMatch(
    /get configmaps a\/b: gone \(404 NotFound\)[^]*at the call\n[^]*at forgetful .*call-trace\.test\.ts/,
  );
});

test("one that is awaited leads there once", async () => {
  const awaited = async (): Promise<unknown> => {
    return await failing().resource(ConfigMap, { namespace: "a" }).get("b");
  };
  expect(await stackOf(awaited())).not.toContain("at the call");
});

test("only the first calls of a client pay for it", async () => {
  const client = failing();
  for (let call = 0; call < 200; call++) expect(await stackOf(forgetful(client))).toContain("at the call");
  expect(await stackOf(forgetful(client))).not.toContain("at the call");
});
