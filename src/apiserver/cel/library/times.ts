/** Functions that give the parts of timestamps, in a time zone, and of durations. */
import { type Declaration, overload } from "../checker/environment.js";
import { type Calendar, calendarOf } from "../values/times.js";
import { type Duration, Failure, type Timestamp, type Value } from "../values/value.js";

/** Overloads whose ids do not follow the naming of the others. */
const zoned: Readonly<Record<string, string>> = { getSeconds: "timestamp_to_seconds_tz" };

function part(
  name: string,
  id: string,
  of: (calendar: Calendar) => number,
  more: Declaration["overloads"] = [],
): Declaration {
  const run = ([time, zone]: readonly Value[]): Value => {
    const calendar = calendarOf(time as Timestamp, zone as string | undefined);
    return calendar instanceof Failure ? calendar : BigInt(of(calendar));
  };
  return {
    name,
    overloads: [
      overload(`timestamp_to_${id}`, "timestamp.() -> int", run),
      overload(zoned[name] ?? `timestamp_to_${id}_with_tz`, "timestamp.(string) -> int", run),
      ...more,
    ],
  };
}

const ofDuration = (id: string, unit: bigint): Declaration["overloads"] => [
  overload(`duration_to_${id}`, "duration.() -> int", ([{ nanoseconds }]: [Duration]) => nanoseconds / unit),
];

export const timeLibrary: readonly Declaration[] = [
  part("getFullYear", "year", ({ year }) => year),
  part("getMonth", "month", ({ month }) => month),
  part("getDayOfYear", "day_of_year", ({ dayOfYear }) => dayOfYear),
  part("getDayOfMonth", "day_of_month", ({ day }) => day - 1),
  part("getDate", "day_of_month_1_based", ({ day }) => day),
  part("getDayOfWeek", "day_of_week", ({ dayOfWeek }) => dayOfWeek),
  part("getHours", "hours", ({ hours }) => hours, ofDuration("hours", 3_600_000_000_000n)),
  part("getMinutes", "minutes", ({ minutes }) => minutes, ofDuration("minutes", 60_000_000_000n)),
  part("getSeconds", "seconds", ({ seconds }) => seconds, ofDuration("seconds", 1_000_000_000n)),
  part("getMilliseconds", "milliseconds", ({ milliseconds }) => milliseconds, ofDuration("milliseconds", 1_000_000n)),
];
