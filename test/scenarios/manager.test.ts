import { describe, expect, test } from "vitest";
import {
  ConfigMap,
  Deployment,
  isControlledBy,
  type KubeObject,
  newControllerRef,
  newForbidden,
  newNotFound,
  Secret,
} from "../../src/api/index.js";
import {
  createLogger,
  FakeClock,
  type HttpResponse,
  type Running,
  startRunning,
  type Transport,
} from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import {
  callbackSource,
  type ControllerOptions,
  desired,
  iterableSource,
  TerminalError,
  timerSource,
  watch,
} from "../../src/controller/index.js";
import { Manager, type ManagerOptions, NotLeaderError } from "../../src/manager/index.js";
import { startApiServer } from "../../src/testing/cluster.js";

/** Keeps a Secret of the same name and text for each ConfigMap. */
function mirror(change: Partial<ControllerOptions<ConfigMap>> = {}): ControllerOptions<ConfigMap> {
  return {
    name: "mirror",
    for: ConfigMap,
    owns: [Secret],
    async reconcile({ object, cache, client, events }) {
      const have = cache.get(Secret, object.metadata);
      if (have !== undefined && !isControlledBy(have, object)) {
        events.warning(object, "ErrResourceExists", `Secret ${have.metadata.name} is not ours`);
        throw new TerminalError(`Secret ${have.metadata.name} is not ours`);
      }
      await client.apply(secretFor(object));
      events.normal(object, "Synced", "all well");
    },
    ...change,
  };
}

function secretFor(object: ConfigMap): Secret {
  const { name, namespace = "" } = object.metadata;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, ownerReferences: [newControllerRef(object)] },
    data: { text: btoa(object.data?.["text"] ?? "") },
  };
}

async function setup(options: Partial<ManagerOptions> & { readonly wrap?: (transport: Transport) => Transport } = {}) {
  const { wrap = (transport: Transport) => transport, ...rest } = options;
  const clock = new FakeClock();
  const server = await startApiServer({ clock });
  const direct = new Client({ transport: server.transport(), clock });
  const requests: string[] = [];
  const counted: Transport = (request, signal) => {
    requests.push(`${request.method} ${request.path.split("?")[0]}`);
    return server.transport()(request, signal);
  };
  const client = new Client({ transport: wrap(counted), clock });
  const manager = await Manager.create({ client, clock, ...rest });
  const maps = direct.resource(ConfigMap, { namespace: "default" });
  const secrets = direct.resource(Secret, { namespace: "default" });
  const writes = (): string[] =>
    requests.filter((request) => !request.startsWith("GET") && !request.includes("events"));
  return { clock, server, direct, client, manager, maps, secrets, requests, writes };
}

