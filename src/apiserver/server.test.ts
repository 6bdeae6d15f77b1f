import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ObjectMeta } from "../api/index.js";
import { FakeClock, Lifetime } from "../base/index.js";
import { startTestServer } from "../testing/cluster.js";
import { MvccStore } from "./storage/mvcc-store.js";

const signal = new AbortController().signal;
const decode = (body: unknown): Record<string, unknown> =>
  JSON.parse(Buffer.from(body as Uint8Array).toString()) as never;

test("the in-process transport creates, reads and deletes without a socket", async () => {
  await using server = await startTestServer({ clock: new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") }) });
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
  await using server = await startTestServer({ clock: new FakeClock() });
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

test("of a watch as a table the first event has the columns, and the end of the initial ones a nameless row", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  const stop = new AbortController();
  const path =
    "/api/v1/namespaces?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
  const { body } = await server.transport()({ method: "GET", path, headers }, stop.signal);
  let text = "";
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("BOOKMARK")) break;
  }
  stop.abort();
  type Table = { columnDefinitions: unknown[] | null; rows: [{ cells: unknown[] }] };
  const tables = text
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { object: Table }).object);
  expect(tables.map(({ columnDefinitions }) => columnDefinitions?.length)).toEqual([3, ...Array(4).fill(undefined)]);
  expect(tables.map(({ rows }) => rows[0].cells[0])).toEqual([
    "default",
    "kube-node-lease",
    "kube-public",
    "kube-system",
    "",
  ]);
});

test("a write that the disk refuses is told so, reads go on, and writes too when there is room", async () => {
  const disk = { full: false };
  const journal = {
    append: () => (disk.full ? Promise.reject(new Error("ENOSPC: no space left on device")) : Promise.resolve()),
    close: () => Promise.resolve(),
  };
  const clock = new FakeClock();
  await using server = await startTestServer({ clock, store: new MvccStore({ clock, journal }) });
  const send = server.transport();
  const body = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "new" } }));
  const create = () => send({ method: "POST", path: "/api/v1/namespaces", headers: {}, body }, signal);
  const read = (name: string) => send({ method: "GET", path: `/api/v1/namespaces/${name}`, headers: {} }, signal);
  disk.full = true;
  const refused = await create();
  expect([refused.status, decode(refused.body)["message"]]).toEqual([
    500,
    "Internal error occurred: the write could not be stored: ENOSPC: no space left on device",
  ]);
  expect([(await read("default")).status, (await read("new")).status]).toEqual([200, 404]);
  disk.full = false;
  expect([(await create()).status, (await read("new")).status]).toEqual([201, 200]);
});

