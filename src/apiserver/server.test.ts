import { expect, test } from "vitest";
import { FakeClock } from "../base/index.js";
import { startApiServer } from "../testing/cluster.js";

const signal = new AbortController().signal;
const decode = (body: unknown): Record<string, unknown> =>
  JSON.parse(Buffer.from(body as Uint8Array).toString()) as never;

test("the in-process transport creates, reads and deletes without a socket", async () => {
  await using server = await startApiServer({ clock: new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") }) });
  const send = server.transport();
  const body = Buffer.from(
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { x: "1" } }),
  );
  const path = "/api/v1/namespaces/default/configmaps";
  const created = await send({ method: "POST", path, headers: { "content-type": "application/json" }, body }, signal);
  expect([created.status, decode(created.body)["metadata"]]).toEqual([
    201,
    expect.objectContaining({ name: "a", namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z" }),
  ]);
  const deleted = await send({ method: "DELETE", path: `${path}/a`, headers: {} }, signal);
  expect([deleted.status, decode(deleted.body)["status"]]).toEqual([200, "Success"]);
  const missing = await send({ method: "GET", path: `${path}/a`, headers: {} }, signal);
  expect([missing.status, decode(missing.body)["message"]]).toEqual([404, 'configmaps "a" not found']);
});

test("a watch is told of the present state, its end, and every later change", async () => {
  await using server = await startApiServer({ clock: new FakeClock() });
  const send = server.transport();
  const stop = new AbortController();
  const path =
    "/api/v1/namespaces?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const { body } = await send({ method: "GET", path, headers: {} }, stop.signal);
  const seen: string[] = [];
  const text = new TextDecoder();
  const create = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "new" } }));
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    for (const line of text.decode(chunk).split("\n").filter(Boolean)) {
      const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name?: string } } };
      seen.push(`${type} ${object.metadata.name ?? ""}`.trim());
      if (type === "BOOKMARK")
        await send({ method: "POST", path: "/api/v1/namespaces", headers: {}, body: create }, signal);
    }
    if (seen.at(-1) === "ADDED new") break;
  }
  stop.abort();
  expect(seen).toEqual([
    "ADDED default",
    "ADDED kube-node-lease",
    "ADDED kube-public",
    "ADDED kube-system",
    "BOOKMARK",
    "ADDED new",
  ]);
});

test("whoever is not known is turned away, except where health is asked for", async () => {
  await using server = await startApiServer();
  const ask = async (path: string, authorization?: string) =>
    (
      await server.handle(
        { method: "GET", path, headers: authorization === undefined ? {} : { authorization } },
        signal,
      )
    ).status;
  expect(
    await Promise.all([ask("/api/v1/pods"), ask("/api/v1/pods", "Bearer wrong"), ask("/readyz"), ask("/metrics")]),
  ).toEqual([401, 401, 200, 401]);
  expect(await ask("/api/v1/pods", `Bearer ${server.token}`)).toBe(200);
});