/** In steps, because what one change causes takes some turns of the event loop, and time would run away from it. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let step = 0; step < 40; step++) await clock.advance(ms / 40);
}

const map = (name: string, text = "1", metadata: Partial<KubeObject["metadata"]> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", ...metadata },
  data: { text },
});

describe("a controller of a manager on the embedded server", () => {
  test("level-triggered: makes what is missing, repairs what drifts, writes nothing twice, and says why", async () => {
    const { clock, server, manager, maps, secrets, writes } = await setup();
    await using _server = server;
    manager.controller(mirror());
    await maps.create(map("before"));
    await using _running = manager.start();
    await pass(clock, 1_000);
    expect(await secrets.get("before")).toMatchObject({ data: { text: btoa("1") } });
    const created = await maps.create(map("after", "2"));
    await pass(clock, 1_000);
    expect((await secrets.get("after")).metadata.ownerReferences).toEqual([newControllerRef(created)]);
    expect(writes()).toHaveLength(2);
    await secrets.patch("after", { merge: { data: { text: btoa("drift") } } });
    await pass(clock, 1_000);
    expect(await secrets.get("after")).toMatchObject({ data: { text: btoa("2") } });
    await secrets.delete("after");
    await pass(clock, 1_000);
    expect(await secrets.get("after")).toMatchObject({ data: { text: btoa("2") } });
    const story = manager.explain("default/after");
    expect(story).toMatch(/mirror #\d+ reconciled default\/after because ConfigMap default\/after added/);
    expect(story).toMatch(/because Secret default\/after updated: data.text Mg==→ZHJpZnQ=/);
    expect(story).toMatch(/because Secret default\/after deleted/);
    expect(manager.problems()).toEqual([]);
  });

  test("`TerminalError` is not retried: a dead letter, an event, and a new life when the object changes", async () => {
    const { clock, server, manager, maps, secrets, direct } = await setup();
    await using _server = server;
    const controller = manager.controller(mirror());
    await secrets.create({ metadata: { name: "taken" }, data: {} });
    await maps.create(map("taken"));
    await using running = manager.start();
    await pass(clock, 1_000);
    expect(controller.snapshot().deadLetters).toMatchObject([
      { key: "default/taken", error: "Secret taken is not ours", why: "terminal" },
    ]);
    await pass(clock, 600_000);
    expect(manager.journal.entries()).toHaveLength(1);
    await secrets.delete("taken");
    await maps.patch("taken", { merge: { data: { text: "again" } } });
    await pass(clock, 1_000);
    expect([controller.snapshot().deadLetters, (await secrets.get("taken")).data]).toEqual([
      [],
      { text: btoa("again") },
    ]);
    await running[Symbol.asyncDispose]();
    const { Event } = await import("../../src/api/index.js");
    const events = await direct.resource(Event, { namespace: "default" }).list();
    expect(events.items.map(({ type, reason, involvedObject }) => [type, reason, involvedObject.name])).toEqual([
      ["Warning", "ErrResourceExists", "taken"],
      ["Normal", "Synced", "taken"],
    ]);
  });

  test("a throw or rejection is retried with per-key backoff; what else happens meanwhile neither resets nor consumes it; a return forgets the backoff", async () => {
    const { clock, server, manager, maps } = await setup();
    await using _server = server;
    const runs: number[] = [];
    let broken = true;
    manager.controller(
      mirror({
        limiter: (await import("../../src/workqueue/index.js")).itemExponentialFailure(1_000, 60_000),
        async reconcile() {
          runs.push(Math.round(clock.monotonic() / 1000));
          if (broken) throw new Error("boom");
        },
      }),
    );
    await using _running = manager.start();
    await pass(clock, 1_000);
    await maps.create(map("a"));
    await pass(clock, 500);
    const start = runs[0] ?? 0;
    for (let i = 0; i < 4; i++) await maps.patch("a", { merge: { data: { text: String(i) } } });
    await pass(clock, 10);
    const afterStorm = runs.length;
    await pass(clock, 16_000);
    const scheduled = runs.slice(afterStorm).map((at) => at - start);
    expect(scheduled).toEqual([1, 3, 7, 15]);
    broken = false;
    await pass(clock, 20_000);
    expect(manager.journal.entries().at(-1)?.result).toEqual({ type: "done" });
    const total = runs.length;
    await pass(clock, 600_000);
    expect(runs).toHaveLength(total);
  });

  test("requeueAfterMs brings the key back", async () => {
    const { clock, server, manager, maps } = await setup();
    await using _server = server;
    const runs: number[] = [];
    manager.controller(
      mirror({
        async reconcile() {
          runs.push(clock.monotonic());
          return { requeueAfterMs: 60_000 };
        },
      }),
    );
    await maps.create(map("a"));
    await using _running = manager.start();
    await pass(clock, 185_000);
    expect(runs.map((at) => Math.round((at - (runs[0] ?? 0)) / 60_000))).toEqual([0, 1, 2, 3]);
  });

  test("a finalizer is there before the work, and goes only after the clean-up", async () => {
    const { clock, server, manager, maps, secrets } = await setup();
    await using _server = server;
    const seen: unknown[] = [];
    let ready = false;
    manager.controller(
      mirror({
        async reconcile({ object, client }) {
          seen.push(object.metadata.finalizers);
          await client.apply(secretFor(object));
        },
        finalizer: {
          name: "example.com/clean-up",
          async run({ object, cache, client }) {
            if (!ready) return { requeueAfterMs: 1_000 };
            const secret = cache.get(Secret, object.metadata);
            if (secret !== undefined) await client.delete(secret);
            return {};
          },
        },
      }),
    );
    await using _running = manager.start();
    await maps.create(map("a", "1", { finalizers: ["other.com/keeps"] }));
    await pass(clock, 1_000);
    expect(seen[0]).toEqual(["other.com/keeps", "example.com/clean-up"]);
    await maps.delete("a");
    await pass(clock, 5_000);
    expect((await maps.get("a")).metadata.finalizers).toEqual(["other.com/keeps", "example.com/clean-up"]);
    ready = true;
    await pass(clock, 5_000);
    expect((await maps.get("a")).metadata.finalizers).toEqual(["other.com/keeps"]);
    expect(await secrets.getOrUndefined("a")).toBeUndefined();
  });

  test("a status is written only if it differs, and a status write does not wake its writer", async () => {
    const { clock, server, manager, direct, writes } = await setup();
    await using _server = server;
    let runs = 0;
    manager.controller<Deployment>({
      name: "counter",
      for: Deployment,
      async reconcile({ object, client }) {
        runs += 1;
        await client.status(Deployment).patch(object, { replicas: 3 });
        await client.status(Deployment).patch(object, { replicas: 3 });
      },
    });
    await using _running = manager.start();
    const deployments = direct.resource(Deployment, { namespace: "default" });
    const labels = { app: "x" };
    await deployments.create({
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await pass(clock, 60_000);
    expect([(await deployments.get("d")).status?.replicas, runs, writes()]).toEqual([
      3,
      1,
      ["PATCH /apis/apps/v1/namespaces/default/deployments/d/status"],
    ]);
    await deployments.patch("d", { merge: { metadata: { labels: { wake: "up" } } } });
    await pass(clock, 1_000);
    expect([runs, writes().length]).toEqual([2, 1]);
  });

  test("the pure style creates, updates and prunes by the difference", async () => {
    const { clock, server, manager, maps, secrets, writes } = await setup();
    await using _server = server;
    manager.controller<ConfigMap>({
      name: "split",
      for: ConfigMap,
      owns: [Secret],
      reconcile: desired({
        for: ConfigMap,
        kinds: [Secret],
        plan: (object) => ({
          objects: (object.data?.["text"] ?? "").split(",").map((part) => ({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: `${object.metadata.name}-${part}` },
          })),
        }),
      }),
    });
    await using _running = manager.start();
    await maps.create(map("m", "a,b"));
    await pass(clock, 1_000);
    const names = async (): Promise<string[]> =>
      (await secrets.list()).items.map(({ metadata }) => metadata.name).sort();
    expect(await names()).toEqual(["m-a", "m-b"]);
    await maps.patch("m", { merge: { data: { text: "b,c" } } });
    await pass(clock, 1_000);
    expect([await names(), writes().length]).toEqual([["m-b", "m-c"], 4]);
    expect(manager.explain("default/m")).toContain("delete Secret default/m-a");
  });

  test("requests come from timers, streams, callbacks and other kinds too", async () => {
    const { clock, server, manager, maps, secrets } = await setup();
    await using _server = server;
    const callback = callbackSource("button");
    const why: string[] = [];
    manager.controller(
      mirror({
        owns: [],
        watches: [
          watch(Secret, ({ object }) => {
            const target = object.metadata.labels?.["for"];
            return target === undefined ? [] : [{ namespace: "default", name: target }];
          }),
        ],
        sources: [
          callback,
          timerSource({
            name: "tick",
            everyMs: 60_000,
            requests: (cache) => cache.list(ConfigMap).map(({ metadata }) => metadata),
          }),
          iterableSource("stream", async function* () {
            yield { namespace: "default", name: "a" };
          }),
        ],
        async reconcile({ reasons, request }) {
          if (request.name === "a") why.push(...reasons.map(({ type, message, kind }) => message ?? `${kind} ${type}`));
        },
      }),
    );
    callback.wake({ namespace: "default", name: "a" });
    await maps.create(map("a"));
    await using _running = manager.start();
    await pass(clock, 1_000);
    await secrets.create({ metadata: { name: "s", labels: { for: "a" } } });
    await pass(clock, 1_000);
    await pass(clock, 60_000);
    expect(why.toSorted()).toEqual(["ConfigMap added", "Secret added", "button", "stream", "tick"]);
  });

  test("reading or writing a kind that was not declared is an error that names the fix", async () => {
    const { clock, server, manager, maps } = await setup();
    await using _server = server;
    const errors: string[] = [];
    manager.controller(
      mirror({
        async reconcile({ cache, client, object }) {
          try {
            cache.get(Deployment, object.metadata);
          } catch (error) {
            errors.push(String(error));
          }
          try {
            await client.apply({ ...object, kind: "Deployment", apiVersion: "apps/v1" } as KubeObject);
          } catch (error) {
            errors.push(String(error));
          }
        },
      }),
    );
    await maps.create(map("a"));
    await using _running = manager.start();
    await pass(clock, 1_000);
    expect(errors[0]).toContain("name it in the controller's owns, watches or reads");
    expect(errors[1]).toContain("name it in owns, or in writes");
  });
});

describe("reading one's own writes", () => {
  test("a reconcile that runs before the cache has seen its last write sees it all the same", async () => {
    let hold = false;
    const held: (() => void)[] = [];
    const slowWatches =
      (transport: Transport): Transport =>
      async (request, signal) => {
        const response = await transport(request, signal);
        if (!request.path.includes("/secrets") || !request.path.includes("watch=")) return response;
        const delayed = async function* (): AsyncGenerator<Uint8Array> {
          for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
            if (hold) await new Promise<void>((resolve) => held.push(resolve));
            yield chunk;
          }
        };
        return { ...response, body: delayed() } satisfies HttpResponse;
      };
    const { clock, server, manager, maps, secrets, writes } = await setup({ wrap: slowWatches });
    await using _server = server;
    const seen: (string | undefined)[] = [];
    manager.controller(
      mirror({
        async reconcile({ object, cache, client }) {
          const have = cache.get(Secret, object.metadata);
          seen.push(have?.metadata.name);
          if (have === undefined) await client.create(secretFor(object));
          expect(cache.get(Secret, object.metadata)).toBeDefined();
          expect(cache.list(Secret, { namespace: "default" })).toHaveLength(1);
          expect(cache.ownedBy(Secret, object)).toHaveLength(1);
        },
      }),
    );
    await using _running = manager.start();
    await pass(clock, 1_000);
    hold = true;
    await maps.create(map("a"));
    await pass(clock, 1_000);
    for (let i = 0; i < 3; i++) {
      await maps.patch("a", { merge: { data: { text: String(i) } } });
      await pass(clock, 100);
    }
    expect(seen).toEqual([undefined, "a", "a", "a"]);
    expect(writes()).toHaveLength(1);
    const waiting = /^coxswain_overlay_entries\{kind="[^"]*secrets[^"]*"\} (\d+)$/m;
    expect(waiting.exec(manager.metrics.expose())?.[1]).toBe("1");
    hold = false;
    for (const release of held) release();
    await pass(clock, 1_000);
    expect(manager.reader.get(Secret, { namespace: "default", name: "a" })?.metadata.resourceVersion).toBe(
      (await secrets.get("a")).metadata.resourceVersion,
    );
    expect(waiting.exec(manager.metrics.expose())?.[1]).toBe("0");
  });
});

describe("hot loops", () => {
  test("a controller whose own writes wake it is slowed down and reported, and loses no change", async () => {
    const { clock, server, manager, maps, secrets } = await setup();
    await using _server = server;
    let runs = 0;
    const controller = manager.controller(
      mirror({
        async reconcile({ object, client }) {
          runs += 1;
          const { metadata, ...rest } = secretFor(object);
          await client.apply({ ...rest, metadata: { ...metadata, annotations: { run: String(runs) } } });
        },
      }),
    );
    const warnings: string[] = [];
    using _watching = manager.events.watch(
      ({ reason, message }) => void (reason === "HotLoop" && warnings.push(message)),
    );
    await maps.create(map("a"));
    await using _running = manager.start();
    await pass(clock, 60_000);
    expect(runs).toBeGreaterThan(10);
    expect(runs).toBeLessThan(25);
    expect(controller.snapshot().slowed).toEqual(["default/a"]);
    expect(warnings[0]).toContain("its own writes wake it");
    expect(warnings[0]).toContain("Secret default/a: metadata.annotations.run");
    await maps.patch("a", { merge: { data: { text: "new" } } });
    await pass(clock, 120_000);
    expect((await secrets.get("a")).data).toEqual({ text: btoa("new") });
  });

  test("a controller whose writes somebody undoes is slowed down, and the report names both writers and the field", async () => {
    const { clock, server, manager, direct, maps, requests } = await setup();
    await using _server = server;
    const controller = manager.controller(mirror());
    const warnings: string[] = [];
    using _watching = manager.events.watch(
      ({ reason, message }) => void (reason === "HotLoop" && warnings.push(message)),
    );
    await maps.create(map("a"));
    await using _running = manager.start();
    const rival = direct.resource(Secret, { namespace: "default" });
    await using _rival = startRunning(async (signal) => {
      for await (const { object } of rival.watch({ signal }))
        if ("data" in object && object.data?.["text"] === btoa("1"))
          await rival.patch("a", { merge: { data: { text: btoa("mine") } } }, { fieldManager: "somebody" });
    });
    await pass(clock, 60_000);
    expect(warnings[0]).toContain("another writer undoes its writes");
    expect(warnings[0]).toContain("Writers: mirror and somebody; Secret default/a: data.text");
    expect(controller.snapshot().slowed).toEqual(["default/a"]);
    expect(
      requests.filter((request) => request.startsWith("PATCH") && request.includes("/secrets/")).length,
    ).toBeLessThan(20);
  });
});

describe("leader election", () => {
  const election = (identity: string): Pick<ManagerOptions, "leaderElection"> => ({
    leaderElection: { lease: { namespace: "kube-system", name: "mirror" }, identity },
  });

  test("one of two managers reconciles; when it is cut off the other takes over, and the first one's writes are refused", async () => {
    const clock = new FakeClock();
    await using server = await startApiServer({ clock });
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
              // what an old leader might still try long after
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
    await pass(clock, 5_000);
    await maps.create(map("m", "1"));
    await pass(clock, 1_000);
    const first = who[0]?.[0] ?? "";
    const second = first === "a" ? "b" : "a";
    expect(new Set(who)).toEqual(new Set([`${first} 1`]));
    cut.add(first);
    await pass(clock, 25_000);
    await maps.patch("m", { merge: { data: { text: "2" } } });
    await pass(clock, 5_000);
    expect(who.at(-1)).toBe(`${second} 2`);
    await pass(clock, 40_000);
    expect(refused[0]).toBeInstanceOf(NotLeaderError);
    expect(atob((await direct.resource(Secret, { namespace: "default" }).get("m")).data?.["text"] ?? "")).not.toBe(
      `late ${first}`,
    );
    cut.clear();
    for (const { running } of replicas) {
      const stopped = running[Symbol.asyncDispose]();
      await pass(clock, 15_000);
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
    await pass(clock, 5_000);
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
    await pass(clock, 1_000);
    stop.abort(new Error("enough"));
    await pass(clock, 5_000);
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
    await pass(clock, 1_000);
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
    await pass(clock, 1_000);
    stop.abort();
    const failed = expect(run).rejects.toThrow(/stopping controllers failed|had not stopped/);
    await pass(clock, 20_000);
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
    await pass(clock, 1_000);
    expect([await get("/healthz"), await get("/readyz")]).toEqual([
      [200, "ok"],
      [200, "ok"],
    ]);
    expect((await get("/metrics"))[1]).toContain('coxswain_reconcile_total{controller="mirror",result="done"} 2');
    expect((await get("/metrics"))[1]).toContain('workqueue_adds_total{name="mirror"}');
    expect((await get("/debug/journal?key=default/a"))[1]).toContain(
      "reconciled default/a because ConfigMap default/a added",
    );
    expect(JSON.parse((await get("/debug/controllers"))[1])).toMatchObject([{ name: "mirror", kind: "ConfigMap" }]);
    expect(JSON.parse((await get("/debug/caches"))[1])).toMatchObject([{ objects: 1 }, { objects: 1 }]);
    expect([(await get("/nothing"))[0], await get("/validate"), (await get("/broken"))[0]]).toEqual([
      404,
      [200, "fine"],
      500,
    ]);
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
      await pass(clock, 5_000);
      expect(manager.problems().join()).toContain(said);
      expect(others).toEqual(["a"]);
      broken = false;
      await pass(clock, 120_000);
      expect(manager.problems()).toEqual([]);
      expect(manager.journal.entries({ controller: "mirror" }).map(({ result }) => result.type)).toContain("done");
    });
  }

  test("the manager prints the role that its controllers need", async () => {
    const { server, manager } = await setup();
    await using _server = server;
    manager.controller({ ...mirror(), reads: [Deployment] });
    expect(manager.clusterRole("mirror").rules).toEqual([
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "patch", "update", "watch"] },
      { apiGroups: [""], resources: ["configmaps/finalizers"], verbs: ["update"] },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      {
        apiGroups: [""],
        resources: ["secrets"],
        verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
      },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
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
    await pass(clock, 60_000);
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
  await using near = await startApiServer({ clock });
  await using far = await startApiServer({ clock });
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
  await pass(clock, 1_000);
  const secrets = farClient.resource(Secret, { namespace: "default" });
  expect((await secrets.get("m")).data).toEqual({ text: btoa("1") });
  await secrets.delete("m");
  await pass(clock, 1_000);
  expect((await secrets.get("m")).data).toEqual({ text: btoa("1") });
});
