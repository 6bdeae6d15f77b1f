import { describe, expect, test } from "vitest";
import { CronJob, type CronJobSpec, Job, newControllerRef } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import type { TestCluster } from "../../src/testing/cluster.js";
import { startControllers } from "./in-process.js";

const namespace = "default";
const startMs = Date.parse("2026-01-01T00:00:30Z");
const minuteMs = 60_000;
const nameAt = (minute: number): string => `cron-${Date.parse("2026-01-01T00:00:00Z") / minuteMs + minute}`;
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x" }] } } as const;

interface Played {
  readonly cluster: TestCluster;
  readonly clock: FakeClock;
  jobs(): Promise<readonly string[]>;
  active(): Promise<readonly string[]>;
  /** Ends a Job, well or not. */
  end(name: string, type: "Complete" | "Failed"): Promise<void>;
  told(...reasons: readonly string[]): readonly string[];
}

/** A CronJob of every minute, whose Jobs nobody runs: they end when they are told to. */
async function withCronJob(spec: Partial<CronJobSpec>, play: (played: Played) => Promise<void>): Promise<void> {
  const clock = new FakeClock({ startMs });
  await using cluster = await startControllers(["cronjob"], { clock });
  const jobs = cluster.client.resource(Job, { namespace });
  const cronJobs = cluster.client.resource(CronJob, { namespace });
  const jobTemplate = { spec: { template, suspend: true } };
  await cronJobs.create({ metadata: { name: "cron" }, spec: { schedule: "* * * * *", jobTemplate, ...spec } });
  await clock.pass(1_000);
  await play({
    cluster,
    clock,
    jobs: async () => (await jobs.list()).items.map(({ metadata }) => metadata.name),
    active: async () => ((await cronJobs.get("cron")).status?.active ?? []).map(({ name }) => name ?? ""),
    async end(name, type) {
      const time = new Date(clock.now()).toISOString().replace(/\.\d+/, "");
      const at = { lastProbeTime: time, lastTransitionTime: time, status: "True" } as const;
      const before = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
      const conditions = [before, type].map((one) => ({ type: one, ...at }));
      const ended = type === "Complete" ? { completionTime: time } : {};
      await jobs.status.patch(name, { merge: { status: { startTime: time, ...ended, conditions } } });
      await clock.pass(1_000);
    },
    told: (...reasons) => cluster.events.filter((event) => reasons.some((reason) => event.includes(` ${reason} `))),
  });
}

describe("a CronJob whose last Job still runs", () => {
  test("starts another beside it if it may", () =>
    withCronJob({}, async ({ clock, jobs, active }) => {
      await clock.pass(2 * minuteMs);
      expect([await jobs(), await active()]).toEqual([
        [nameAt(1), nameAt(2)],
        [nameAt(1), nameAt(2)],
      ]);
    }));

  test("starts none if it must not, and says so", () =>
    withCronJob({ concurrencyPolicy: "Forbid" }, async ({ clock, jobs, told, end }) => {
      await clock.pass(2 * minuteMs);
      expect(await jobs()).toEqual([nameAt(1)]);
      expect(told("JobAlreadyActive")).toContain(
        "CronJob cron JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid",
      );
      // the run that had to wait is started as soon as it may
      await end(nameAt(1), "Complete");
      expect(await jobs()).toEqual([nameAt(1), nameAt(2)]);
    }));

  test("puts another in its place if it is told to", () =>
    withCronJob({ concurrencyPolicy: "Replace" }, async ({ clock, jobs, active, told }) => {
      await clock.pass(2 * minuteMs);
      expect([await jobs(), await active()]).toEqual([[nameAt(2)], [nameAt(2)]]);
      expect(told("SuccessfulCreate", "SuccessfulDelete")).toEqual([
        `CronJob cron SuccessfulCreate Created job ${nameAt(1)}`,
        `CronJob cron SuccessfulDelete Deleted job ${nameAt(1)}`,
        `CronJob cron SuccessfulCreate Created job ${nameAt(2)}`,
      ]);
    }));
});

describe("a CronJob's list of active Jobs", () => {
  test("loses what is over, with the time of the last success", () =>
    withCronJob({}, async ({ cluster, clock, active, told, end }) => {
      await clock.pass(minuteMs);
      await end(nameAt(1), "Complete");
      await clock.pass(minuteMs);
      await end(nameAt(2), "Failed");
      expect(await active()).toEqual([]);
      expect(told("SawCompletedJob")).toEqual([
        `CronJob cron SawCompletedJob Saw completed job: ${nameAt(1)}, condition: Complete`,
        `CronJob cron SawCompletedJob Saw completed job: ${nameAt(2)}, condition: Failed`,
      ]);
      const { status } = await cluster.client.resource(CronJob, { namespace }).get("cron");
      expect(status).toEqual({
        lastScheduleTime: "2026-01-01T00:02:00Z",
        lastSuccessfulTime: "2026-01-01T00:01:31Z",
      });
    }));

  test("loses what somebody deleted, and is not joined by what somebody else made; both are told", () =>
    withCronJob({}, async ({ cluster, clock, active, told }) => {
      await clock.pass(minuteMs);
      const jobs = cluster.client.resource(Job, { namespace });
      await jobs.delete(nameAt(1), { propagationPolicy: "Background" });
      const owner = await cluster.client.resource(CronJob, { namespace }).get("cron");
      const metadata = { name: "by-hand", ownerReferences: [newControllerRef(owner, CronJob)] };
      await jobs.create({ metadata, spec: { template, suspend: true } });
      await clock.pass(1_000);
      expect(await active()).toEqual([]);
      expect(told("MissingJob")).toEqual([`CronJob cron MissingJob Active job went missing: ${nameAt(1)}`]);
      expect(told("UnexpectedJob")[0]).toBe(
        "CronJob cron UnexpectedJob Saw a job that the controller did not create or forgot: by-hand",
      );
    }));
});

test("a CronJob takes up a Job of its own that it made and did not write down, and leaves another's alone", () =>
  withCronJob({ suspend: true }, async ({ cluster, clock, active, told }) => {
    const cronJobs = cluster.client.resource(CronJob, { namespace });
    const owner = await cronJobs.get("cron");
    const jobs = cluster.client.resource(Job, { namespace });
    const spec = { template, suspend: true };
    const ownerReferences = [newControllerRef(owner, CronJob)];
    await jobs.create({ metadata: { name: nameAt(1), ownerReferences }, spec });
    await jobs.create({ metadata: { name: nameAt(2) }, spec });
    await clock.pass(minuteMs);
    await cronJobs.patch("cron", { merge: { spec: { suspend: false } } });
    await clock.pass(1_000);
    expect(await active()).toEqual([nameAt(1)]);
    await clock.pass(minuteMs);
    expect(await active()).toEqual([nameAt(1)]);
    expect(told("SuccessfulCreate", "FailedCreate")).toEqual([]);
  }));

test("a new schedule counts from now on", () =>
  withCronJob({ schedule: "0 0 1 1 *" }, async ({ cluster, clock, jobs }) => {
    await clock.pass(10 * minuteMs);
    await cluster.client
      .resource(CronJob, { namespace })
      .patch("cron", { merge: { spec: { schedule: "30 * * * *" } } });
    await clock.pass(10 * minuteMs);
    expect(await jobs()).toEqual([]);
    await clock.pass(10 * minuteMs);
    expect(await jobs()).toEqual([nameAt(30)]);
  }));
