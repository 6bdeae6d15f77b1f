/** Caches that hold a part of each object. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Pod, Secret } from "../../src/api/index.js";
import { map, mirror, secretFor, setup } from "./mirror.js";

const container = (name: string) => ({ name, image: `${name}:1`, command: ["sleep", "1"] });

describe("a cache of parts", () => {
  test("has the named fields, through lists too, and the metadata without managed fields", async () => {
    const { clock, server, manager, direct } = await setup();
    await using _server = server;
    manager.cache(Pod, { fields: ["spec.nodeName", "spec.containers.image", "status.phase"] });
    await direct.resource(Pod, { namespace: "default" }).create({
      metadata: { name: "p", labels: { app: "web" } },
      spec: { nodeName: "n", containers: [container("a"), container("b")] },
    });
    await using _running = manager.start();
    await clock.pass(1_000);
    const [pod] = manager.reader.list(Pod);
    expect([pod?.spec, pod?.status, pod?.kind, pod?.metadata.labels]).toEqual([
      { nodeName: "n", containers: [{ image: "a:1" }, { image: "b:1" }] },
      { phase: "Pending" },
      "Pod",
      { app: "web" },
    ]);
  });

  test("of metadata alone asks the server for no more, and shows own writes in the same form", async () => {
    const { clock, server, manager, maps, secrets } = await setup();
    await using _server = server;
    manager.cache(Secret, { metadataOnly: true });
    const seen: unknown[] = [];
    const live: unknown[] = [];
    manager.controller(
      mirror({
        async reconcile({ object, cache, client }) {
          await client.apply(secretFor(object));
          const { apiVersion, kind, data } = cache.get(Secret, object.metadata) ?? {};
          seen.push([apiVersion, kind, data]);
          live.push((await client.live(Secret, object.metadata))?.data);
        },
      }),
    );
    await using _running = manager.start();
    await maps.create(map("a"));
    await clock.pass(5_000);
    expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(new Set(['["v1","Secret",null]']));
    expect(live[0]).toEqual({ text: btoa("1") });
    expect((await secrets.get("a")).data).toEqual({ text: btoa("1") });
    expect(manager.reader.ownedBy(Secret, await maps.get("a"))).toHaveLength(1);
  });

  test("refuses an update, which would drop what is not cached", async () => {
    const { clock, server, manager, maps } = await setup();
    await using _server = server;
    const failures: string[] = [];
    manager.controller(
      mirror({
        cache: { metadataOnly: true },
        async reconcile({ object, client }) {
          try {
            await client.update(object);
          } catch (error) {
            failures.push(String(error));
          }
        },
      }),
    );
    await using _running = manager.start();
    await maps.create(map("a"));
    await clock.pass(1_000);
    expect(failures[0]).toContain("update of ConfigMap: its cache holds only some fields");
    expect((await maps.get("a")).data).toEqual({ text: "1" });
  });

  test.each([
    [{ fields: ["spec..a"] }, 'fields: "spec..a" is no path of members'],
    [{ fields: ["metadata.name"] }, "fields: metadata.name is always cached"],
    [{ fields: ["data"], metadataOnly: true }, "fields and metadataOnly exclude each other"],
  ])("%j is refused", async (options, message) => {
    const { server, manager } = await setup();
    await using _server = server;
    expect(() => manager.cache(ConfigMap, options)).toThrow(`the cache of ConfigMap: ${message}`);
  });
});
