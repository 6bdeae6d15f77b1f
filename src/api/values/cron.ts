/**
 * Cron schedules: five fields, or a word. Takes a text, gives the values that match; refuses by the rules and in the
 * words of the parser that Kubernetes uses, robfig/cron.
 */
import { lookup } from "../../base/members.js";
import { goQuote } from "../go-quote.js";
import { ParseError } from "../parse-error.js";
import { parseDuration } from "./duration.js";

/** The text is not a schedule, or the time zone is not known. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}

interface CronField {
  readonly values: ReadonlySet<number>;
  /** True for a field written as `*` or `?`: the other day field alone then decides on the day. */
  readonly isOpen: boolean;
}

type CronFields = readonly [
  minute: CronField,
  hour: CronField,
  dayOfMonth: CronField,
  month: CronField,
  dayOfWeek: CronField,
];

/** `zone` is the time zone in the schedule's text. */
export type CronSchedule = { readonly zone: string | undefined } & (
  | { readonly type: "fields"; readonly fields: CronFields }
  | { readonly type: "every"; readonly everyMs: number }
);

interface Bounds {
  readonly low: number;
  readonly high: number;
  /** Names of the values from `low` on. */
  readonly names?: readonly string[];
}

const bounds: readonly Bounds[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { low: 0, high: 6, names: "sun mon tue wed thu fri sat".split(" ") },
];

const words: Readonly<Record<string, string>> = lookup({
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
});

const everyWord = "@every ";

/** Throws a ScheduleError. */
export function parseCron(text: string): CronSchedule {
  const zoned = /^(?:CRON_)?TZ=(\S*) (.*)$/s.exec(text);
  if (zoned === null && /^(?:CRON_)?TZ=/.test(text)) {
    throw new ScheduleError("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  }
  const zone = zoned?.[1];
  if (zone !== undefined && !isTimeZone(zone)) {
    throw new ScheduleError(`provided bad location ${zone}: unknown time zone ${zone}`);
  }
  const schedule = zoned === null ? text : (zoned[2] as string).trim();
  if (schedule.startsWith(everyWord)) return { type: "every", zone, everyMs: everyMs(schedule) };
  const expanded = schedule.startsWith("@") ? words[schedule] : schedule;
  if (expanded === undefined) throw new ScheduleError(`unrecognized descriptor: ${schedule}`);
  const parts = expanded.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== bounds.length) {
    throw new ScheduleError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`);
  }
  const fields = parts.map((part, index) => parseField(part, bounds[index] as Bounds));
  return { type: "fields", zone, fields: fields as unknown as CronFields };
}

/** Whole seconds, and at least one. */
function everyMs(schedule: string): number {
  try {
    const seconds = Number(parseDuration(schedule.slice(everyWord.length)) / 1_000_000_000n);
    return 1000 * Math.max(1, seconds);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ScheduleError(`failed to parse duration ${schedule}: ${error.reason}`, { cause: error });
  }
}

function parseField(text: string, field: Bounds): CronField {
  const values = new Set<number>();
  let isOpen = false;
  for (const part of text.split(",").filter((one) => one !== "")) {
    const range = parseRange(part, field);
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
    isOpen ||= range.isOpen;
  }
  return { values, isOpen };
}

interface CronRange {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isOpen: boolean;
}

function parseRange(text: string, { low, high, names = [] }: Bounds): CronRange {
  const numberOf = (word: string): number => {
    const named = names.indexOf(word.toLowerCase());
    return named === -1 ? integerOf(word) : low + named;
  };
  const [range = "", ...steps] = text.split("/");
  const [first = "", ...others] = range.split("-");
  const isStar = first === "*" || first === "?";
  const start = isStar ? low : numberOf(first);
  if (!isStar && others.length > 1) throw new ScheduleError(`too many hyphens: ${text}`);
  let end = isStar ? high : others[0] === undefined ? start : numberOf(others[0]);
  if (steps.length > 1) throw new ScheduleError(`too many slashes: ${text}`);
  const step = steps[0] === undefined ? 1 : integerOf(steps[0]);
  if (steps.length === 1 && others.length === 0) end = high;
  if (start < low) throw new ScheduleError(`beginning of range (${start}) below minimum (${low}): ${text}`);
  if (end > high) throw new ScheduleError(`end of range (${end}) above maximum (${high}): ${text}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
  return { start, end, step, isOpen: isStar && step === 1 };
}

function integerOf(text: string): number {
  if (!/^[+-]?[0-9]{1,15}$/.test(text)) {
    throw new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  }
  const value = Number(text);
  if (value < 0) throw new ScheduleError(`negative number (${value}) not allowed: ${text}`);
  return value;
}

/** As Go, an empty name is UTC; `Local` is the time of the server, which is UTC in a control plane. */
export const isUtc = (zone: string): boolean => zone === "" || zone === "UTC" || zone === "Local";

export function isTimeZone(name: string): boolean {
  if (isUtc(name)) return true;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
