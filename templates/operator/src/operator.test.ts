/** The operator in a cluster of this process, on time that the test owns. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment, installDefinition, Pod } from "coxswain";
import { crdOf } from "coxswain/api";
import { startCluster } from "coxswain/testing";
import { operator } from "./operator.js";
import { Website } from "./website.js";

test("a Website gets the pods that it wants, and gets them back", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["*"], nodes: 1 });
  const { client, clock } = cluster;
  await installDefinition(client, crdOf(Website));
  await using _running = operator({ client }).start();
  const namespace = "default";
  const websites = client.resource(Website, { namespace });
  const deployments = client.resource(Deployment, { namespace });

  await websites.create({ metadata: { name: "a" }, spec: { image: "nginx", replicas: 2 } });
  await clock.pass(60_000);
  assert.equal((await websites.get("a")).status?.available, 2);

  await deployments.patch("a", { merge: { spec: { replicas: 5 } } });
  await clock.pass(60_000);
  assert.equal((await deployments.get("a")).spec?.replicas, 2);

  await websites.delete("a");
  await clock.pass(120_000);
  assert.deepEqual((await client.resource(Pod, { namespace }).list()).items, []);
});

test("a Website without an image is refused", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  await installDefinition(cluster.client, crdOf(Website));
  const websites = cluster.client.resource(Website, { namespace: "default" });
  await assert.rejects(websites.create({ metadata: { name: "a" }, spec: { image: "", replicas: 1 } }), /spec.image/);
});
