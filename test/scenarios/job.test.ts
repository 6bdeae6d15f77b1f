import { describe, expect, test } from "vitest";
import { Job, Pod } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import type { Client } from "../../src/client/index.js";
import { jobController } from "../../src/controllers/job/index.js";
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
    await using cluster = await startControllers([jobController], { clock });
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
    await using cluster = await startControllers([jobController], { clock });
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
    await using cluster = await startControllers([jobController], { clock });
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
    await using cluster = await startControllers([jobController], { clock });
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
