import { describe, expect, test } from "vitest";
import { ConfigMap, Deployment, newForbidden, newNotFound, Secret } from "../../src/api/index.js";
import { createLogger, FakeClock, type Running, type Transport } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { watch } from "../../src/controller/index.js";
import { Manager, type ManagerOptions, NotLeaderError } from "../../src/manager/index.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { mirror, secretFor, setup, map } from "./mirror.js";

describe("leader election", () => {
  const election = (identity: string): Pick<ManagerOptions, "leaderElection"> => ({
    leaderElection: { lease: { namespace: "kube-system", name: "mirror" }, identity },
  });

  test("one of two managers reconciles; when it is cut off the other takes over, and the first one's writes are refused", async () => {
    const clock = new FakeClock();
    await using server = await startTestServer({ clock });
    const direct = new Client({ transport: server.transport(), clock });
    const cut = new Set<string>();
    const who: string[] = [];
    const refused: unknown[] = [];
    const replicas = await Promise.all(
      ["a", "b"].map(async (name) => {
        const transport: Transport = (request, signal) => {
          if (cut.has(name) && request.path.includes("/leases")) return Promise.reject(new Error("no route"));
          return server.transport()(request, signal);
        };
        const client = new Client({ transport, clock, retry: { maxRetries: 0 } as object });
        const manager = await Manager.create({ client, clock, ...election(name) });
        let writing: Promise<void> | undefined;
        manager.controller(
          mirror({
            async reconcile({ object, client: writer }) {
              who.push(`${name} ${object.data?.["text"]}`);
              await writer.apply(secretFor(object));
              // a write that an old leader might still attempt long after
              writing ??= clock
                .sleep(60_000, new AbortController().signal)
                .then(() =>
                  writer.apply(secretFor({ ...object, data: { text: `late ${name}` } }), {
                    signal: new AbortController().signal,
                  }),
                )
                .then(
                  () => {},
                  (error: unknown) => void refused.push(error),
                );
            },
          }),
        );
        return { name, manager, running: manager.start() as Running };
      }),
    );
    const maps = direct.resource(ConfigMap, { namespace: "default" });
    await clock.pass(5_000);
    await maps.create(map("m", "1"));
    await clock.pass(1_000);
    const first = who[0]?.[0] ?? "";
    const second = first === "a" ? "b" : "a";
    expect(new Set(who)).toEqual(new Set([`${first} 1`]));
    cut.add(first);
    await clock.pass(25_000);
    await maps.patch("m", { merge: { data: { text: "2" } } });
    await clock.pass(5_000);
    expect(who.at(-1)).toBe(`${second} 2`);
    await clock.pass(40_000);
    expect(refused[0]).toBeInstanceOf(NotLeaderError);
    expect(atob((await direct.resource(Secret, { namespace: "default" }).get("m")).data?.["text"] ?? "")).not.toBe(
      `late ${first}`,
    );
    cut.clear();
    for (const { running } of replicas) {
      const stopped = running[Symbol.asyncDispose]();
      await clock.pass(15_000);
      await stopped;
    }
  });
});

