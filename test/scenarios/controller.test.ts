import { describe, expect, test } from "vitest";
import { ConfigMap, Deployment, type KubeObject, newControllerRef, Secret } from "../../src/api/index.js";
import { type HttpResponse, startRunning, type Transport } from "../../src/base/index.js";
import { callbackSource, desired, iterableSource, timerSource, watch } from "../../src/controller/index.js";
import { mirror, secretFor, setup, map } from "./mirror.js";

describe("a controller of a manager on the embedded server", () => {
  test("level-triggered: makes what is missing, repairs what drifts, writes nothing twice, and says why", async () => {
    const { clock, server, manager, maps, secrets, writes } = await setup();
    await using _server = server;
    manager.controller(mirror());
    await maps.create(map("before"));
    await using _running = manager.start();
    await clock.pass(1_000);
    expect(await secrets.get("before")).toMatchObject({ data: { text: btoa("1") } });
    const created = await maps.create(map("after", "2"));
    await clock.pass(1_000);
    expect((await secrets.get("after")).metadata.ownerReferences).toEqual([newControllerRef(created)]);
    expect(writes()).toHaveLength(2);
    await secrets.patch("after", { merge: { data: { text: btoa("drift") } } });
    await clock.pass(1_000);
    expect(await secrets.get("after")).toMatchObject({ data: { text: btoa("2") } });
    await secrets.delete("after");
    await clock.pass(1_000);
    expect(await secrets.get("after")).toMatchObject({ data: { text: btoa("2") } });
    const story = manager.explain("default/after");
    expect(story).toMatch(/mirror #\d+ reconciled default\/after because ConfigMap default\/after added/);
    expect(story).toMatch(/because Secret default\/after updated: data.text$/m);
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
    await clock.pass(1_000);
    expect(controller.snapshot().deadLetters).toMatchObject([
      { key: "default/taken", error: "Secret taken is not ours", why: "terminal" },
    ]);
    await clock.pass(600_000);
    expect(manager.journal.entries()).toHaveLength(1);
    await secrets.delete("taken");
    await maps.patch("taken", { merge: { data: { text: "again" } } });
    await clock.pass(1_000);
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
        limiter: (await import("../../src/workqueue/index.js")).itemExponentialFailure({
          baseMs: 1_000,
          maxMs: 60_000,
        }),
        async reconcile() {
          runs.push(Math.round(clock.monotonic() / 1000));
          if (broken) throw new Error("boom");
        },
      }),
    );
    await using _running = manager.start();
    await clock.pass(1_000);
    await maps.create(map("a"));
    await clock.pass(500);
    const start = runs[0] ?? 0;
    for (let i = 0; i < 4; i++) await maps.patch("a", { merge: { data: { text: String(i) } } });
    await clock.pass(10);
    const afterStorm = runs.length;
    await clock.pass(16_000);
    const scheduled = runs.slice(afterStorm).map((at) => at - start);
    expect(scheduled).toEqual([1, 3, 7, 15]);
    broken = false;
    await clock.pass(20_000);
    expect(manager.journal.entries().at(-1)?.result).toEqual({ type: "done" });
    const total = runs.length;
    await clock.pass(600_000);
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
    await clock.pass(185_000);
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
    await clock.pass(1_000);
    expect(seen[0]).toEqual(["other.com/keeps", "example.com/clean-up"]);
    await maps.delete("a");
    await clock.pass(5_000);
    expect((await maps.get("a")).metadata.finalizers).toEqual(["other.com/keeps", "example.com/clean-up"]);
    ready = true;
    await clock.pass(5_000);
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
    await clock.pass(60_000);
    expect([(await deployments.get("d")).status?.replicas, runs, writes()]).toEqual([
      3,
      1,
      ["PATCH /apis/apps/v1/namespaces/default/deployments/d/status"],
    ]);
    await deployments.patch("d", { merge: { metadata: { labels: { wake: "up" } } } });
    await clock.pass(1_000);
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
    await clock.pass(1_000);
    const names = async (): Promise<string[]> =>
      (await secrets.list()).items.map(({ metadata }) => metadata.name).sort();
    expect(await names()).toEqual(["m-a", "m-b"]);
    await maps.patch("m", { merge: { data: { text: "b,c" } } });
    await clock.pass(1_000);
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
    await clock.pass(1_000);
    await secrets.create({ metadata: { name: "s", labels: { for: "a" } } });
    await clock.pass(1_000);
    await clock.pass(60_000);
    expect(why.toSorted()).toEqual(["ConfigMap added", "Secret added", "button", "stream", "tick"]);
  });

  test("reading or writing what was not declared is an error that names the fix", async () => {
    const { clock, server, manager, maps } = await setup();
    await using _server = server;
    const errors: string[] = [];
    manager.controller(
      mirror({
        async reconcile({ cache, client, object }) {
          const attempts: readonly (() => unknown)[] = [
            () => cache.get(Deployment, object.metadata),
            () => client.apply({ ...object, kind: "Deployment", apiVersion: "apps/v1" } as KubeObject),
            () => cache.byIndex({ type: ConfigMap, name: "colour" }, "red"),
            () => cache.ownedBy(ConfigMap, object),
          ];
          for (const attempt of attempts) {
            await Promise.resolve()
              .then(attempt)
              .catch((error: unknown) => errors.push(String(error)));
          }
        },
      }),
    );
    await maps.create(map("a"));
    await using _running = manager.start();
    await clock.pass(1_000);
    expect(errors[0]).toContain("name it in the controller's owns, watches or reads");
    expect(errors[1]).toContain("name it in owns, or in writes");
    expect(errors[2]).toContain("the cache of ConfigMap has no index colour");
    expect(errors[3]).toContain("ownedBy(ConfigMap) needs ConfigMap in the controller's owns");
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
    await clock.pass(1_000);
    hold = true;
    await maps.create(map("a"));
    await clock.pass(1_000);
    for (let i = 0; i < 3; i++) {
      await maps.patch("a", { merge: { data: { text: String(i) } } });
      await clock.pass(100);
    }
    expect(seen).toEqual([undefined, "a", "a", "a"]);
    expect(writes()).toHaveLength(1);
    const waiting = /^coxswain_overlay_entries\{kind="[^"]*secrets[^"]*"\} (\d+)$/m;
    expect(waiting.exec(manager.metrics.expose())?.[1]).toBe("1");
    hold = false;
    for (const release of held) release();
    await clock.pass(1_000);
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
    await clock.pass(60_000);
    expect(runs).toBeGreaterThan(10);
    expect(runs).toBeLessThan(25);
    expect(controller.snapshot().slowed).toEqual(["default/a"]);
    expect(warnings[0]).toContain("its own writes wake it");
    expect(warnings[0]).toContain("Secret default/a: metadata.annotations.run");
    await maps.patch("a", { merge: { data: { text: "new" } } });
    await clock.pass(120_000);
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
    await clock.pass(60_000);
    expect(warnings[0]).toContain("another writer undoes its writes");
    expect(warnings[0]).toContain("Writers: mirror and somebody; Secret default/a: data.text");
    expect(controller.snapshot().slowed).toEqual(["default/a"]);
    expect(
      requests.filter((request) => request.startsWith("PATCH") && request.includes("/secrets/")).length,
    ).toBeLessThan(20);
  });
});
