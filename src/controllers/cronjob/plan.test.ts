import { describe, expect, test } from "vitest";
import type { CronJob, Job } from "../../api/index.js";
import { jobNameOf, jobsToForget, planCronJob } from "./plan.js";

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);

function cronJobOf(spec: Partial<NonNullable<CronJob["spec"]>> = {}, lastScheduleTime?: string): CronJob {
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "nightly", namespace: "default", uid: "cron", creationTimestamp: "2026-01-01T00:00:30Z" },
    spec: { schedule: "*/10 * * * *", jobTemplate: {}, ...spec },
    ...(lastScheduleTime === undefined ? {} : { status: { lastScheduleTime } }),
  };
}

describe("a CronJob", () => {
  test("waits for its first time, and a little longer", () => {
    expect(planCronJob(cronJobOf(), at("00:05:00"))).toEqual({ type: "wait", untilMs: 300_100 });
  });
  test("starts what is due", () => {
    expect(planCronJob(cronJobOf(), at("00:10:00"))).toMatchObject({ type: "start", at: at("00:10:00") });
  });
  test("starts only the latest of several that were missed", () => {
    expect(planCronJob(cronJobOf({}, "2026-01-01T00:10:00Z"), at("00:55:00"))).toMatchObject({
      type: "start",
      at: at("00:50:00"),
    });
  });
  test("finds the latest over a long gap of uneven intervals", () => {
    const uneven = cronJobOf({ schedule: "0 9,17 * * 1-5" }, "2025-01-01T09:00:00Z");
    expect(planCronJob(uneven, at("18:00:00"))).toMatchObject({
      type: "start",
      at: at("17:00:00"),
      complaint: { reason: "TooManyMissedTimes" },
    });
  });
  test("misses for good what is later than its deadline", () => {
    const strict = cronJobOf({ startingDeadlineSeconds: 60 }, "2026-01-01T00:10:00Z");
    expect(planCronJob(strict, at("00:20:30"))).toMatchObject({ type: "start" });
    expect(planCronJob(strict, at("00:25:00"))).toEqual({ type: "wait", untilMs: 300_100 });
  });
  test("does nothing while it is suspended", () => {
    expect(planCronJob(cronJobOf({ suspend: true }), at("00:10:00"))).toEqual({ type: "wait", untilMs: undefined });
  });
  test("says what is wrong with its schedule or zone", () => {
    expect(planCronJob(cronJobOf({ schedule: "often" }), at("00:10:00"))).toMatchObject({
      type: "broken",
      complaint: { reason: "UnparseableSchedule" },
    });
    expect(planCronJob(cronJobOf({ timeZone: "Mars/Base" }), at("00:10:00"))).toMatchObject({
      type: "broken",
      complaint: { reason: "UnknownTimeZone" },
    });
  });
  test("says that a date of no calendar is never due", () => {
    expect(planCronJob(cronJobOf({ schedule: "59 23 31 2 *" }), at("00:10:00"))).toMatchObject({
      type: "broken",
      complaint: {
        reason: "InvalidSchedule",
        message: "invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second",
      },
    });
  });
  test("names its Jobs by the minute", () =>
    expect(jobNameOf(cronJobOf(), at("00:10:00"))).toBe(`nightly-${at("00:10:00") / 60_000}`));
});

test("finished Jobs beyond the limits are forgotten, oldest first, successes and failures apart", () => {
  const job = (name: string, hour: number, type?: "Complete" | "Failed"): Job => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    status: {
      startTime: `2026-01-01T0${hour}:00:00Z`,
      ...(type === undefined ? {} : { conditions: [{ type, status: "True" }] }),
    },
  });
  const jobs = [
    job("s3", 3, "Complete"),
    job("s1", 1, "Complete"),
    job("s2", 2, "Complete"),
    job("f1", 1, "Failed"),
    job("f2", 2, "Failed"),
    job("running", 0),
  ];
  const forgotten = jobsToForget(cronJobOf({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 }), jobs);
  expect(forgotten.map(({ metadata }) => metadata.name)).toEqual(["s1", "f1"]);
});