describe("running and stopping", () => {
  test("starts leases → caches → controllers", async () => {
    const { clock, server, manager, maps, requests } = await setup({
      leaderElection: { lease: { namespace: "kube-system", name: "mirror" }, identity: "me" },
    });
    await using _server = server;
    await maps.create(map("a"));
    let begun: readonly string[] | undefined;
    manager.controller(
      mirror({
        async reconcile() {
          begun ??= [...requests];
        },
      }),
    );
    await using _running = manager.start();
    await clock.pass(5_000);
    const first = (part: string): number => begun?.findIndex((request) => request.includes(part)) ?? -1;
    expect(first("/leases")).toBeGreaterThanOrEqual(0);
    expect(first("/configmaps")).toBeGreaterThan(first("/leases"));
    expect(first("/secrets")).toBeGreaterThan(first("/leases"));
  });

  test("stops in the reverse order within a deadline: what is in flight finishes, the lease is released last, nothing is left behind", async () => {
    const { clock, server, manager, maps, direct } = await setup({
      leaderElection: { lease: { namespace: "kube-system", name: "mirror" }, identity: "me" },
    });
    await using _server = server;
    const log: string[] = [];
    manager.controller(
      mirror({
        async reconcile({ object, client }) {
          log.push("begin");
          await clock.sleep(3_000, new AbortController().signal);
          await client.apply(secretFor(object));
          log.push("end");
        },
      }),
    );
    manager.add({
      name: "poller",
      async run({ signal }) {
        await clock.sleep(1e9, signal).catch(() => {});
        log.push("poller stopped");
      },
    });
    await maps.create(map("a"));
    const stop = new AbortController();
    const run = manager.run({ signal: stop.signal });
    await clock.pass(1_000);
    stop.abort(new Error("enough"));
    await clock.pass(5_000);
    await run;
    expect(log).toEqual(["begin", "poller stopped", "end"]);
    const { Lease } = await import("../../src/api/index.js");
    expect((await direct.resource(Lease, { namespace: "kube-system" }).get("mirror")).spec?.holderIdentity).toBe("");
  });

  test("a part that fails by itself stops the manager with its error", async () => {
    const { clock, server, manager } = await setup();
    await using _server = server;
    manager.add({ name: "poller", run: () => Promise.reject(new Error("boom")) });
    const run = manager.run({ signal: new AbortController().signal });
    const failed = expect(run).rejects.toThrow("a part of the manager failed");
    await clock.pass(1_000);
    await failed;
  });

  test("a reconcile that does not end is named when the patience is over", async () => {
    const { clock, server, manager, maps } = await setup({ stopTimeoutMs: 10_000 });
    await using _server = server;
    let release: (() => void) | undefined;
    manager.controller(mirror({ reconcile: () => new Promise<void>((resolve) => (release = resolve)) }));
    await maps.create(map("stuck"));
    const stop = new AbortController();
    const run = manager.run({ signal: stop.signal });
    await clock.pass(1_000);
    stop.abort();
    const failed = expect(run).rejects.toThrow(/stopping controllers failed|had not stopped/);
    await clock.pass(20_000);
    await failed;
    release?.();
  });
});

