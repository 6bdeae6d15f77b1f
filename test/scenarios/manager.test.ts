import { describe, expect, test } from "vitest";
import { ConfigMap, newControllerRef, Secret, isControlledBy } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import { type ControllerOptions, TerminalError } from "../../src/controller/index.js";
import { Manager, type ManagerOptions } from "../../src/manager/index.js";
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
      const { name, namespace = "" } = object.metadata;
      await client.apply<Secret>({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, namespace, ownerReferences: [newControllerRef(object)] },
        data: { text: btoa(object.data?.["text"] ?? "") },
      });
      events.normal(object, "Synced", "all well");
    },
    ...change,
  };
}

async function setup(options: Partial<ManagerOptions> = {}) {
  const clock = new FakeClock();
  const server = await startApiServer({ clock });
  const client = new Client({ transport: server.transport(), clock });
  const manager = await Manager.create({ client, clock, ...options });
  const maps = client.resource(ConfigMap, { namespace: "default" });
  const secrets = client.resource(Secret, { namespace: "default" });
  return { clock, server, client, manager, maps, secrets };
}

const map = (name: string, text: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { text },
});

describe("a controller of a manager on the embedded server", () => {
  test("makes what is missing, repairs what drifts, and says why", async () => {
    const { clock, server, manager, maps, secrets } = await setup();
    await using _server = server;
    manager.controller(mirror());
    await maps.create(map("before", "1"));
    await using _running = manager.start();
    await clock.advance(1_000);
    expect(await secrets.get("before")).toMatchObject({ data: { text: btoa("1") } });
    const created = await maps.create(map("after", "2"));
    await clock.advance(1_000);
    expect((await secrets.get("after")).metadata.ownerReferences).toEqual([newControllerRef(created)]);
    await secrets.delete("after");
    await clock.advance(1_000);
    expect(await secrets.get("after")).toMatchObject({ data: { text: btoa("2") } });
    expect(manager.explain("default/after")).toMatch(
      /mirror #\d+ reconciled default\/after because ConfigMap default\/after added/,
    );
    expect(manager.problems()).toEqual([]);
  });
});
