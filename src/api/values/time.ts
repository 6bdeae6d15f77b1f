/** Times of the API: RFC 3339 text, in seconds (Time) or microseconds (MicroTime). Objects carry the text, code the number. */
import { goQuote } from "../go-quote.js";
import { ParseError } from "../parse-error.js";

const secondsLayout = "2006-01-02T15:04:05Z07:00";
const microLayout = "2006-01-02T15:04:05.000000Z07:00";

interface Step {
  readonly pattern: RegExp;
  /** How the layout names this part, in messages. */
  readonly name: string;
}

const steps: readonly Step[] = [
  { pattern: /[0-9]{4}/y, name: "2006" },
  { pattern: /-/y, name: "-" },
  { pattern: /[0-9]{2}/y, name: "01" },
  { pattern: /-/y, name: "-" },
  { pattern: /[0-9]{2}/y, name: "02" },
  { pattern: /T/y, name: "T" },
  { pattern: /[0-9]{1,2}/y, name: "15" },
  { pattern: /:/y, name: ":" },
  { pattern: /[0-9]{2}/y, name: "04" },
  { pattern: /:/y, name: ":" },
  { pattern: /[0-9]{2}/y, name: "05" },
];

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

interface Clock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function outOfRange({ year, month, day, hour, minute, second }: Clock): string | undefined {
  if (month < 1 || month > 12) return "month";
  if (hour > 23) return "hour";
  if (minute > 59) return "minute";
  if (second > 59) return "second";
  return day < 1 || day > daysIn(year, month) ? "day" : undefined;
}

/** Microseconds since 1970; finer digits are cut off. */
function parse(input: string, layout: string): number {
  const wrong = (position: number, name: string): ParseError => {
    const rest = goQuote(input.slice(position));
    const reason = `parsing time ${goQuote(input)} as ${goQuote(layout)}: cannot parse ${rest} as ${goQuote(name)}`;
    return new ParseError(reason, { input, position });
  };
  const numbers: number[] = [];
  let at = 0;
  const take = ({ pattern, name }: Step): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(input)?.[0];
    if (found === undefined) throw wrong(at, name);
    at += found.length;
    return found;
  };
  for (const step of steps) {
    const found = take(step);
    if (step.name.length > 1) numbers.push(Number(found));
  }
  const micro = layout === microLayout;
  const fraction = micro
    ? take({ pattern: /\.[0-9]{6}(?![0-9])/y, name: ".000000" })
    : take({ pattern: /(?:[.,][0-9]+)?/y, name: "" });
  const zone = take({ pattern: /Z|[+-][0-9]{2}:[0-9]{2}/y, name: "Z07:00" });
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers;
  const range = outOfRange({ year, month, day, hour, minute, second });
  const [zoneHours = 0, zoneMinutes = 0] = zone === "Z" ? [] : zone.slice(1).split(":").map(Number);
  const offset = zoneHours > 24 || zoneMinutes > 59 ? "time zone offset" : undefined;
  if (range !== undefined || offset !== undefined) {
    const reason = `parsing time ${goQuote(input)}: ${range ?? offset} out of range`;
    throw new ParseError(reason, { input, position: 0 });
  }
  if (at < input.length) {
    const reason = `parsing time ${goQuote(input)}: extra text: ${goQuote(input.slice(at))}`;
    throw new ParseError(reason, { input, position: at });
  }
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const shift = (zoneHours * 60 + zoneMinutes) * 60_000 * (zone.startsWith("-") ? -1 : 1);
  return (date.getTime() - shift) * 1_000 + Number(`${fraction.slice(1, 7)}`.padEnd(6, "0"));
}

/** Milliseconds since 1970. A fraction is read, although the API writes none. Throws ParseError. */
export function parseTime(input: string): number {
  return Math.floor(parse(input, secondsLayout) / 1_000);
}

/** Microseconds since 1970; the fraction must have exactly six digits. Throws ParseError. */
export function parseMicroTime(input: string): number {
  return parse(input, microLayout);
}

/** `2024-05-01T12:00:00Z`: the fraction is cut off. */
export function formatTime(ms: number): string {
  return `${new Date(Math.floor(ms / 1_000) * 1_000).toISOString().slice(0, -5)}Z`;
}

/** `2024-05-01T12:00:00.000123Z`: always six digits. */
export function formatMicroTime(micros: number): string {
  const whole = Math.floor(micros);
  const fraction = ((whole % 1_000_000) + 1_000_000) % 1_000_000;
  const seconds = new Date((whole - fraction) / 1_000).toISOString().slice(0, -5);
  return `${seconds}.${String(fraction).padStart(6, "0")}Z`;
}
