import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished, expect, test } from "vitest";
import { ClusterRole, ClusterRoleBinding, ConfigMap, Secret } from "../api/index.js";
import { Client } from "../client/index.js";
import { FakeClock } from "../base/index.js";
import { emptySources } from "../../test/page/empty-sources.js";
import { startCluster, startTestServer } from "../testing/index.js";
import { Journal, KeyLoop } from "../controller/index.js";
import { SharedInformerFactory } from "../informer/index.js";
import { Page } from "./page.js";
import type { PageSources } from "./sources.js";
import type { KeysAnswer, RunLine, TableAnswer, WhyAnswer } from "./wire.js";

interface Got {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

async function serve(sources: Partial<PageSources> = {}) {
  const page = new Page({ ...emptySources(), ...sources });
  const server = createServer((request, response) => void page.answer(request, response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(async () => {
    page[Symbol.dispose]();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo;
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const body = (response.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        });
      });
      sent.on("error", reject);
      sent.end();
    });
  return { page, port, get };
}

test("its answers allow no script of others, no frame, and no guess of a type", async () => {
  const { get } = await serve();
  for (const path of ["/", "/page/numbers", "/page/nothing", "/page/assets/none.js"]) {
    const { headers } = await get(path);
    expect(headers["content-security-policy"]).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'/);
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect([headers["x-content-type-options"], headers["referrer-policy"]]).toEqual(["nosniff", "no-referrer"]);
  }
});

test("a file outside of the page's folder is not given", async () => {
  const { get } = await serve();
  for (const name of ["..%2f..%2findex.html", "../index.html", "%00.js", "a/b.js", "package.json"])
    expect((await get(`/page/assets/${name}`)).status).toBe(404);
});

test("a bad query says what is wrong", async () => {
  const { get } = await serve();
  expect(await get("/page/keys?controller=none")).toMatchObject({ status: 400, body: expect.stringContaining("none") });
  expect((await get("/page/kinds")).status).toBe(502);
  expect((await get("/page/else")).status).toBe(404);
});

test("keys are found by state and text, page by page", async () => {
  const loop = new KeyLoop({
    name: "pods",
    kind: "Pod",
    workers: 1,
    host: { journal: new Journal() },
    sync: async () => {},
  });
  for (let i = 0; i < 300; i++) loop.add(`default/pod-${i}`);
  const { get } = await serve({ loops: () => [loop] });
  const keys = async (query: string): Promise<KeysAnswer> =>
    JSON.parse((await get(`/page/keys?controller=pods&${query}`)).body) as KeysAnswer;
  const found = await keys("state=ready&text=pod-29&offset=2&limit=3");
  expect([found.total, found.rows.map(({ key }) => key)]).toEqual([
    11,
    ["default/pod-291", "default/pod-292", "default/pod-293"],
  ]);
  expect((await get("/page/keys?controller=pods&state=odd")).status).toBe(400);
  expect((await get("/page/keys?controller=pods&limit=-1")).status).toBe(400);
  await loop.close();
});

test("the reconciles of an object are found in the journal, by its own key, its reasons and its writes", async () => {
  const journal = new Journal();
  const common = { startedAt: 1, durationMs: 1, waitedMs: 1, omittedReasons: 0, reads: [], omitted: 0 };
  const done = { type: "done" } as const;
  const wrote = {
    verb: "create",
    kind: "Pod",
    key: "default/web-1",
    fields: [],
    revision: "7",
    outcome: "done",
    at: 1,
  };
  const woken = [{ type: "updated", kind: "Pod", key: "default/web-1", revision: "7" }] as const;
  for (let run = 0; run < 500; run++)
    journal.add({ ...common, run, controller: "other", key: "default/x", reasons: [], writes: [], result: done });
  journal.add({ ...common, run: 1, controller: "a", key: "web", reasons: [], writes: [wrote as never], result: done });
  journal.add({ ...common, run: 2, controller: "b", key: "y", reasons: woken, writes: [], result: done });
  for (let run = 0; run < 500; run++)
    journal.add({ ...common, run, controller: "other", key: "default/x", reasons: [], writes: [], result: done });
  const { get } = await serve({ journal: () => journal });
  const runs = async (query: string): Promise<readonly string[]> =>
    (JSON.parse((await get(`/page/runs?${query}`)).body) as readonly RunLine[]).map(
      ({ controller, run }) => `${controller} ${run}`,
    );
  expect(await runs("text=web-1")).toEqual(["a 1", "b 2"]);
  expect(await runs("controller=b")).toEqual(["b 2"]);
  expect(await runs("controller=other&limit=2")).toEqual(["other 498", "other 499"]);
  expect(await runs("text=web-1&until=0")).toEqual([]);
});

