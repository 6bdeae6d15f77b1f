/** The cost of the framework's own finalizer: one write, no further run, no conflict with other controllers. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Deployment } from "../../src/api/index.js";
import { createLogger } from "../../src/base/index.js";
import { Manager } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";

/** Controllers of ConfigMaps with a finalizer each, and the keys for which they and their clean-ups were called. */
async function setup(...names: readonly string[]) {
  const cluster = await startCluster({ clock: "virtual" });
  const { client, clock } = cluster;
  const errors: string[] = [];
  const log = createLogger({ level: "error", clock, write: (line) => void errors.push(line) });
  const manager = await Manager.create({ client, clock, log });
  const calls: string[] = [];
  for (const name of names)
    manager.controller({
      name,
      for: ConfigMap,
      finalizer: {
        name: `example.com/${name}`,
        run: async ({ request }) => void calls.push(`${name} cleans ${request.name}`),
      },
      reconcile: async ({ request, object }) => {
        expect(object.metadata.finalizers).toContain(`example.com/${name}`);
        calls.push(`${name} reconciles ${request.name}`);
      },
    });
  const maps = client.resource(ConfigMap, { namespace: "default" });
  return { cluster, clock, manager, maps, calls, errors };
}

describe("a finalizer of the framework", () => {
  test("wakes nobody: an object that is created is reconciled once, and again when somebody changes it", async () => {
    const { cluster, clock, manager, maps, calls } = await setup("one");
    await using _cluster = cluster;
    await using _running = manager.start();
    await maps.create({ metadata: { name: "a" } });
    await clock.pass(60_000);
    expect(calls).toEqual(["one reconciles a"]);
    await maps.patch("a", { merge: { data: { text: "1" } } });
    await clock.pass(60_000);
    expect(calls).toEqual(["one reconciles a", "one reconciles a"]);
  });

  test("hides no change that comes with it", async () => {
    const { cluster, clock, manager, maps } = await setup("one");
    await using _cluster = cluster;
    await using _running = manager.start();
    await clock.pass(1_000);
    await maps.create({ metadata: { name: "a" } });
    await maps.patch("a", { merge: { data: { text: "1" } } });
    await clock.pass(5);
    await maps.patch("a", { merge: { data: { text: "2" } } });
    await clock.pass(60_000);
    const seen = manager.journal.entries({ key: "default/a" }).flatMap(({ reasons }) => reasons);
    const { resourceVersion } = (await maps.get("a")).metadata;
    const last = seen.at(-1);
    // either the last run saw the last revision as its reason, or it put the finalizer on that very state
    expect([last?.revision === resourceVersion, last?.type === "added"]).toContain(true);
  });

  test("of two controllers: both work, each cleans up once, and nobody reports an error", async () => {
    const { cluster, clock, manager, maps, calls, errors } = await setup("one", "two", "three");
    await using _cluster = cluster;
    await using _running = manager.start();
    for (const name of ["a", "b", "c"]) await maps.create({ metadata: { name } });
    await clock.pass(60_000);
    expect((await maps.get("a")).metadata.finalizers?.toSorted()).toEqual([
      "example.com/one",
      "example.com/three",
      "example.com/two",
    ]);
    for (const name of ["a", "b", "c"]) await maps.delete(name);
    await clock.pass(60_000);
    expect((await maps.list()).items.map(({ metadata }) => metadata.name)).not.toContain("a");
    const cleaned = calls.filter((call) => call.includes("cleans"));
    expect(cleaned.toSorted()).toEqual([...new Set(cleaned)].toSorted());
    expect(cleaned).toHaveLength(9);
    expect(errors).toEqual([]);
  });

  test("is one controller's alone for a kind, which is said where it is declared", async () => {
    const { cluster, manager } = await setup("one");
    await using _cluster = cluster;
    const finalizer = { name: "example.com/one", run: async () => {} };
    expect(() => manager.controller({ name: "other", for: ConfigMap, finalizer, reconcile: async () => {} })).toThrow(
      "controllers one and other both have the finalizer example.com/one on ConfigMap: each needs one of its own",
    );
    manager.controller({ name: "elsewhere", for: Deployment, finalizer, reconcile: async () => {} });
  });
});
