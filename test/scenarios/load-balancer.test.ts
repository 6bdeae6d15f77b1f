import { expect, test } from "vitest";
import { Job, Service } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { startControllers } from "./in-process.js";

const namespace = "default";

test("a service gets a load balancer's address, keeps it, and gives it back before it goes or becomes another", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  await using cluster = await startControllers(["service"], { clock });
  const services = cluster.client.resource(Service, { namespace });
  const spec = { type: "LoadBalancer" as const, ports: [{ port: 80 }] };
  for (const name of ["a", "b"]) await services.create({ metadata: { name }, spec });
  await services.create({ metadata: { name: "others" }, spec: { ...spec, loadBalancerClass: "example.com/other" } });
  await clock.pass(2_000);
  const addresses = async () =>
    (await services.list()).items.map(({ metadata, status }) => [
      metadata.name,
      status?.loadBalancer?.ingress?.[0]?.ip,
      metadata.finalizers?.length ?? 0,
    ]);
  expect((await addresses()).filter(([name]) => name !== "kubernetes")).toEqual([
    ["a", "203.0.113.1", 1],
    ["b", "203.0.113.2", 1],
    ["others", undefined, 0],
  ]);
  await services.patch("a", { merge: { spec: { type: "ClusterIP" } } });
  await services.delete("b");
  await clock.pass(2_000);
  expect((await addresses()).filter(([name]) => name !== "kubernetes")).toEqual([
    ["a", undefined, 0],
    ["others", undefined, 0],
  ]);
  expect(cluster.events.filter((event) => event.startsWith("Service b"))).toEqual([
    "Service b EnsuringLoadBalancer Ensuring load balancer",
    "Service b EnsuredLoadBalancer Ensured load balancer",
    "Service b DeletingLoadBalancer Deleting load balancer",
    "Service b DeletedLoadBalancer Deleted load balancer",
  ]);
});

test("a finished Job is deleted in the foreground when its time is over, however that changes meanwhile", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  await using cluster = await startControllers(["ttl-after-finished"], { clock });
  const jobs = cluster.client.resource(Job, { namespace });
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x" }] } } as const;
  await jobs.create({
    metadata: { name: "j" },
    spec: { ttlSecondsAfterFinished: 10, suspend: true, completions: 0, template },
  });
  const time = { lastProbeTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z" };
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({ type, status: "True" as const, ...time }));
  await jobs.status.patch("j", { merge: { status: { completionTime: "2026-01-01T00:00:00Z", conditions } } });
  await clock.pass(5_000);
  await jobs.patch("j", { merge: { spec: { ttlSecondsAfterFinished: 30 } } });
  await clock.pass(20_000);
  expect((await jobs.get("j")).metadata.deletionTimestamp).toBeUndefined();
  await clock.pass(10_000);
  expect((await jobs.get("j")).metadata).toMatchObject({
    deletionTimestamp: "2026-01-01T00:00:30Z",
    finalizers: ["foregroundDeletion"],
  });
});
