import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ScheduleError } from "../../api/values/cron.js";
import { parseSchedule } from "./schedule.js";

const next = (schedule: string, after: string, zone?: string): string => {
  const at = parseSchedule(schedule, zone).next(Date.parse(after));
  return at === undefined ? "never" : new Date(at).toISOString();
};

describe("a schedule fires next", () => {
  for (const [schedule, after, expected, zone] of [
    ["*/5 * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:05:00.000Z"],
    ["*/5 * * * *", "2026-01-01T00:04:59.999Z", "2026-01-01T00:05:00.000Z"],
    ["0 0 * * *", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00.000Z"],
    ["30 8 * jan-mar mon-fri", "2026-03-31T09:00:00Z", "2027-01-01T08:30:00.000Z"],
    ["0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["0 0 31 4 *", "2026-01-01T00:00:00Z", "never"],
    ["0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00.000Z"],
    ["0 0 */2 * fri", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00.000Z"],
    ["5,,7 * * * *", "2026-01-01T00:06:00Z", "2026-01-01T00:07:00.000Z"],
    ["5/20 * * * *", "2026-01-01T00:06:00Z", "2026-01-01T00:25:00.000Z"],
    ["@hourly", "2026-01-01T00:30:00Z", "2026-01-01T01:00:00.000Z"],
    ["@every 90s", "2026-01-01T00:00:00.5Z", "2026-01-01T00:01:30.000Z"],
    ["0 9 * * *", "2026-01-01T00:00:00Z", "2026-01-01T14:00:00.000Z", "America/New_York"],
    ["0 9 * * *", "2026-07-01T00:00:00Z", "2026-07-01T13:00:00.000Z", "America/New_York"],
    ["30 2 * * *", "2026-03-08T00:00:00Z", "2026-03-09T06:30:00.000Z", "America/New_York"],
    ["0 0 * * *", "2026-06-01T12:00:00Z", "2026-06-01T18:30:00.000Z", "Asia/Kolkata"],
    ["TZ=Asia/Tokyo 0 9 * * *", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00.000Z"],
  ] as const) {
    test(`${schedule} after ${after}${zone ? ` in ${zone}` : ""}`, () =>
      expect(next(schedule, after, zone)).toBe(expected));
  }
});

for (const bad of [
  "",
  "* * * *",
  "* * * * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "*/0 * * * *",
  "5-1 * * * *",
  "@often",
  "@every x",
  "a * * * *",
  "* * * constructor *",
]) {
  test(`${JSON.stringify(bad)} is refused with its reason`, () =>
    expect(() => parseSchedule(bad)).toThrow(ScheduleError));
}

test("an unknown zone is refused", () =>
  expect(() => parseSchedule("* * * * *", "Mars/Olympus")).toThrow("unknown time zone Mars/Olympus"));

test("where the clocks move by half an hour the next day still begins at midnight", () => {
  const schedule = parseSchedule("* * 5 * *", "Australia/Lord_Howe");
  // on 4 October 2026 the clocks there go from 2:00 to 2:30
  expect(schedule.next(Date.parse("2026-10-03T14:00:00Z"))).toBe(Date.parse("2026-10-04T13:00:00Z"));
});

test("walking in large steps finds what walking minute by minute finds", () => {
  const field = (low: number, high: number): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constant("*"),
      fc.integer({ min: low, max: high }).map(String),
      fc.integer({ min: 1, max: 20 }).map((n) => `*/${n}`),
    );
  const zones = fc.constantFrom("UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Santiago");
  const start = fc.integer({ min: Date.parse("2026-01-01T00:00:00Z"), max: Date.parse("2026-12-31T00:00:00Z") });
  fc.assert(
    fc.property(
      field(0, 59),
      field(0, 23),
      fc.oneof(fc.constant("*"), fc.integer({ min: 1, max: 28 }).map(String)),
      zones,
      start,
      (minute, hour, day, zone, after) => {
        const schedule = parseSchedule(`${minute} ${hour} ${day} * *`, zone);
        const at = schedule.next(after);
        if (at === undefined) return;
        expect(at).toBeGreaterThan(after);
        // nothing that matches lies between
        const step = 15 * 60_000;
        for (let probe = Math.max(after, at - 3 * 86_400_000); probe < at; probe += step) {
          expect(schedule.next(probe) as number).toBeLessThanOrEqual(at);
          if (probe >= after) expect(schedule.next(probe)).toBe(at);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("any text is either a schedule or a ScheduleError", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        parseSchedule(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ScheduleError);
      }
    }),
  );
});
