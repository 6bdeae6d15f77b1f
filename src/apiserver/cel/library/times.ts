/** Functions that give the parts of timestamps, in a time zone, and of durations. */
import { type Library, overload, type Overload } from "../checker/environment.js";
import { type Calendar, calendarOf } from "../values/times.js";
import { type Duration, ErrorValue, type Timestamp, type Value } from "../values/value.js";

/** The end of an overload's id where it does not follow the naming of the others. */
const zoned: Readonly<Record<string, string>> = { seconds: "tz" };

function part(id: string, of: (calendar: Calendar) => number, more: readonly Overload[] = []): readonly Overload[] {
  const run = ([time, zone]: readonly Value[]): Value => {
    const calendar = calendarOf(time as Timestamp, zone as string | undefined);
    return calendar instanceof ErrorValue ? calendar : BigInt(of(calendar));
  };
  return [
    overload(`timestamp_to_${id}`, "timestamp.() -> int", run),
    overload(`timestamp_to_${id}_${zoned[id] ?? "with_tz"}`, "timestamp.(string) -> int", run),
    ...more,
  ];
}

const ofDuration = (id: string, unit: bigint): readonly Overload[] => [
  overload(`duration_to_${id}`, "duration.() -> int", ([{ nanoseconds }]: [Duration]) => nanoseconds / unit),
];

export const timeLibrary: Library = {
  getFullYear: part("year", ({ year }) => year),
  getMonth: part("month", ({ month }) => month),
  getDayOfYear: part("day_of_year", ({ dayOfYear }) => dayOfYear),
  getDayOfMonth: part("day_of_month", ({ day }) => day - 1),
  getDate: part("day_of_month_1_based", ({ day }) => day),
  getDayOfWeek: part("day_of_week", ({ dayOfWeek }) => dayOfWeek),
  getHours: part("hours", ({ hours }) => hours, ofDuration("hours", 3_600_000_000_000n)),
  getMinutes: part("minutes", ({ minutes }) => minutes, ofDuration("minutes", 60_000_000_000n)),
  getSeconds: part("seconds", ({ seconds }) => seconds, ofDuration("seconds", 1_000_000_000n)),
  getMilliseconds: part("milliseconds", ({ milliseconds }) => milliseconds, ofDuration("milliseconds", 1_000_000n)),
};
