/** Caches of parts with recent whole objects behind them, within a budget of memory. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Secret } from "../../src/api/index.js";
import { createLogger } from "../../src/base/index.js";
import { Manager } from "../../src/manager/index.js";
import { map, mirror, secretFor, setup } from "./mirror.js";

const gets = (requests: readonly string[]): string[] =>
  requests.filter((request) => /^GET .*\/(configmaps|secrets)\/\w/.test(request));

describe("a cache of parts with recent whole objects", () => {
  test("gives a reconciler its whole object: a new one from memory, one that was dropped from the server", async () => {
    const { clock, server, manager, maps, requests } = await setup();
    await using _server = server;
    const texts: string[] = [];
    const parts: unknown[] = [];
    const controller = manager.controller(
      mirror({
        cache: { fields: [], recent: "3Ki" },
        async reconcile({ object, cache }) {
          texts.push(`${object.metadata.name} ${object.data?.["text"]?.length}`);
          parts.push(cache.get(ConfigMap, object.metadata)?.data);
        },
      }),
    );
    await using _running = manager.start();
    await clock.pass(1_000);
    for (const name of ["a", "b", "c"]) {
      await maps.create(map(name, "x".repeat(1000)));
      await clock.pass(1_000);
    }
    expect([texts, gets(requests)]).toEqual([["a 1000", "b 1000", "c 1000"], []]);
    controller.enqueue({ namespace: "default", name: "a" });
    await clock.pass(1_000);
    controller.enqueue({ namespace: "default", name: "a" });
    await clock.pass(1_000);
    expect(texts.slice(3)).toEqual(["a 1000", "a 1000"]);
    // the second read is answered by what the first one brought
    expect(gets(requests)).toEqual(["GET /api/v1/namespaces/default/configmaps/a"]);
    // a synchronous read is the same before and after an object was dropped
    expect(new Set(parts)).toEqual(new Set([undefined]));
  });

  test("reads its own writes whole, without asking the server, also if only metadata is watched", async () => {
    const { clock, server, manager, maps, requests } = await setup();
    await using _server = server;
    manager.cache(Secret, { metadataOnly: true, recent: "1Mi" });
    const seen: unknown[] = [];
    manager.controller(
      mirror({
        async reconcile({ object, client }) {
          seen.push((await client.whole(Secret, object.metadata))?.data);
          await client.apply(secretFor(object));
          seen.push((await client.whole(Secret, object.metadata))?.data);
        },
      }),
    );
    await using _running = manager.start();
    await maps.create(map("a"));
    await clock.pass(1_000);
    await maps.update({ ...map("a", "2"), metadata: (await maps.get("a")).metadata });
    await clock.pass(1_000);
    const [one, two] = [{ text: btoa("1") }, { text: btoa("2") }];
    expect(seen).toContainEqual(one);
    expect([seen[0], seen.at(-1)]).toEqual([undefined, two]);
    expect(gets(requests)).toEqual([]);
  });

  test("sees another's write before it answers with it, never the state before", async () => {
    const { clock, server, manager, maps, secrets, requests } = await setup();
    await using _server = server;
    manager.cache(Secret, { metadataOnly: true, recent: "1Mi" });
    const seen: string[] = [];
    const controller = manager.controller(
      mirror({
        reads: [Secret],
        owns: [],
        async reconcile({ object, client }) {
          seen.push(atob((await client.whole(Secret, object.metadata))?.data?.["text"] ?? ""));
        },
      }),
    );
    await secrets.create(secretFor(await maps.create(map("a"))));
    await using _running = manager.start();
    await clock.pass(1_000);
    await secrets.patch("a", { merge: { data: { text: btoa("2") } } });
    await clock.pass(1_000);
    controller.enqueue({ namespace: "default", name: "a" });
    await clock.pass(1_000);
    expect([seen, gets(requests).length]).toEqual([["1", "2"], 2]);
  });

  test("an object that is gone from the server, though not yet from the cache, is treated as gone", async () => {
    const { clock, server, manager, maps } = await setup();
    await using _server = server;
    const gone: string[] = [];
    const controller = manager.controller(
      mirror({
        cache: { metadataOnly: true, recent: "1Mi" },
        reconcile: async ({ object }) => void gone.push(`here ${object.data?.["text"]}`),
        deleted: async ({ request }) => void gone.push(request.name),
      }),
    );
    await maps.create(map("a"));
    await using _running = manager.start();
    await clock.pass(1_000);
    controller.enqueue({ namespace: "default", name: "a" });
    await maps.delete("a");
    await clock.pass(1_000);
    expect([gone[0], gone.at(-1)]).toEqual(["here 1", "a"]);
  });

  test.each([
    [{ recent: "1Mi" }, "recent needs fields or metadataOnly"],
    [{ fields: [], recent: "lots" }, "recent must be an amount of memory, as 200Mi, not 'lots'"],
    [{ fields: [], recent: "-1" }, "recent must be an amount of memory"],
  ])("%j is refused", async (options, message) => {
    const { server, manager } = await setup();
    await using _server = server;
    expect(() => manager.cache(ConfigMap, options)).toThrow(`the cache of ConfigMap: ${message}`);
  });
});

describe("a budget for all caches", () => {
  const lines: string[] = [];
  const log = createLogger({ level: "info", format: "text", write: (line) => void lines.push(line) });

  test("first takes the room of whole objects, then readiness, and gives both back", async () => {
    lines.length = 0;
    const { clock, server, manager, maps, secrets, requests } = await setup({ cacheMemory: "40Ki", log });
    await using _server = server;
    manager.cache(Secret, { fields: [], recent: "20Ki" });
    manager.controller(
      mirror({
        async reconcile({ object, client }) {
          await client.whole(Secret, object.metadata);
        },
      }),
    );
    const data = { text: btoa("x".repeat(1000)) };
    for (const name of ["a", "b", "c"]) await secrets.create({ metadata: { name, namespace: "default" }, data });
    await using _running = manager.start();
    await clock.pass(30_000);
    const roomy = manager.memory();
    expect(roomy.recent).toMatchObject([{ kind: "v1/secrets", objects: 3, limitBytes: 20 * 1024 }]);
    expect(roomy.caches.map(({ cache, objects }) => [cache, objects])).toContainEqual(["v1/secrets", 3]);
    expect(roomy.bytes).toBeLessThan(roomy.budgetBytes ?? 0);

    // ConfigMaps are cached whole, and leave less and less
    for (let i = 0; i < 25; i++) await maps.create(map(`m${i}`, "x".repeat(1000)));
    await clock.pass(30_000);
    const [short] = manager.memory().recent;
    expect(short?.limitBytes).toBeGreaterThan(0);
    expect(short?.limitBytes).toBeLessThan(20 * 1024);
    expect(manager.problems()).toEqual([]);

    for (let i = 25; i < 50; i++) await maps.create(map(`m${i}`, "x".repeat(1000)));
    await maps.create(map("a"));
    await clock.pass(30_000);
    expect(manager.memory().recent).toMatchObject([{ objects: 0, limitBytes: 0 }]);
    expect(manager.problems()).toEqual([
      expect.stringMatching(/^the caches take about 0\.1 MiB, more than cacheMemory allows .* v1\/configmaps with 51 /),
    ]);
    expect(gets(requests)).toContain("GET /api/v1/namespaces/default/secrets/a");

    for (let i = 0; i < 50; i++) await maps.delete(`m${i}`);
    await clock.pass(30_000);
    expect([manager.problems(), manager.memory().recent[0]?.limitBytes]).toEqual([[], 20 * 1024]);
    const told = lines
      .filter((line) => /caches (are|have|take)/.test(line))
      .map((line) => /caches \w+/.exec(line)?.[0]);
    expect(told).toEqual(["caches are", "caches take", "caches have"]);
    expect(manager.metrics.expose()).toContain("coxswain_cache_memory_limit_bytes 40960");
  });

  test("an amount that is none is refused", async () => {
    const { server, client } = await setup();
    await using _server = server;
    expect(() => new Manager({ client, cacheMemory: "much" })).toThrow(
      "manager: cacheMemory must be an amount of memory, as 200Mi, not 'much'",
    );
  });
});
