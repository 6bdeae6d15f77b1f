import { expect, test } from "vitest";
import { CronJob, Job, Node, Pod } from "../../src/api/index.js";
import { FakeClock, MetricsRegistry, startRunning } from "../../src/base/index.js";
import { builtInControllers, runControllers, selectControllers } from "../../src/builtin/index.js";
import { startControllers } from "./in-process.js";

const namespace = "default";

test("what small controllers did is counted under upstream's names", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:30Z") });
  await using cluster = await startControllers([], { clock });
  const { client } = cluster;
  const metrics = new MetricsRegistry();
  const names = ["cronjob", "podgc", "taint-eviction", "ttl-after-finished"];
  const controllers = selectControllers(names, builtInControllers);
  await using _running = startRunning((signal) => runControllers({ client, controllers, clock, metrics, signal }));
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x" }] } } as const;
  const pods = client.resource(Pod, { namespace });
  await client
    .resource(Node)
    .create({ metadata: { name: "n" }, spec: { taints: [{ key: "bad", effect: "NoExecute" }] } });
  await pods.create({
    metadata: { name: "evicted" },
    spec: { nodeName: "n", containers: [{ name: "c", image: "x" }] },
  });
  await pods.create({ metadata: { name: "stuck", finalizers: ["example.com/hold"] }, spec: template.spec });
  await pods.delete("stuck");
  const spec = { schedule: "* * * * *", jobTemplate: { spec: { template } } };
  await client.resource(CronJob, { namespace }).create({ metadata: { name: "cron" }, spec });
  const jobs = client.resource(Job, { namespace });
  const done = { ttlSecondsAfterFinished: 1, suspend: true, completions: 0, template };
  await jobs.create({ metadata: { name: "done" }, spec: done });
  const time = { lastProbeTime: "2026-01-01T00:00:30Z", lastTransitionTime: "2026-01-01T00:00:30Z" };
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({ type, status: "True" as const, ...time }));
  await jobs.status.patch("done", { merge: { status: { completionTime: "2026-01-01T00:00:30Z", conditions } } });
  await clock.pass(35_000);
  const lines = metrics.expose().split("\n");
  const counted = lines.filter((line) => /^(cronjob|pod_gc|taint_eviction|ttl_after).*(_count|_total)\b/.test(line));
  expect(counted.toSorted()).toEqual([
    "cronjob_controller_job_creation_skew_duration_seconds_count 1",
    'pod_gc_collector_force_delete_pods_total{namespace="default",reason="unscheduled"} 1',
    "taint_eviction_controller_pod_deletion_duration_seconds_count 1",
    "taint_eviction_controller_pod_deletions_total 1",
    "ttl_after_finished_controller_job_deletion_duration_seconds_count 1",
  ]);
});
