/** Pauses of objects and of controllers, and how people see them. */
import { expect, onTestFinished, test } from "vitest";
import { conditionsSchema, crdOf, defineResource, Lease } from "../../src/api/index.js";
import { installDefinition } from "../../src/client/index.js";
import { pausedAnnotation, withConditions } from "../../src/controller/index.js";
import { Manager } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";
import { map, mirror, setup } from "./mirror.js";

const paused = (value: string | null) => ({ merge: { metadata: { annotations: { [pausedAnnotation]: value } } } });

/** A mirror that notes the texts that it reconciles. */
function noting(change: Parameters<typeof mirror>[0] = {}) {
  const seen: string[] = [];
  const options = mirror({
    async reconcile({ object }) {
      seen.push(object.data?.["text"] ?? "");
    },
    ...change,
  });
  return { seen, options };
}

test("a paused object is left alone until the annotation is gone, whatever the predicates say; others go on", async () => {
  const { clock, server, manager, maps } = await setup();
  await using _server = server;
  const { seen, options } = noting({ predicates: [({ type }) => type !== "updated"] });
  manager.controller(options);
  await using _running = manager.start();
  await maps.create(map("a", "1", { annotations: { [pausedAnnotation]: "true" } }));
  await maps.create(map("b", "other", { annotations: { [pausedAnnotation]: "someone-else, false" } }));
  await clock.pass(1_000);
  expect(seen).toEqual(["other"]);
  expect(manager.controllers[0]?.paused).toEqual(["default/a"]);
  expect(manager.explain("default/a")).toContain("nothing done: coxswain.dev/paused is set,");
  expect(manager.metrics.expose()).toContain('coxswain_paused_keys{controller="mirror"} 1');
  expect(manager.metrics.expose()).toContain(
    'controller_runtime_reconcile_total{controller="mirror",result="paused"} 1',
  );
  await maps.patch("a", paused("other,mirror"));
  await clock.pass(1_000);
  expect(seen).toEqual(["other"]);
  await maps.patch("a", paused(null));
  await clock.pass(1_000);
  expect(seen).toEqual(["other", "1"]);
  expect(manager.controllers[0]?.paused).toEqual([]);
});

test("a paused object that is deleted is cleaned up", async () => {
  const { clock, server, manager, maps } = await setup();
  await using _server = server;
  const log: string[] = [];
  const { options } = noting({
    finalizer: { name: "example.com/mirror", run: async () => void log.push("cleaned up") },
  });
  manager.controller(options);
  await using _running = manager.start();
  await maps.create(map("a"));
  await clock.pass(1_000);
  await maps.patch("a", paused("true"));
  await clock.pass(1_000);
  await maps.delete("a");
  await clock.pass(1_000);
  expect([log, await maps.getOrUndefined("a")]).toEqual([["cleaned up"], undefined]);
});

test("a paused controller does nothing, deletions included, and makes up for it when it goes on", async () => {
  const { clock, server, manager, maps } = await setup({ paused: ["mirror"] });
  await using _server = server;
  const gone: string[] = [];
  const { seen, options } = noting({ deleted: async ({ request }) => void gone.push(request.name) });
  const controller = manager.controller(options);
  await using _running = manager.start();
  for (const name of ["a", "b"]) await maps.create(map(name));
  await clock.pass(1_000);
  await maps.patch("a", { merge: { data: { text: "2" } } });
  await maps.delete("b");
  await clock.pass(1_000);
  expect([seen, gone]).toEqual([[], []]);
  expect(manager.journal.entries({ key: "default/a" })).toHaveLength(1);
  expect(manager.explain("default/a")).toContain("the controller is paused by the program");
  controller.pause("a person");
  controller.resume();
  await clock.pass(1_000);
  expect([controller.isPaused, seen]).toEqual([true, []]);
  controller.resume("a person");
  await clock.pass(1_000);
  expect([seen, gone]).toEqual([["2"], ["b"]]);
});

test("the annotation of the manager's Lease pauses the controllers that it names", async () => {
  const lease = { namespace: "kube-system", name: "mirror" };
  const { clock, server, manager, maps, direct } = await setup({ leaderElection: { lease, identity: "me" } });
  await using _server = server;
  const { seen, options } = noting();
  manager.controller(options);
  await using _running = manager.start();
  await clock.pass(5_000);
  const leases = direct.resource(Lease, { namespace: "kube-system" });
  await leases.patch("mirror", paused("mirror") as never);
  await clock.pass(5_000);
  await maps.create(map("a"));
  await clock.pass(5_000);
  expect(seen).toEqual([]);
  await leases.patch("mirror", paused(null) as never);
  await clock.pass(5_000);
  expect(seen).toEqual(["1"]);
  expect((await leases.get("mirror")).spec?.holderIdentity).toBe("me");
});

test("a controller that does not exist cannot be paused", async () => {
  const { server, manager } = await setup({ paused: ["miror"] });
  await using _server = server;
  manager.controller(mirror());
  expect(() => manager.start()).toThrow("miror cannot be paused: there is no such controller. There are: mirror");
});

const Bucket = defineResource({
  group: "storage.example.com",
  version: "v1",
  kind: "Bucket",
  plural: "buckets",
  scope: "Namespaced",
  schema: {
    type: "object",
    properties: {
      spec: { type: "object", properties: { size: { type: "integer" } } },
      status: { type: "object", properties: { conditions: conditionsSchema } },
    },
  },
});
test("the pause of an object that has conditions is one of them, and so is its end", async () => {
  const cluster = await startCluster({ clock: "virtual" });
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const { client, clock } = cluster;
  await installDefinition(client, crdOf(Bucket), { signal: new AbortController().signal });
  const manager = await Manager.create({ client, clock });
  manager.controller({
    name: "buckets",
    for: Bucket,
    async reconcile({ object, client: writer }) {
      const ready = { type: "Ready", status: "True", reason: "Made", message: "" };
      await writer.status(Bucket).patch(object, { conditions: withConditions(object, [ready], { clock }) });
    },
  });
  await using _running = manager.start();
  const buckets = client.resource(Bucket, { namespace: "default" });
  const conditions = async (): Promise<unknown> => {
    const { status } = await buckets.get("a");
    const shown = status?.conditions?.find(({ type }) => type === "Paused");
    return [status?.conditions?.length, shown?.status, shown?.reason];
  };
  await buckets.create({ metadata: { name: "a" }, spec: { size: 1 } });
  await clock.pass(1_000);
  expect(await conditions()).toEqual([1, undefined, undefined]);
  await buckets.patch("a", paused("true") as never);
  await clock.pass(1_000);
  expect(await conditions()).toEqual([2, "True", "Annotated"]);
  await buckets.patch("a", paused(null) as never);
  await clock.pass(1_000);
  expect(await conditions()).toEqual([2, "False", "Resumed"]);
  const { writes } = manager.journal.entries({ key: "default/a" }).at(-1) ?? {};
  expect(writes?.map(({ verb, outcome }) => `${verb} ${outcome}`)).toEqual(["status done", "status skipped"]);
});
