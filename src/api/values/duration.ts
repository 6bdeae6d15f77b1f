/** Durations: `1h30m`, `1.5s`, `300ms`. Nanoseconds as bigint, because they must come back exactly as they were. */
import { goQuote } from "../go-quote.js";
import { ParseError } from "../parse-error.js";

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const largest = 2n ** 63n;

/** A signed sequence of numbers with units. Throws ParseError; more than 64 bits of nanoseconds is an error too. */
export function parseDuration(input: string): bigint {
  const invalid = (position: number): ParseError =>
    new ParseError(`time: invalid duration ${goQuote(input)}`, { input, position });
  const sign = /^[+-]/.exec(input)?.[0] ?? "";
  const rest = input.slice(sign.length);
  if (rest === "0") return 0n;
  if (rest === "") throw invalid(sign.length);
  const step = /([0-9]*)(\.[0-9]*)?([^0-9.]*)/y;
  let total = 0n;
  for (let at = 0; at < rest.length; at = step.lastIndex) {
    step.lastIndex = at;
    const match = step.exec(rest);
    const [, whole = "", point = "", unit = ""] = match ?? [];
    const fraction = point.slice(1);
    if (whole === "" && fraction === "") throw invalid(sign.length + at);
    const afterNumber = sign.length + at + whole.length + point.length;
    if (unit === "") {
      throw new ParseError(`time: missing unit in duration ${goQuote(input)}`, { input, position: afterNumber });
    }
    if (!Object.hasOwn(units, unit)) {
      const reason = `time: unknown unit ${goQuote(unit)} in duration ${goQuote(input)}`;
      throw new ParseError(reason, { input, position: afterNumber });
    }
    if (whole.length > 40) throw invalid(sign.length + at);
    const size = units[unit] as bigint;
    total += BigInt(whole || "0") * size;
    const digits = fraction.slice(0, 40);
    total += (BigInt(digits || "0") * size) / 10n ** BigInt(digits.length);
    if (total > largest) throw invalid(sign.length + at);
  }
  if (sign === "-") return -total;
  if (total === largest) throw invalid(0);
  return total;
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
  const fraction = digits.slice(-places).replace(/0+$/, "");
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
