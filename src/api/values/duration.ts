/** Durations: `1h30m`, `1.5s`, `300ms`. Nanoseconds as bigint, so that a parsed duration prints as it was. */
import { lookup } from "../../base/members.js";
import { ParseError } from "../parse-error.js";

const units: Readonly<Record<string, bigint>> = lookup({
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
});

const largest = 2n ** 63n;

/** Go quotes durations byte by byte in messages, unlike all other text. */
function quote(text: string): string {
  if (/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text)) return `"${text}"`;
  const shown = (byte: number): string => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    return byte < 0x20 || byte >= 0x80 ? `\\x${byte.toString(16).padStart(2, "0")}` : String.fromCharCode(byte);
  };
  return `"${[...Buffer.from(text)].map((byte) => shown(byte)).join("")}"`;
}

/** Parses a signed sequence of numbers with units. Throws ParseError, also for more nanoseconds than 64 bits hold. */
export function parseDuration(input: string): bigint {
  const sign = input.startsWith("-") || input.startsWith("+") ? 1 : 0;
  if (input.slice(sign) === "0") return 0n;
  if (input.length === sign) throw invalid(input, sign);
  let total = 0n;
  for (let at = sign; at < input.length; ) {
    const { length, nanoseconds } = stepAt(input, at);
    total += nanoseconds;
    if (total > largest) throw invalid(input, at);
    at += length;
  }
  if (input.startsWith("-")) return -total;
  if (total === largest) throw invalid(input, 0);
  return total;
}

function invalid(input: string, position: number): ParseError {
  return new ParseError(`time: invalid duration ${quote(input)}`, { input, position });
}

/** One number with its unit. */
function stepAt(input: string, at: number): { readonly length: number; readonly nanoseconds: bigint } {
  const step = /([0-9]*)(\.?)([0-9]*)([^0-9.]*)/y;
  step.lastIndex = at;
  const [text, whole, point, fraction, unit] = step.exec(input) as unknown as [string, string, string, string, string];
  if (whole + fraction === "" || whole.length > 40 || BigInt(whole) > largest) throw invalid(input, at);
  const position = at + text.length - unit.length;
  if (unit === "") throw new ParseError(`time: missing unit in duration ${quote(input)}`, { input, position });
  if (!Object.hasOwn(units, unit)) {
    throw new ParseError(`time: unknown unit ${quote(unit)} in duration ${quote(input)}`, { input, position });
  }
  const size = units[unit] as bigint;
  const digits = point === "" ? "" : fraction.slice(0, 40);
  const nanoseconds = BigInt(whole) * size + (BigInt(digits) * size) / 10n ** BigInt(digits.length);
  return { length: text.length, nanoseconds };
}

const second = 1_000_000_000n;

/** `1h30m0s`, `1.5s`, `2ms`, `0s`: the form in which the API prints durations. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  const total = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (total < second) {
    if (total < 1_000n) return `${sign}${total}ns`;
    return total < 1_000_000n ? `${sign}${withPoint(total, 3)}µs` : `${sign}${withPoint(total, 6)}ms`;
  }
  const seconds = withPoint(total % (60n * second), 9);
  const minutes = total / (60n * second);
  if (minutes === 0n) return `${sign}${seconds}s`;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}s` : `${sign}${hours}h${minutes % 60n}m${seconds}s`;
}

function withPoint(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/(?<!0)0+$/, "");
  return fraction === "" ? digits.slice(0, -places) : `${digits.slice(0, -places)}.${fraction}`;
}

/** Milliseconds, for clocks and timers. */
export function durationToMs(duration: string | bigint): number {
  return Number(typeof duration === "string" ? parseDuration(duration) : duration) / 1e6;
}

/** The text of a whole number of milliseconds. */
export function durationFromMs(ms: number): string {
  return formatDuration(BigInt(Math.round(ms * 1e6)));
}
