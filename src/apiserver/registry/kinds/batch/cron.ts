/** Validates cron schedules (five fields, or a word), in the words of the parser that Kubernetes uses. */
import { parseDuration, ParseError, goQuote } from "../../../../api/index.js";

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
  /** The number of the first name. */
  readonly first?: number;
}

const fields: readonly Bounds[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, first: 1, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { low: 0, high: 6, first: 0, names: "sun mon tue wed thu fri sat".split(" ") },
];

const words = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);

/** Undefined if the schedule is good. */
export function scheduleComplaint(schedule: string): string | undefined {
  try {
    check(schedule);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function check(given: string): void {
  const zone = /^(?:CRON_)?TZ=(\S*) (.*)$/s.exec(given);
  if (zone === null && /^(?:CRON_)?TZ=/.test(given)) {
    throw new Error("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  }
  if (zone !== null && !isTimeZone(zone[1] as string)) {
    throw new Error(`provided bad location ${zone[1]}: unknown time zone ${zone[1]}`);
  }
  const schedule = zone === null ? given : (zone[2] as string).trim();
  if (schedule.startsWith("@")) {
    checkWord(schedule);
    return;
  }
  const parts = schedule.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== 5) throw new Error(`expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`);
  for (const [index, part] of parts.entries()) {
    for (const range of part.split(",").filter((one) => one !== "")) checkRange(range, fields[index] as Bounds);
  }
}

function checkWord(word: string): void {
  if (words.has(word)) return;
  if (!word.startsWith("@every ")) throw new Error(`unrecognized descriptor: ${word}`);
  try {
    parseDuration(word.slice("@every ".length));
  } catch (error) {
    if (error instanceof ParseError)
      throw new Error(`failed to parse duration ${word}: ${error.reason}`, { cause: error });
    throw error;
  }
}

function checkRange(text: string, bounds: Bounds): void {
  const [range = "", ...steps] = text.split("/");
  const ends = range.split("-");
  let [start, end] = [bounds.low, bounds.high];
  if (ends[0] !== "*" && ends[0] !== "?") {
    start = numberOf(ends[0] as string, bounds);
    if (ends.length > 2) throw new Error(`too many hyphens: ${text}`);
    end = ends.length === 2 ? numberOf(ends[1] as string, bounds) : start;
  }
  if (steps.length > 1) throw new Error(`too many slashes: ${text}`);
  let step = 1;
  if (steps.length === 1) {
    step = integerOf(steps[0] as string);
    if (ends.length === 1) end = bounds.high;
  }
  if (start < bounds.low) throw new Error(`beginning of range (${start}) below minimum (${bounds.low}): ${text}`);
  if (end > bounds.high) throw new Error(`end of range (${end}) above maximum (${bounds.high}): ${text}`);
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new Error(`step of range should be a positive number: ${text}`);
}

function numberOf(text: string, { names = [], first = 0 }: Bounds): number {
  const named = names.indexOf(text.toLowerCase());
  return named === -1 ? integerOf(text) : named + first;
}

function integerOf(text: string): number {
  if (!/^[+-]?[0-9]{1,15}$/.test(text)) {
    throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  }
  const value = Number(text);
  if (value < 0) throw new Error(`negative number (${value}) not allowed: ${text}`);
  return value;
}

export function isTimeZone(name: string): boolean {
  if (["", "UTC", "Local"].includes(name)) return true;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