test("whoever is not known is turned away, except where health is asked for", async () => {
  await using server = await startTestServer();
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

test("a server on a data folder keeps its objects, its authority and its tokens over a restart", async () => {
  const directory = await mkdtemp(join(tmpdir(), "coxswain-server-"));
  const account = "/api/v1/namespaces/default/serviceaccounts";
  const post = (path: string, value: object) => ({
    method: "POST",
    path,
    headers: {},
    body: Buffer.from(JSON.stringify(value)),
  });
  try {
    let token = "";
    let authority: string | undefined;
    {
      await using server = await startTestServer({ dataDir: directory });
      await using listener = await server.listen();
      authority = listener.authority;
      const send = server.transport();
      await send(post(account, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "bot" } }), signal);
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      const { body } = await send(post(`${account}/bot/token`, request), signal);
      token = (decode(body)["status"] as { token: string }).token;
    }
    await using server = await startTestServer({ dataDir: directory });
    await using listener = await server.listen();
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await server.handle({ method: "GET", path: `${account}/bot`, headers }, signal);
    expect([status, listener.authority]).toEqual([200, authority]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test("a stopping server is unready, and its watches end cleanly", async () => {
  const server = await startTestServer();
  const send = server.transport();
  const { body } = await send({ method: "GET", path: "/api/v1/pods?watch=1", headers: {} }, signal);
  const stopped = server[Symbol.asyncDispose]();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  await stopped;
  const { status } = await server.handle({ method: "GET", path: "/readyz", headers: {} }, signal);
  expect([chunks.length, status]).toEqual([0, 500]);
});

test("a server whose disk takes no writes is unready, and tells users but not strangers why", async () => {
  let failure: Error | undefined;
  const append = async (): Promise<void> => {
    if (failure !== undefined) throw failure;
  };
  const store = new MvccStore({ clock: new FakeClock(), journal: { append, close: async () => {} } });
  await using server = await startTestServer({ store });
  const create = async (name: string): Promise<number> => {
    const body = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));
    const request = {
      method: "POST",
      path: "/api/v1/namespaces",
      headers: { "content-type": "application/json" },
      body,
    };
    return (await server.transport()(request, signal)).status;
  };
  const ready = async (send: typeof server.handle): Promise<string> => {
    const { status, body } = await send({ method: "GET", path: "/readyz?verbose", headers: {} }, signal);
    return `${status} ${/etcd-readiness .*/.exec(Buffer.from(body as Uint8Array).toString())?.[0]}`;
  };
  expect([await create("a"), await ready(server.transport())]).toEqual([201, "200 etcd-readiness ok"]);
  failure = new Error("the disk is full");
  expect([await create("b"), await ready(server.transport())]).toEqual([
    500,
    "500 etcd-readiness failed: the disk is full",
  ]);
  expect(await ready(server.handle)).toBe("500 etcd-readiness failed: reason withheld");
  failure = undefined;
  expect([await create("b"), await ready(server.transport())]).toEqual([201, "200 etcd-readiness ok"]);
});

test("each check of health is a number too, for those who watch objectives", async () => {
  await using server = await startTestServer();
  const read = async (path: string): Promise<string> => {
    const { status, body } = await server.transport()({ method: "GET", path, headers: {} }, signal);
    return `${status} ${Buffer.from(body as Uint8Array).toString()}`;
  };
  expect(await read("/healthz?verbose=1")).toContain("[+]poststarthook/storage-readiness ok\n");
  expect(await read("/readyz/poststarthook/rbac/bootstrap-roles")).toBe("200 ok");
  expect(await read("/")).toContain('"/readyz/poststarthook/rbac/bootstrap-roles"');
  const indicators = await read("/metrics/slis");
  expect(indicators).toMatch(/^200 # HELP kubernetes_healthcheck /);
  expect(indicators).toContain('kubernetes_healthcheck{name="ping",type="livez"} 1\n');
  expect(indicators).toContain('kubernetes_healthcheck{name="informer-sync",type="readyz"} 1\n');
  expect(indicators).not.toContain('name="informer-sync",type="livez"');
});

test("more requests than there is room for are turned away for a moment, and a large body at once", async () => {
  await using server = await startTestServer({ limits: { readsInFlight: 0, writesInFlight: 0, bodyBytes: 1000 } });
  const send = server.transport();
  const user = { username: "eve", groups: [] };
  const slow = server.transport(user)({ method: "GET", path: "/api/v1/pods", headers: {} }, signal);
  const busy = await server.transport(user)({ method: "GET", path: "/api/v1/pods", headers: {} }, signal);
  expect([busy.status, busy.headers["retry-after"], Buffer.from(busy.body as Uint8Array).toString()]).toEqual([
    429,
    "1",
    "Too many requests, please try again later.\n",
  ]);
  expect((await slow).status).toBe(200);
  const body = Buffer.alloc(1001);
  const large = await send({ method: "POST", path: "/api/v1/namespaces", headers: {}, body }, signal);
  expect([large.status, decode(large.body)["reason"]]).toEqual([413, "RequestEntityTooLarge"]);
});

test("objects whose names are generated from one body are told apart by name, uid, namespace, manager and time", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  await using server = await startTestServer({ clock });
  const send = server.transport();
  const draft = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "a-" }, data: { x: "1" } };
  const body = Buffer.from(JSON.stringify(draft));
  const headers = { "content-type": "application/json" };
  const create = async (namespace: string, manager: string): Promise<ObjectMeta> => {
    const path = `/api/v1/namespaces/${namespace}/configmaps?fieldManager=${manager}`;
    const { body: answer } = await send({ method: "POST", path, headers, body }, signal);
    return decode(answer)["metadata"] as ObjectMeta;
  };
  const [first, second] = [await create("default", "one"), await create("default", "one")];
  const elsewhere = await create("kube-system", "one");
  const other = await create("default", "two");
  await clock.advance(1_000);
  const later = await create("default", "one");
  const all = [first, second, elsewhere, other, later];
  expect(new Set(all.map(({ uid }) => uid)).size).toBe(5);
  expect(new Set(all.map(({ name }) => name)).size).toBe(5);
  expect(all.map(({ namespace }) => namespace)).toEqual(["default", "default", "kube-system", "default", "default"]);
  expect(all.map(({ managedFields }) => managedFields?.[0]?.manager)).toEqual(["one", "one", "one", "two", "one"]);
  const times = all.map(({ managedFields }) => managedFields?.[0]?.time);
  const [now, soon] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"];
  expect(times).toEqual([now, now, now, now, soon]);
  expect(second.managedFields).toEqual(first.managedFields);
});

