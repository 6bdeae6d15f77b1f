import { expect, test } from "vitest";
import { type Hook, startHook } from "../../../test/webhook/hook.js";
import { KeptConnections } from "./kept-connections.js";
import { postTo } from "./post.js";

const { signal } = new AbortController();

const endpointOf = ({ url, caBundle }: Hook): { readonly url: string; readonly ca: string } => ({
  url,
  ca: Buffer.from(caBundle, "base64").toString(),
});

const body = JSON.stringify({ request: { uid: "1" } });

test("requests that follow one another share a connection", async () => {
  using connections = new KeptConnections();
  await using hook = await startHook(() => ({ allowed: true }));
  for (let i = 0; i < 5; i++) expect((await postTo(endpointOf(hook), body, { connections, signal })).status).toBe(200);
  expect(hook.asked.length).toBe(5);
  // an idle connection may be closed between two of them
  expect(hook.connections).toBeLessThan(5);
});

test("a request is sent once more when a kept connection ends under it", async () => {
  using connections = new KeptConnections();
  await using hook = await startHook(() => ({ allowed: true }), { hangsUp: true });
  for (let i = 0; i < 3; i++) expect((await postTo(endpointOf(hook), body, { connections, signal })).status).toBe(200);
  expect(hook.asked.length).toBe(3);
});

test("a server is not trusted for a connection that other authorities vouched for", async () => {
  using connections = new KeptConnections();
  await using hook = await startHook(() => ({ allowed: true }));
  await using other = await startHook(() => ({ allowed: true }));
  await postTo(endpointOf(hook), body, { connections, signal });
  const distrusting = { ...endpointOf(other), url: hook.url };
  await expect(postTo(distrusting, body, { connections, signal })).rejects.toThrow(/certificate/);
});
