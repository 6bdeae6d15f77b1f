/** Times and durations: read and written as Go does, and split into calendar parts in a time zone. */
import { parseDuration } from "../../../api/index.js";
import { Duration, ErrorValue, Timestamp } from "./value.js";

const second = 1_000_000_000n;
/** The beginning of year 1 and the end of year 9999. */
const earliest = -62_135_596_800n * second;
const latest = 253_402_300_799n * second + 999_999_999n;
const longest = 2n ** 63n;

export function timestampAt(nanoseconds: bigint, zone = 0): Timestamp | ErrorValue {
  const fits = nanoseconds >= earliest && nanoseconds <= latest;
  return fits ? new Timestamp(nanoseconds, zone) : new ErrorValue("timestamp overflow");
}

export function durationOf(nanoseconds: bigint): Duration | ErrorValue {
  const fits = nanoseconds >= -longest && nanoseconds < longest;
  return fits ? new Duration(nanoseconds) : new ErrorValue("duration overflow");
}

const form = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,30}))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** The time that a text in the form of RFC 3339 names; undefined for any other text. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const found = form.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, seconds, fraction = "", sign, zoneHour = "0", zoneMinute = "0"] = found;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, seconds].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  const isDate = date.getUTCMonth() === mo - 1 && date.getUTCDate() === d;
  if (!isDate || h > 23 || mi > 59 || s > 59 || Number(zoneHour) > 24 || Number(zoneMinute) > 60) return undefined;
  date.setUTCHours(h, mi, s);
  const zone = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === "-" ? -1 : 1);
  const nanoseconds = BigInt(fraction.slice(0, 9).padEnd(9, "0"));
  const at = timestampAt(BigInt(date.getTime() / 1000 - zone * 60) * second + nanoseconds, zone);
  return at instanceof Timestamp ? at : undefined;
}

export function timestampText({ nanoseconds, zone }: Timestamp): string {
  const fraction = ((nanoseconds % second) + second) % second;
  const date = new Date(Number((nanoseconds - fraction) / 1_000_000n) + zone * 60_000);
  const whole = date.toISOString().slice(0, -5);
  const digits =
    fraction === 0n
      ? ""
      : `.${fraction
          .toString()
          .padStart(9, "0")
          .replace(/(?<!0)0+$/, "")}`;
  return `${whole}${digits}${zone === 0 ? "Z" : zoneText(zone)}`;
}

function zoneText(zone: number): string {
  const part = (value: number): string => String(Math.trunc(value)).padStart(2, "0");
  const minutes = Math.abs(zone);
  return `${zone < 0 ? "-" : "+"}${part(minutes / 60)}:${part(minutes % 60)}`;
}

/** The duration that a text in Go's form, such as `1h30m`, names; undefined for any other text. */
export function parseDurationText(text: string): Duration | undefined {
  try {
    return new Duration(parseDuration(text));
  } catch {
    return undefined;
  }
}

/** Seconds, with as many decimal places as needed. */
export function durationText({ nanoseconds }: Duration): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = (size % second)
    .toString()
    .padStart(9, "0")
    .replace(/(?<!0)0+$/, "");
  return `${nanoseconds < 0n ? "-" : ""}${size / second}${fraction === "" ? "" : `.${fraction}`}s`;
}

export interface Calendar {
  readonly year: number;
  /** From 0. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  /** From 0. */
  readonly dayOfYear: number;
  /** Sunday is 0. */
  readonly dayOfWeek: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** `zone` is a name such as `Europe/Berlin`, or an offset such as `-08:00`. */
export function calendarOf({ nanoseconds }: Timestamp, zone = "UTC"): Calendar | ErrorValue {
  const milliseconds = Number(nanoseconds / 1_000_000n - (nanoseconds % 1_000_000n < 0n ? 1n : 0n));
  const offset = offsetOf(zone, milliseconds);
  if (offset instanceof ErrorValue) return offset;
  const date = new Date(milliseconds + offset);
  const year = date.getUTCFullYear();
  const start = new Date(0);
  start.setUTCFullYear(year, 0, 1);
  return {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    dayOfYear: Math.floor((date.getTime() - start.getTime()) / 86_400_000),
    dayOfWeek: date.getUTCDay(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    milliseconds: date.getUTCMilliseconds(),
  };
}

/** The zone's offset from UTC in milliseconds. */
function offsetOf(zone: string, at: number): number | ErrorValue {
  if (zone === "UTC" || zone === "" || zone === "Z") return 0;
  const colon = zone.indexOf(":");
  if (colon >= 0) {
    const [, sign, hours, minutes] = /^([+-]?)(\d+):(\d+)$/.exec(zone) ?? [];
    if (hours === undefined)
      return new ErrorValue(`strconv.Atoi: parsing ${JSON.stringify(zone.slice(0, colon))}: invalid syntax`);
    return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  }
  try {
    const name = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" })
      .formatToParts(at)
      .find(({ type }) => type === "timeZoneName")?.value;
    const [, sign, hours = "0", minutes = "0", seconds = "0"] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name ?? "") ?? [];
    return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 * (sign === "-" ? -1 : 1);
  } catch {
    return new ErrorValue(`unknown time zone ${zone}`);
  }
}