test.each(["memory", "disk"])(
  "an object that is larger than a store takes is refused, in %s, and nothing changes",
  async (where) => {
    const folder = await mkdtemp(join(tmpdir(), "coxswain-sizes-"));
    await using made = new Lifetime();
    made.defer(() => rm(folder, { recursive: true }));
    const kept = where === "disk" ? { dataDir: folder } : {};
    await using server = await startTestServer({ limits: { objectBytes: 10_000 }, ...kept });
    const send = async (method: string, path: string, body: object, type = "application/json") => {
      const sent = { method, path, headers: { "content-type": type }, body: Buffer.from(JSON.stringify(body)) };
      const response = await server.transport()(sent, new AbortController().signal);
      const { code, message, reason } = JSON.parse(Buffer.from(response.body as Uint8Array).toString());
      return response.status < 300 ? response.status : [code, message, reason];
    };
    const maps = "/api/v1/namespaces/default/configmaps";
    const map = (name: string, size: number): object => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name },
      data: { x: "y".repeat(size) },
    });
    const refusal = [500, "etcdserver: request is too large", undefined];
    expect(await send("POST", maps, map("large", 10_000))).toEqual(refusal);
    expect(await send("POST", maps, map("a", 5_000))).toBe(201);
    const { revision } = server.store;
    expect(await send("PUT", `${maps}/a`, map("a", 10_000))).toEqual(refusal);
    const more = { data: { z: "z".repeat(6_000) } };
    expect(await send("PATCH", `${maps}/a`, more, "application/merge-patch+json")).toEqual(refusal);
    const applied = { ...map("a", 5_000), ...more };
    expect(
      await send(
        "PATCH",
        `${maps}/b?fieldManager=m`,
        { ...applied, metadata: { name: "b" }, data: { x: "y".repeat(11_000) } },
        "application/apply-patch+yaml",
      ),
    ).toEqual(refusal);
    expect([server.store.revision, server.store.count("configmaps")]).toEqual([revision, 1]);
  },
);

test("nobody is told what is not on disk yet: that something exists, is gone or has changed", async () => {
  const clock = new FakeClock();
  let release: (() => void) | undefined;
  let hold = false;
  const journal = {
    append: () => (hold ? new Promise<void>((resolve) => (release = resolve)) : Promise.resolve()),
    close: () => Promise.resolve(),
  };
  await using server = await startTestServer({ clock, store: new MvccStore({ clock, journal }) });
  const told: string[] = [];
  const maps = "/api/v1/namespaces/default/configmaps";
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  const send = async (method: string, path: string, body?: object): Promise<void> => {
    const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
    const response = await server.transport()({ method, path, headers: {}, ...sent }, signal);
    told.push(`${method} ${response.status}`);
  };
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setImmediate(resolve));
  };
  const whileHeld = async (...requests: (() => Promise<void>)[]): Promise<readonly string[]> => {
    hold = true;
    const answers: Promise<void>[] = [];
    for (const request of requests) {
      answers.push(request());
      await turns();
    }
    expect(told).toEqual([]);
    hold = false;
    release?.();
    await Promise.all(answers);
    return told.splice(0).toSorted();
  };
  const made = await whileHeld(
    () => send("POST", maps, map),
    () => send("POST", maps, map),
    () => send("GET", `${maps}/a`),
    () => send("PUT", `${maps}/a`, { ...map, metadata: { name: "a", resourceVersion: "1" } }),
  );
  expect(made).toEqual(["GET 200", "POST 201", "POST 409", "PUT 409"]);
  const gone = await whileHeld(
    () => send("DELETE", `${maps}/a`),
    () => send("GET", `${maps}/a`),
    () => send("GET", `${maps}/a?resourceVersion=1`),
    () => send("GET", maps),
    () => send("DELETE", `${maps}/a`),
    () => send("PUT", `${maps}/a`, map),
  );
  expect(gone).toEqual(["DELETE 200", "DELETE 404", "GET 200", "GET 404", "GET 404", "PUT 404"]);
});
