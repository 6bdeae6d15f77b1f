import { expect, test } from "vitest";
import { ConfigMap, Namespace, Pod } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { startControllers } from "./in-process.js";

test("a namespace that is deleted is emptied, pods first, and goes", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  await using cluster = await startControllers(["namespace", "serviceaccount"], { clock });
  const { client } = cluster;
  const namespaces = client.resource(Namespace);
  const pods = client.resource(Pod, { namespace: "doomed" });
  const configMaps = client.resource(ConfigMap, { namespace: "doomed" });
  await namespaces.create({ metadata: { name: "doomed" } });
  await clock.pass(1_000);
  await configMaps.create({ metadata: { name: "settings" } });
  const spec = { nodeName: "node", containers: [{ name: "c", image: "nginx" }] };
  await pods.create({ metadata: { name: "running" }, spec });
  await namespaces.delete("doomed");
  await clock.pass(6_000);

  const waiting = await namespaces.get("doomed");
  expect(waiting.status?.phase).toBe("Terminating");
  expect(waiting.status?.conditions?.find(({ type }) => type === "NamespaceContentRemaining")).toMatchObject({
    status: "True",
    reason: "SomeResourcesRemain",
    message: "Some resources are remaining: pods. has 1 resource instances",
  });
  expect((await configMaps.list({})).items.map(({ metadata }) => metadata.name)).toContain("settings");

  await pods.delete("running", { gracePeriodSeconds: 0 });
  await clock.pass(60_000);
  expect((await namespaces.list({})).items.map(({ metadata }) => metadata.name)).not.toContain("doomed");
});

test("with one server, whose admission knows at once, a namespace goes without delay, and with its last pod", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  await using cluster = await startControllers(["namespace"], { clock, oneServer: true });
  const { client } = cluster;
  const namespaces = client.resource(Namespace);
  /** A tenth of a second, in steps that let the many requests have their turns. */
  const aMoment = async (): Promise<void> => {
    for (let step = 0; step < 50; step++) await clock.advance(2);
  };
  await namespaces.create({ metadata: { name: "empty" } });
  await client.resource(ConfigMap, { namespace: "empty" }).create({ metadata: { name: "settings" } });
  await namespaces.delete("empty");
  await aMoment();
  expect(await namespaces.getOrUndefined("empty")).toBeUndefined();

  await namespaces.create({ metadata: { name: "busy" } });
  const spec = { nodeName: "node", containers: [{ name: "c", image: "nginx" }] };
  const pods = client.resource(Pod, { namespace: "busy" });
  await pods.create({ metadata: { name: "running" }, spec });
  await namespaces.delete("busy");
  await aMoment();
  expect((await namespaces.get("busy")).status?.phase).toBe("Terminating");
  await pods.delete("running", { gracePeriodSeconds: 0 });
  await aMoment();
  expect(await namespaces.getOrUndefined("busy")).toBeUndefined();
});
