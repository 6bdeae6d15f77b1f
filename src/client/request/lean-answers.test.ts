import { expect, test } from "vitest";
import { ConfigMap, Pod } from "../../api/generated/core-v1.js";
import type { Transport } from "../../base/index.js";
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

test("from a server in the same process a read and a write share the parts of the server's object", async () => {
  const value = {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: "a", namespace: "b", creationTimestamp: null, managedFields: [{ manager: "m" }] },
    spec: { nodeName: "n" },
    status: { phase: "Running", startTime: null },
  };
  const transport: Transport = async () => ({
    status: 200,
    headers: {},
    body: Buffer.from(JSON.stringify(value)),
    value: () => value,
  });
  const pods = new Client({ transport, leanAnswers: true }).resource(Pod, { namespace: "b" });
  const written = await pods.patch("a", { merge: {} });
  const read = await pods.get("a");
  const { spec } = value;
  const shown = { kind: "Pod", apiVersion: "v1", spec, status: { phase: "Running" } };
  expect(written).toEqual({ ...shown, metadata: { name: "a", namespace: "b" } });
  expect(read).toEqual({ ...shown, metadata: { name: "a", namespace: "b", managedFields: [{ manager: "m" }] } });
  expect([written.spec, read.spec].every((one) => (one as unknown) === spec)).toBe(true);
  const whole = new Client({ transport }).resource(Pod, { namespace: "b" });
  expect((await whole.get("a")).spec).not.toBe(spec);
});
