import { expect, test } from "vitest";
import { ConfigMap } from "../../api/generated/core-v1.js";
import { Client } from "../client.js";
import { isConnectionFailure } from "../failure.js";

function answering(text: string): Client {
  const transport = () => Promise.resolve({ status: 200, headers: {}, body: Buffer.from(text) });
  return new Client({ transport, leanAnswers: true });
}

const stored = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "b", resourceVersion: "7", managedFields: [{ manager: "m" }] },
  data: { x: "y" },
};
const { managedFields: _, ...metadata } = stored.metadata;

test("what a write gives back is the object without its managedFields, whether or not a line ends it", async () => {
  for (const end of ["", "\n"]) {
    const maps = answering(JSON.stringify(stored) + end).resource(ConfigMap, { namespace: "b" });
    expect(await maps.create({ metadata: { name: "a" }, data: { x: "y" } })).toEqual({ ...stored, metadata });
    expect(await maps.patch("a", { merge: {} })).toEqual({ ...stored, metadata });
    expect(await maps.status.patch("a", { merge: {} })).toEqual({ ...stored, metadata });
  }
});

test("what is read is whole", async () => {
  const maps = answering(JSON.stringify(stored)).resource(ConfigMap, { namespace: "b" });
  expect(await maps.get("a")).toEqual(stored);
});

test("an answer that is not JSON is an error that shows it", async () => {
  const maps = answering('{"kind":').resource(ConfigMap, { namespace: "b" });
  const failed = await maps.patch("a", { merge: {} }).catch((error: unknown) => error);
  expect(isConnectionFailure(failed, "malformed")).toBe(true);
  expect(String(failed)).toContain("the answer is not JSON");
});
