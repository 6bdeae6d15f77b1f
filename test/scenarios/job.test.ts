import { describe, expect, test } from "vitest";
import { Job, Pod } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import type { Client } from "../../src/client/index.js";
import { startControllers } from "./in-process.js";

const namespace = "default";

/** Ends every pod that runs, as its exit code says. */
async function finishPods(client: Client, exitCode: (pod: Pod) => number): Promise<number> {
  const pods = client.resource(Pod, { namespace });
  const open = (await pods.list({})).items.filter(
    ({ status }) => !["Succeeded", "Failed"].includes(status?.phase ?? ""),
  );
  for (const pod of open) {
    const code = exitCode(pod);
    const phase = code === 0 ? "Succeeded" : "Failed";
    await pods.status.patch(pod.metadata, { strategic: { status: { phase } } });
  }
  return open.length;
}

const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "worker" }] } } as const;
const condition = (job: Job, type: string) => job.status?.conditions?.find((one) => one.type === type);

describe("a Job", () => {
  test("runs its pods in turns, counts them and completes", async () => {
    const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
    await using cluster = await startControllers(["job"], { clock });
    const { client, events } = cluster;
    const jobs = client.resource(Job, { namespace });
    await jobs.create({ metadata: { name: "sum" }, spec: { completions: 5, parallelism: 2, template } });
    const turns: number[] = [];
    for (let i = 0; i < 8; i++) {
      await clock.pass(2_000);
      turns.push(await finishPods(client, () => 0));
    }
    const job = await jobs.get("sum");
    expect(turns.filter((count) => count > 0)).toEqual([2, 2, 1]);
    expect(job.status).toMatchObject({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(condition(job, "SuccessCriteriaMet")).toMatchObject({ status: "True", reason: "CompletionsReached" });
    expect(condition(job, "Complete")).toMatchObject({ status: "True" });
    expect(events.at(-1)).toBe("Job sum Completed Job completed");
    const leftovers = (await client.resource(Pod, { namespace }).list({})).items.flatMap(
      ({ metadata }) => metadata.finalizers ?? [],
    );
    expect(leftovers).toEqual([]);
  });

  test("replaces failed pods ever later, and gives up at its limit", async () => {
    const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
    await using cluster = await startControllers(["job"], { clock });
    const { client, events } = cluster;
    const jobs = client.resource(Job, { namespace });
    await jobs.create({ metadata: { name: "broken" }, spec: { backoffLimit: 2, template } });
    for (let i = 0; i < 40; i++) {
      await clock.pass(3_000);
      await finishPods(client, () => 1);
    }
    const job = await jobs.get("broken");
    expect(job.status?.failed).toBe(3);
    expect(condition(job, "Failed")).toMatchObject({
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    });
    expect(events.at(-1)).toBe("Job broken BackoffLimitExceeded Job has reached the specified backoff limit");
  });

  test("with indexes does each of them once", async () => {
    const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
    await using cluster = await startControllers(["job"], { clock });
    const { client } = cluster;
    const jobs = client.resource(Job, { namespace });
    await jobs.create({
      metadata: { name: "shards" },
      spec: { completions: 4, parallelism: 2, completionMode: "Indexed", template },
    });
    const failedOnce = new Set<string>();
    for (let i = 0; i < 30; i++) {
      await clock.pass(3_000);
      await finishPods(client, ({ metadata }) => {
        const index = metadata.annotations?.["batch.kubernetes.io/job-completion-index"] ?? "";
        if (index !== "1" || failedOnce.has(index)) return 0;
        failedOnce.add(index);
        return 1;
      });
    }
    const job = await jobs.get("shards");
    expect(job.status).toMatchObject({ succeeded: 4, failed: 1, completedIndexes: "0-3" });
  });

  test("that is suspended lets its pods go and counts none of them", async () => {
    const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
    await using cluster = await startControllers(["job"], { clock });
    const { client, events } = cluster;
    const jobs = client.resource(Job, { namespace });
    await jobs.create({ metadata: { name: "later" }, spec: { template } });
    await clock.pass(2_000);
    await jobs.patch("later", { merge: { spec: { suspend: true } } });
    await clock.pass(5_000);
    const suspended = await jobs.get("later");
    expect(suspended.status?.startTime).toBeUndefined();
    expect(suspended.status?.failed).toBeUndefined();
    expect(condition(suspended, "Suspended")).toMatchObject({ status: "True", reason: "JobSuspended" });
    await jobs.patch("later", { merge: { spec: { suspend: false } } });
    await clock.pass(5_000);
    expect((await jobs.get("later")).status?.active).toBe(1);
    expect(events.filter((event) => event.includes("Suspended") || event.includes("Resumed"))).toEqual([
      "Job later Suspended Job suspended",
      "Job later Resumed Job resumed",
    ]);
  });
});

test("the tracking finalizer goes from pods without a Job, and stays on pods that another controller has", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  await using cluster = await startControllers(["job"], { clock });
  const pods = cluster.client.resource(Pod, { namespace });
  const finalizers = ["batch.kubernetes.io/job-tracking"];
  const owner = (apiVersion: string, kind: string) => [{ apiVersion, kind, name: "o", uid: "o", controller: true }];
  await pods.create({ metadata: { name: "orphan", finalizers }, spec: template.spec });
  const lost = { name: "lost", finalizers, ownerReferences: owner("batch/v1", "Job") };
  await pods.create({ metadata: lost, spec: template.spec });
  const others = { name: "others", finalizers, ownerReferences: owner("example.com/v1", "Job") };
  await pods.create({ metadata: others, spec: template.spec });
  await clock.pass(5_000);
  const left = (await pods.list({})).items.filter(({ metadata }) => metadata.finalizers?.length);
  expect(left.map(({ metadata }) => metadata.name)).toEqual(["others"]);
});

test("an indexed Job whose completions and parallelism shrink together forgets the indexes beyond", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  await using cluster = await startControllers(["job"], { clock });
  const { client } = cluster;
  const jobs = client.resource(Job, { namespace });
  const spec = { completions: 4, parallelism: 4, completionMode: "Indexed", template } as const;
  await jobs.create({ metadata: { name: "elastic" }, spec });
  await clock.pass(2_000);
  const pods = client.resource(Pod, { namespace });
  const index = "batch.kubernetes.io/job-completion-index";
  const { items } = await pods.list({ labelSelector: `${index} in (1,3)` });
  for (const { metadata } of items)
    await pods.status.patch(metadata, { strategic: { status: { phase: "Succeeded" } } });
  await clock.pass(3_000);
  expect((await jobs.get("elastic")).status).toMatchObject({ succeeded: 2, completedIndexes: "1,3" });
  await jobs.patch("elastic", { merge: { spec: { completions: 2, parallelism: 2 } } });
  await clock.pass(3_000);
  expect((await jobs.get("elastic")).status).toMatchObject({ succeeded: 1, completedIndexes: "1", active: 1 });
  await finishPods(client, () => 0);
  await clock.pass(3_000);
  expect(condition(await jobs.get("elastic"), "Complete")).toMatchObject({ status: "True" });
});
