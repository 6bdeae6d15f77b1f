/** A program that brings its kind with it: definition, conditions in the status, a finalizer; on time that the test owns. */
import { expect, test } from "vitest";
import { conditionsSchema, crdOf, defineResource, type ObjectOf } from "../../src/api/index.js";
import { Client, type Fault, faultyTransport, installDefinition } from "../../src/client/index.js";
import { withConditions } from "../../src/controller/index.js";
import { Manager } from "../../src/manager/index.js";
import { startCluster } from "../../src/testing/cluster.js";

const bucketOptions = {
  group: "storage.example.com",
  version: "v1",
  kind: "Bucket",
  plural: "buckets",
  scope: "Namespaced",
  schema: {
    type: "object",
    properties: {
      spec: { type: "object", required: ["region"], properties: { region: { type: "string" } } },
      status: { type: "object", properties: { conditions: conditionsSchema } },
    },
    required: ["spec"],
  },
} as const;
const Bucket = defineResource(bucketOptions);
type Bucket = ObjectOf<typeof Bucket>;

test("a definition is installed though the server fails at first, and a refusal is told at once", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { clock, server } = cluster;
  const answers: (Fault | undefined)[] = [{ type: "answer", code: 500 }, { type: "lose-answer" }];
  const plan = ({ method }: { readonly method: string }): Fault | undefined =>
    method === "PATCH" ? answers.shift() : undefined;
  const transport = faultyTransport(server.transport(), { plan, clock });
  const client = new Client({ transport, clock });
  const installed = await clock.passUntil(installDefinition(client, crdOf(Bucket)));
  expect([installed.metadata.name, answers]).toEqual(["buckets.storage.example.com", []]);
  answers.push({ type: "answer", code: 403 });
  await expect(clock.passUntil(installDefinition(client, crdOf(Bucket)))).rejects.toThrow("403");
});

test("a definition is installed before the kind is used, and changed when the program says something else", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const first = await installDefinition(client, crdOf(Bucket));
  const again = await installDefinition(client, crdOf(Bucket));
  expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  expect((await client.resource(Bucket, { namespace: "default" }).list()).items).toEqual([]);

  const printerColumns = [{ name: "Region", type: "string", jsonPath: ".spec.region" }] as const;
  const shown = await installDefinition(client, crdOf(defineResource({ ...bucketOptions, printerColumns })));
  expect(shown.spec.versions[0]?.additionalPrinterColumns).toEqual(printerColumns);
  const hidden = await installDefinition(client, crdOf(Bucket));
  expect(hidden.spec.versions[0]?.additionalPrinterColumns).toBeUndefined();
});

test("a definition whose names are taken is refused with the reason", async () => {
  await using cluster = await startCluster();
  await installDefinition(cluster.client, crdOf(Bucket));
  const rival = crdOf(defineResource({ ...bucketOptions, plural: "pails" }));
  await expect(installDefinition(cluster.client, rival)).rejects.toThrow(
    'the server does not serve pails.storage.example.com: "bucket" is already in use',
  );
});

test("conditions carry the manager's time, and what a finalizer cleans up is gone before the object is", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client, clock } = cluster;
  await installDefinition(client, crdOf(Bucket));
  const manager = await Manager.create({ client, clock });
  const cleaned: string[] = [];
  manager.controller({
    name: "bucket",
    for: Bucket,
    finalizer: {
      name: "storage.example.com/clean-up",
      async run({ object }) {
        cleaned.push(object.metadata.name);
      },
    },
    async reconcile({ object: bucket, client, clock }) {
      const made = clock.now() - Date.parse(bucket.metadata.creationTimestamp ?? "") >= 60_000;
      const [status, reason] = made ? (["True", "Made"] as const) : (["False", "Making"] as const);
      const conditions = withConditions(bucket, [{ type: "Ready", status, reason, message: "" }], { clock });
      await client.status(Bucket).patch(bucket, { conditions });
      return made ? {} : { requeueAfterMs: 60_000 };
    },
  });
  await using _running = manager.start();
  const buckets = client.resource(Bucket, { namespace: "default" });
  await buckets.create({ metadata: { name: "a" }, spec: { region: "eu" } });
  await clock.pass(1_000);
  const ready = async (): Promise<unknown> => (await buckets.get("a")).status?.conditions?.[0];
  expect(await ready()).toMatchObject({ status: "False", lastTransitionTime: "2020-01-01T00:00:00Z" });
  await clock.pass(60_000);
  expect(await ready()).toMatchObject({ status: "True", lastTransitionTime: "2020-01-01T00:01:00Z" });
  await buckets.delete("a");
  await clock.pass(1_000);
  expect([cleaned, await buckets.getOrUndefined("a")]).toEqual([["a"], undefined]);
});