describe("what people see", () => {
  test("probes, metrics, journal, queues and caches are served over HTTP", async () => {
    const { clock, server, manager, maps } = await setup({ http: { host: "127.0.0.1", port: 0 } });
    await using _server = server;
    manager.controller(mirror());
    manager.serve("/validate", (_request, response) => void response.end("fine"));
    manager.serve("/broken", () => Promise.reject(new Error("boom")));
    await maps.create(map("a"));
    await using _running = manager.start();
    while (manager.url === undefined) await new Promise((resolve) => setImmediate(resolve));
    const url = manager.url;
    const get = async (path: string): Promise<[number, string]> => {
      const response = await fetch(`${url}${path}`);
      return [response.status, await response.text()];
    };
    await clock.pass(1_000);
    expect([await get("/healthz"), await get("/readyz")]).toEqual([
      [200, "ok"],
      [200, "ok"],
    ]);
    expect((await get("/metrics"))[1]).toContain(
      'controller_runtime_reconcile_total{controller="mirror",result="success"} 2',
    );
    expect((await get("/metrics"))[1]).toContain('workqueue_adds_total{name="mirror"}');
    expect((await get("/debug/journal?key=default/a"))[1]).toContain(
      "reconciled default/a because ConfigMap default/a added",
    );
    expect(JSON.parse((await get("/debug/controllers"))[1])).toMatchObject([{ name: "mirror", kind: "ConfigMap" }]);
    expect(JSON.parse((await get("/debug/caches"))[1])).toMatchObject({
      caches: [{ objects: 1 }, { objects: 1 }],
    });
    expect(JSON.parse((await get("/page/keys?controller=mirror&state=ready"))[1])).toMatchObject({ total: 0 });
    expect([(await get("/nothing"))[0], await get("/validate"), (await get("/broken"))[0]]).toEqual([
      404,
      [200, "fine"],
      500,
    ]);
  });

  test("the page of a manager that other machines can reach wants a token, and can be switched off", async () => {
    const statusOf = async (http: { readonly page?: false | { readonly token: string } }, token = "") => {
      const { clock, server, manager } = await setup({ http: { port: 0, ...http } });
      await using _server = server;
      await using _running = manager.start();
      while (manager.url === undefined) await new Promise((resolve) => setImmediate(resolve));
      await clock.pass(1_000);
      const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
      const response = await fetch(`${manager.url}/page/numbers`, { headers });
      await response.text();
      return response.status;
    };
    expect(await statusOf({})).toBe(403);
    expect(await statusOf({ page: { token: "t0ken" } })).toBe(401);
    expect(await statusOf({ page: { token: "t0ken" } }, "t0ken")).toBe(200);
    expect(await statusOf({ page: false })).toBe(404);
  });

  for (const [what, answer, said] of [
    [
      "a missing CustomResourceDefinition",
      () => newNotFound({ group: "", resource: "secrets" }, ""),
      "the server does not know secrets in version v1: waiting for its CustomResourceDefinition",
    ],
    [
      "a missing permission",
      () => newForbidden({ group: "", resource: "secrets" }, "", "no"),
      'missing RBAC rule: {"apiGroups":[""],"resources":["secrets"],"verbs":["get","list","watch"]}',
    ],
  ] as const) {
    test(`${what} is named, waited for, and keeps only those who need it from working`, async () => {
      let broken = true;
      const wrap =
        (transport: Transport): Transport =>
        async (request, signal) => {
          if (!broken || !request.path.includes("/secrets")) return transport(request, signal);
          const { status } = answer();
          return {
            status: status.code,
            headers: { "content-type": "application/json" },
            body: new TextEncoder().encode(JSON.stringify(status)),
          };
        };
      const { clock, server, manager, maps } = await setup({ wrap });
      await using _server = server;
      const others: string[] = [];
      manager.controller(mirror());
      manager.controller<ConfigMap>({
        name: "other",
        for: ConfigMap,
        reconcile: async ({ object }) => void others.push(object.metadata.name),
      });
      await maps.create(map("a"));
      await using _running = manager.start();
      await clock.pass(5_000);
      expect(manager.problems().join()).toContain(said);
      expect(others).toEqual(["a"]);
      broken = false;
      await clock.pass(120_000);
      expect(manager.problems()).toEqual([]);
      expect(manager.journal.entries({ controller: "mirror" }).map(({ result }) => result.type)).toContain("done");
    });
  }

  test("the manager prints the role that its controllers need", async () => {
    const { server, manager } = await setup();
    await using _server = server;
    manager.controller({ ...mirror(), reads: [Deployment] });
    expect(manager.clusterRole("mirror").rules).toEqual([
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["configmaps/finalizers"], verbs: ["update"] },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      {
        apiGroups: [""],
        resources: ["secrets"],
        verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
      },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "watch"] },
    ]);
  });

  test("above its memory budget the manager is not ready and names the dearest cache, and logs that once", async () => {
    const lines: string[] = [];
    const log = createLogger({ level: "warn", format: "text", write: (line) => void lines.push(line) });
    const { clock, server, manager, maps } = await setup({ memoryBudgetBytes: 1, log });
    await using _server = server;
    manager.controller(mirror());
    await maps.create(map("a", "x".repeat(1000)));
    await using _running = manager.start();
    await clock.pass(60_000);
    expect(lines).toEqual([expect.stringContaining("more than the budget of 0.0 MiB")]);
    expect(manager.problems()).toEqual([
      expect.stringMatching(
        /MiB of memory are in use, more than the budget of 0.0 MiB; the dearest cache is v1\/\w+ with 1 objects/,
      ),
    ]);
  });
});

test("a manager watches and writes more than one cluster", async () => {
  const clock = new FakeClock();
  await using near = await startTestServer({ clock });
  await using far = await startTestServer({ clock });
  const [nearClient, farClient] = [near, far].map((server) => new Client({ transport: server.transport(), clock })) as [
    Client,
    Client,
  ];
  const manager = await Manager.create({ client: nearClient, clusters: { far: farClient }, clock });
  manager.controller<ConfigMap>({
    name: "copier",
    for: ConfigMap,
    watches: [
      watch(Secret, ({ object }) => [{ namespace: "default", name: object.metadata.name }], { cluster: "far" }),
    ],
    async reconcile({ object, cluster }) {
      const { cache, client } = cluster("far");
      if (cache.get(Secret, object.metadata) === undefined) {
        const { ownerReferences: _, ...metadata } = secretFor(object).metadata;
        await client.create({ ...secretFor(object), metadata });
      }
    },
  });
  await using _running = manager.start();
  await nearClient.resource(ConfigMap, { namespace: "default" }).create(map("m"));
  await clock.pass(1_000);
  const secrets = farClient.resource(Secret, { namespace: "default" });
  expect((await secrets.get("m")).data).toEqual({ text: btoa("1") });
  await secrets.delete("m");
  await clock.pass(1_000);
  expect((await secrets.get("m")).data).toEqual({ text: btoa("1") });
});
