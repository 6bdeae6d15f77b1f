import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FlowSchema, KubeObject, PriorityLevelConfiguration } from "../../api/index.js";
import { FakeClock, type HttpResponse, type Transport } from "../../base/index.js";
import { patienceMs } from "../../../test/eventually.js";
import { startTestServer } from "../../testing/cluster.js";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../index.js";

const { signal } = new AbortController();
const group = "/apis/flowcontrol.apiserver.k8s.io/v1";

async function ask(send: Transport, method: string, path: string, body?: object): Promise<HttpResponse> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const bytes = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  return send({ method, path, headers: { "content-type": type }, ...bytes }, signal);
}

const parsed = <T extends KubeObject>({ body }: HttpResponse): T =>
  JSON.parse(Buffer.from(body as Uint8Array).toString()) as T;

const uids = ({ headers }: HttpResponse): readonly unknown[] => [
  headers["x-kubernetes-pf-flowschema-uid"],
  headers["x-kubernetes-pf-prioritylevel-uid"],
];

describe("flow schemas and levels", () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer({ systemObjects: "at once", freeze: true } satisfies ApiServerOptions);
  });
  afterAll(() => server.close());

  const uidOf = async (plural: string, name: string): Promise<string | undefined> =>
    parsed(await ask(server.transport(), "GET", `${group}/${plural}/${name}`)).metadata.uid;

  test("an answer names those of its request, also a refusal; an exec and an unknown client's have none", async () => {
    const admin = await ask(server.transport(), "GET", "/api/v1/pods");
    expect(uids(admin)).toEqual([
      await uidOf("flowschemas", "exempt"),
      await uidOf("prioritylevelconfigurations", "exempt"),
    ]);
    const eve = server.transport({ username: "eve", groups: [] });
    const refused = await ask(eve, "GET", "/api/v1/pods");
    expect([refused.status, ...uids(refused)]).toEqual([
      403,
      await uidOf("flowschemas", "global-default"),
      await uidOf("prioritylevelconfigurations", "global-default"),
    ]);
    const log = await ask(server.transport(), "GET", "/api/v1/namespaces/default/pods/a/log");
    expect([log.status, ...uids(log)]).toEqual([404, undefined, undefined]);
    const stranger = await server.handle({ method: "GET", path: "/api/v1/pods", headers: {} }, signal);
    expect([stranger.status, ...uids(stranger)]).toEqual([401, undefined, undefined]);
  });

  test("a schema of one's own applies at once, and says whether its level exists", async () => {
    const send = server.transport();
    const rules = [
      {
        subjects: [{ kind: "User", user: { name: "ann" } }],
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }],
      },
    ];
    const spec = { priorityLevelConfiguration: { name: "mine" }, matchingPrecedence: 50, rules };
    const schema = { metadata: { name: "mine" }, spec };
    expect((await ask(send, "POST", `${group}/flowschemas`, schema)).status).toBe(201);
    const dangling = async (): Promise<unknown> => {
      const { status } = parsed<FlowSchema>(await ask(send, "GET", `${group}/flowschemas/mine`));
      return status?.conditions?.map(({ type, status: is, reason, message }) => [type, is, reason, message]);
    };
    const text = 'This FlowSchema references the PriorityLevelConfiguration object named "mine"';
    await expect.poll(dangling).toEqual([["Dangling", "True", "NotFound", `${text} but there is no such object`]]);
    const ann = server.transport({ username: "ann", groups: [] });
    expect(uids(await ask(ann, "GET", "/api/v1/pods"))[0]).toBe(await uidOf("flowschemas", "global-default"));
    const limited = { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" } };
    const level = { metadata: { name: "mine" }, spec: { type: "Limited", limited } };
    expect((await ask(send, "POST", `${group}/prioritylevelconfigurations`, level)).status).toBe(201);
    await expect.poll(dangling).toEqual([["Dangling", "False", "Found", `${text} and it exists`]]);
    expect(uids(await ask(ann, "GET", "/api/v1/pods"))).toEqual([
      await uidOf("flowschemas", "mine"),
      await uidOf("prioritylevelconfigurations", "mine"),
    ]);
    const metrics = Buffer.from((await ask(send, "GET", "/metrics")).body as Uint8Array).toString();
    expect(metrics).toContain('apiserver_flowcontrol_nominal_limit_seats{priority_level="mine"} 12\n');
  });

  test("their queues can be looked at", async () => {
    const path = "/debug/api_priority_and_fairness/";
    const read = async (name: string): Promise<string> =>
      Buffer.from((await ask(server.transport(), "GET", path + name)).body as Uint8Array).toString();
    expect(await read("dump_priority_levels")).toMatch(/^PriorityLevelName,\s+ActiveQueues,/);
    expect(await read("dump_priority_levels")).toMatch(/\nworkload-low,\s+0,\s+true,\s+false,\s+0,/);
    expect(await read("dump_queues")).toMatch(/^PriorityLevelName,\s+Index,/);
    expect(await read("dump_requests")).toMatch(/^PriorityLevelName,\s+FlowSchemaName,/);
    expect((await ask(server.transport(), "GET", `${path}other`)).status).toBe(404);
  });
});

