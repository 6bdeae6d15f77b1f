/** Times of the API: RFC 3339 text, in seconds (Time) or microseconds (MicroTime). Objects carry the text, code the number. */
import { goQuote } from "../go-quote.js";
import { ParseError } from "../parse-error.js";

const secondsLayout = "2006-01-02T15:04:05Z07:00";
const microLayout = "2006-01-02T15:04:05.000000Z07:00";

interface Step {
  readonly pattern: RegExp;
  /** The name of this part in the layout, for messages. */
  readonly name: string;
  /** The name of the number at this place in messages, and its bounds. */
  readonly range?: readonly [name: string, low: number, high: number];
}

const dash: Step = { pattern: /-/y, name: "-" };
const colon: Step = { pattern: /:/y, name: ":" };

const steps: readonly Step[] = [
  { pattern: /[0-9]{4}/y, name: "2006", range: ["year", 0, 9999] },
  dash,
  { pattern: /[0-9]{2}/y, name: "01", range: ["month", 1, 12] },
  dash,
  { pattern: /[0-9]{2}/y, name: "02", range: ["", 0, 99] },
  { pattern: /T/y, name: "T" },
  { pattern: /[0-9]{1,2}/y, name: "15", range: ["hour", 0, 23] },
  colon,
  { pattern: /[0-9]{2}/y, name: "04", range: ["minute", 0, 59] },
  colon,
  { pattern: /[0-9]{2}/y, name: "05", range: ["second", 0, 59] },
];

const anyFraction: Step = { pattern: /(?:[.,][0-9]+)?/y, name: "" };
const sixDigits: Step = { pattern: /[.,][0-9]{6}/y, name: ".000000" };
const zoneOffset: Step = { pattern: /Z|[+-][0-9]{2}:[0-9]{2}/y, name: "Z07:00" };

const daysIn = (year: number, month: number): number => {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
};

/** Gives the milliseconds since 1970 of the whole second, and the microseconds after it; finer digits are cut off. */
function parse(input: string, layout: string): { readonly secondMs: number; readonly micros: number } {
  const fail = (why: string, position: number): ParseError =>
    new ParseError(`parsing time ${goQuote(input)}${why}`, { input, position });
  const outOfRange = (what: string, position: number): ParseError => fail(`: ${what} out of range`, position);
  let at = 0;
  const take = ({ pattern, name }: Step): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(input)?.[0];
    if (found === undefined) {
      throw fail(` as ${goQuote(layout)}: cannot parse ${goQuote(input.slice(at))} as ${goQuote(name)}`, at);
    }
    at += found.length;
    return found;
  };
  const numbers: number[] = [];
  for (const step of steps) {
    const found = Number(take(step));
    if (step.range === undefined) continue;
    const [name, low, high] = step.range;
    if (found < low || found > high) throw outOfRange(name, at);
    numbers.push(found);
  }
  const fraction = take(layout === microLayout ? sixDigits : anyFraction);
  const zone = take(zoneOffset);
  const [zoneHours = 0, zoneMinutes = 0] = zone === "Z" ? [] : zone.slice(1).split(":").map(Number);
  if (zoneMinutes > 60) throw outOfRange("time zone offset minute", at);
  if (zoneHours > 24) throw outOfRange("time zone offset hour", at);
  if (at < input.length) throw fail(`: extra text: ${goQuote(input.slice(at))}`, at);
  const [year, month, day, hour, minute, second] = numbers as [number, number, number, number, number, number];
  if (day < 1 || day > daysIn(year, month)) throw outOfRange("day", at);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const shift = (zoneHours * 60 + zoneMinutes) * 60_000 * (zone.startsWith("-") ? -1 : 1);
  return { secondMs: date.getTime() - shift, micros: Number(fraction.slice(1, 7).padEnd(6, "0")) };
}

/** Milliseconds since 1970. A fraction is read, although the API writes none. Throws ParseError. */
export function parseTime(input: string): number {
  const { secondMs, micros } = parse(input, secondsLayout);
  return secondMs + Math.floor(micros / 1_000);
}

/** Microseconds since 1970, exact until the year 2255; the fraction must have exactly six digits. Throws ParseError. */
export function parseMicroTime(input: string): number {
  const { secondMs, micros } = parse(input, microLayout);
  return secondMs * 1_000 + micros;
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
