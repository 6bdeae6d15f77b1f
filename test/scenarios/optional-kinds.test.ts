/** Kinds that the server does not know: they block the controllers that need them, and no other. */
import { describe, expect, test } from "vitest";
import { ConfigMap, crdOf, defineResource, Secret } from "../../src/api/index.js";
import { installDefinition } from "../../src/client/index.js";
import { owned } from "../../src/controller/index.js";
import { map, mirror, setup } from "./mirror.js";

const Monitor = defineResource({
  group: "monitoring.example.com",
  version: "v1",
  kind: "Monitor",
  plural: "monitors",
  scope: "Namespaced",
  schema: { type: "object", properties: { spec: { type: "object", properties: { port: { type: "integer" } } } } },
});

const signal = new AbortController().signal;

describe("a kind that is missing", () => {
  test("blocks only the controllers that need it, which start when its definition appears", async () => {
    const { clock, server, manager, maps, direct } = await setup();
    await using _server = server;
    const ran: string[] = [];
    const one = (name: string, kinds: object) =>
      manager.controller<ConfigMap>({ name, for: ConfigMap, reconcile: async () => void ran.push(name), ...kinds });
    one("plain", { owns: [Secret] });
    one("owner", { owns: [Monitor] });
    one("reader", { reads: [Monitor] });
    await using _running = manager.start();
    await maps.create(map("a"));
    await clock.pass(60_000);
    expect(ran).toEqual(["plain"]);
    expect(manager.problems()).toEqual([
      expect.stringContaining("the server does not know monitors.monitoring.example.com in version v1: waiting for"),
    ]);
    await installDefinition(direct, crdOf(Monitor), { signal });
    await clock.pass(60_000);
    expect([ran.toSorted(), manager.problems()]).toEqual([["owner", "plain", "reader"], []]);
  });

  test("and optional blocks nobody: reads find nothing, and when it appears every object is reconciled", async () => {
    const { clock, server, manager, maps, direct } = await setup();
    await using _server = server;
    const seen: unknown[] = [];
    const controller = manager.controller<ConfigMap>({
      name: "c",
      for: ConfigMap,
      owns: [owned(Monitor)],
      optional: [Monitor],
      async reconcile({ cache, object }) {
        seen.push([cache.serves(Monitor), cache.ownedBy(Monitor, object).length, cache.list(Monitor).length]);
      },
    });
    await using _running = manager.start();
    await maps.create(map("a"));
    await clock.pass(60_000);
    expect([seen, manager.problems(), controller.hasSynced]).toEqual([[[false, 0, 0]], [], true]);
    await installDefinition(direct, crdOf(Monitor), { signal });
    await clock.pass(60_000);
    expect(seen.slice(1)).toEqual([[true, 0, 0]]);
    expect(manager.explain("default/a")).toContain("the server knows Monitor now");
  });

  test("that is optional and there costs no second run, and is waited for", async () => {
    const { clock, server, manager, maps, direct } = await setup();
    await using _server = server;
    await installDefinition(direct, crdOf(Monitor), { signal });
    await direct.resource(Monitor, { namespace: "default" }).create({ metadata: { name: "m" } });
    await maps.create(map("a"));
    const seen: number[] = [];
    manager.controller<ConfigMap>({
      name: "c",
      for: ConfigMap,
      reads: [Monitor],
      optional: [Monitor],
      reconcile: async ({ cache }) => void seen.push(cache.list(Monitor).length),
    });
    await using _running = manager.start();
    await clock.pass(60_000);
    expect(seen).toEqual([1]);
  });

  test("that one controller needs is a problem, though another can do without it", async () => {
    const { clock, server, manager } = await setup();
    await using _server = server;
    manager.controller(mirror({ name: "a", reads: [Monitor], optional: [Monitor] }));
    manager.controller(mirror({ name: "b", reads: [Monitor] }));
    await using _running = manager.start();
    await clock.pass(5_000);
    expect(manager.problems()).toHaveLength(1);
  });

  test.each([
    [{ optional: [ConfigMap] }, "ConfigMap cannot be optional, because it is the kind that is reconciled"],
    [{ optional: [Monitor] }, "optional Monitor is in none of owns, watches and reads"],
    [{ writes: [Monitor], optional: [Monitor] }, "optional Monitor is in none of owns, watches and reads"],
  ])("%# is refused at definition", async (change, message) => {
    const { server, manager } = await setup();
    await using _server = server;
    expect(() => manager.controller(mirror(change))).toThrow(`controller mirror: ${message}`);
  });
});
