import { expect, test } from "vitest";
import { ConfigMap, Deployment, isNotFound, Pod } from "../../../api/index.js";
import { FakeClock } from "../../../base/index.js";
import { Client } from "../../../client/index.js";
import { startApiServer } from "../../server.js";

const finalizers = ["example.com/held"];

test("deleting again what finalizers hold already changes nothing", async () => {
  await using server = await startApiServer();
  const client = new Client({ transport: server.transport() });
  const maps = client.resource(ConfigMap, { namespace: "default" });
  await maps.create({ metadata: { name: "a", finalizers } });
  await maps.delete("a");
  const first = await maps.get("a");
  expect(first.metadata.deletionTimestamp).toBeDefined();
  await maps.delete("a");
  expect(await maps.get("a")).toEqual(first);

  // another policy adds a finalizer: that is a change
  await maps.delete("a", { propagationPolicy: "Foreground" });
  const { metadata } = await maps.get("a");
  expect(metadata.finalizers).toContain("foregroundDeletion");
  expect(metadata.resourceVersion).not.toBe(first.metadata.resourceVersion);
});

test("a kind that counts generations counts the deletion once", async () => {
  await using server = await startApiServer();
  const deployments = new Client({ transport: server.transport() }).resource(Deployment, { namespace: "default" });
  const labels = { app: "web" };
  await deployments.create({
    metadata: { name: "web", finalizers },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  await deployments.delete("web");
  const first = await deployments.get("web");
  await deployments.delete("web");
  expect(await deployments.get("web")).toEqual(first);
  expect(first.metadata.generation).toBe(2);
});

test("a grace that was shortened into the past ends now, and leaves a second", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2024-01-01T00:00:00Z") });
  await using server = await startApiServer({ clock, disabledAdmission: ["ServiceAccount"] });
  const pods = new Client({ transport: server.transport() }).resource(Pod, { namespace: "default" });
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  await pods.create({ metadata: { name: "a" }, spec });
  await pods.delete("a");
  expect((await pods.get("a")).metadata).toMatchObject({
    deletionTimestamp: "2024-01-01T00:00:30Z",
    deletionGracePeriodSeconds: 30,
  });
  await clock.advance(10_000);
  await pods.delete("a", { gracePeriodSeconds: 20 });
  expect((await pods.get("a")).metadata).toMatchObject({
    deletionTimestamp: "2024-01-01T00:00:20Z",
    deletionGracePeriodSeconds: 20,
  });
  await pods.delete("a", { gracePeriodSeconds: 5 });
  expect((await pods.get("a")).metadata).toMatchObject({
    deletionTimestamp: "2024-01-01T00:00:10Z",
    deletionGracePeriodSeconds: 1,
  });
});

test("a pod without a node is marked, seen so, and removed; of two who delete it, the slower is not refused", async () => {
  await using server = await startApiServer({ disabledAdmission: ["ServiceAccount"] });
  const client = new Client({ transport: server.transport() });
  const pods = client.resource(Pod, { namespace: "default" });
  const { metadata } = await pods.create({
    metadata: { name: "a" },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  const first = pods.delete("a");
  // it may come after the removal, and is then told so
  const second = pods.delete("a").catch((error: unknown) => expect(isNotFound(error)).toBe(true));
  await Promise.all([first, second]);
  const seen: [string, boolean][] = [];
  for await (const event of pods.watch({ resourceVersion: metadata.resourceVersion as string })) {
    if (event.type !== "MODIFIED" && event.type !== "DELETED") continue;
    seen.push([event.type, event.object.metadata.deletionTimestamp !== undefined]);
    if (event.type === "DELETED") break;
  }
  expect(seen).toEqual([
    ["MODIFIED", true],
    ["DELETED", true],
  ]);
});
