import { expect, test } from "vitest";
import { startTestServer } from "../../../testing/cluster.js";
import { checkExtent } from "./json-extent.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);

test("members, objects and lists count, text and items of lists do not", () => {
  const pairs = (count: number): string => Array.from({ length: count }, (_, i) => `"${i}":{}`).join(",");
  expect(() => checkExtent(bytes(`{${pairs(149_999)}}`))).not.toThrow();
  expect(() => checkExtent(bytes(`{${pairs(150_001)}}`))).toThrow("more than 300000 members, objects and lists");
  expect(() => checkExtent(bytes(`[${"[],".repeat(300_000)}0]`))).toThrow("more than 300000");
  expect(() => checkExtent(bytes(`["${String.raw`\":{[`.repeat(200_000)}"]`))).not.toThrow();
  expect(() => checkExtent(bytes(`[${"1,".repeat(700_000)}0]`))).not.toThrow();
});

test("a body of too many parts is refused with 413, in JSON and as a patch; in protobuf with 400", async () => {
  await using server = await startTestServer();
  const send = async (method: string, type: string, body: Buffer): Promise<[number, string]> => {
    const path = `/api/v1/namespaces/default/configmaps${method === "PATCH" ? "/c" : ""}`;
    const request = { method, path, headers: { "content-type": type }, body };
    const answer = await server.transport()(request, new AbortController().signal);
    const { message } = JSON.parse(Buffer.from(answer.body as Uint8Array).toString()) as { readonly message: string };
    return [answer.status, message];
  };
  const wide = Buffer.from(`{"data":[${"[],".repeat(300_000)}0]}`);
  const told = "Request entity too large: the body has more than 300000 members, objects and lists";
  expect(await send("POST", "application/json", wide)).toEqual([413, told]);
  expect(await send("PATCH", "application/merge-patch+json", wide)).toEqual([413, told]);
  const typeMeta = Buffer.from("\x0a\x0f\x0a\x02v1\x12\x09ConfigMap", "latin1");
  const entries = Buffer.from("\x12\x00".repeat(300_001), "latin1");
  const length = Buffer.from([
    0x12,
    (entries.length & 0x7f) | 0x80,
    ((entries.length >> 7) & 0x7f) | 0x80,
    entries.length >> 14,
  ]);
  const message = Buffer.concat([Buffer.from("k8s\0"), typeMeta, length, entries]);
  const [status, why] = await send("POST", "application/vnd.kubernetes.protobuf", message);
  expect([status, why.includes("more than 300000 messages")]).toEqual([400, true]);
});