test("mandatory and suggested objects are what they should be within a minute, unless an administrator keeps them", async () => {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock, systemObjects: "at once" });
  const send = server.transport();
  const levels = `${group}/prioritylevelconfigurations`;
  const patch = async (name: string, limited: object, automatic?: string): Promise<void> => {
    const metadata = automatic === undefined ? {} : { annotations: { "apf.kubernetes.io/autoupdate-spec": automatic } };
    expect((await ask(send, "PATCH", `${levels}/${name}`, { metadata, spec: { limited } })).status).toBe(200);
  };
  const shares = async (name: string): Promise<number | undefined> =>
    parsed<PriorityLevelConfiguration>(await ask(send, "GET", `${levels}/${name}`)).spec?.limited
      ?.nominalConcurrencyShares;
  await patch("workload-low", { nominalConcurrencyShares: 7 });
  await patch("workload-high", { nominalConcurrencyShares: 7 }, "false");
  await patch("catch-all", { nominalConcurrencyShares: 7 }, "false");
  await ask(send, "DELETE", `${group}/flowschemas/probes`);
  await ask(send, "POST", levels, {
    metadata: { name: "old", annotations: { "apf.kubernetes.io/autoupdate-spec": "true" } },
    spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } },
  });
  expect(await shares("workload-low")).toBe(7);
  // the change is noticed in a turn of its own
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(60_000);
  await expect.poll(() => shares("workload-low")).toBe(100);
  expect([await shares("workload-high"), await shares("catch-all")]).toEqual([7, 5]);
  expect((await ask(send, "GET", `${group}/flowschemas/probes`)).status).toBe(200);
  await expect.poll(async () => (await ask(send, "GET", `${levels}/old`)).status).toBe(404);
});

test("beside 64 writers and 500 watchers a reader is answered after a few writes, however many wait", async () => {
  await using server = await startApiServer({ systemObjects: "at once", authorization: "AlwaysAllow" });
  const path = "/api/v1/namespaces/default/configmaps";
  const account = (name: string): Transport =>
    server.transport({ username: `system:serviceaccount:default:${name}`, groups: ["system:serviceaccounts"] });
  const ending = new AbortController();
  await ask(server.transport(), "POST", path, { metadata: { name: "light" } });
  const watching = Array.from({ length: 500 }, async (_, i) => {
    const request = { method: "GET", path: `${path}?watch=1&resourceVersion=${server.store.revision}`, headers: {} };
    const { body } = await account(`watcher-${i}`)(request, ending.signal);
    for await (const _event of body as AsyncIterable<Uint8Array>);
  });
  let [writes, stopped] = [0, false];
  const writing = Array.from({ length: 64 }, async (_, i) => {
    const send = account("noisy");
    await ask(send, "POST", path, { metadata: { name: `noise-${i}` } });
    while (!stopped) {
      const { status } = await ask(send, "PATCH", `${path}/noise-${i}`, { data: { z: String(writes) } });
      if (status === 200) writes++;
    }
  });
  await expect.poll(() => writes, { timeout: patienceMs }).toBeGreaterThan(64);
  const reader = account("quiet");
  const between: number[] = [];
  for (let i = 0; i < 20; i++) {
    const before = writes;
    expect((await ask(reader, "GET", `${path}/light`)).status).toBe(200);
    between.push(writes - before);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stopped = true;
  await Promise.all(writing);
  ending.abort();
  await Promise.allSettled(watching);
  expect(Math.max(...between)).toBeLessThan(16);
});
