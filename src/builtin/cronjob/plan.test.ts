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
    expect(planCronJob(cronJobOf(), at("00:05:00"))).toEqual({ type: "wait", untilMs: 300_100, complaints: [] });
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
      complaints: [{ reason: "TooManyMissedTimes" }],
    });
  });
  test("misses for good what is later than its deadline", () => {
    const strict = cronJobOf({ startingDeadlineSeconds: 60 }, "2026-01-01T00:10:00Z");
    expect(planCronJob(strict, at("00:20:30"))).toMatchObject({ type: "start" });
    expect(planCronJob(strict, at("00:25:00"))).toEqual({ type: "wait", untilMs: 300_100, complaints: [] });
  });
  test("does nothing while it is suspended", () => {
    expect(planCronJob(cronJobOf({ suspend: true }), at("00:10:00"))).toEqual({
      type: "wait",
      untilMs: undefined,
      complaints: [],
    });
  });
  test("says what is wrong with its schedule or zone", () => {
    const complaints = (spec: Partial<NonNullable<CronJob["spec"]>>) => {
      const plan = planCronJob(cronJobOf(spec), at("00:10:00"));
      return plan.complaints.map(({ reason, message }) => `${plan.type} ${reason}: ${message}`);
    };
    expect(complaints({ schedule: "often" })[0]).toMatch(/^wait UnparseableSchedule: unparseable schedule: "often" : /);
    const mars = 'wait UnknownTimeZone: invalid timeZone: "Mars/Base": unknown time zone Mars/Base';
    expect(complaints({ timeZone: "Mars/Base" })).toEqual([mars]);
    // a zone is looked at even while it rests, a schedule is not
    expect(complaints({ timeZone: "Mars/Base", suspend: true })).toEqual([mars]);
    expect(complaints({ schedule: "often", suspend: true })).toEqual([]);
    // a date that no calendar has is never due
    const never = "time difference between two schedules is less than 1 second";
    expect(complaints({ schedule: "59 23 31 2 *" })).toEqual([
      `wait InvalidSchedule: invalid schedule: 59 23 31 2 * : ${never}`,
    ]);
    expect(complaints({ schedule: "TZ=UTC */10 * * * *" })[0]).toMatch(
      /^start UnsupportedSchedule: CRON_TZ or TZ used in schedule "TZ=UTC \*\/10 \* \* \* \*" is not officially supported/,
    );
  });
  test("has missed too many from the hundred and first on", () => {
    const many = (now: string) =>
      planCronJob(cronJobOf({ schedule: "* * * * *" }, "2026-01-01T00:00:00Z"), at(now)).complaints.length;
    expect([many("01:40:00"), many("01:41:00")]).toEqual([0, 1]);
  });
  test("starts nothing old when times come in bunches and the last bunch is over", () => {
    const bunches = cronJobOf({ schedule: "0,1 0 * * *" }, "2025-12-30T00:01:00Z");
    expect(planCronJob(bunches, at("12:00:00"))).toEqual({
      type: "wait",
      untilMs: 12 * 3_600_000 + 100,
      complaints: [],
    });
  });
  test("that runs every so often keeps its distance from the last run", () => {
    const often = cronJobOf({ schedule: "@every 5m" }, "2026-01-01T00:10:30Z");
    expect(planCronJob(often, at("00:12:00"))).toEqual({ type: "wait", untilMs: 210_100, complaints: [] });
    expect(planCronJob(often, at("00:26:00"))).toMatchObject({ type: "start", at: at("00:25:30"), nextMs: 270_100 });
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