test("pages that ask the same within a second share an answer", async () => {
  const clock = new FakeClock();
  let read = 0;
  const journal = new Journal();
  const counted = () => {
    read += 1;
    return journal;
  };
  const { get } = await serve({ clock, journal: counted });
  for (let page = 0; page < 10; page++) await get("/page/moments");
  expect(read).toBe(1);
  await clock.advance(1_000);
  await get("/page/moments");
  expect(read).toBe(2);
});

test("the values of a Secret never travel", async () => {
  await using cluster = await startCluster();
  const value = "swordfish-of-the-deep";
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": `{"stringData":{"password":"${value}"}}` };
  const secrets = cluster.client.resource(Secret, { namespace: "default" });
  await secrets.create({ metadata: { name: "s", annotations }, stringData: { password: value } });
  const { get } = await serve({ client: () => cluster.client });
  const why = await get("/page/why?kind=Secret&namespace=default&name=s");
  const table = await get("/page/table?resource=v1/secrets&namespace=default");
  expect(why.body).toContain("password");
  expect(why.body).toContain(`‹${value.length} bytes, not shown›`);
  for (const { status, body } of [why, table]) {
    expect(status).toBe(200);
    expect(body).not.toContain(value);
    expect(body).not.toContain(Buffer.from(value).toString("base64"));
  }
});

test("an object is shown with its owners, dependents and events; tables have the server's columns", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const parent = await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "parent" } });
  const { uid = "" } = parent.metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "parent", uid, controller: true }];
  await client.resource(Secret, { namespace: "default" }).create({ metadata: { name: "child", ownerReferences } });
  const informers = new SharedInformerFactory(client);
  informers.informer(Secret);
  await using _running = informers.start();
  await informers.waitForCacheSync({ signal: AbortSignal.timeout(60_000) });
  const shown = (): Iterable<{ cluster: string; informer: never }> =>
    Array.from(informers.informers.values(), (informer) => ({ cluster: "", informer: informer as never }));
  const { get } = await serve({ client: () => client, informers: shown });
  const why = JSON.parse((await get("/page/why?resource=v1/secrets&namespace=default&name=child")).body) as WhyAnswer;
  expect(why.family).toMatchObject({
    kind: "ConfigMap",
    name: "parent",
    children: [{ kind: "Secret", name: "child" }],
  });
  const gone = JSON.parse((await get("/page/why?kind=ConfigMap&namespace=default&name=none")).body) as WhyAnswer;
  expect(gone.problem).toContain("not found");
  const table = JSON.parse((await get("/page/table?resource=v1/configmaps&namespace=default")).body) as TableAnswer;
  expect(table.columns.map(({ name }) => name)).toEqual(["Name", "Data", "Age"]);
  expect(table.rows.map(({ name }) => name)).toContain("parent");
  expect((await get("/page/why?kind=Nonsense&name=x")).status).toBe(502);
});

test("a refusal of the server is shown in the place of what it refuses", async () => {
  await using server = await startTestServer({ authorization: "RBAC" });
  const admin = new Client({ transport: server.transport() });
  await admin.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "m" } });
  const rules = [
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] },
    { nonResourceURLs: ["*"], verbs: ["get"] },
  ];
  await admin.resource(ClusterRole).create({ metadata: { name: "reader" }, rules });
  await admin.resource(ClusterRoleBinding).create({
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
  });
  const client = new Client({
    transport: server.transport({ username: "reader", groups: ["system:authenticated"] }),
  });
  const { get } = await serve({ client: () => client });
  const why = JSON.parse((await get("/page/why?resource=v1/configmaps&namespace=default&name=m")).body) as WhyAnswer;
  expect(why.manifest).toMatchObject({ metadata: { name: "m" } });
  expect([why.events, why.eventsProblem]).toEqual([[], expect.stringContaining('cannot list resource "events"')]);
  expect(why.revisionsProblem).toContain('cannot list resource "configmaps"');
  const secret = JSON.parse((await get("/page/why?kind=Secret&namespace=default&name=s")).body) as WhyAnswer;
  expect([secret.manifest, secret.problem]).toEqual([
    undefined,
    expect.stringContaining('cannot get resource "secrets"'),
  ]);
  const table = await get("/page/table?resource=v1/configmaps&namespace=default");
  expect([table.status, table.body]).toEqual([403, expect.stringContaining("cannot list resource")]);
});

test("the stream sends the state, and its end costs nothing any more", async () => {
  const { page, port } = await serve();
  const body = await new Promise<string>((resolve, reject) => {
    const sent = httpRequest({ host: "127.0.0.1", port, path: "/page/stream", agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (!text.includes('"process"')) return;
        expect(page.viewers).toBe(1);
        sent.destroy();
        resolve(text);
      });
      response.on("error", () => {});
    });
    sent.on("error", reject);
    sent.end();
  });
  expect(body).toMatch(/^retry: 1000\n\nid: [0-9a-f]{12}-1\ndata: \{"at":\d+,"whole":true,/);
  await expect.poll(() => page.viewers).toBe(0);
});
