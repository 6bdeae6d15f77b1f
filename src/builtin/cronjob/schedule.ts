/** The times of a cron schedule: takes the text of a schedule and a time zone, gives the next time at which it fires. Pure. */
import { type CronSchedule, isUtc, parseCron, ScheduleError } from "../../api/values/cron.js";

/**
 * A parsed schedule. `next` gives the first time strictly after `after` (in ms), or undefined if there is none within
 * five years.
 */
export interface Schedule {
  next(after: number): number | undefined;
}

type Fields = Extract<CronSchedule, { type: "fields" }>["fields"];

/** Throws a ScheduleError. `timeZone` is an IANA name; one in the schedule's text has precedence. */
export function parseSchedule(text: string, timeZone = "UTC"): Schedule {
  const cron = parseCron(text);
  const wallClock = wallClockOf(cron.zone ?? timeZone);
  if (cron.type === "fields") return { next: (after) => nextMatch(cron.fields, wallClock, after) };
  return { next: (after) => Math.floor(after / 1000) * 1000 + cron.everyMs };
}

/** A moment as a wall clock in the zone shows it. `month` is 1 to 12, `weekday` 0 is Sunday. */
interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

type WallClock = (ms: number) => WallTime;

const wallClockOf = (timeZone: string): WallClock =>
  isUtc(timeZone) || timeZone === "Etc/UTC" ? utcWallClock : zoneWallClock(timeZone);

/**
 * Zones change their UTC offset only at full quarters of an hour: the offset is read once for each quarter, the rest is
 * arithmetic.
 */
function zoneWallClock(timeZone: string): WallClock {
  let format: Intl.DateTimeFormat;
  try {
    const numeric = "numeric";
    const parts = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric } as const;
    format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...parts });
  } catch (cause) {
    throw new ScheduleError(`unknown time zone ${timeZone}`, { cause });
  }
  let quarter = Number.NaN;
  let offsetMs = 0;
  return (ms) => {
    const current = Math.floor(ms / quarterMs);
    if (current !== quarter) {
      const read: Record<string, number> = {};
      const start = current * quarterMs;
      for (const { type, value } of format.formatToParts(start)) if (type !== "literal") read[type] = Number(value);
      const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = read;
      offsetMs = Date.UTC(year, month - 1, day, hour, minute) - start;
      quarter = current;
    }
    return utcWallClock(ms + offsetMs);
  };
}

const utcWallClock: WallClock = (ms) => {
  const date = new Date(ms);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  };
};

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const hourMs = 60 * minuteMs;
const fiveYearsMs = 5 * 366 * 24 * hourMs;

/**
 * Walks forward in absolute time, by the largest step that cannot pass a match, and compares the wall clock's time. An
 * hour that the clock skips therefore never fires, and an hour that it repeats may fire twice, for schedules that name
 * it.
 */
function nextMatch(fields: Fields, wallClock: WallClock, after: number): number | undefined {
  const [minute, hour, , month] = fields;
  let at = Math.floor(after / minuteMs) * minuteMs + minuteMs;
  const limit = at + fiveYearsMs;
  while (at <= limit) {
    const wall = wallClock(at);
    if (!month.values.has(wall.month) || !dayMatches(fields, wall)) at = laterThan(at, wall, wallClock);
    else if (!hour.values.has(wall.hour)) at += (60 - wall.minute) * minuteMs;
    else if (!minute.values.has(wall.minute)) at += minuteMs;
    else return at;
  }
  return undefined;
}

/** If both day fields are restricted, either may match; if one is open, the other decides. */
function dayMatches([, , day, , weekday]: Fields, wall: WallTime): boolean {
  const byDay = day.values.has(wall.day);
  const byWeekday = weekday.values.has(new Date(Date.UTC(wall.year, wall.month - 1, wall.day)).getUTCDay());
  return day.isOpen || weekday.isOpen ? byDay && byWeekday : byDay || byWeekday;
}

/** The start of the next day on the wall clock. It is found by hours, since a day may have 23 or 25 of them. */
function laterThan(at: number, wall: WallTime, wallClock: WallClock): number {
  let next = at + ((23 - wall.hour) * 60 + (60 - wall.minute)) * minuteMs;
  const landed = wallClock(next);
  if (landed.day === wall.day) next += (24 - landed.hour) * hourMs - landed.minute * minuteMs;
  // a day may also be half an hour shorter
  else if (landed.hour !== 0 || landed.minute !== 0) next -= landed.hour * hourMs + landed.minute * minuteMs;
  // where midnight itself is skipped, the step back could land on the old day again: then take the hour after
  return wallClock(next).day === wall.day ? next + hourMs : next;
}
