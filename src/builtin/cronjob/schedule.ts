/** Cron schedules: takes the text of a schedule and a time zone, gives the times at which it fires. Pure. */
import { lookup, own } from "../../base/members.js";

/**
 * A parsed schedule. `next` gives the first time strictly after `after` (in ms), or undefined if there is none within
 * five years.
 */
export interface Schedule {
  next(after: number): number | undefined;
}

/** The text is not a schedule, or the time zone is not known; the message names the field and the reason. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}

interface Field {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly words?: Readonly<Record<string, number>>;
}

const words = (names: string, from: number): Readonly<Record<string, number>> =>
  Object.fromEntries(names.split(" ").map((word, i) => [word, i + from]));

const fields: readonly Field[] = [
  { name: "minute", low: 0, high: 59 },
  { name: "hour", low: 0, high: 23 },
  { name: "day of month", low: 1, high: 31 },
  { name: "month", low: 1, high: 12, words: words("jan feb mar apr may jun jul aug sep oct nov dec", 1) },
  { name: "day of week", low: 0, high: 6, words: words("sun mon tue wed thu fri sat", 0) },
];

const descriptors: Readonly<Record<string, string>> = lookup({
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
});

interface Matcher {
  readonly values: ReadonlySet<number>;
  /** True for a field written as `*` or `?`: the other day field alone then decides on the day. */
  readonly any: boolean;
}

const unitMs: Readonly<Record<string, number>> = lookup({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 });

/** Takes five fields with names, ranges, steps and lists, or one of the `@` words. `timeZone` is an IANA name. */
export function parseSchedule(text: string, timeZone = "UTC"): Schedule {
  const trimmed = text.trim();
  const inText = /^(?:TZ|CRON_TZ)=(\S+)\s+(\S.*)$/s.exec(trimmed);
  if (inText !== null) return parseSchedule(inText[2] as string, inText[1] as string);
  const wallClock = wallClockOf(timeZone);
  if (trimmed.startsWith("@every ")) return every(trimmed.slice("@every ".length));
  const expanded = trimmed.startsWith("@") ? descriptors[trimmed] : trimmed;
  if (expanded === undefined) throw new ScheduleError(`unrecognized descriptor: ${trimmed}`);
  const parts = expanded.split(/\s+/);
  if (parts.length !== 5 || parts[0] === "") {
    throw new ScheduleError(`expected exactly 5 fields, found ${trimmed === "" ? 0 : parts.length}: [${trimmed}]`);
  }
  const matchers = parts.map((part, i) => parseField(part, fields[i] as Field)) as unknown as Matchers;
  return { next: (after) => nextMatch(matchers, wallClock, after) };
}

type Matchers = readonly [minute: Matcher, hour: Matcher, day: Matcher, month: Matcher, weekday: Matcher];

function every(text: string): Schedule {
  const matched = /^(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+$/.exec(text.trim());
  if (matched === null) throw new ScheduleError(`failed to parse duration @every ${text}`);
  let ms = 0;
  for (const [, number, unit] of text.matchAll(/(?<![0-9.])([0-9.]+)(ms|s|m|h)/g))
    ms += Number(number) * (unitMs[unit as string] as number);
  // whole seconds, and at least one
  const stepMs = Math.max(1000, Math.floor(ms / 1000) * 1000);
  return { next: (after) => Math.floor(after / 1000) * 1000 + stepMs };
}

function parseField(text: string, field: Field): Matcher {
  const values = new Set<number>();
  let any = false;
  for (const part of text.split(",")) {
    const { from, to, step, open } = parseRange(part, field);
    for (let value = from; value <= to; value += step) values.add(value);
    any ||= open;
  }
  return { values, any };
}

function parseRange(text: string, field: Field): { from: number; to: number; step: number; open: boolean } {
  const fail = (why: string): never => {
    throw new ScheduleError(`${field.name}: ${why}: ${text}`);
  };
  const [range = "", stepText, tooMuch] = text.split("/");
  if (tooMuch !== undefined) fail("too many slashes");
  const step =
    stepText === undefined ? 1 : /^[0-9]+$/.test(stepText) ? Number(stepText) : fail("failed to parse the step");
  if (step === 0) fail("step of range should be a positive number");
  const open = range === "*" || range === "?";
  if (open) return { from: field.low, to: field.high, step, open: step === 1 };
  const ends = range.split("-");
  if (ends.length > 2) fail("too many hyphens");
  const from = valueOf(ends[0] as string, field, fail);
  const single = ends.length === 1;
  const to = single ? (stepText === undefined ? from : field.high) : valueOf(ends[1] as string, field, fail);
  if (from < field.low) fail(`beginning of range (${from}) below minimum (${field.low})`);
  if (to > field.high) fail(`end of range (${to}) above maximum (${field.high})`);
  if (from > to) fail(`beginning of range (${from}) beyond end of range (${to})`);
  return { from, to, step, open: false };
}

function valueOf(text: string, field: Field, fail: (why: string) => never): number {
  const word = own(field.words, text.toLowerCase());
  if (word !== undefined) return word;
  return /^[0-9]+$/.test(text) ? Number(text) : fail("failed to parse a number");
}

export function isTimeZone(name: string): boolean {
  try {
    wallClockOf(name);
    return true;
  } catch {
    return false;
  }
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
  timeZone === "UTC" || timeZone === "Etc/UTC" ? utcWallClock : zoneWallClock(timeZone);

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
function nextMatch(matchers: Matchers, wallClock: WallClock, after: number): number | undefined {
  const [minute, hour, , month] = matchers;
  let at = Math.floor(after / minuteMs) * minuteMs + minuteMs;
  const limit = at + fiveYearsMs;
  while (at <= limit) {
    const wall = wallClock(at);
    if (!month.values.has(wall.month) || !dayMatches(matchers, wall)) at = laterThan(at, wall, wallClock);
    else if (!hour.values.has(wall.hour)) at += (60 - wall.minute) * minuteMs;
    else if (!minute.values.has(wall.minute)) at += minuteMs;
    else return at;
  }
  return undefined;
}

/** If both day fields are restricted, either may match; if one is open, the other decides. */
function dayMatches([, , day, , weekday]: Matchers, wall: WallTime): boolean {
  const byDay = day.values.has(wall.day);
  const byWeekday = weekday.values.has(new Date(Date.UTC(wall.year, wall.month - 1, wall.day)).getUTCDay());
  return day.any || weekday.any ? byDay && byWeekday : byDay || byWeekday;
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
